/** `routeproof diagram`: draws a machine. */
import { type Command, Option } from 'commander';
import { machines, machinesOf } from '../../models/index.ts';
import { ticksOf } from '../diagram/labels.ts';
import { statechart } from '../machine/statechart.ts';
import { designOf } from './instance.ts';
import { lookUp } from './suggest.ts';
import { writeWhole } from './trace-files.ts';

interface DiagramOptions {
  readonly design?: string;
  readonly format?: 'mermaid' | 'svg';
  readonly output?: string;
}

/** Adds the command. */
export function addDiagram(program: Command): void {
  program
    .command('diagram')
    .summary('draw a machine')
    .description('Draws a machine as it is written, or with the delays of a design.')
    .argument('<machine>', `one of ${Object.keys(machines).join(', ')}`)
    .option('--design <id>', 'write the delays of this design, in seconds')
    .addOption(
      new Option('--format <format>', 'how; left out, the file name decides, or else mermaid').choices([
        'mermaid',
        'svg',
      ]),
    )
    .option('-o, --output <file>', 'write a file instead of standard output')
    .action(drawMachine);
}

async function drawMachine(id: string, { design: designId, format, output }: DiagramOptions): Promise<void> {
  const names = Object.keys(machines) as (keyof typeof machines)[];
  const name = lookUp(id, { place: 'machine', noun: 'machine', names }) as keyof typeof machines;
  const design = designId === undefined ? undefined : designOf(designId);
  const chart = statechart(design === undefined ? machines[name] : machinesOf(design)[name]);
  const options = { formatTime: ticksOf(design?.parameters.tick), hiddenTags: ['rest'] };
  const text = await draw(chart, format ?? (output?.endsWith('.svg') ? 'svg' : 'mermaid'), options);
  if (output === undefined) process.stdout.write(text);
  else await writeWhole(output, text);
}

/** Each drawer is loaded only when it is asked for; the layout engine behind SVG is large. */
async function draw(
  chart: ReturnType<typeof statechart>,
  format: 'mermaid' | 'svg',
  options: { readonly formatTime: (value: number) => string; readonly hiddenTags: readonly string[] },
): Promise<string> {
  if (format === 'mermaid') return (await import('../diagram/mermaid.ts')).toMermaid(chart, options);
  return await (await import('../diagram/svg.ts')).toSvg(chart, options);
}
