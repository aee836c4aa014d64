/** One piece of mutation testing on a thread of its own. What goes in and out is plain data. */
import { getEnvironmentData } from 'node:worker_threads';
import { type Baseline, baselineOf } from './baseline.ts';
import { allMutants } from './catalogue.ts';
import { type Judgement, type JudgeOptions, judge } from './judge.ts';
import type { Mutant } from './mutant.ts';

/** What is to be done: find the baseline of a design, or judge a mutant against the baselines that are known. */
export type MutantTask =
  | { readonly kind: 'baseline'; readonly design: string; readonly maxStates: number }
  | { readonly kind: 'judge'; readonly mutant: string; readonly options: JudgeOptions };

/** The name under which threads find the baselines. */
export const baselinesKey = 'routeproof.baselines';

let mutants: ReadonlyMap<string, Mutant> | undefined;

/** Does it. */
export default async function mutantWorker(task: MutantTask): Promise<Baseline | Judgement> {
  if (task.kind === 'baseline') return baselineOf(task.design, task.maxStates);
  mutants ??= new Map(allMutants().map((mutant) => [mutant.id, mutant]));
  const mutant = mutants.get(task.mutant);
  if (mutant === undefined) throw new Error(`there is no mutant '${task.mutant}'`);
  const baselines = getEnvironmentData(baselinesKey) as unknown as readonly Baseline[];
  return judge(mutant, baselines, task.options);
}
