/**
 * The agent does one thing at a time. Whatever happens to it (an answer, an event, a timer, something it owes) becomes a
 * step, and a step runs to its end, its calls included, before the next begins. So a step of the agent is a step of the
 * model, and nothing of the agent changes between what it reads and what it decides from that.
 */

/** Something that waits for its turn. */
interface Waiting {
  readonly name: string;
  readonly run: () => void | Promise<void>;
  /** It only looks, so it is not held. */
  readonly looks: boolean;
}

/** Takes a step back. @returns false if it has begun */
export type Withdraw = () => boolean;

/** The steps of one agent, in order. */
export class Steps {
  readonly #waiting: Waiting[] = [];
  readonly #failed: (error: unknown, step: string) => void;
  #after: () => void = () => {};
  #running: Promise<void> | undefined;
  #held = false;
  #ended = false;
  #arrived: (() => void)[] = [];

  /** @param failed - told when a step throws; the next step runs all the same */
  constructor(failed: (error: unknown, step: string) => void) {
    this.#failed = failed;
  }

  /** Called after each step. */
  afterEach(look: () => void): void {
    this.#after = look;
  }

  /** Puts a step at the end of the line. @param looks - it decides nothing, and runs even while steps are held */
  offer(name: string, run: () => void | Promise<void>, looks = false): Withdraw {
    const waiting: Waiting = { name, run, looks };
    if (this.#ended) return () => false;
    this.#waiting.push(waiting);
    for (const arrived of this.#arrived.splice(0)) arrived();
    this.#pump();
    return () => {
      const place = this.#waiting.indexOf(waiting);
      if (place >= 0) this.#waiting.splice(place, 1);
      return place >= 0;
    };
  }

  /** Whether a step runs only when it is released. */
  get held(): boolean {
    return this.#held;
  }

  /** From now on a step runs only when it is released. */
  hold(): void {
    this.#held = true;
  }

  /** Steps run by themselves again. */
  free(): void {
    this.#held = false;
    this.#pump();
  }

  /** The names of the steps that wait, in order. */
  waiting(): readonly string[] {
    return this.#waiting.map(({ name }) => name);
  }

  /**
   * Lets the first step of this name run, and waits for its end.
   *
   * @param patience - milliseconds to wait for it to be offered
   * @returns false if it was not offered
   */
  async release(name: string, patience: number): Promise<boolean> {
    const until = performance.now() + patience;
    for (;;) {
      while (this.#running !== undefined) await this.#running;
      const place = this.#waiting.findIndex((each) => each.name === name);
      if (place >= 0) {
        const [waiting] = this.#waiting.splice(place, 1) as [Waiting];
        this.#start(waiting);
        await this.#running;
        return true;
      }
      const left = until - performance.now();
      if (left <= 0 || this.#ended) return false;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#arrived.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  /** Nothing runs any more. @returns when the step that is running has ended */
  async end(): Promise<void> {
    this.#ended = true;
    this.#waiting.length = 0;
    for (const arrived of this.#arrived.splice(0)) arrived();
    await this.#running;
  }

  #pump(): void {
    if (this.#running !== undefined || this.#ended) return;
    const place = this.#held ? this.#waiting.findIndex(({ looks }) => looks) : 0;
    const next = place < 0 ? undefined : this.#waiting.splice(place, 1)[0];
    if (next !== undefined) this.#start(next);
  }

  #start(step: Waiting): void {
    this.#running = this.#run(step).finally(() => {
      this.#running = undefined;
      if (this.#ended) return;
      this.#after();
      this.#pump();
    });
  }

  async #run({ name, run }: Waiting): Promise<void> {
    try {
      // A step is never begun while its offer is being made.
      await undefined;
      await run();
    } catch (error) {
      this.#failed(error, name);
    }
  }
}
