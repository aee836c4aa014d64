/**
 * A run of a system, as the picks that make it: enough to make it again, here, in plain XState, or on a real system.
 */
import type { Pick } from '../semantics/world.ts';

/** A run, and what it shows. */
export interface Trace {
  /** The id of the system. */
  readonly system: string;
  /** The id of the property that it violates, or `deadlock` or `time-lock`. */
  readonly property: string;
  /** What was picked, step by step, from the first state on. */
  readonly picks: readonly Pick[];
  /**
   * For a run that never ends: the place of the state in which its cycle starts, 0 being the first state. The last
   * pick leads back to it. If it is the last state itself, the run stays there for ever.
   */
  readonly loop?: number;
}
