/** `routeproof fuzz`: random walks with running actors, for systems that are too large to be searched. */
import { type Command, Option } from 'commander';
import type { Condition } from '../property.ts';
import type { Phase } from '../random/draw-walk.ts';
import { type FuzzReport, fuzz, goalsOf, type Shard, shrink } from '../random/fuzz.ts';
import { WalkPlayer } from '../random/play-walk.ts';
import { Walker } from '../random/walker.ts';
import { startProgress } from '../report/progress.ts';
import type { System } from '../system.ts';
import { checkedCampaign } from './campaign-check.ts';
import { type Campaign, campaignOf, readCampaign, writeCampaign } from './campaign-file.ts';
import { exitCodeOfCampaign, phasesOf, printCampaign } from './campaign-text.ts';
import {
  addInstanceOptions,
  collect,
  type Instance,
  type InstanceOptions,
  instancesOf,
  obligationsOf,
  propertiesOf,
  wholeNumber,
} from './instance.ts';
import { interruptible } from './interrupt.ts';
import { prepareTraceDirectory } from './trace-files.ts';
import { UsageError } from './usage-error.ts';

interface FuzzCommandOptions extends InstanceOptions {
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

const defaultRuns = 1000;

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
    .option('--steps <n>', 'how many steps of a run are drawn at most', wholeNumber('--steps', 1), 200)
    .option('--duration <seconds>', 'stop after so long', wholeNumber('--duration', 1))
    .option('--shard <i/n>', 'make every n-th run only, from the i-th on', shard)
    .option('--resume <file>', 'go on with the campaign of this file, and write it there again')
    .optionsGroup('Which runs:')
    .option('--seed <n>', 'seed of the first run, one more for each further run (default: at random)', seed)
    .option('--path <path>', 'follow a path of shrinking; with --seed and one --property')
    .optionsGroup('What is printed:')
    .addOption(new Option('--format <format>', 'how').choices(['pretty', 'json']).default('pretty'))
    .option('-o, --output <file>', "write the campaign there, for '--resume' and 'routeproof merge'")
    .option('--trace-dir <dir>', "write each shrunk run there, for 'routeproof replay'")
    .option('--no-compare', 'with one endpoint: do not compare with an exhaustive search')
    .addHelpText('after', exitCodes)
    .action(runFuzz);
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

async function runFuzz(id: string | undefined, options: FuzzCommandOptions): Promise<void> {
  if (options.path !== undefined) return await followPath(id ?? 'fenced', options);
  const before = options.resume === undefined ? undefined : await readCampaign(options.resume);
  const instance = before === undefined ? instanceOf(id ?? 'fenced', options) : resumed(before, id, options);
  const wanted = before === undefined ? propertiesOf(options.property) : before.properties;
  if (options.traceDir !== undefined) await prepareTraceDirectory(options.traceDir);
  const first = before?.reports[0];
  const settings = {
    runs: options.runs ?? first?.runs ?? defaultRuns,
    steps: first?.steps ?? options.steps,
    seed: first?.seed ?? options.seed ?? Math.floor(Math.random() * 2 ** 31),
    shard: first?.shards[0] ?? options.shard ?? { index: 1, of: 1 },
  };
  const output = options.output ?? options.resume;
  await interruptible(async (signal) => {
    const reports: FuzzReport[] = [];
    const until = options.duration === undefined ? undefined : performance.now() + options.duration * 1000;
    const all = obligationsOf(instance, wanted);
    for (const [place, { system, properties }] of all.entries()) {
      const progress = startProgress(process.stderr);
      const resume = before?.reports[place];
      try {
        reports.push(
          await fuzz(system, properties, {
            ...settings,
            ...guidanceOf(instance, system),
            countStates: instance.endpoints === 1 && options.compare && resume === undefined,
            signal,
            ...(resume === undefined ? {} : { resume }),
            ...(until === undefined
              ? {}
              : { timeLimitMs: share(until - performance.now(), place, all.length) }),
            onProgress: ({ done, all: of, violated }) =>
              progress.show(
                `${system.id} · ${done.toLocaleString('en')} of ${of.toLocaleString('en')} runs · ${violated} violated`,
              ),
          }),
        );
      } finally {
        progress.clear();
      }
    }
    const campaign = campaignOf(instance, wanted, reports);
    if (output !== undefined) await writeCampaign(output, campaign);
    process.exitCode = exitCodeOfCampaign(campaign);
    if (options.format === 'json') process.stdout.write(`${JSON.stringify(campaign, null, 2)}\n`);
    else process.stdout.write(await printCampaign(instance, campaign, { ...options, signal }));
  });
}

/** What guides walks: the same whichever of the properties are judged, so that a seed means the same run. */
function guidanceOf(
  instance: Instance,
  system: System,
): { readonly phases: readonly Phase[]; readonly goals: readonly Condition[] } {
  const all = obligationsOf(instance).find((obligation) => obligation.system.id === system.id);
  return { phases: phasesOf(instance, system), goals: goalsOf(all?.properties ?? []) };
}

/** The first system is the largest, and has four fifths of the time that is left. */
function share(leftMs: number, place: number, systems: number): number {
  return Math.max(1, place === systems - 1 ? leftMs : 0.8 * leftMs);
}

function instanceOf(id: string, options: FuzzCommandOptions): Instance {
  return instancesOf([id], options)[0] as Instance;
}

function resumed(campaign: Campaign, id: string | undefined, { resume }: FuzzCommandOptions): Instance {
  const file = resume ?? '';
  if (id !== undefined && id !== campaign.design)
    throw new UsageError(
      `--resume ${file}: it is a campaign of '${campaign.design}', not of '${id}'. Leave the design out, or name another file.`,
    );
  if (campaign.reports.some(({ shards }) => shards.length > 1))
    throw new UsageError(
      `--resume ${file}: it was merged from several shards. Resume the shards, and merge them again.`,
    );
  return checkedCampaign(file, campaign);
}

/** Draws one run again, follows a path to where shrinking led, and tells it. */
async function followPath(id: string, options: FuzzCommandOptions): Promise<void> {
  const [wanted, ...others] = propertiesOf(options.property) ?? [];
  if (wanted === undefined || others.length > 0 || options.seed === undefined)
    throw new UsageError(
      '--path: it needs --seed and exactly one --property. Use the line that fuzz printed.',
    );
  const { seed, steps, path } = options;
  const instance = instanceOf(id, options);
  const [obligation] = obligationsOf(instance, [wanted]);
  if (obligation === undefined) throw new UsageError(`--property ${wanted}: nothing is decided about it.`);
  const { system, properties } = obligation;
  const property = properties[0] as (typeof properties)[number];
  let violation: ReturnType<typeof shrink>;
  try {
    violation = shrink(new Walker(system), new WalkPlayer(system), property, {
      steps,
      ...guidanceOf(instance, system),
      seed,
      path: path as string,
    });
  } catch (error) {
    throw new UsageError(
      `--path ${path}: ${error instanceof Error ? error.message : error} Use the line that fuzz printed, with the same design, parameters, endpoints, faults and steps.`,
    );
  }
  const report: FuzzReport = {
    system: system.id,
    runs: 1,
    steps,
    seed,
    shards: [{ index: 1, of: 1, done: 1 }],
    properties: [
      { id: wanted, held: 0, violation: { ...violation, run: 0, foundLength: violation.trace.picks.length } },
    ],
    statistics: { drawn: 0, made: 0, depths: {}, faults: {}, matrix: {} },
  };
  const campaign = campaignOf(instance, [wanted], [report]);
  if (options.output !== undefined) await writeCampaign(options.output, campaign);
  process.exitCode = 1;
  await interruptible(async (signal) => {
    if (options.format === 'json') process.stdout.write(`${JSON.stringify(campaign, null, 2)}\n`);
    else process.stdout.write(await printCampaign(instance, campaign, { ...options, signal }));
  });
}

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
