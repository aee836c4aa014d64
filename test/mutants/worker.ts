/** One piece of mutation testing on a thread of its own. What goes in and out is plain data. */
import { getEnvironmentData } from 'node:worker_threads';
import { type Baseline, baselineOf } from './baseline.ts';
import { allMutants } from './catalogue.ts';
import type { Instance } from './instances.ts';
import { type Judgement, type JudgeOptions, judge } from './judge.ts';
import type { Mutant } from './mutant.ts';

/** What is to be done: find the baseline of an instance, or try a mutant on the last of the instances that are known. */
export type MutantTask =
  | { readonly kind: 'baseline'; readonly instance: Instance; readonly maxStates: number }
  | { readonly kind: 'judge'; readonly before: Judgement; readonly options: JudgeOptions };

/** The name under which threads find the baselines: those of earlier instances, and last the one to be tried on. */
export const baselinesKey = 'routeproof.baselines';

let mutants: ReadonlyMap<string, Mutant> | undefined;
let baselines: readonly Baseline[] | undefined;

/** Does it. */
export default async function mutantWorker(task: MutantTask): Promise<Baseline | Judgement> {
  if (task.kind === 'baseline') return baselineOf(task.instance, task.maxStates);
  const { before, options } = task;
  mutants ??= new Map(allMutants().map((mutant) => [mutant.id, mutant]));
  const mutant = mutants.get(before.id);
  if (mutant === undefined) throw new Error(`there is no mutant '${before.id}'`);
  baselines ??= getEnvironmentData(baselinesKey) as unknown as readonly Baseline[];
  return judge(mutant, before, baselines.at(-1) as Baseline, baselines.slice(0, -1), options);
}
