/** Every mutant that survives although the model answers otherwise somewhere, and why. */
import type { Explanation } from './explanation.ts';

/** The explanations, in the order in which they are printed. */
export const explanations: readonly Explanation[] = [];
