/**
 * Turns what a search has found into verdicts: with the witnesses that a proof needs, and with a counterexample that has
 * been played in plain XState.
 */
import type { PropertyReport, StructureReport, WitnessReport } from '../check.ts';
import type { EventuallyAlways, Property } from '../property.ts';
import type { Trace } from '../trace/trace.ts';
import { confirmDeadlock, confirmLasso, confirmViolation, play } from './confirm.ts';
import type { Finding } from './judge.ts';
import type { LivenessResult } from './liveness.ts';
import { pathTo, pathToFinding } from './paths.ts';
import type { Search, Stopped } from './search.ts';
import type { TimeLocks } from './time-locks.ts';
import { unfoldTo } from './unfold.ts';

/** How far the search came that decides. */
export interface Decider {
  readonly complete: boolean;
  readonly stopped: Stopped | undefined;
  readonly restStates: number;
  readonly deadlocks: number;
}

/**
 * The verdict on a property, as far as single states and steps can tell.
 *
 * @param search - knows the way to a violation
 */
export function judgeSafety(
  search: Search,
  decider: Decider,
  property: Property,
  witnesses: readonly WitnessReport[],
): PropertyReport {
  const about = { id: property.id, kind: property.kind };
  const found = search.engine.judge.violation(property.id);
  if (found !== undefined) {
    return { ...about, verdict: 'violated', trace: confirmedTrace(search, property, found) };
  }
  if (!decider.complete) return { ...about, verdict: 'incomplete', reason: decider.stopped ?? 'interrupted' };
  return { ...about, ...unlessVacuous(property, witnesses) };
}

/**
 * The trace of a violation, played in plain XState. With symmetry the first of the runs that breaks the property itself,
 * not the same of other components.
 */
function confirmedTrace(search: Search, property: Property, found: Finding): Trace {
  const { system } = search.engine.world;
  const { symmetry } = search.engine;
  const runs = symmetry === undefined ? [pathToFinding(search, found)] : unfoldTo(search, symmetry, found);
  let mismatch: unknown;
  for (const picks of runs) {
    const trace = traceOf(search, property.id, picks);
    try {
      confirmViolation(system, property, trace);
      return trace;
    } catch (error) {
      mismatch = error;
    }
  }
  throw mismatch;
}

/** The run into a state; with symmetry, into some state of its orbit. */
function wayTo(search: Search, state: number): number[] {
  const { symmetry } = search.engine;
  if (symmetry === undefined) return pathTo(search, state);
  for (const picks of unfoldTo(search, symmetry, { state })) return picks;
  throw new Error('internal error: no run leads into an orbit');
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

/** The verdict on a liveness property: what was decided, or why it was not. */
export function judgeLiveness(
  search: Search,
  property: EventuallyAlways,
  witnesses: readonly WitnessReport[],
  decided: LivenessResult | Stopped,
): PropertyReport {
  const about = { id: property.id, kind: property.kind };
  if (typeof decided === 'string') return { ...about, verdict: 'incomplete', reason: decided };
  const { states, fairness, lasso, needs } = decided;
  if (states === 0) {
    const reason = 'never reached: the region in which it makes its promise';
    return { ...about, verdict: 'vacuous', fairness, reason };
  }
  if (lasso !== undefined) {
    const trace = { ...traceOf(search, property.id, lasso.picks), loop: lasso.loop };
    confirmLasso(search.engine.world.system, property, trace);
    return { ...about, verdict: 'violated', trace, fairness };
  }
  const proof = unlessVacuous(property, witnesses);
  return { ...about, ...proof, fairness, ...(needs === undefined ? {} : { needs }) };
}

/** What there is to say of the space apart from any property. */
export function describeStructure(
  search: Search,
  decider: Decider,
  timeLocks: TimeLocks | undefined,
): StructureReport {
  const { system } = search.engine.world;
  const { restStates, deadlocks } = decider;
  const { firstDeadlock } = search;
  const traces: { deadlockTrace?: Trace; timeLockTrace?: Trace } = {};
  if (firstDeadlock !== undefined) {
    traces.deadlockTrace = traceOf(search, 'deadlock', wayTo(search, firstDeadlock));
    confirmDeadlock(system, traces.deadlockTrace);
  }
  if (timeLocks?.first !== undefined) {
    traces.timeLockTrace = traceOf(search, 'time-lock', wayTo(search, timeLocks.first));
    play(system, traces.timeLockTrace);
  }
  return {
    restStates,
    deadlocks,
    ...(timeLocks === undefined ? {} : { timeLocks: timeLocks.count }),
    ...traces,
  };
}

function traceOf(search: Search, property: string, picks: readonly number[]): Trace {
  const { world, picks: numbers } = search.engine;
  return { system: world.system.id, property, picks: picks.map((pick) => numbers.pick(pick)) };
}
