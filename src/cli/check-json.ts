/** The outcome of a check as other programs read it. */
import type { Parameters } from '../../models/index.ts';
import type { CheckReport, PropertyReport, WitnessReport } from '../check.ts';
import type { Outcome } from '../report/outcome.ts';
import type { Instance } from './instance.ts';

/** One design under `results`. */
export interface CheckResult {
  readonly design: string;
  /** In seconds. */
  readonly parameters: Parameters;
  readonly endpoints: number;
  readonly faults: readonly string[];
  /** How many faults may strike in all. */
  readonly strikes: number | 'unbounded';
  /**
   * `states`, `edges` and `depth` are those of the first system, which has the endpoints; `elapsedMs` is the time of all.
   * A design is decided in several systems when a property needs instruments of its own; `systems` has each.
   */
  readonly states: number;
  readonly edges: number;
  readonly depth: number;
  readonly elapsedMs: number;
  /** Every search saw the whole reachable space. */
  readonly complete: boolean;
  readonly properties: readonly PropertyResult[];
  readonly witnesses: readonly WitnessReport[];
  /** Transition ids and `choice:<id>` that never happened although nothing in the design rules them out. */
  readonly uncovered: readonly string[];
  /** The same for what the design rules out. */
  readonly offByDesign: readonly string[];
  /** Whether `uncovered` counts for the exit code. It does not in a search of a part: fewer faults, a budget, a limit. */
  readonly coverageCounts: boolean;
  readonly systems: readonly SystemResult[];
}

/** One property. */
interface PropertyResult extends Omit<PropertyReport, 'trace'> {
  /** Steps of a shortest run that violates it. */
  readonly traceLength?: number;
  /** For a run that never ends: how many of its steps repeat for ever; 0 if it stays in its last state. */
  readonly cycleLength?: number;
  readonly traceFile?: string;
}

/** One system. */
interface SystemResult
  extends Pick<
    CheckReport,
    | 'search'
    | 'states'
    | 'edges'
    | 'depth'
    | 'elapsedMs'
    | 'complete'
    | 'stopped'
    | 'symmetry'
    | 'bytesPerState'
  > {
  readonly id: string;
  readonly structure: Pick<CheckReport['structure'], 'restStates' | 'deadlocks' | 'timeLocks'>;
}

/** Writes an outcome as plain data. */
export function checkResult(
  instance: Instance,
  outcome: Outcome,
  traceFiles: ReadonlyMap<string, string>,
): CheckResult {
  const reports = outcome.checks.map(({ report }) => report);
  const { states = 0, edges = 0, depth = 0 } = reports[0] ?? {};
  return {
    design: instance.design.id,
    parameters: instance.design.parameters,
    endpoints: instance.endpoints,
    faults: instance.faults,
    strikes: instance.strikes ?? 'unbounded',
    states,
    edges,
    depth,
    elapsedMs: Math.round(reports.reduce((sum, { elapsedMs }) => sum + elapsedMs, 0)),
    complete: reports.every(({ complete }) => complete),
    properties: reports.flatMap(({ properties }) =>
      properties.map(({ trace, ...rest }) => {
        const traceFile = trace === undefined ? undefined : traceFiles.get(rest.id);
        return {
          ...rest,
          ...(trace === undefined ? {} : { traceLength: trace.picks.length }),
          ...(trace?.loop === undefined ? {} : { cycleLength: trace.picks.length - trace.loop }),
          ...(traceFile === undefined ? {} : { traceFile }),
        };
      }),
    ),
    witnesses: reports.flatMap(({ witnesses }) => witnesses),
    uncovered: outcome.coverage.uncovered,
    offByDesign: outcome.coverage.offByDesign,
    coverageCounts: outcome.coverageCounts,
    systems: reports.map(({ system: id, structure, ...report }) => ({
      id,
      search: report.search,
      states: report.states,
      edges: report.edges,
      depth: report.depth,
      elapsedMs: Math.round(report.elapsedMs),
      complete: report.complete,
      ...(report.stopped === undefined ? {} : { stopped: report.stopped }),
      ...(report.symmetry === undefined ? {} : { symmetry: report.symmetry }),
      bytesPerState: Math.round(report.bytesPerState * 100) / 100,
      structure: {
        restStates: structure.restStates,
        deadlocks: structure.deadlocks,
        ...(structure.timeLocks === undefined ? {} : { timeLocks: structure.timeLocks }),
      },
    })),
  };
}
