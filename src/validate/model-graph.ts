/**
 * The states of the model in which an agent may be, and what the world around it may do unseen. Unseen steps are made by the
 * checker's own search. Everything is remembered: traces of one design walk the same part of the model again and again.
 */
import type { EventObject } from 'xstate';
import type { ComponentSpace } from '../explore/component-space.ts';
import { Engine } from '../explore/engine.ts';
import { fits } from '../explore/layout.ts';
import { StateTable } from '../explore/state-table.ts';
import type { ChoicePick, GlobalState, Pick, TimerPick, World } from '../semantics/world.ts';
import type { Part, System } from '../system.ts';
import { type AgentStep, AgentSteps } from './agent-steps.ts';

/** More states of the model fit than are looked at, so nothing is known of what was told after them. */
export class TooManyStates extends Error {
  /** Always `TooManyStates`. */
  override name = 'TooManyStates';
}

/** States that are expanded together. */
const expandTogether = 256;

/** The model, with its states numbered as they are met. */
export class ModelGraph {
  readonly world: World;
  readonly #engine: Engine;
  readonly #agent: readonly Part[];
  readonly #watcher: Part;
  readonly #states: StateTable;
  readonly #most: number;
  /** The choices that an agent's trace tells, by id. */
  readonly #told: ReadonlySet<string>;
  /** By the number of a pick and one: whether an agent's trace tells it. */
  readonly #tells: boolean[] = [];
  /** By what was picked. */
  readonly #steps = new Map<string, AgentSteps>();
  /** Where the world can turn states to unseen, one state's after another's, */
  #hidden: Int32Array = new Int32Array(1024);
  #hiddenCount = 1;
  /** and for each state, where its own begin and end; 0 and 0 if it was not expanded yet. */
  #begin: Int32Array = new Int32Array(0);
  #end: Int32Array = new Int32Array(0);
  /** The steps of the world that end the agent's connection. */
  readonly #closing = new Map<number, readonly AgentStep[]>();
  /** For each state, the last closure that had it. */
  #met: Int32Array = new Int32Array(0);
  #closures = 0;
  /** For each part, the values of its local states as JSON. */
  readonly #texts: readonly string[][];
  /** Of the state at hand, by component. */
  readonly #locals: Int32Array;

  /**
   * @param agent - the parts whose steps an agent's trace tells; what moves none of them is unseen
   * @param most - so many states are met at most
   */
  constructor(system: System, agent: readonly string[], most: number) {
    this.#most = most;
    this.#engine = new Engine(system, []);
    this.world = this.#engine.world;
    this.#agent = agent.map((name) => this.part(name));
    this.#watcher = this.part('watcher');
    const told = system.choices.filter(({ deliver }) => deliver.some(({ to }) => agent.includes(to)));
    this.#told = new Set(told.map(({ id }) => id));
    this.#states = new StateTable(this.#engine.expander.layout.words);
    this.#texts = system.parts.map(() => []);
    this.#locals = new Int32Array(system.components.length);
  }

  /** How many states have been met. */
  get size(): number {
    return this.#states.count;
  }

  /** The first state. */
  get initial(): number {
    this.#locals.set(this.#engine.initial);
    return this.#numberOfLocals();
  }

  /** A part by its name. */
  part(name: string): Part {
    const { system } = this.world;
    return system.parts[system.partIndex(name)] as Part;
  }

  /** A state by its number. */
  state(number: number): GlobalState {
    this.#unpack(number);
    return this.#whole();
  }

