/** A walk through a system: a run, and where it closes if it goes on for ever. */
import type { Pick } from '../semantics/world.ts';
import type { Trace } from '../trace/trace.ts';

/** What is drawn, shrunk and played. */
export interface Walk {
  /** What was picked, step by step, from the first state on. */
  readonly picks: readonly Pick[];
  /** How many of the steps were drawn; what follows is what must happen once nothing else does. */
  readonly drawn: number;
  /** The place of the state to which the last pick leads back, if it does; the last state itself if the run stays there. */
  readonly loop?: number;
}

/** What a walk shows of a property. */
export interface Shown {
  /** The id of the property that it violates. */
  readonly property: string;
  /** How many of its picks do so, and where they close. */
  readonly walk: Walk;
}

/** What a walk shows, as a trace of its system. */
export function traceOf(system: string, { property, walk: { picks, loop } }: Shown): Trace {
  return { system, property, picks, ...(loop === undefined ? {} : { loop }) };
}
