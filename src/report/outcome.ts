/** What checks of one subject say together, and the exit code that this amounts to. */
import type { CheckReport, Verdict } from '../check.ts';
import type { Property } from '../property.ts';
import type { System } from '../system.ts';
import type { Trace } from '../trace/trace.ts';
import type { Coverage } from './coverage.ts';

/** A system that was checked. */
export interface CheckedSystem {
  readonly system: System;
  readonly properties: readonly Property[];
  readonly report: CheckReport;
}

/** A subject, such as a design, whose properties were decided in one system or several. */
export interface Outcome {
  readonly name: string;
  readonly checks: readonly CheckedSystem[];
  readonly coverage: Coverage;
  /**
   * Whether what never happened counts. It does not where only a part was looked at: with fewer faults than the
   * catalogue has, or a budget of them, and in a search that did not end.
   */
  readonly coverageCounts: boolean;
}

/** A run that shows something. */
export interface Finding {
  readonly checked: CheckedSystem;
  /** Left out for deadlocks and time-locks. */
  readonly property?: Property;
  readonly trace: Trace;
}

/** All runs that violate a property, the shortest first. */
export function findings({ checks }: Outcome): Finding[] {
  return checks
    .flatMap((checked) =>
      checked.report.properties.flatMap(({ id, trace }): Finding[] => {
        const property = checked.properties.find((each) => each.id === id);
        return trace === undefined || property === undefined ? [] : [{ checked, property, trace }];
      }),
    )
    .sort((a, b) => a.trace.picks.length - b.trace.picks.length);
}

/** All verdicts of an outcome. */
export const verdictsOf = ({ checks }: Outcome): Verdict[] =>
  checks.flatMap(({ report }) => report.properties.map(({ verdict }) => verdict));

/** Whether a signal ended one of its searches. */
export const wasInterrupted = ({ checks }: Outcome): boolean =>
  checks.some(
    ({ report }) =>
      report.stopped === 'interrupted' || report.properties.some(({ reason }) => reason === 'interrupted'),
  );

/** Whether the model gets stuck where it should not, so that its proofs would prove too much. */
const isLocked = ({ checks }: Outcome): boolean =>
  checks.some(({ report: { structure } }) => structure.deadlocks > 0 || (structure.timeLocks ?? 0) > 0);

/**
 * What a command ends with: 130 interrupted, 1 violated (or a deadlock or time-lock in the model), 3 incomplete,
 * 4 vacuous or uncovered, 0 all proved. Of several that hold, the first in this order.
 */
export function exitCodeOf(outcomes: readonly Outcome[]): 0 | 1 | 3 | 4 | 130 {
  const verdicts = outcomes.flatMap(verdictsOf);
  if (outcomes.some(wasInterrupted)) return 130;
  if (verdicts.includes('violated') || outcomes.some(isLocked)) return 1;
  if (verdicts.includes('incomplete')) return 3;
  const uncovered = outcomes.some(
    ({ coverage, coverageCounts }) => coverageCounts && coverage.uncovered.length > 0,
  );
  return verdicts.includes('vacuous') || uncovered ? 4 : 0;
}
