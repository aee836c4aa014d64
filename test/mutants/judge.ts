/** Judges one mutant: is it told from the model by what is found of the designs? */
import { check } from '../../src/check.ts';
import { SystemError } from '../../src/system.ts';
import { type Baseline, findingsOf, obligationsOf, optionsFor } from './baseline.ts';
import { changedAnswers } from './changed-answers.ts';
import { type Difference, differences, type Sign, signs } from './compare-findings.ts';
import { type Mutant, mutated } from './mutant.ts';

/** What became of a mutant so far. Every instance that was tried is in one of three lists. */
export interface Judgement {
  readonly id: string;
  /** The strongest sign that tells it from the model; none if nothing does. */
  readonly killedBy?: Sign;
  /** The first differences of that sign. */
  readonly differences: readonly Difference[];
  /** Instances that were searched. */
  readonly searched: readonly string[];
  /** Instances in which it answers everything that it is asked as the model does. */
  readonly sameAnswers: readonly string[];
  /** Instances that were left out: all that it answers otherwise there, it does in instances that were searched. */
  readonly nothingNew: readonly string[];
  /** Searched instances whose search did not end. */
  readonly incomplete: readonly string[];
  readonly elapsedMs: number;
}

/** How a mutant is judged. */
export interface JudgeOptions {
  /** A search that has found so many states is given up. */
  readonly maxStates: number;
  /**
   * Whether instances are tried for a changed verdict once a weaker sign tells the mutant, and whether those are searched
   * in which it answers nothing otherwise that it did not in one before.
   */
  readonly thorough: boolean;
}

/** A mutant of which nothing is known yet. */
export const unjudged = (id: string): Judgement => ({
  id,
  differences: [],
  searched: [],
  sameAnswers: [],
  nothingNew: [],
  incomplete: [],
  elapsedMs: 0,
});

/**
 * Tries a mutant on one more instance.
 *
 * @param before - what became of it so far
 * @param baseline - of the instance
 * @param earlier - the baselines of the instances that it was tried on before
 */
export async function judge(
  mutant: Mutant,
  before: Judgement,
  baseline: Baseline,
  earlier: readonly Baseline[],
  { maxStates, thorough }: JudgeOptions,
): Promise<Judgement> {
  const start = performance.now();
  const { name: design } = baseline.instance;
  const after = (more: Partial<Judgement>): Judgement => ({
    ...before,
    ...more,
    elapsedMs: before.elapsedMs + Math.round(performance.now() - start),
  });
  const changed = changedAnswers(mutant, baseline);
  if (changed.size === 0) return after({ sameAnswers: [...before.sameAnswers, design] });
  if (!thorough && baseline.instance.faults === undefined && before.searched.length >= searchesMin) {
    for (const each of earlier) {
      if (!before.searched.includes(each.instance.name)) continue;
      for (const answer of changedAnswers(mutant, each)) changed.delete(answer);
    }
    if (changed.size === 0) return after({ nothingNew: [...before.nothingNew, design] });
  }
  const tried = await tryOn(mutant, baseline, maxStates);
  const found = [...before.differences, ...tried.differences];
  const killedBy = signs.find((sign) => found.some((difference) => difference.sign === sign));
  return after({
    ...(killedBy === undefined ? {} : { killedBy }),
    differences: found.filter(({ sign }) => sign === killedBy).slice(0, differencesMax),
    searched: [...before.searched, design],
    incomplete: [...before.incomplete, ...(tried.incomplete ? [design] : [])],
  });
}

/** The recommended design tolerates much, so what it does not notice is tried on others at least. Few faults are cheap. */
const searchesMin = 4;

/** A mutant that breaks everything needs no longer list. */
const differencesMax = 8;

interface Tried {
  readonly differences: readonly Difference[];
  readonly incomplete: boolean;
}

async function tryOn(mutant: Mutant, baseline: Baseline, maxStates: number): Promise<Tried> {
  const { instance, systems } = baseline;
  const found: Difference[] = [];
  let incomplete = false;
  for (const [index, { system, properties }] of obligationsOf(instance).entries()) {
    const expected = systems[index] as Baseline['systems'][number];
    try {
      const report = await check(mutated(system, mutant), properties, optionsFor(instance, maxStates));
      const findings = findingsOf(report);
      found.push(...differences(instance.name, expected, findings, mutant));
      incomplete ||= !findings.complete;
    } catch (error) {
      if (!(error instanceof SystemError)) throw error;
      found.push({ sign: 'refusal', design: instance.name, says: error.message });
    }
    if (found.some(({ sign }) => sign === 'verdict')) break;
  }
  return { differences: found, incomplete };
}
