/**
 * What each component says, in each of its local states, about what may happen next, as bits.
 *
 * A choice is offered when no component blocks it: a component blocks it by not taking one of its events, or by
 * holding the part that says that a receiver's process is paused. So the offered choices of a global state are found
 * by or-ing one row of words for each component, however many choices there are. Rows are made when a local state is
 * first met in a reachable global state.
 *
 * A row: flags, blocked choices, parts with a due timer, parts that are paused.
 */
import type { AnyMachineSnapshot } from 'xstate';
import type { LocalSpace } from '../machine/local-space.ts';
import type { World } from '../semantics/world.ts';
import type { Choice } from '../system.ts';
import { SystemError } from '../system.ts';
import type { ComponentSpace } from './component-space.ts';

/** The row has been made. */
export const described = 1;
/** Some timer still runs (one that is due does not). */
export const running = 2;
/** Some part of the component is neither final nor tagged `rest`. */
export const restless = 4;

/** The rows of all components. */
export class Offers {
  /** Words for one bit a choice. */
  readonly choiceWords: number;
  /** Words for one bit a part. */
  readonly partWords: number;
  /** Words in a row. */
  readonly stride: number;
  /** For each component, its rows one after another. */
  readonly rows: Int32Array[];
  /** The choices that exist, as bits. */
  readonly all: Int32Array;
  /** The urgent choices, as bits. */
  readonly urgent: Int32Array;
  readonly #world: World;
  readonly #spaces: readonly ComponentSpace[];
  /** For each component: choices that deliver to it, with their places. */
  readonly #heard: readonly (readonly [number, Choice][])[];

  constructor(world: World, spaces: readonly ComponentSpace[]) {
    const { choices, parts, components } = world.system;
    this.#world = world;
    this.#spaces = spaces;
    this.choiceWords = (choices.length + 31) >> 5;
    this.partWords = (parts.length + 31) >> 5;
    this.stride = 1 + this.choiceWords + 2 * this.partWords;
    this.rows = components.map(() => new Int32Array(0));
    this.all = new Int32Array(this.choiceWords);
    this.urgent = new Int32Array(this.choiceWords);
    for (const [place, choice] of choices.entries()) {
      setBit(this.all, 0, place);
      if (choice.urgent === true) setBit(this.urgent, 0, place);
    }
    const indexed = [...choices.entries()];
    this.#heard = components.map((_, component) =>
      indexed.filter(([, { deliver }]) => deliver.some(({ to }) => this.#componentOf(to) === component)),
    );
  }

  /** Makes room for a component's local states. */
  reserve(component: number, capacity: number): void {
    const grown = new Int32Array(capacity * this.stride);
    grown.set(this.rows[component] as Int32Array);
    this.rows[component] = grown;
  }

  /** Makes the row of a local state, if it is not there yet. */
  describe(component: number, local: number): void {
    const row = this.rows[component] as Int32Array;
    const start = local * this.stride;
    if (((row[start] as number) & described) !== 0) return;
    this.#describeChoices(component, local, row, start + 1);
    const { parts, components } = this.#world.system;
    let flags = described;
    for (const [place, part] of (components[component]?.parts ?? []).entries()) {
      const space = this.#world.spaces[part] as LocalSpace;
      const { snapshot, timers } = space.state(this.#spaces[component]?.tuple(local)[place] as number);
      if (snapshot.status !== 'done' && !snapshot.hasTag('rest')) flags |= restless;
      for (const { remaining } of timers) {
        if (remaining > 0) flags |= running;
        else setBit(row, start + 1 + this.choiceWords, part);
      }
      for (const id of this.#pausedBy(parts[part]?.name ?? '', snapshot)) {
        for (const other of parts) {
          if (other.process === id) setBit(row, start + 1 + this.choiceWords + this.partWords, other.index);
        }
        this.#blockProcess(id, row, start + 1);
      }
    }
    row[start] = flags;
  }

  #describeChoices(component: number, local: number, row: Int32Array, start: number): void {
    for (const [place, { deliver }] of this.#heard[component] ?? []) {
      for (const { to, event } of deliver) {
        if (this.#componentOf(to) !== component) continue;
        if (!this.#takes(component, local, to, event, deliver.length > 1)) setBit(row, start, place);
      }
    }
  }

  /**
   * A machine that throws does so only for an event that it is really offered. Another component may block the choice,
   * so here a refusal does not count; making the step will throw it again.
   */
  #takes(component: number, local: number, to: string, event: { type: string }, joint: boolean): boolean {
    const part = this.#world.system.partIndex(to);
    try {
      return this.#spaces[component]?.takes(local, part, event) ?? false;
    } catch (error) {
      const conditional = joint || this.#world.system.parts[part]?.process !== undefined;
      if (conditional && error instanceof SystemError) return true;
      throw error;
    }
  }

  #pausedBy(part: string, snapshot: AnyMachineSnapshot): string[] {
    return Object.entries(this.#world.system.processes)
      .filter(([, process]) => process.part === part && snapshot.hasTag(process.pausedTag))
      .map(([id]) => id);
  }

  #blockProcess(process: string, row: Int32Array, start: number): void {
    const { parts, choices } = this.#world.system;
    for (const [place, { deliver }] of choices.entries()) {
      if (deliver.some(({ to }) => parts[this.#world.system.partIndex(to)]?.process === process)) {
        setBit(row, start, place);
      }
    }
  }

  #componentOf(part: string): number {
    const { parts } = this.#world.system;
    return parts[this.#world.system.partIndex(part)]?.component as number;
  }
}

function setBit(words: Int32Array, start: number, bit: number): void {
  const place = start + (bit >> 5);
  words[place] = (words[place] as number) | (1 << (bit & 31));
}
