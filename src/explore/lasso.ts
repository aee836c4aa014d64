/**
 * A short fair cycle through a state of a fair component.
 *
 * It starts as no steps at all: standing still. As long as some assumption is broken on the way round, a stop is added
 * to the way: for a weakly fair action, where it is disabled or a step of it; for a strongly fair one, a step of it.
 * The way then goes from stop to nearest stop by breadth-first search and back to its start. A component that is fair
 * as a whole has such stops, so this ends, after at most one round for each action.
 */
import type { FairAction } from './fair-actions.ts';
import { type Rows, unlabelled } from './region-graph.ts';

/** One step of a cycle. */
export interface CycleStep {
  readonly from: number;
  readonly to: number;
  readonly label: number;
}

/** Finds cycles in one graph. */
export class Cycles {
  readonly #rows: Rows;
  readonly #actions: readonly FairAction[];
  /** By state: 1 in the component at hand. */
  readonly #inside: Uint8Array;
  /** By state: the state that it was reached from, or -1; and by which label. */
  readonly #from: Int32Array;
  readonly #by: Uint16Array;

  constructor(rows: Rows, actions: readonly FairAction[]) {
    this.#rows = rows;
    this.#actions = actions;
    this.#inside = new Uint8Array(rows.count);
    this.#from = new Int32Array(rows.count).fill(-1);
    this.#by = new Uint16Array(rows.count);
  }

  /** A short fair cycle inside a fair component through one of its states; empty if the run may stand still there. */
  around(states: Int32Array, through: number): CycleStep[] {
    for (const state of states) this.#inside[state] = 1;
    try {
      const wanted = new Set<number>();
      for (;;) {
        const cycle = this.#roundTrip(through, wanted);
        const broken = this.#broken(through, cycle).filter((label) => !wanted.has(label));
        if (broken.length === 0) return cycle;
        for (const label of broken) wanted.add(label);
      }
    } finally {
      for (const state of states) this.#inside[state] = 0;
    }
  }

  /** The actions whose fairness a cycle breaks. */
  #broken(start: number, cycle: readonly CycleStep[]): number[] {
    const states = cycle.length === 0 ? [start] : cycle.map(({ from }) => from);
    const taken = new Set(cycle.map(({ label }) => label));
    const enabled = new Map<number, number>();
    for (const state of states) {
      for (const label of this.#enabled(state)) enabled.set(label, (enabled.get(label) ?? 0) + 1);
    }
    return [...enabled]
      .filter(([label, times]) => {
        if (taken.has(label)) return false;
        return this.#actions[label]?.kind === 'strong' || times === states.length;
      })
      .map(([label]) => label);
  }

  #enabled(state: number): Set<number> {
    const labels = this.#rows.labels(state).subarray(this.#rows.start(state), this.#rows.stop(state));
    return new Set([...labels].filter((label) => label !== unlabelled));
  }

  #roundTrip(start: number, wanted: ReadonlySet<number>): CycleStep[] {
    const missing = new Set(wanted);
    const cycle: CycleStep[] = [];
    let at = start;
    while (missing.size > 0) {
      const enabled = this.#enabled(at);
      for (const label of missing) {
        if (this.#actions[label]?.kind === 'weak' && !enabled.has(label)) missing.delete(label);
      }
      if (missing.size === 0) break;
      const leg = this.#nearest(at, missing);
      for (const step of leg) {
        cycle.push(step);
        missing.delete(step.label);
      }
      at = leg.at(-1)?.to as number;
    }
    if (at !== start) cycle.push(...this.#search(at, (state) => state === start, undefined));
    return cycle;
  }

  /** The way to the nearest step of a missing action, or to a state in which a weakly fair one is disabled. */
  #nearest(at: number, missing: ReadonlySet<number>): CycleStep[] {
    const isStop = (state: number): boolean => {
      const enabled = this.#enabled(state);
      return [...missing].some((label) => this.#actions[label]?.kind === 'weak' && !enabled.has(label));
    };
    return this.#search(at, isStop, missing);
  }

  /** The shortest way, of one step or more, to a state or over a label that is looked for. */
  #search(
    at: number,
    isGoal: (state: number) => boolean,
    labels: ReadonlySet<number> | undefined,
  ): CycleStep[] {
    const queue = [at];
    this.#from[at] = at;
    try {
      for (let head = 0; head < queue.length; head += 1) {
        const state = queue[head] as number;
        const rowTargets = this.#rows.targets(state);
        const rowLabels = this.#rows.labels(state);
        const end = this.#rows.stop(state);
        for (let edge = this.#rows.start(state); edge < end; edge += 1) {
          const to = rowTargets[edge] as number;
          const label = rowLabels[edge] as number;
          if (this.#inside[to] === 0) continue;
          const known = this.#from[to] !== -1;
          if (labels?.has(label) || (!known && isGoal(to))) {
            return [...this.#wayTo(state, at), { from: state, to, label }];
          }
          if (known) continue;
          this.#from[to] = state;
          this.#by[to] = label;
          queue.push(to);
        }
      }
    } finally {
      for (const state of queue) this.#from[state] = -1;
    }
    throw new Error(`internal error: no way round in a component of ${queue.length} states`);
  }

  #wayTo(state: number, start: number): CycleStep[] {
    const way: CycleStep[] = [];
    for (let to = state; to !== start; ) {
      const from = this.#from[to] as number;
      way.push({ from, to, label: this.#by[to] as number });
      to = from;
    }
    return way.reverse();
  }
}
