/**
 * A clock for XState's interpreter on which nothing happens by itself: time passes when it is told to, and a timer fires
 * when it is asked to, due or late. A tick is XState's millisecond.
 */
import type { EventObject } from 'xstate';
import type { RunningTimer } from '../machine/local-space.ts';

/** What XState calls a timer. */
interface Scheduled {
  readonly id: string;
  readonly event: EventObject;
}

interface Held extends Scheduled {
  readonly due: number;
  readonly fire: () => void;
}

/** The clock of one actor. */
export class HeldClock {
  readonly #held = new Map<number, Held>();
  readonly #lastScheduled: () => Scheduled;
  #now = 0;
  #next = 1;

  /** @param lastScheduled - what the actor has scheduled last; asked while it sets a timer */
  constructor(lastScheduled: () => Scheduled) {
    this.#lastScheduled = lastScheduled;
  }

  /** Called by the interpreter. */
  setTimeout(fire: () => void, delay: number): number {
    const handle = this.#next;
    this.#next += 1;
    const { id, event } = this.#lastScheduled();
    this.#held.set(handle, { id, event, due: this.#now + delay, fire });
    return handle;
  }

  /** Called by the interpreter. */
  clearTimeout(handle: number): void {
    this.#held.delete(handle);
  }

  /** Lets ticks pass. Nothing fires. */
  pass(ticks: number): void {
    this.#now += ticks;
  }

  /** The timers that run or are due, by id. */
  timers(): RunningTimer[] {
    return [...this.#held.values()]
      .map(({ id, event, due }) => ({ id, remaining: Math.max(0, due - this.#now), event }))
      .sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  }

  /** Fires a timer. @returns false if there is no such timer, or if it is not due */
  fire(id: string): boolean {
    for (const [handle, held] of this.#held) {
      if (held.id !== id || held.due > this.#now) continue;
      this.#held.delete(handle);
      held.fire();
      return true;
    }
    return false;
  }
}
