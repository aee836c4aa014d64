/** `routeproof fuzz`: random walks with running actors, for systems that are too large to be searched. */
import { type Command, Option } from 'commander';
import type { Shard } from '../random/fuzz.ts';
import { addInstanceOptions, collect, type InstanceOptions, wholeNumber } from './instance.ts';
import { UsageError } from './usage-error.ts';

/** The options of the command, as commander collects them. */
export interface FuzzCommandOptions extends InstanceOptions {
  readonly property?: readonly string[];
  readonly runs?: number;
  readonly steps: number;
  readonly seed?: number;
  readonly path?: string;
  readonly shard?: Shard;
  readonly duration?: number;
  readonly output?: string;
  readonly resume?: string;
  readonly compare: boolean;
  readonly format: 'pretty' | 'json';
  readonly traceDir?: string;
}

/** How many runs a campaign has unless it is said otherwise. */
export const defaultRuns = 1000;

/** Adds the command. */
export function addFuzz(program: Command): void {
  const command = program
    .command('fuzz')
    .summary('run random interleavings of faults with real actors, for what is too large to be searched')
    .description(
      "Runs the machines as XState actors under XState's interpreter, on a clock that is held, and lets fast-check draw from what the system offers. What is violated is shrunk to a short run. What is not violated has held in so many runs; it is not proved.",
    )
    .argument('[design]', "id of a design, see 'routeproof list' (default: fenced, or that of --resume)");
  addInstanceOptions(command, 8)
    .option('--property <id>', 'judge only this property; can be repeated', collect)
    .optionsGroup('How far:')
    .option('--runs <n>', `how many runs (default: ${defaultRuns})`, wholeNumber('--runs', 1))
    .option(
      '--steps <n>',
      'how many steps a run has at most, what liveness adds not counted',
      wholeNumber('--steps', 1),
      200,
    )
    .option('--duration <seconds>', 'stop after so long', wholeNumber('--duration', 1))
    .option(
      '--shard <i/n>',
      'make every n-th run only, from the i-th on; with the same --seed for all shards',
      shard,
    )
    .option('--resume <file>', 'go on with the campaign of this file, and write it there again')
    .optionsGroup('Which runs:')
    .option('--seed <n>', 'seed of the first run, one more for each further run (default: at random)', seed)
    .option('--path <path>', 'follow a path of shrinking; with --seed and one --property')
    .optionsGroup('What is printed:')
    .addOption(new Option('--format <format>', 'how').choices(['pretty', 'json']).default('pretty'))
    .option('-o, --output <file>', "write the campaign there, for '--resume' and 'routeproof merge'")
    .option(
      '--trace-dir <dir>',
      "write each shrunk run there, as <design>.<property>.fuzz.itf.json, for 'routeproof replay'",
    )
    .option('--no-compare', 'do not compare with an exhaustive search of one endpoint')
    .addHelpText('after', exitCodes)
    .action(async (id: string | undefined, options: FuzzCommandOptions) => {
      // fast-check is for those who need it: other commands start without.
      const { runFuzz } = await import('./run-fuzz.ts');
      await runFuzz(id, options);
    });
}

/** What the exit codes mean, of `fuzz` and of `merge`. */
export const exitCodes = `
Exit codes:
  0    everything held in all runs
  1    something is violated
  2    the command or the tool is at fault
  3    incomplete: not all runs were made
  130  interrupted; what was found so far is printed and written
`;

function shard(text: string): Shard {
  const [, index, of] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  const shard = { index: Number(index), of: Number(of) };
  if (!(shard.index >= 1 && shard.index <= shard.of))
    throw new UsageError(`--shard ${text}: expected i/n with i from 1 to n, such as 1/4.`);
  return shard;
}

function seed(text: string): number {
  const value = Number(text);
  if (!(Number.isInteger(value) && Math.abs(value) < 2 ** 31) || text.trim() === '')
    throw new UsageError(`--seed ${text}: expected a whole number that fits into 32 bits.`);
  return value;
}
