/** How long after the first of several changes they are told of, in ms: a burst is one call. */
const gathered = 5;

/** Tells of changes, many at a time. */
export class Announcer {
  readonly #changed: () => void;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Something may have changed. It is told soon, together with what else changes until then. */
  announce(): void {
    if (this.#stopped || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#changed();
    }, gathered);
  }

  /** Nothing is told any more, nor what was to be told soon. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }
}