  /** The value of a part in a state, as XState has it. */
  value(number: number, part: Part): unknown {
    return this.world.space(part).state(this.#local(number, part)).snapshot.value;
  }

  /** The same as JSON. */
  text(number: number, part: Part): string {
    const texts = this.#texts[part.index] as string[];
    const local = this.#local(number, part);
    texts[local] ??= JSON.stringify(this.value(number, part));
    return texts[local];
  }

  /** What a choice does in a state, if it is offered there. */
  choice(number: number, id: string): AgentStep | undefined {
    return this.#step(number, id, { kind: 'choice', id });
  }

  /** What a timer does in a state, if it may fire there. */
  timer(number: number, part: string, timer: string): AgentStep | undefined {
    return this.#step(number, `${part} ${timer}`, { kind: 'timer', part, timer });
  }

  /** The steps out of a state that an agent's trace tells. */
  seen(number: number): readonly AgentStep[] {
    const steps = [...this.#told].map((id) => this.choice(number, id));
    for (const part of this.#agent) {
      const { timers } = this.world.space(part).state(this.#local(number, part));
      steps.push(...timers.map(({ id }) => this.timer(number, part.name, id)));
    }
    this.#expand([number]);
    return [...steps.filter((step) => step !== undefined), ...(this.#closing.get(number) ?? [])];
  }

  /** The state to which a step leads from another. */
  after(number: number, { changes }: AgentStep): number {
    if (changes.size === 0) return number;
    this.#unpack(number);
    for (const [component, { parts }] of this.world.system.components.entries()) {
      if (!parts.some((part) => changes.has(part))) continue;
      const space = this.#engine.spaces[component] as ComponentSpace;
      const tuple = space.tuple(this.#locals[component] as number);
      this.#locals[component] = space.intern(
        parts.map((part, place) => changes.get(part) ?? (tuple[place] as number)),
      );
      this.#engine.steps.reserve(component);
    }
    return this.#numberOfLocals();
  }

  /** These states, and all that the world can turn them into unseen; ascending. */
  closure(numbers: Iterable<number>): Int32Array {
    this.#closures += 1;
    const reached: number[] = [];
    const reach = (number: number): void => {
      if (number >= this.#met.length) this.#met = longer(this.#met, number);
      if (this.#met[number] === this.#closures) return;
      this.#met[number] = this.#closures;
      reached.push(number);
    };
    for (const number of numbers) reach(number);
    for (let read = 0; read < reached.length; ) {
      const batch = reached.slice(read, read + expandTogether);
      this.#expand(batch);
      for (const number of batch) {
        const end = this.#end[number] as number;
        for (let place = this.#begin[number] as number; place < end; place += 1)
          reach(this.#hidden[place] as number);
      }
      read += batch.length;
    }
    return Int32Array.from(reached).sort();
  }

  #expand(numbers: readonly number[]): void {
    const { expander } = this.#engine;
    if (this.#begin.length < this.size) {
      this.#begin = longer(this.#begin, this.size);
      this.#end = longer(this.#end, this.size);
    }
    const fresh = numbers.filter((number) => this.#begin[number] === 0);
    const ends: number[] = [];
    expander.clear();
    while (ends.length < fresh.length) {
      const number = fresh[ends.length] as number;
      expander.expand(this.#states.chunk(number), this.#states.offset(number));
      if (expander.outgrown()) {
        this.#repack();
        ends.length = 0;
      } else ends.push(expander.count);
    }
    const picks = expander.picks.slice(0, expander.count);
    const targets = this.#numbersOf(expander.words, expander.count);
    for (const [place, number] of fresh.entries()) {
      const from = ends[place - 1] ?? 0;
      const to = ends[place] as number;
      this.#hide(number, picks.subarray(from, to), targets.subarray(from, to));
    }
  }

  /** Keeps where the world can turn a state to unseen. */
  #hide(number: number, picks: Int32Array, targets: Int32Array): void {
    if (this.#hidden.length < this.#hiddenCount + targets.length)
      this.#hidden = longer(this.#hidden, this.#hiddenCount + targets.length);
    this.#begin[number] = this.#hiddenCount;
    const watcher = this.#local(number, this.#watcher);
    for (let each = 0; each < targets.length; each += 1) {
      const pick = picks[each] as number;
      this.#tells[pick + 1] ??= this.#isTold(this.#engine.picks.pick(pick));
      if (this.#tells[pick + 1]) continue;
      const to = targets[each] as number;
      if (this.#local(to, this.#watcher) !== watcher && this.#closes(number, pick)) continue;
      this.#hidden[this.#hiddenCount] = to;
      this.#hiddenCount += 1;
    }
    this.#end[number] = this.#hiddenCount;
  }

  /** Whether a step is one of the agent's. */
  #isTold(pick: Pick): boolean {
    if (pick.kind === 'time') return false;
    if (pick.kind === 'timer') return this.#agent.some(({ name }) => name === pick.part);
    return this.#told.has(pick.id);
  }

  /** Whether a step of the world ends the agent's connection; if so, it is kept as one that is seen. */
  #closes(number: number, place: number): boolean {
    const pick = this.#engine.picks.pick(place);
    if (pick.kind === 'time') return false;
    const step =
      pick.kind === 'choice' ? this.choice(number, pick.id) : this.timer(number, pick.part, pick.timer);
    if (step === undefined || !step.emissions.some(({ event }) => isClosed(event))) return false;
    this.#closing.set(number, [...(this.#closing.get(number) ?? []), step]);
    return true;
  }

  #step(number: number, key: string, pick: ChoicePick | TimerPick): AgentStep | undefined {
    let steps = this.#steps.get(key);
    if (steps === undefined) {
      steps = new AgentSteps(this.world, pick);
      this.#steps.set(key, steps);
    }
    this.#unpack(number);
    return steps.at(this.#localOf, this.#whole);
  }

  /** The local state of a part in the state at hand. */
  readonly #localOf = (part: number): number => {
    const component = this.world.system.parts[part]?.component as number;
    return this.#engine.spaces[component]?.partLocal(this.#locals[component] as number, part) as number;
  };

  /** The state at hand. */
  readonly #whole = (): GlobalState => this.world.system.parts.map(({ index }) => this.#localOf(index));

  #local(number: number, part: Part): number {
    this.#unpack(number);
    return this.#localOf(part.index);
  }

  #unpack(number: number): void {
    this.#engine.expander.unpack(this.#states.chunk(number), this.#states.offset(number), this.#locals);
  }

  #numberOfLocals(): number {
    const { expander } = this.#engine;
    const sizes = [...this.#locals].map((local) => local + 1);
    if (!fits(expander.layout, sizes)) this.#repack();
    const words = new Int32Array(this.#states.words);
    expander.pack(this.#locals, words, 0);
    return this.#numbersOf(words, 1)[0] as number;
  }

  /** The numbers of packed states; those that are new get theirs. */
  #numbersOf(words: Int32Array, count: number): Int32Array {
    const states = this.#states;
    const numbers = new Int32Array(count);
    for (const _ of states.reserve(count));
    if (!states.addBatch(words, count, numbers, this.#most))
      throw new TooManyStates(
        `more than ${this.#most.toLocaleString('en')} states of the model may be behind what was told`,
      );
    states.findBatch(words, count, numbers);
    return numbers;
  }

  #repack(): void {
    const { expander } = this.#engine;
    const layout = this.#engine.layout();
    const packed = this.#states.repack(expander.layout, layout, () => {
      expander.layout = layout;
    });
    for (const _ of packed);
  }
}

const isClosed = ({ type }: EventObject): boolean => type === 'connection.closed';

/** The same numbers, with room for one at a place. */
function longer(numbers: Int32Array, place: number): Int32Array {
  const fresh = new Int32Array((place + 1) * 2);
  fresh.set(numbers);
  return fresh;
}
