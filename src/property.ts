/**
 * What must hold: invariants over states, rules on effects, and liveness under named fairness; and witnesses, the
 * reachable situations without which a property would hold for want of anything to say.
 *
 * A predicate reads only the parts that it names, as XState snapshots, so that the engine can remember its answer
 * for each combination of their local states.
 */
import type { AnyMachineSnapshot, EventObject } from 'xstate';

/** Gives the snapshot of a part that the clause has named under `reads`; throws for any other. */
export type Reader = (part: string) => AnyMachineSnapshot;

/** A condition on the state of some parts. */
export interface Condition {
  /** The parts that `holds` reads. */
  readonly reads: readonly string[];
  /** A pure function of those parts' snapshots. */
  readonly holds: (at: Reader) => boolean;
}

/** Where an effect shows: an event that a part emits. */
export interface EffectSource {
  /** The part that emits it. */
  readonly part: string;
  /** The event's type. */
  readonly emits: string;
}

/** A condition on an effect: what one part emits, and the state in which the step began. */
export interface EffectCondition {
  /** The parts that `holds` reads. */
  readonly reads: readonly string[];
  /** The part whose emitted event is judged, and that event's type. */
  readonly on: EffectSource;
  /** A pure function of the snapshots before the step, and of the event. */
  readonly holds: (before: Reader, event: EventObject) => boolean;
}

/** A reachable situation in which a property bites: without it, a pass says nothing. */
export type Witness = StateWitness | EffectWitness;

/** A state that must be reachable. */
export interface StateWitness {
  /** Names it in reports. */
  readonly id: string;
  /** One sentence: what is the case. */
  readonly says: string;
  /** What is the case in it. */
  readonly state: Condition;
}

/** An effect that must happen in some reachable state. */
export interface EffectWitness {
  /** Names it in reports. */
  readonly id: string;
  /** One sentence: what happens. */
  readonly says: string;
  /** What happens, and where. */
  readonly effect: EffectCondition;
}

interface PropertyBase {
  /** As on the command line, in reports and documents. */
  readonly id: string;
  /** One sentence: what it says. */
  readonly says: string;
  /** One sentence that tells a reader what went wrong when it is violated. */
  readonly violation: string;
  /** Each must be reachable, or the verdict is `vacuous`. */
  readonly witnesses: readonly Witness[];
}

/** Safety: each condition holds in every reachable state. */
export interface Invariant extends PropertyBase {
  /** Tells it from the other kinds. */
  readonly kind: 'invariant';
  /** All of them must hold; usually one for each endpoint. */
  readonly clauses: readonly Condition[];
}

/** Safety on an effect: each condition holds whenever its part emits its event. */
export interface EffectInvariant extends PropertyBase {
  /** Tells it from the other kinds. */
  readonly kind: 'effect';
  /** All of them must hold; usually one for each endpoint. */
  readonly clauses: readonly EffectCondition[];
}

/**
 * Liveness: from any state of a region that is never left once entered, each condition comes to hold and then holds
 * for good, in every fair run. A violation is a lasso: a run into a cycle that is fair and breaks the condition
 * again and again.
 */
export interface EventuallyAlways extends PropertyBase {
  /** Tells it from the other kinds. */
  readonly kind: 'eventually-always';
  /** The region in which the promise is made, such as "no more faults". */
  readonly within: Condition;
  /** All of them must come to hold; usually one for each endpoint. */
  readonly clauses: readonly Condition[];
}

/** Any property that the engine decides. */
export type Property = Invariant | EffectInvariant | EventuallyAlways;
