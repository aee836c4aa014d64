/**
 * What a step tells every component, remembered: as long as one component at most speaks to the others, it alone
 * settles who hears what and when, and each listener goes where its column says. Steps in which two speak are made event
 * by event.
 */
import type { Deliveries } from './deliveries.ts';
import type { JudgedEffect } from './judge.ts';
import { type Steps, unknownStep } from './steps.ts';

/** In a listener's column: this local state speaks, or does something that is judged. */
export const notOnlyListening = -2;

/** Events that a component hears, one after another, and where they lead. */
export interface Listener {
  readonly component: number;
  readonly deliveries: readonly number[];
  /** By local state: the next one, {@link unknownStep}, or {@link notOnlyListening}. */
  next: Int32Array;
}

/** What a step does. */
export interface Script {
  /** The component that speaks, or -1; */
  readonly speaker: number;
  /** where it goes; */
  readonly next: number;
  /** what is judged of it; */
  readonly effects: readonly JudgedEffect[];
  /** and who hears it. */
  readonly listeners: readonly Listener[];
}

/** The remembered scripts of a system. */
export class Scripts {
  readonly #steps: Steps;
  readonly #deliveries: Deliveries;
  /** By number of the step. */
  readonly #far: (Script | undefined)[] = [];
  /** By choice that several components take. */
  readonly #first: (Script | undefined)[] = [];
  /** By choice and component that speaks: by its local state. */
  readonly #spoken: (Script | undefined)[][] = [];
  readonly #listeners = new Map<string, Listener>();
  readonly #components: number;

  constructor(steps: Steps, deliveries: Deliveries, components: number) {
    this.#steps = steps;
    this.#deliveries = deliveries;
    this.#components = components;
  }

  /** The script of a step that begins in one component. */
  far(component: number, entry: number): Script {
    const number = unknownStep - 1 - entry;
    const known = this.#far[number];
    if (known !== undefined) return known;
    const { next, outgoing, effects } = this.#steps.far(entry);
    const script = { speaker: component, next, effects, listeners: this.#listenersOf(outgoing) };
    this.#far[number] = script;
    return script;
  }

  /** The script of a choice that several components take, if none of them speaks. */
  first(choice: number): Script {
    return this.#first[choice] ?? this.#firstOf(choice);
  }

  /** The script of a choice that several components take. Undefined if two of them speak. */
  joint(choice: number, locals: Int32Array): Script | undefined {
    const first = this.first(choice);
    const { listeners } = first;
    let speaker = -1;
    for (let each = 0; each < listeners.length; each += 1) {
      const listener = listeners[each] as Listener;
      const { component } = listener;
      const local = locals[component] as number;
      let to = listener.next[local] as number;
      if (to === unknownStep) to = this.hear(listener, local);
      if (to !== notOnlyListening) continue;
      if (speaker >= 0) return undefined;
      speaker = component;
    }
    return speaker < 0 ? first : this.#spokenBy(choice, speaker, locals[speaker] as number);
  }

  /** Where a listener goes from a local state that has not heard this before. */
  hear(listener: Listener, local: number): number {
    let at = local;
    for (const delivery of listener.deliveries) {
      const entry = this.#steps.receive(delivery, at);
      if (entry < 0) {
        at = notOnlyListening;
        break;
      }
      at = entry;
    }
    listener.next[local] = at;
    return at;
  }

  #firstOf(choice: number): Script {
    const listeners = this.#listenersOf(this.#steps.joint[choice] as readonly number[]);
    const script = { speaker: -1, next: 0, effects: [], listeners };
    this.#first[choice] = script;
    return script;
  }

  #spokenBy(choice: number, component: number, local: number): Script {
    const key = choice * this.#components + component;
    this.#spoken[key] ??= [];
    const spoken = this.#spoken[key];
    const known = spoken[local];
    if (known !== undefined) return known;
    const script = this.#speak(choice, component, local);
    spoken[local] = script;
    return script;
  }

  /** The choice's own deliveries come first; what is said about them arrives after the last of them. */
  #speak(choice: number, component: number, local: number): Script {
    const deliveries = this.#steps.joint[choice] as readonly number[];
    const heard = deliveries.filter((each) => this.#deliveries.component(each) !== component);
    const effects: JudgedEffect[] = [];
    let at = local;
    for (const delivery of deliveries) {
      if (this.#deliveries.component(delivery) !== component) continue;
      const entry = this.#steps.receive(delivery, at);
      if (entry >= 0) {
        at = entry;
        continue;
      }
      const far = this.#steps.far(entry);
      heard.push(...far.outgoing);
      effects.push(...far.effects);
      at = far.next;
    }
    return { speaker: component, next: at, effects, listeners: this.#listenersOf(heard) };
  }

  #listenersOf(deliveries: readonly number[]): Listener[] {
    const to = deliveries.map((each) => this.#deliveries.component(each));
    return [...new Set(to)].map((component) =>
      this.#listener(
        component,
        deliveries.filter((_, place) => to[place] === component),
      ),
    );
  }

  #listener(component: number, deliveries: readonly number[]): Listener {
    const key = deliveries.join(' ');
    let listener = this.#listeners.get(key);
    if (listener === undefined) {
      listener = { component, deliveries, next: new Int32Array(0) };
      this.#steps.grow(component, listener);
      this.#listeners.set(key, listener);
    }
    return listener;
  }
}
