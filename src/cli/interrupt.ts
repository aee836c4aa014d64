/** Ctrl-C: the first asks the work to end and to report what was found; the second ends the process. */
const signals = ['SIGINT', 'SIGTERM'] as const;

/** The exit code of a command that was interrupted. */
export const interruptedCode = 130;

/**
 * Runs work that can be interrupted.
 *
 * @param work - ends soon after its signal is given
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = (): void => {
    if (controller.signal.aborted) process.exit(interruptedCode);
    controller.abort();
  };
  for (const signal of signals) process.on(signal, stop);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
}
