/** Steps of one state at a time, event by event: for those in which several components speak to each other. */
import { unknownStep } from '../steps.ts';
import { farStep, type Program } from './program.ts';

/** Thrown when parts never stop talking: the last delivery's number. */
export class EndlessTalk extends Error {
  readonly delivery: number;

  constructor(delivery: number) {
    super('parts never stop talking to each other');
    this.delivery = delivery;
  }
}

/** Makes steps of single states. */
export class EventByEvent {
  /** The local states after the step. */
  readonly after: Int32Array;
  /** Numbers of the effects of the step. */
  readonly effects: number[] = [];
  /** By delivery: the local states that have received it in some run, as bits. */
  readonly used: (Int32Array | undefined)[] = [];
  readonly #program: Program;
  readonly #deliveriesMax: number;
  readonly #queue: number[] = [];
  #waiting = 0;

  constructor(program: Program, deliveriesMax: number) {
    this.#program = program;
    this.#deliveriesMax = deliveriesMax;
    this.after = new Int32Array(program.sizes.length);
  }

  /** A choice that several components take. Throws {@link EndlessTalk}. */
  together(locals: Int32Array, choice: number): void {
    this.#begin(locals);
    for (const delivery of this.#program.joint[choice] as readonly number[]) this.#say(delivery);
    this.#settle(0);
  }

  /** A step that begins in one component. Throws {@link EndlessTalk}. */
  from(locals: Int32Array, component: number, entry: number): void {
    this.#begin(locals);
    if (entry >= unknownStep) {
      this.after[component] = entry;
      return;
    }
    const { next, outgoing, effects, received } = farStep(this.#program, entry);
    this.after[component] = next;
    for (const effect of effects) this.effects.push(effect);
    for (const delivery of outgoing) this.#say(delivery);
    this.#settle(received);
  }

  #begin(locals: Int32Array): void {
    this.after.set(locals);
    while (this.effects.length > 0) this.effects.pop();
    this.#waiting = 0;
  }

  #say(delivery: number): void {
    this.#queue[this.#waiting] = delivery;
    this.#waiting += 1;
  }

  #settle(receivedBefore: number): void {
    const { componentOfDelivery, deliveries } = this.#program;
    let received = receivedBefore;
    for (let read = 0; read < this.#waiting; read += 1) {
      const delivery = this.#queue[read] as number;
      const component = componentOfDelivery[delivery] as number;
      const local = this.after[component] as number;
      this.#use(delivery, local);
      const entry = deliveries[delivery]?.[local] as number;
      if (entry >= 0) {
        this.after[component] = entry;
        received += 1;
      } else {
        const step = farStep(this.#program, entry);
        this.after[component] = step.next;
        received += step.received;
        for (const each of step.outgoing) this.#say(each);
        for (const effect of step.effects) this.effects.push(effect);
      }
      if (received > this.#deliveriesMax) throw new EndlessTalk(delivery);
    }
  }

  #use(delivery: number, local: number): void {
    let used = this.used[delivery];
    if (used === undefined) {
      const size = this.#program.sizes[this.#program.componentOfDelivery[delivery] as number] as number;
      used = new Int32Array((size + 31) >> 5);
      this.used[delivery] = used;
    }
    used[local >> 5] = (used[local >> 5] as number) | (1 << (local & 31));
  }
}
