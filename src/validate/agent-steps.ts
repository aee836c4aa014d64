/**
 * What a pick does, remembered by what it depends on: the local states of the parts that it reads, one after another. Which part
 * is read next is known from those read before, so what is remembered is a tree, and a step of a million states is made a few
 * hundred times.
 */
import type { ChoicePick, Emission, GlobalState, TimerPick, World } from '../semantics/world.ts';
import type { Choice, Part } from '../system.ts';

/** What a pick does to parts that are in certain local states. */
export interface AgentStep {
  readonly pick: ChoicePick | TimerPick;
  readonly emissions: readonly Emission[];
  /** The parts that change, by place, and what to. */
  readonly changes: ReadonlyMap<number, number>;
}

/** A part that is read, and what comes of it, by its local state: another part that is read, a step, or that there is none. */
interface Reading {
  readonly part: number;
  readonly next: (Reading | AgentStep | undefined)[];
}

/** The remembered steps of one pick. */
export class AgentSteps {
  readonly #world: World;
  readonly #pick: ChoicePick | TimerPick;
  /** The choice, if it is one. */
  readonly #choice: Choice | undefined;
  /** The parts that tell whether the pick can be made. */
  readonly #asked: readonly number[];
  readonly #root: Reading;

  constructor(world: World, pick: ChoicePick | TimerPick) {
    this.#world = world;
    this.#pick = pick;
    this.#choice = world.system.choices.find(({ id }) => pick.kind === 'choice' && id === pick.id);
    const receivers = pick.kind === 'timer' ? [pick.part] : (this.#choice?.deliver.map(({ to }) => to) ?? []);
    this.#asked = [...new Set(receivers.flatMap((name) => this.#readFor(name)))];
    this.#root = { part: this.#asked[0] as number, next: [] };
  }

  /**
   * What the pick does in a state.
   *
   * @param localOf - the local state of a part there, by its place
   * @param stateOf - the whole state, for a step that is not remembered
   * @returns nothing if it cannot be made there
   */
  at(localOf: (part: number) => number, stateOf: () => GlobalState): AgentStep | undefined {
    // Nobody takes it: the model has no such choice.
    if (this.#asked.length === 0) return undefined;
    let reading = this.#root;
    for (;;) {
      const local = localOf(reading.part);
      if (!(local in reading.next)) return this.#make(stateOf());
      const then = reading.next[local];
      if (then === undefined || 'pick' in then) return then;
      reading = then;
    }
  }

  #make(state: GlobalState): AgentStep | undefined {
    if (!this.#isPossible(state)) {
      this.#remember(state, this.#asked, undefined);
      return undefined;
    }
    const { next, emissions } = this.#world.step(state, this.#pick);
    const heard = emissions.flatMap(({ part, event }) => this.#world.wired(part, event));
    const read = new Set([...this.#asked, ...heard.map(({ to }) => this.#part(to).index)]);
    const changed = [...read].filter((part) => next[part] !== state[part]);
    const step: AgentStep = {
      pick: this.#pick,
      emissions,
      changes: new Map(changed.map((part) => [part, next[part] as number])),
    };
    this.#remember(state, [...read], step);
    return step;
  }

  #remember(state: GlobalState, read: readonly number[], step: AgentStep | undefined): void {
    let reading = this.#root;
    for (const next of read.slice(1)) {
      const local = state[reading.part] as number;
      const then = (reading.next[local] ?? { part: next, next: [] }) as Reading;
      reading.next[local] = then;
      reading = then;
    }
    reading.next[state[reading.part] as number] = step;
  }

  #isPossible(state: GlobalState): boolean {
    const pick = this.#pick;
    if (pick.kind === 'choice') return this.#choice !== undefined && this.#world.offers(state, this.#choice);
    const part = this.#part(pick.part);
    const { timers } = this.#world.space(part).state(state[part.index] as number);
    const due = timers.some(({ id, remaining }) => id === pick.timer && remaining === 0);
    return due && !this.#world.paused(state, part);
  }

  /** The places of a part, and of the one that says whether its process is paused. */
  #readFor(name: string): readonly number[] {
    const part = this.#part(name);
    const process = this.#world.system.processes[part.process ?? ''];
    return process === undefined ? [part.index] : [this.#part(process.part).index, part.index];
  }

  #part(name: string): Part {
    const { system } = this.#world;
    return system.parts[system.partIndex(name)] as Part;
  }
}
