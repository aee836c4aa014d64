/**
 * A campaign of random walks, for systems far beyond what can be searched. The run with number n is drawn from the seed
 * `seed + n`, whatever was run before it, so a campaign can be split, broken off, resumed and merged.
 */
import fc from 'fast-check';
import type { Condition, Property } from '../property.ts';
import type { System } from '../system.ts';
import type { Trace } from '../trace/trace.ts';
import type { Phase } from './draw-walk.ts';
import { drawingMark } from './drawing-mark.ts';
import { WalkPlayer } from './play-walk.ts';
import { addStatistics, Counting, type FuzzStatistics } from './statistics.ts';
import { traceOf } from './walk.ts';
import { Walker } from './walker.ts';
import { walks } from './walks.ts';

/** Which part of a campaign is run. */
export interface Shard {
  /** 1 or more. */
  readonly index: number;
  /** How many parts there are. */
  readonly of: number;
}

/** How a campaign is run. */
export interface FuzzOptions {
  /** How many runs the whole campaign has. */
  readonly runs: number;
  /** How many steps a run has at most, what liveness adds not counted. */
  readonly steps: number;
  /** The seed of the first run; a 32-bit number. */
  readonly seed: number;
  /** Only this part: of `of` runs each, the one with number `index`. All if left out. */
  readonly shard?: Shard;
  /** Goes on from where this report ends. Its settings must be the same. */
  readonly resume?: FuzzReport;
  /** What the system may be busy with when a fault strikes. */
  readonly phases?: readonly Phase[];
  /** Some walks seek one of these, such as the witnesses of properties; see {@link goalsOf}. */
  readonly goals?: readonly Condition[];
  /** Counts the distinct states that are visited. Costs memory for each. */
  readonly countStates?: boolean;
  /** Ends the campaign after so many milliseconds. */
  readonly timeLimitMs?: number;
  /** Ends the campaign; what was found is reported. */
  readonly signal?: AbortSignal;
  /** Hears about every 200 ms how far the campaign is. */
  readonly onProgress?: (progress: {
    readonly done: number;
    readonly all: number;
    readonly violated: number;
  }) => void;
}

/** A violation that was found. */
export interface FuzzViolation {
  /** The number of the run that found it, 0 for the first. */
  readonly run: number;
  /** What fast-check replays it from, */
  readonly seed: number;
  /** shrunk. */
  readonly path: string;
  /** How many steps the run had. */
  readonly foundLength: number;
  /** The shrunk run. */
  readonly trace: Trace;
}

/** What a campaign says of a property: it was violated, or it held in so many runs. It is never proved. */
export interface FuzzedProperty {
  /** The property's id. */
  readonly id: string;
  /** In how many runs it held. Runs after its violation are not looked at. */
  readonly held: number;
  /** The first run that violated it. */
  readonly violation?: FuzzViolation;
}

/** A part of a campaign, and how far it is. */
export interface ShardDone extends Shard {
  /** How many of its runs were made. */
  readonly done: number;
}

/** The outcome of a campaign, or of a part of it. Plain data. */
export interface FuzzReport {
  /** The id of the system. */
  readonly system: string;
  /** How many runs the whole campaign has. */
  readonly runs: number;
  /** How many steps a run has at most, what liveness adds not counted. */
  readonly steps: number;
  /** The seed of the first run. */
  readonly seed: number;
  /** Tells how walks are drawn, as a hash: parts of one campaign have the same, another version may have another. */
  readonly drawing: string;
  /** Which parts of the campaign this is, and how far each is. */
  readonly shards: readonly ShardDone[];
  /** What is said of each property, in their order. */
  readonly properties: readonly FuzzedProperty[];
  /** What was tried. */
  readonly statistics: FuzzStatistics;
  /** How many distinct states were visited, if they were counted. */
  readonly statesVisited?: number;
  /** Why it ended before its last run. */
  readonly stopped?: 'interrupted' | 'time-limit';
}

/** How many runs a part of a campaign has. */
export function runsOf(runs: number, { index, of }: Shard): number {
  return Math.max(0, Math.ceil((runs - index + 1) / of));
}

const sliceMs = 50;
const progressMs = 200;

/**
 * Runs a campaign.
 *
 * @param properties - all are judged in each run, until they are violated
 * @throws SystemError if a machine cannot be checked soundly, or if the running actors do not offer what the tables do
 * @throws RangeError if the report to go on from was drawn otherwise
 */
