/**
 * The states of the model in which an agent may be, and what the world around it may do unseen. Everything is remembered:
 * traces of one design walk the same part of the model again and again.
 */
import type { EventObject } from 'xstate';
import { type Emission, type GlobalState, type Pick, World } from '../semantics/world.ts';
import type { System } from '../system.ts';

/** A step of the model, and what it told the parts of the agent. */
export interface SeenStep {
  readonly pick: Pick;
  readonly next: number;
  readonly emissions: readonly Emission[];
}

/** More states of the model fit than are looked at, so nothing is known of what was told after them. */
export class TooManyStates extends Error {
  /** Always `TooManyStates`. */
  override name = 'TooManyStates';
}

/** The model, with its states numbered as they are met. */
export class ModelGraph {
  readonly world: World;
  readonly #agent: ReadonlySet<string>;
  readonly #states: GlobalState[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #hidden: (Int32Array | undefined)[] = [];
  readonly #seen: (readonly SeenStep[] | undefined)[] = [];
  readonly #excluded: ReadonlySet<string>;
  readonly #most: number;

  /**
   * @param agent - the parts whose steps an agent's trace tells; what moves none of them is unseen
   * @param excluded - choices that did not happen
   * @param most - so many states are met at most
   */
  constructor(system: System, agent: readonly string[], excluded: readonly string[], most: number) {
    this.#most = most;
    this.world = new World(system);
    this.#agent = new Set(agent);
    this.#excluded = new Set(excluded);
  }

  /** How many states have been met. */
  get size(): number {
    return this.#states.length;
  }

  /** The first state. */
  get initial(): number {
    return this.#number(this.world.initial);
  }

  /** A state by its number. */
  state(number: number): GlobalState {
    return this.#states[number] as GlobalState;
  }

  /** The value of a part in a state, as XState has it. */
  value(number: number, part: string): unknown {
    const { system } = this.world;
    const found = system.parts[system.partIndex(part)];
    return found === undefined ? undefined : this.world.snapshot(this.state(number), found).value;
  }

  /** The steps out of a state that an agent's trace tells. */
  seen(number: number): readonly SeenStep[] {
    this.#expand(number);
    return this.#seen[number] as readonly SeenStep[];
  }

  /** These states, and all that the world can turn them into unseen. */
  closure(numbers: Iterable<number>): number[] {
    const reached = new Set(numbers);
    for (const number of reached) {
      this.#expand(number);
      for (const next of this.#hidden[number] as Int32Array) reached.add(next);
    }
    return [...reached];
  }

  #expand(number: number): void {
    if (this.#seen[number] !== undefined) return;
    const state = this.state(number);
    const hidden = new Set<number>();
    const seen: SeenStep[] = [];
    for (const pick of this.world.picks(state)) {
      if (pick.kind === 'choice' && this.#excluded.has(pick.id)) continue;
      const { next, emissions } = this.world.step(state, pick);
      const to = this.#number(next);
      if (this.#tells(pick, state, next, emissions)) seen.push({ pick, next: to, emissions });
      else if (to !== number) hidden.add(to);
    }
    this.#hidden[number] = Int32Array.from(hidden);
    this.#seen[number] = seen;
  }

  /** Whether a step is one of the agent's, or ends its connection. */
  #tells(pick: Pick, state: GlobalState, next: GlobalState, emissions: readonly Emission[]): boolean {
    const { system } = this.world;
    if (pick.kind === 'time') return false;
    if (pick.kind === 'timer') return this.#agent.has(pick.part) || this.#closes(state, next, emissions);
    const choice = system.choices.find(({ id }) => id === pick.id);
    return (
      choice?.deliver.some(({ to }) => this.#agent.has(to)) === true || this.#closes(state, next, emissions)
    );
  }

  #closes(state: GlobalState, next: GlobalState, emissions: readonly Emission[]): boolean {
    const { system } = this.world;
    const watcher = system.partIndex('watcher');
    return state[watcher] !== next[watcher] && emissions.some(({ event }) => isClosed(event));
  }

  #number(state: GlobalState): number {
    const key = state.join();
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#states.length;
    if (number >= this.#most)
      throw new TooManyStates(
        `more than ${this.#most.toLocaleString('en')} states of the model may be behind what was told`,
      );
    this.#states.push(state);
    this.#numbers.set(key, number);
    return number;
  }
}

const isClosed = ({ type }: EventObject): boolean => type === 'connection.closed';
