/** `routeproof export`: writes a design's system in the language of another tool. */
import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import { nodeSystem } from '../../models/index.ts';
import { type ExportFormat, exportFormats, exportSystem } from '../export/export.ts';
import { addInstanceOptions, type InstanceOptions, instancesOf, wholeNumber } from './instance.ts';
import { interruptedCode, interruptible } from './interrupt.ts';
import { writePieces } from './write-pieces.ts';

interface ExportCommandOptions extends InstanceOptions {
  readonly format: ExportFormat;
  readonly output?: string;
  readonly maxStates?: number;
}

/** Adds the command. */
export function addExport(program: Command): void {
  const command = program
    .command('export')
    .summary('write a design for another tool, for a second opinion')
    .description(
      "Writes a design's node, without properties, for Spin (promela), Rumur (murphi), CADP and mCRL2 (aut, the whole graph) or Graphviz (dot, of small graphs). How to run the tool stands at the top of the file.",
    )
    .argument('[design]', "id of a design, see 'routeproof list'", 'fenced')
    .addOption(new Option('--format <format>', 'the language').choices(exportFormats).makeOptionMandatory());
  addInstanceOptions(command)
    .optionsGroup('What is written:')
    .option(
      '--max-states <n>',
      'for dot: draw as many states (default: 2000)',
      wholeNumber('--max-states', 1),
    )
    .option('-o, --output <file>', 'write a file instead of standard output')
    .action(writeExport);
}

async function writeExport(id: string, options: ExportCommandOptions): Promise<void> {
  const { format, output, maxStates } = options;
  for (const { design, endpoints, faults, strikes } of instancesOf([id], options)) {
    const system = nodeSystem(design, {
      endpoints,
      faults,
      ...(strikes === undefined ? {} : { strikes }),
    });
    await interruptible(async (signal) => {
      const pieces = exportSystem(system, format, {
        signal,
        writtenBy: `routeproof ${process.argv.slice(2).join(' ')}`,
        ...(output === undefined ? {} : { file: basename(output) }),
        ...(maxStates === undefined ? {} : { maxStates }),
      });
      try {
        await writePieces(output, pieces, signal);
      } catch (error) {
        if (!signal.aborted) throw error;
        process.exitCode = interruptedCode;
      }
    });
  }
}
