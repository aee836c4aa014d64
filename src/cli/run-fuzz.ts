/** Runs what `routeproof fuzz` asks for. */
import { drawingMark } from '../random/drawing-mark.ts';
import { type FuzzReport, fuzz, shrink } from '../random/fuzz.ts';
import { WalkPlayer } from '../random/play-walk.ts';
import { Walker } from '../random/walker.ts';
import { reasonOf } from '../reason-of.ts';
import { startProgress } from '../report/progress.ts';
import { checkedCampaign } from './campaign-check.ts';
import { type Campaign, campaignOf, readCampaign } from './campaign-file.ts';
import { exitCodeOfCampaign, reportCampaign } from './campaign-text.ts';
import { defaultRuns, type FuzzCommandOptions } from './fuzz.ts';
import { guidanceOf } from './guidance.ts';
import { type Instance, instancesOf, obligationsOf, propertiesOf } from './instance.ts';
import { interruptible } from './interrupt.ts';
import { prepareTraceDirectory } from './trace-files.ts';
import { UsageError } from './usage-error.ts';

/** Runs a campaign, goes on with one, or follows a path. */
export async function runFuzz(id: string | undefined, options: FuzzCommandOptions): Promise<void> {
  if (options.path !== undefined) return await followPath(id ?? 'fenced', options);
  assertSeed(options);
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
    process.exitCode = exitCodeOfCampaign(campaign);
    await reportCampaign(instance, campaign, output === undefined ? options : { ...options, output }, signal);
  });
}

/** Shards that drew a seed each would be of different campaigns, and `merge` would say so after all the work. */
function assertSeed({ shard, seed, resume }: FuzzCommandOptions): void {
  if (shard === undefined || seed !== undefined || resume !== undefined) return;
  throw new UsageError(
    `--shard ${shard.index}/${shard.of}: it needs --seed. Give all shards the same, such as --seed 1; with different ones they cannot be merged.`,
  );
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
  const walker = new Walker(system);
  const guidance = guidanceOf(instance, system);
  let violation: ReturnType<typeof shrink>;
  try {
    violation = shrink(walker, new WalkPlayer(system), property, {
      steps,
      ...guidance,
      seed,
      path: path as string,
    });
  } catch (error) {
    throw new UsageError(
      `--path ${path}: ${reasonOf(error)} Use the line that fuzz printed, with the same design, parameters, endpoints, faults and steps.`,
    );
  }
  const report: FuzzReport = {
    system: system.id,
    runs: 1,
    steps,
    seed,
    drawing: drawingMark(walker, { steps, ...guidance }, seed),
    shards: [{ index: 1, of: 1, done: 1 }],
    properties: [
      { id: wanted, held: 0, violation: { ...violation, run: 0, foundLength: violation.trace.picks.length } },
    ],
    statistics: { drawn: 0, made: 0, depths: {}, faults: {}, matrix: {} },
  };
  const campaign = campaignOf(instance, [wanted], [report]);
  process.exitCode = exitCodeOfCampaign(campaign);
  await interruptible((signal) => reportCampaign(instance, campaign, { ...options, followed: true }, signal));
}
