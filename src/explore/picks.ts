/**
 * Numbers for what can be picked: a choice is its place, a timer comes after the choices in the order in which it was
 * first seen, time is -1.
 */
import type { Pick } from '../semantics/world.ts';
import type { System } from '../system.ts';

/** The number of the pick that lets time pass. */
export const timePick = -1;

/** Translates picks to numbers and back. */
export class PickNumbers {
  readonly #system: System;
  readonly #timers: { readonly part: string; readonly timer: string }[] = [];
  readonly #numbers = new Map<string, number>();

  constructor(system: System) {
    this.#system = system;
  }

  /** The number of a timer. */
  timer(part: number, timer: string): number {
    const key = `${part} ${timer}`;
    let number = this.#numbers.get(key);
    if (number === undefined) {
      const name = this.#system.parts[part]?.name ?? '';
      number = this.#system.choices.length + this.#timers.push({ part: name, timer }) - 1;
      this.#numbers.set(key, number);
    }
    return number;
  }

  /** The pick with this number. */
  pick(number: number): Pick {
    if (number === timePick) return { kind: 'time' };
    const choice = this.#system.choices[number];
    if (choice !== undefined) return { kind: 'choice', id: choice.id };
    const timer = this.#timers[number - this.#system.choices.length];
    if (timer === undefined) throw new RangeError(`there is no pick ${number}`);
    return { kind: 'timer', ...timer };
  }

  /** The timer with this number: its part's place in the system, and its id. */
  timerOf(number: number): { readonly part: number; readonly timer: string } {
    const known = this.#timers[number - this.#system.choices.length];
    if (known === undefined) throw new RangeError(`there is no timer ${number}`);
    return { part: this.#system.partIndex(known.part), timer: known.timer };
  }

  /** The part whose timer it is, by its place in the system; -1 for a choice and for time. */
  partOfTimer(number: number): number {
    const timer = this.#timers[number - this.#system.choices.length];
    return timer === undefined ? -1 : this.#system.partIndex(timer.part);
  }
}
