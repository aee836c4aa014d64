/**
 * Numbers for the events that travel between components, so that a remembered step can say "then #4" and the table
 * of what #4 does can be indexed by it.
 */
import type { Delivery, System } from '../system.ts';

/** Every different (receiving part, event) that has been seen. */
export class Deliveries {
  readonly #system: System;
  readonly #numbers = new Map<string, number>();
  readonly #known: Delivery[] = [];
  readonly #componentOf: number[] = [];

  constructor(system: System) {
    this.#system = system;
  }

  /** How many there are. */
  get size(): number {
    return this.#known.length;
  }

  /** The number of a delivery; equal deliveries have equal numbers. */
  number(delivery: Delivery): number {
    const key = `${delivery.to} ${JSON.stringify(delivery.event)}`;
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#known.push(delivery) - 1;
      this.#numbers.set(key, number);
      this.#componentOf.push(this.#system.parts[this.#system.partIndex(delivery.to)]?.component ?? 0);
    }
    return number;
  }

  /** The delivery with this number. */
  delivery(number: number): Delivery {
    const delivery = this.#known[number];
    if (delivery === undefined) throw new RangeError(`there is no delivery ${number}`);
    return delivery;
  }

  /** The component that a delivery goes to. */
  component(number: number): number {
    return this.#componentOf[number] as number;
  }
}