export async function fuzz(
  system: System,
  properties: readonly Property[],
  options: FuzzOptions,
): Promise<FuzzReport> {
  const {
    runs,
    steps,
    seed,
    shard = { index: 1, of: 1 },
    resume,
    phases = [],
    goals = [],
    signal,
    onProgress,
  } = options;
  const walker = new Walker(system);
  const player = new WalkPlayer(system);
  const counting = new Counting(system, phases);
  const visited = options.countStates === true ? new Set<string>() : undefined;
  const found = properties.map(
    ({ id }) => ({ id, held: 0 }) as { id: string; held: number; violation?: FuzzViolation },
  );
  if (resume !== undefined) takeOver(resume, found, counting);
  const all = runsOf(runs, shard);
  let done = resume?.shards[0]?.done ?? 0;
  let stopped: FuzzReport['stopped'];
  const start = performance.now();
  let paused = start;
  let told = start;

  const open = (): Property[] => properties.filter((_, place) => found[place]?.violation === undefined);
  const mark = drawingMark(walker, { steps, phases, goals }, seed);
  if (resume !== undefined && resume.drawing !== mark)
    throw new RangeError(
      `the report to go on from was drawn otherwise: its drawing is '${resume.drawing}', and here it is '${mark}'. Its system, steps, seed, phases, goals and version have to be the same.`,
    );
  const drawing = {
    steps,
    phases,
    goals,
    ...(visited === undefined ? {} : { onState: (state: readonly number[]) => visited.add(state.join()) }),
  };
  let judged = open();
  let arbitrary = walks(walker, { ...drawing, properties: judged });

  while (done < all && judged.length > 0) {
    const run = shard.index - 1 + done * shard.of;
    const seedOfRun = (seed + run) | 0;
    let violated: string | undefined;
    let length = 0;
    const property = fc.property(arbitrary, (walk) => {
      counting.begin(walk.picks.length);
      const shown = player.play(walk, judged, counting);
      counting.end();
      violated = shown?.property;
      length = shown?.walk.picks.length ?? 0;
    });
    const once = fc.check(property, { seed: seedOfRun, numRuns: 1, endOnFailure: true });
    if (once.failed) throw once.errorInstance;
    for (const each of found) if (each.violation === undefined && each.id !== violated) each.held += 1;
    done += 1;
    if (violated !== undefined) {
      const place = properties.findIndex(({ id }) => id === violated);
      const violation = shrink(walker, player, properties[place] as Property, {
        ...drawing,
        seed: seedOfRun,
      });
      (found[place] as { violation?: FuzzViolation }).violation = { ...violation, run, foundLength: length };
      judged = open();
      arbitrary = walks(walker, { ...drawing, properties: judged });
    }
    const now = performance.now();
    if (now - paused < sliceMs) continue;
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    paused = performance.now();
    if (signal?.aborted === true) stopped = 'interrupted';
    else if (options.timeLimitMs !== undefined && now - start > options.timeLimitMs) stopped = 'time-limit';
    if (stopped !== undefined) break;
    if (now - told < progressMs) continue;
    told = now;
    onProgress?.({ done, all, violated: properties.length - judged.length });
  }
  if (done === all || judged.length === 0) stopped = undefined;
  return {
    system: system.id,
    runs,
    steps,
    seed,
    drawing: mark,
    shards: [{ ...shard, done }],
    properties: found,
    statistics: counting.statistics,
    ...(visited === undefined ? {} : { statesVisited: visited.size }),
    ...(stopped === undefined ? {} : { stopped }),
  };
}

/** The states that walks may seek: the witnesses of properties. */
export function goalsOf(properties: readonly Property[]): Condition[] {
  return properties.flatMap(({ witnesses }) =>
    witnesses.flatMap((witness) => ('state' in witness ? [witness.state] : [])),
  );
}

/** How a run is drawn again. */
export interface Replaying {
  readonly steps: number;
  readonly phases: readonly Phase[];
  readonly goals: readonly Condition[];
  readonly seed: number;
  readonly path?: string;
}

/** Draws a run again for one property, and shrinks it, or follows a path to where shrinking has led before. */
export function shrink(
  walker: Walker,
  player: WalkPlayer,
  property: Property,
  { steps, phases, goals, seed, path }: Replaying,
): Pick<FuzzViolation, 'seed' | 'path' | 'trace'> {
  const arbitrary = walks(walker, { steps, phases, goals, properties: [property] });
  const judged = fc.property(arbitrary, (walk) => player.play(walk, [property]) === undefined);
  const details = fc.check(judged, {
    seed,
    numRuns: 1,
    ...(path === undefined ? {} : { path, endOnFailure: true }),
  });
  const [walk] = details.counterexample ?? [];
  const shown = walk === undefined ? undefined : player.play(walk, [property]);
  if (shown === undefined) {
    throw new Error(
      `the run with seed ${seed}${path === undefined ? '' : ` and path ${path}`} does not violate '${property.id}'.`,
    );
  }
  return {
    seed,
    path: details.counterexamplePath ?? '0',
    trace: traceOf(walker.system.id, shown),
  };
}

function takeOver(
  { properties, statistics }: FuzzReport,
  found: { id: string; held: number; violation?: FuzzViolation }[],
  counting: Counting,
): void {
  for (const each of found) {
    const before = properties.find(({ id }) => id === each.id);
    each.held = before?.held ?? 0;
    if (before?.violation !== undefined) each.violation = before.violation;
  }
  addStatistics(counting.statistics, statistics);
}
