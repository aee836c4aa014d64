/**
 * Tells one way of drawing walks from another. A campaign is only what it says if all of its runs are drawn alike: a part
 * that was made by another version, whose machines or whose walks differ, is none of it.
 */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { Drawing } from './draw-walk.ts';
import type { Walker } from './walker.ts';
import { walks } from './walks.ts';

/** So many walks are compared, of at most so many steps each: they cost little, and most changes show in them. */
const compared = { walks: 16, steps: 80 };

/**
 * A hash of some short walks.
 *
 * @param seed - that of the campaign's first run
 * @returns twelve hexadecimal digits
 */
export function drawingMark(
  walker: Walker,
  { steps, phases, goals }: Pick<Drawing, 'steps' | 'phases' | 'goals'>,
  seed: number,
): string {
  const short = walks(walker, {
    steps: Math.min(steps, compared.steps),
    properties: [],
    ...(phases === undefined ? {} : { phases }),
    ...(goals === undefined ? {} : { goals }),
  });
  const drawn = fc.sample(short, { seed, numRuns: compared.walks }).map(({ picks }) => picks);
  return createHash('sha256').update(JSON.stringify(drawn)).digest('hex').slice(0, 12);
}
