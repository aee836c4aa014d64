/**
 * Decides all properties of a system in one search of its whole state space.
 *
 * ```ts
 * const report = await check(system, [noKnownRouteDeleted]);
 * report.properties[0].verdict; // 'proved', 'violated', 'vacuous' or 'incomplete'
 * ```
 */
import { totalmem } from 'node:os';
import { Checking } from './explore/checking.ts';
import type { Stopped } from './explore/search.ts';
import { statesLimit } from './explore/state-table.ts';
import type { Property } from './property.ts';
import type { System } from './system.ts';
import type { Trace } from './trace/trace.ts';

/** How a check is run. */
export interface CheckOptions {
  /** More states than this are not looked at; the verdict is then `incomplete`. */
  readonly maxStates?: number;
  /** More bytes than this are not used for states; by default three quarters of the machine's memory. */
  readonly maxBytes?: number;
  /** Whether to look for time-locks, which takes about half as long as the search again; by default it does. */
  readonly timeLocks?: boolean;
  /** Which search decides; `auto` if left out. A dense search ends a level that it has begun, also beyond `maxStates`. */
  readonly search?: SearchMethod | 'auto';
  /**
   * Look at one state of those that differ only in which of several equal components is where. For safety; liveness
   * stays `incomplete`. A system without symmetry is refused, with the reason.
   */
  readonly symmetry?: boolean;
  /** How many threads a dense search works with, the caller's included; 1 if left out. */
  readonly threads?: number;
  /** Stops the check; what was found so far is reported. */
  readonly signal?: AbortSignal;
  /** Hears about every 200 ms how far the check is. */
  readonly onProgress?: (progress: CheckProgress) => void;
}

/** How states are kept. */
export type SearchMethod =
  /** In a hash table, in the order in which they were found: for any system. */
  | 'hashed'
  /** A bit for each state that the components' closed tables allow: many times as fast, where those bits fit. */
  | 'dense';

/** How far a check is. */
export interface CheckProgress {
  /** States found. */
  readonly states: number;
  /** States found a second, since the start. */
  readonly statesPerSecond: number;
  /** Breadth-first levels so far, the first not counted. */
  readonly depth: number;
  /** States found and not yet expanded. */
  readonly frontier: number;
  /** What is going on. */
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
  /** The property's id. */
  readonly id: string;
  /** The property's kind. */
  readonly kind: Property['kind'];
  /** What was found. */
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
  /** The witness's id. */
  readonly id: string;
  /** The id of its property. */
  readonly property: string;
  /** Whether some run leads to it. */
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
  /** States from which time can never pass again, though a timer runs. Left out if nobody looked for them. */
  readonly timeLocks?: number;
  /** A shortest run into a deadlock. */
  readonly deadlockTrace?: Trace;
  /** A shortest run into a time-lock. */
  readonly timeLockTrace?: Trace;
}

/** What symmetry saved. */
export interface SymmetryReport {
  /** For each class, the names of the components that can change places. */
  readonly interchangeable: readonly (readonly string[])[];
  /** How many states there are without symmetry: the sizes of the orbits added up. */
  readonly states: number;
}

/** The outcome of a check. */
export interface CheckReport {
  /** The id of the system. */
  readonly system: string;
  /** Which search has decided. */
  readonly search: SearchMethod;
  /** Distinct reachable states that were found. */
  readonly states: number;
  /** Steps, those into known states included. */
  readonly edges: number;
  /** The longest of all shortest runs. */
  readonly depth: number;
  /** How long the whole check took, in milliseconds. */
  readonly elapsedMs: number;
  /** For a dense search: the part of that in which the tables were closed and the bits laid out. */
  readonly preparationMs?: number;
  /** Whether the whole reachable space was seen. */
  readonly complete: boolean;
  /** Which limit ended the check: the search, or what came after it. */
  readonly stopped?: Stopped;
  /** If states are orbits: what can change places, and how many states the orbits have together. */
  readonly symmetry?: SymmetryReport;
  /** A verdict for each property, in their order. */
  readonly properties: readonly PropertyReport[];
  /** For each witness of each property, whether it was reached. */
  readonly witnesses: readonly WitnessReport[];
  /** `<part>:<transition id>` and `choice:<id>` of what never happened. */
  readonly uncovered: readonly string[];
  /** What the space looks like. */
  readonly structure: StructureReport;
  /** For each component: how many local states it has. */
  readonly fusedSizes: Readonly<Record<string, number>>;
  /** Memory of the visited set, and of the queue and the parents or of the levels, in bytes a state. */
  readonly bytesPerState: number;
}

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
  return await new Checking(system, properties, options, {
    statesMax: Math.min(options.maxStates ?? statesLimit, statesLimit),
    bytesMax: options.maxBytes ?? defaultBytesMax(),
  }).report();
}

/** Three quarters of what this process may use. */
function defaultBytesMax(): number {
  const allowed = process.constrainedMemory?.() ?? 0;
  return 0.75 * (allowed > 0 ? Math.min(allowed, totalmem()) : totalmem());
}
