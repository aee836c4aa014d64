/**
 * Decides all properties of a system in one search of its whole state space.
 *
 * ```ts
 * const report = await check(system, [noKnownRouteDeleted]);
 * report.properties[0].verdict; // 'proved', 'violated', 'vacuous' or 'incomplete'
 * ```
 */
import { totalmem } from 'node:os';
import { confirmDeadlock, confirmLasso, confirmViolation, play } from './explore/confirm.ts';
import { type Driving, drive } from './explore/drive.ts';
import { Engine } from './explore/engine.ts';
import { decideLiveness, type LivenessResult } from './explore/liveness.ts';
import { pathTo, pathToFinding } from './explore/paths.ts';
import { Search, type Stopped } from './explore/search.ts';
import { statesLimit } from './explore/state-table.ts';
import { findTimeLocks, type TimeLocks } from './explore/time-locks.ts';
import type { EventuallyAlways, Property } from './property.ts';
import type { System } from './system.ts';
import type { Trace } from './trace/trace.ts';

/** How a check is run. */
export interface CheckOptions {
  /** More states than this are not looked at; the verdict is then `incomplete`. */
  readonly maxStates?: number;
  /** More bytes than this are not used for states; by default three quarters of the machine's memory. */
  readonly maxBytes?: number;
  /** Stops the check; what was found so far is reported. */
  readonly signal?: AbortSignal;
  /** Hears about every 200 ms how far the check is. */
  readonly onProgress?: (progress: CheckProgress) => void;
}

/** How far a check is. */
export interface CheckProgress {
  /** States found. */
  readonly states: number;
  readonly statesPerSecond: number;
  /** Breadth-first levels so far, the first not counted. */
  readonly depth: number;
  /** States found and not yet expanded. */
  readonly frontier: number;
  readonly phase: 'search' | 'liveness';
}

/** What a check says of a property. */
export type Verdict =
  /** It holds in the whole reachable space. */
  | 'proved'
  /** It does not: see the trace. */
  | 'violated'
  /** Nothing violates it, but some witness is unreachable, so that this says nothing. */
  | 'vacuous'
  /** Nothing that was seen violates it, but not everything was seen. */
  | 'incomplete';

/** The verdict on one property. */
export interface PropertyReport {
  readonly id: string;
  readonly kind: Property['kind'];
  readonly verdict: Verdict;
  /** A shortest run that violates it. */
  readonly trace?: Trace;
  /** For liveness: the fairness that was assumed. `time` and `timers:<part>` are the engine's own, all weak. */
  readonly fairness?: readonly string[];
  /** For liveness that is proved: assumptions of which none can be left out. */
  readonly needs?: readonly string[];
  /** Why it is `incomplete` or `vacuous`. */
  readonly reason?: string;
}

/** Whether a witness was reached. */
export interface WitnessReport {
  readonly id: string;
  /** The id of its property. */
  readonly property: string;
  readonly reached: boolean;
  /** The number of steps of the shortest run to it. */
  readonly depth?: number;
}

/** What the space looks like, apart from any property. */
export interface StructureReport {
  /** States without a step in which every part is final or tagged `rest`. */
  readonly restStates: number;
  /** States without a step in which some part is neither. */
  readonly deadlocks: number;
  /** States from which time can never pass again, though a timer runs. */
  readonly timeLocks: number;
  /** A shortest run into a deadlock. */
  readonly deadlockTrace?: Trace;
  /** A shortest run into a time-lock. */
  readonly timeLockTrace?: Trace;
}

