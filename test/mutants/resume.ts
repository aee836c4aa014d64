/** What a run prints for programs, and going on from there. */
import { readFileSync } from 'node:fs';
import { signs } from './compare-findings.ts';
import type { Instance } from './instances.ts';
import type { Judgement } from './judge.ts';
import type { Outcome } from './outcome.ts';

/** What is printed with `--format json`. */
export interface Printed {
  /** What the run looked for. */
  readonly signs: readonly string[];
  readonly instances: readonly Instance[];
  readonly mutants: readonly Outcome[];
  readonly staleExplanations: readonly string[];
}

/**
 * The judgements in what an earlier run printed.
 *
 * @throws Error if it looked for other signs: what it found nothing in would not be tried again
 */
export function foundIn(file: string): Judgement[] {
  const earlier = JSON.parse(readFileSync(file, 'utf8')) as Partial<Printed>;
  if (earlier.signs?.join() !== signs.join())
    throw new Error(`--resume: ${file} is of a run that looked for other signs. Begin anew without it.`);
  return (earlier.mutants ?? []).map(({ fate: _fate, explanation: _explanation, ...judgement }) => judgement);
}
