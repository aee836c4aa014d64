/** Finds the name that was meant. */
import { distance } from 'fastest-levenshtein';
import { UsageError } from './usage-error.ts';

/** A kind of thing that is named on the command line. */
export interface Vocabulary {
  /** Where the name stands, such as `--fault` or `design`. */
  readonly place: string;
  /** What is named, such as `fault`. */
  readonly noun: string;
  readonly names: readonly string[];
  /** What tells all names, such as `'routeproof list'`; left out, the message tells them itself. */
  readonly listedBy?: string;
}

/**
 * Looks a name up.
 *
 * @throws UsageError that suggests the nearest name
 */
export function lookUp(name: string, { place, noun, names, listedBy }: Vocabulary): string {
  if (names.includes(name)) return name;
  const near = nearest(name, names);
  const hint = near === undefined ? '' : ` Did you mean '${near}'?`;
  const all = listedBy === undefined ? `There are ${names.join(', ')}.` : `${listedBy} names them all.`;
  throw new UsageError(`${place} '${name}': there is no such ${noun}.${hint} ${all}`);
}

/**
 * The most similar name, if it is similar enough to have been meant: up to a third of the letters may be wrong, and one in
 * a short word. The beginning of a name is enough; in a short word none of its letters may be wrong.
 */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  if (lower.length < 2) return undefined;
  const scored = names.map((name) => {
    const whole = name.toLowerCase();
    const beginnings = [-1, 0, 1].map((more) => distance(lower, whole.slice(0, lower.length + more)) + 0.5);
    return { name, score: Math.min(distance(lower, whole), ...beginnings) };
  });
  const [best] = scored.sort((a, b) => a.score - b.score);
  return best !== undefined && best.score <= Math.max(1, Math.floor(lower.length / 3))
    ? best.name
    : undefined;
}