/** The outcome of a check. */
export interface CheckReport {
  /** The id of the system. */
  readonly system: string;
  /** Distinct reachable states that were found. */
  readonly states: number;
  /** Steps, those into known states included. */
  readonly edges: number;
  /** The longest of all shortest runs. */
  readonly depth: number;
  readonly elapsedMs: number;
  /** Whether the whole reachable space was seen. */
  readonly complete: boolean;
  /** Which limit ended the search. */
  readonly stopped?: Stopped;
  readonly properties: readonly PropertyReport[];
  readonly witnesses: readonly WitnessReport[];
  /** `<part>:<transition id>` and `choice:<id>` of what never happened. */
  readonly uncovered: readonly string[];
  readonly structure: StructureReport;
  /** For each component: how many local states it has. */
  readonly fusedSizes: Readonly<Record<string, number>>;
  readonly bytesPerState: number;
}

/** States that a check looks at unless told otherwise; what fits into 28 bits. */
const defaultStatesMax = statesLimit;

/**
 * Checks a system.
 *
 * @param system - from `defineSystem`
 * @param properties - what must hold; all are decided in the same search
 * @returns the verdicts; a limit that was hit or a signal makes them `incomplete`, never an error
 * @throws SystemError if a machine or a property cannot be checked soundly
 */
export async function check(
  system: System,
  properties: readonly Property[],
  options: CheckOptions = {},
): Promise<CheckReport> {
  const start = performance.now();
  const engine = new Engine(system, properties);
  const search = new Search(engine, {
    statesMax: Math.min(options.maxStates ?? defaultStatesMax, statesLimit),
    bytesMax: options.maxBytes ?? defaultBytesMax(),
  });
  const tell = (phase: CheckProgress['phase']) => (): void => {
    options.onProgress?.({
      states: search.states.count,
      statesPerSecond: Math.round((search.states.count * 1000) / (performance.now() - start)),
      depth: search.depth(search.states.count - 1),
      frontier: search.states.count - search.head,
      phase,
    });
  };
  await explore(search, options.signal, tell('search'));
  const timeLocks: TimeLocks = { count: 0, first: undefined };
  if (search.complete) {
    const done = await drive(findTimeLocks(search, timeLocks), {
      signal: options.signal,
      onProgress: tell('search'),
    });
    if (!done) search.stopped = 'interrupted';
  }
  const trace = (property: string, picks: readonly number[]): Trace => ({
    system: system.id,
    property,
    picks: picks.map((pick) => engine.picks.pick(pick)),
  });
  const witnesses = reportWitnesses(search, properties);
  const reports: PropertyReport[] = [];
  for (const property of properties) {
    const { kind } = property;
    reports.push(
      kind === 'eventually-always' && search.complete
        ? await judgeLiveness(search, property, witnesses, trace, {
            signal: options.signal,
            onProgress: tell('liveness'),
          })
        : judgeSafety(search, property, witnesses, trace),
    );
  }
  const structure = describeStructure(search, timeLocks, trace);
  return {
    system: system.id,
    states: search.states.count,
    edges: search.edges,
    depth: search.depth(search.states.count - 1),
    elapsedMs: performance.now() - start,
    complete: search.complete,
    ...(search.stopped === undefined ? {} : { stopped: search.stopped }),
    properties: reports,
    witnesses,
    uncovered: engine.coverage.uncovered(),
    structure,
    fusedSizes: Object.fromEntries(engine.spaces.map((space) => [space.component.name, space.size])),
    bytesPerState: search.states.bytes / search.states.count,
  };
}

async function explore(
  search: Search,
  signal: AbortSignal | undefined,
  onProgress: () => void,
): Promise<void> {
  try {
    const done = await drive(search.run(), { signal, onProgress });
    if (!done) search.stopped ??= 'interrupted';
  } catch (error) {
    if (!isOutOfMemory(error)) throw error;
    search.stopped = 'out-of-memory';
  }
}

function reportWitnesses(search: Search, properties: readonly Property[]): WitnessReport[] {
  return properties.flatMap((property) =>
    property.witnesses.map((witness) => {
      const found = search.engine.judge.witness(witness);
      const about = { id: witness.id, property: property.id, reached: found !== undefined };
      if (found === undefined) return about;
      return { ...about, depth: search.depth(found.state) + (found.pick === undefined ? 0 : 1) };
    }),
  );
}

