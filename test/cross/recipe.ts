/**
 * A small system as plain data: what is compared between checkers. Each writer of this folder turns a recipe into the
 * language of one checker, and knows nothing of the others.
 *
 * Talk always ends: a part that takes event `i` emits only signals of at least `i`, and a wire turns signal `k` into
 * an event above `k`.
 */

/** Events are numbered from 0 to this, not included. */
export const eventCount = 5;

/** Signals, which parts emit, are numbered from 0 to this, not included; the last event may emit none. */
export const signalCount = eventCount - 1;

/** A system. Parts, states, events and signals are named by their numbers. */
export interface Recipe {
  readonly parts: readonly PartRecipe[];
  /** For each part the number of its component. */
  readonly componentOf: readonly number[];
  readonly wires: readonly Wire[];
  readonly choices: readonly ChoiceRecipe[];
  /** The parts of the process that can be paused, and the states of which part pause it. */
  readonly pause: {
    readonly by: number;
    readonly while: readonly number[];
    readonly parts: readonly number[];
  };
}

/** One part: control states, the first of which is the initial one, and a counter that starts at 0. */
export interface PartRecipe {
  /** The counter goes round at this number. */
  readonly modulus: number;
  readonly states: readonly StateRecipe[];
}

/** A control state. */
export interface StateRecipe {
  /** For each event the arcs to try in order. */
  readonly on: readonly (readonly Arc[])[];
  /** Timers that start on entry and end on exit, each with another delay. */
  readonly after: readonly { readonly delay: number; readonly arc: Arc }[];
  /** The signal that is emitted on entry. */
  readonly entry: number | undefined;
}

/** What an event or a timer does. */
export interface Arc {
  /** The counter must be this. */
  readonly when: number | undefined;
  /**
   * Where it leads. `forbid` selects the arc to do nothing, so that the event is not taken; `stay` runs the arc's
   * actions; a number is a state, which is left and entered, except that an arc to its own state does so only if it
   * `reenters`.
   */
  readonly target: 'forbid' | 'stay' | number;
  readonly reenters: boolean;
  readonly counter: 'keep' | 'increment' | 'reset';
  /** Emitted in this order, after the counter has changed. */
  readonly emits: readonly number[];
}

/** Who hears a signal of a part, as which event. Wires of one signal deliver in their order in the recipe. */
export interface Wire {
  readonly from: number;
  readonly signal: number;
  readonly to: number;
  readonly event: number;
}

/** What the outside may do. */
export interface ChoiceRecipe {
  /** To different parts. */
  readonly deliver: readonly { readonly to: number; readonly event: number }[];
  readonly urgent: boolean;
}

/** Whether an arc from this state leaves a state and enters one. */
export function moves(arc: Arc, from: number): boolean {
  return typeof arc.target === 'number' && (arc.target !== from || arc.reenters);
}

/** No step has more deliveries than this: the room that queues need. */
export function deliveriesBound({ parts, wires, choices }: Recipe): number {
  const heard = (part: number, signal: number): number =>
    wires
      .filter((wire) => wire.from === part && wire.signal === signal)
      .reduce((sum, wire) => sum + taking(wire.to, wire.event), 0);
  const said = (part: number, state: number, arc: Arc): number => {
    const entry = moves(arc, state) ? parts[part]?.states[arc.target as number]?.entry : undefined;
    return [...arc.emits, ...(entry === undefined ? [] : [entry])].reduce(
      (sum, signal) => sum + heard(part, signal),
      0,
    );
  };
  const most = (part: number, arcsOf: (state: StateRecipe) => readonly Arc[]): number =>
    Math.max(
      0,
      ...(parts[part]?.states ?? []).flatMap((state, number) =>
        arcsOf(state).map((arc) => said(part, number, arc)),
      ),
    );
  const taking = (part: number, event: number): number => 1 + most(part, (state) => state.on[event] ?? []);
  const starting = parts.reduce((sum, { states }, part) => {
    const entry = states[0]?.entry;
    return sum + (entry === undefined ? 0 : heard(part, entry));
  }, 0);
  return Math.max(
    starting,
    ...choices.map(({ deliver }) => deliver.reduce((sum, { to, event }) => sum + taking(to, event), 0)),
    ...parts.map((_, part) => 1 + most(part, ({ after }) => after.map(({ arc }) => arc))),
  );
}
