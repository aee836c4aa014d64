/** A clock for XState's interpreter that measures real time, and on which a timer that is due becomes a step. */
import type { Steps } from './steps.ts';

/** The clock of one actor. */
export class StepClock {
  readonly #steps: Steps;
  readonly #nameLast: () => string;
  readonly #fired: (name: string) => void;
  /** By handle: what ends the timer, or takes the step back that it has become. */
  readonly #running = new Map<number, () => void>();
  #next = 1;

  /**
   * @param nameLast - names the timer that the actor is setting
   * @param fired - told within the step, once the timer has fired
   */
  constructor(steps: Steps, nameLast: () => string, fired: (name: string) => void) {
    this.#steps = steps;
    this.#nameLast = nameLast;
    this.#fired = fired;
  }

  /** Called by the interpreter. @param delay - milliseconds */
  setTimeout(fire: () => void, delay: number): number {
    const handle = this.#next;
    this.#next += 1;
    const name = this.#nameLast();
    const timer = setTimeout(() => {
      const withdraw = this.#steps.offer(name, () => {
        this.#running.delete(handle);
        fire();
        this.#fired(name);
      });
      this.#running.set(handle, withdraw);
    }, delay);
    this.#running.set(handle, () => clearTimeout(timer));
    return handle;
  }

  /** Called by the interpreter. */
  clearTimeout(handle: number): void {
    this.#running.get(handle)?.();
    this.#running.delete(handle);
  }

  /** Ends all timers. */
  stop(): void {
    for (const handle of [...this.#running.keys()]) this.clearTimeout(handle);
  }
}