function judgeSafety(
  search: Search,
  property: Property,
  witnesses: readonly WitnessReport[],
  traceOf: (property: string, picks: readonly number[]) => Trace,
): PropertyReport {
  const about = { id: property.id, kind: property.kind };
  const found = search.engine.judge.violation(property.id);
  if (found !== undefined) {
    const trace = traceOf(property.id, pathToFinding(search, found));
    confirmViolation(search.engine.world.system, property, trace);
    return { ...about, verdict: 'violated', trace };
  }
  if (!search.complete) return { ...about, verdict: 'incomplete', reason: search.stopped ?? 'interrupted' };
  return { ...about, ...unlessVacuous(property, witnesses) };
}

/** What holds everywhere is proved if each of its witnesses was reached. */
function unlessVacuous(
  property: Property,
  witnesses: readonly WitnessReport[],
): { verdict: 'proved' } | { verdict: 'vacuous'; reason: string } {
  const missing = witnesses.filter(({ property: id, reached }) => id === property.id && !reached);
  if (missing.length === 0) return { verdict: 'proved' };
  return { verdict: 'vacuous', reason: `never reached: ${missing.map(({ id }) => id).join(', ')}` };
}

async function judgeLiveness(
  search: Search,
  property: EventuallyAlways,
  witnesses: readonly WitnessReport[],
  traceOf: (property: string, picks: readonly number[]) => Trace,
  driving: Driving,
): Promise<PropertyReport> {
  const about = { id: property.id, kind: property.kind };
  const decided = await decide(search, property, driving);
  if (typeof decided === 'string') return { ...about, verdict: 'incomplete', reason: decided };
  const { states, fairness, lasso, needs } = decided;
  if (states === 0) {
    return {
      ...about,
      verdict: 'vacuous',
      fairness,
      reason: 'never reached: the region in which it makes its promise',
    };
  }
  if (lasso !== undefined) {
    const trace = { ...traceOf(property.id, lasso.picks), loop: lasso.loop };
    confirmLasso(search.engine.world.system, property, trace);
    return { ...about, verdict: 'violated', trace, fairness };
  }
  return {
    ...about,
    ...unlessVacuous(property, witnesses),
    fairness,
    ...(needs === undefined ? {} : { needs }),
  };
}

async function decide(
  search: Search,
  property: EventuallyAlways,
  driving: Driving,
): Promise<LivenessResult | Stopped> {
  let result: LivenessResult | undefined;
  function* work(): Generator<void> {
    result = yield* decideLiveness(search, property);
  }
  try {
    const done = await drive(work(), driving);
    return done && result !== undefined ? result : 'interrupted';
  } catch (error) {
    if (!isOutOfMemory(error)) throw error;
    return 'out-of-memory';
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof RangeError && /allocation|typed array length/i.test(error.message);
}

function describeStructure(
  search: Search,
  timeLocks: TimeLocks,
  traceOf: (property: string, picks: readonly number[]) => Trace,
): StructureReport {
  const { system } = search.engine.world;
  const { restStates, deadlocks, firstDeadlock } = search;
  const traces: { deadlockTrace?: Trace; timeLockTrace?: Trace } = {};
  if (firstDeadlock !== undefined) {
    traces.deadlockTrace = traceOf('deadlock', pathTo(search, firstDeadlock));
    confirmDeadlock(system, traces.deadlockTrace);
  }
  if (timeLocks.first !== undefined) {
    traces.timeLockTrace = traceOf('time-lock', pathTo(search, timeLocks.first));
    play(system, traces.timeLockTrace);
  }
  return { restStates, deadlocks, timeLocks: timeLocks.count, ...traces };
}

/** Three quarters of what this process may use. */
function defaultBytesMax(): number {
  const allowed = process.constrainedMemory?.() ?? 0;
  return 0.75 * (allowed > 0 ? Math.min(allowed, totalmem()) : totalmem());
}
