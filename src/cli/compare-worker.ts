/** One piece of a comparison, on a thread of its own. What goes in and out is plain data. */
import { type Costs, costs } from '../../properties/index.ts';
import type { Coverage } from '../report/coverage.ts';
import { checkInstance } from './check-instance.ts';
import { type CheckResult, checkResult } from './check-json.ts';
import type { Instance } from './instance.ts';

/** What is to be done. */
export interface CompareTask {
  readonly kind: 'check' | 'costs';
  readonly instance: Instance;
  /** Ids of the properties; all if left out. */
  readonly wanted?: readonly string[];
  /** More states than this are not looked at. */
  readonly maxStates?: number;
  /** What this thread may use for states. */
  readonly maxBytes: number;
}

/** What came of it. */
export type CompareAnswer =
  | { readonly kind: 'check'; readonly result: CheckResult; readonly coverage: Coverage }
  | { readonly kind: 'costs'; readonly costs: Costs };

/** Does it. */
export default async function compareWorker({
  kind,
  instance,
  wanted,
  ...limits
}: CompareTask): Promise<CompareAnswer> {
  // Costs are found in small spaces, and half a space would give a wrong number.
  if (kind === 'costs') return { kind, costs: await costs(instance.design, { maxBytes: limits.maxBytes }) };
  // `check` looks for time-locks; here they would cost half as much again.
  const outcome = await checkInstance(instance, wanted, { ...limits, timeLocks: false });
  return { kind, result: checkResult(instance, outcome, new Map()), coverage: outcome.coverage };
}
