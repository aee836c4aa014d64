/**
 * Runs long work in slices: a search is a generator that pauses every millisecond or so, and this lets the event loop
 * breathe, tells how far the work is, and hears a request to stop.
 */

/** How long the event loop waits at most. */
const sliceMs = 20;
/** How often progress is told. */
const progressMs = 200;

/** What a driver does besides working. */
export interface Driving {
  readonly signal: AbortSignal | undefined;
  /** Called about every 200 ms. */
  readonly onProgress: () => void;
}

/**
 * Works until done.
 *
 * @returns false if the signal stopped the work before its end
 */
export async function drive(work: Iterator<void>, { signal, onProgress }: Driving): Promise<boolean> {
  let told = performance.now();
  for (;;) {
    const start = performance.now();
    do {
      if (work.next().done === true) return true;
    } while (performance.now() - start < sliceMs);
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    if (signal?.aborted === true) return false;
    if (performance.now() - told >= progressMs) {
      told = performance.now();
      onProgress();
    }
  }
}
