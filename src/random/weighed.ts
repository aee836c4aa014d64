/** Draws by weight. */
import type { Random } from 'fast-check';

/** A place of the list, by weight; undefined if nothing weighs anything. */
export function weighed(random: Random, weights: readonly number[]): number | undefined {
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  if (all === 0) return undefined;
  let left = random.nextDouble() * all;
  for (const [place, weight] of weights.entries()) {
    left -= weight;
    if (left < 0 && weight > 0) return place;
  }
  return weights.findLastIndex((weight) => weight > 0);
}
