/** How long a wait of the agent can be. */
import { UsageError } from './usage-error.ts';

/** The longest that Node's timers can wait, in seconds. They would take what is longer for no time at all. */
const longest = 2 ** 31 / 1000 - 1;

/**
 * Makes sure that all waits are waited for.
 *
 * @param times - in seconds, as they are after the scale, by what names them
 * @throws UsageError
 */
export function assertTimes(
  times: readonly (readonly [place: string, seconds: number])[],
  timeScale: number,
): void {
  for (const [place, seconds] of times) {
    if (seconds > longest)
      throw new UsageError(
        `${place}: with --time-scale ${timeScale} it is ${seconds} seconds. Make it ${Math.floor(longest)} at most.`,
      );
  }
}
