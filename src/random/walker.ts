/**
 * Draws from what a system offers. A walk is drawn on the remembered machines, which tell at once what is offered; whether
 * the running actors agree is found out when it is played.
 */
import type { Reader } from '../property.ts';
import { type GlobalState, type Pick, type Step, World } from '../semantics/world.ts';
import type { Choice, Part, System } from '../system.ts';
import { samePick } from '../trace/replay.ts';
import { isSpare } from './shortest-walk.ts';
import { Silence } from './silence.ts';

/** What is offered in a state. */
export interface Offer {
  /** What is picked. */
  readonly pick: Pick;
  /** The choice that it is, if it is one. */
  readonly choice?: Choice;
  /** For a choice: its place. */
  readonly number?: number;
  /** Puts the offers of one system in order, whichever were met before: choices in theirs, timers by part and id, time. */
  readonly order: string;
}

interface ChoiceOffer extends Offer {
  readonly choice: Choice;
  readonly number: number;
}

const digits = (number: number): string => String(number).padStart(6, '0');

/** The order of the choice at a place. */
export const orderOfChoice = (number: number): string => `1 ${digits(number)}`;

/** Walks a system. */
export class Walker {
  /** What is walked. */
  readonly system: System;
  /** The remembered machines. @internal */
  readonly world: World;
  readonly #choices: readonly ChoiceOffer[];
  readonly #time: Offer;
  readonly #timers = new Map<string, Offer>();
  /** By part and local state: the choices that the part stands against, as bits. */
  readonly #blocked: Map<number, Int32Array>[];
  readonly #words: number;
  readonly #silence: Silence;
  /** By process: the choices that tell one of its parts something. */
  readonly #ofProcess = new Map<string, Int32Array>();

  /** @throws SystemError if a machine cannot be checked soundly */
  constructor(system: System) {
    this.system = system;
    this.world = new World(system);
    this.#silence = new Silence(this.world);
    this.#choices = system.choices.map((choice, number) => ({
      pick: { kind: 'choice', id: choice.id },
      choice,
      number,
      order: orderOfChoice(number),
    }));
    this.#time = { pick: { kind: 'time' }, order: '3' };
    this.#blocked = system.parts.map(() => new Map());
    this.#words = (system.choices.length + 31) >> 5;
    for (const process of Object.keys(system.processes)) {
      const bits = new Int32Array(this.#words);
      for (const { choice, number } of this.#choices) {
        const told = choice.deliver.some(({ to }) => this.#part(to).process === process);
        if (told) set(bits, number);
      }
      this.#ofProcess.set(process, bits);
    }
  }

  /** The state before the first step. @internal */
  get initial(): GlobalState {
    return this.world.initial;
  }

  /** Everything that may happen next: choices in their order, then due timers, then time. As `World.picks`, and faster. @internal */
  offers(state: GlobalState): Offer[] {
    const { system, world } = this;
    const blocked = new Int32Array(this.#words);
    const paused = new Set<string>();
    for (const [id, process] of Object.entries(system.processes)) {
      if (!world.snapshot(state, this.#part(process.part)).hasTag(process.pausedTag)) continue;
      paused.add(id);
      merge(blocked, this.#ofProcess.get(id) as Int32Array);
    }
    let running = false;
    const due: Offer[] = [];
    for (const part of system.parts) {
      const local = state[part.index] as number;
      merge(blocked, this.#blockedBy(part, local));
      for (const { id, remaining } of world.space(part).state(local).timers) {
        if (remaining > 0) running = true;
        else if (part.process === undefined || !paused.has(part.process)) due.push(this.#timer(part, id));
      }
    }
    const offered: Offer[] = this.#choices.filter(
      ({ number }) => ((blocked[number >> 5] as number) & (1 << (number & 31))) === 0,
    );
    const choices = offered.length;
    offered.push(...due);
    if (running && due.length === 0) {
      const urgent = offered
        .slice(0, choices)
        .some((offer) => offer.choice?.urgent === true && this.changes(state, offer));
      if (!urgent) offered.push(this.#time);
    }
    return offered;
  }

  /** The offer that a pick is, if it is offered. @internal */
  find(state: GlobalState, pick: Pick): Offer | undefined {
    return this.offers(state).find((offer) => samePick(offer.pick, pick));
  }

  /** Whether a step would change anything. @internal */
  changes(state: GlobalState, { pick }: Offer): boolean {
    return this.world.step(state, pick).next.some((local, index) => local !== state[index]);
  }

  /** Whether a step is nobody's duty, and some fault can never strike again once it is made. @internal */
  silences(state: GlobalState, { choice, number }: Offer, { next }: Step): boolean {
    return choice !== undefined && isSpare(choice) && this.#silence.falls(state, next, number);
  }

  /** Makes a step that is offered. @internal */
  step(state: GlobalState, { pick }: Offer): Step {
    return this.world.step(state, pick);
  }

  /** Reads the parts of a state. @internal */
  reader(state: GlobalState): Reader {
    return this.world.reader(state);
  }

  #part(name: string): Part {
    return this.system.parts[this.system.partIndex(name)] as Part;
  }

  #timer(part: Part, timer: string): Offer {
    const key = `${part.index} ${timer}`;
    let offer = this.#timers.get(key);
    if (offer === undefined) {
      const order = `2 ${digits(part.index)} ${timer}`;
      offer = { pick: { kind: 'timer', part: part.name, timer }, order };
      this.#timers.set(key, offer);
    }
    return offer;
  }

  #blockedBy(part: Part, local: number): Int32Array {
    const known = this.#blocked[part.index] as Map<number, Int32Array>;
    let bits = known.get(local);
    if (bits === undefined) {
      bits = new Int32Array(this.#words);
      for (const { choice, number } of this.#choices) {
        for (const { to, event } of choice.deliver) {
          if (to === part.name && !this.world.space(part).deliver(local, event).taken) set(bits, number);
        }
      }
      known.set(local, bits);
    }
    return bits;
  }
}

function set(bits: Int32Array, number: number): void {
  bits[number >> 5] = (bits[number >> 5] as number) | (1 << (number & 31));
}

function merge(into: Int32Array, from: Int32Array): void {
  for (let word = 0; word < into.length; word += 1)
    into[word] = (into[word] as number) | (from[word] as number);
}
