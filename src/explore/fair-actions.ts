/**
 * The actions of which fairness is assumed: each choice that says so, each part's timers as one weakly fair action, and
 * time itself, weakly fair. An action is a label of steps; an assumption can be left out, to see whether a proof needs
 * it.
 */
import type { FairnessKind, System } from '../system.ts';
import { type PickNumbers, timePick } from './picks.ts';
import { unlabelled } from './region-graph.ts';

/** An action, and what is assumed of it. */
export interface FairAction {
  /** A choice's id, `timers:<part>`, or `time`. */
  readonly id: string;
  readonly kind: FairnessKind;
}

/** The fair actions of a system, numbered. */
export class FairActions {
  /** By label. */
  readonly all: readonly FairAction[];
  readonly #picks: PickNumbers;
  readonly #ofChoice: Uint16Array;
  readonly #firstTimer: number;
  readonly #time: number;

  constructor(system: System, picks: PickNumbers) {
    const all: FairAction[] = [];
    this.#ofChoice = new Uint16Array(system.choices.length).fill(unlabelled);
    for (const [place, { id, fairness }] of system.choices.entries()) {
      if (fairness !== undefined) this.#ofChoice[place] = all.push({ id, kind: fairness }) - 1;
    }
    this.#firstTimer = all.length;
    for (const { name } of system.parts) all.push({ id: `timers:${name}`, kind: 'weak' });
    this.#time = all.push({ id: 'time', kind: 'weak' }) - 1;
    this.#picks = picks;
    this.all = all;
  }

  /** An action's id. */
  id(label: number): string {
    return this.all[label]?.id ?? '';
  }

  /**
   * The labels of the actions that the system has at all: no timers of parts without any.
   *
   * @param timed - whether time passes at all
   * @param withTimers - the places of the parts with timers
   */
  inForce(timed: boolean, withTimers: ReadonlySet<number>): number[] {
    return [...this.all.keys()].filter((label) => {
      if (label < this.#firstTimer) return true;
      return label === this.#time ? timed : withTimers.has(label - this.#firstTimer);
    });
  }

  /** The label of a pick's steps. */
  label(pick: number): number {
    if (pick === timePick) return this.#time;
    if (pick < this.#ofChoice.length) return this.#ofChoice[pick] as number;
    return this.#firstTimer + this.#picks.partOfTimer(pick);
  }
}
