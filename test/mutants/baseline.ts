/** What is found of an instance as it is: what its mutants are compared with. */
import { type Design, findDesign } from '../../models/index.ts';
import { type Obligation, obligations } from '../../properties/index.ts';
import { type CheckOptions, type CheckReport, check, type Verdict } from '../../src/check.ts';
import { type Question, Questions } from './answers.ts';
import type { Instance } from './instances.ts';

/** What a check says of one property. */
export interface Finding {
  readonly id: string;
  readonly verdict: Verdict;
  /** Steps of a shortest run that violates it. */
  readonly traceLength?: number;
}

/** What is compared of one system. */
export interface SystemFindings {
  readonly properties: readonly Finding[];
  readonly uncovered: readonly string[];
  readonly deadlocks: boolean;
  /** Left out where nobody looked for them. */
  readonly timeLocks?: boolean;
  readonly states: number;
  readonly edges: number;
  readonly complete: boolean;
}

/** What is known of an instance before any mutant of it is judged. */
export interface Baseline {
  readonly instance: Instance;
  /** Each system of the instance, in the order of {@link obligationsOf}. */
  readonly systems: readonly SystemFindings[];
  /** Everything that the machines were asked, by the id of the machine. */
  readonly questions: Readonly<Record<string, readonly Question[]>>;
}

/** One endpoint: the number for which the verdicts are recorded. */
export function obligationsOf({ design, faults, strikes }: Instance): Obligation[] {
  return obligations(findDesign(design) as Design, {
    endpoints: 1,
    ...(faults === undefined ? {} : { faults }),
    ...(strikes === undefined ? {} : { strikes }),
  });
}

/** Time-locks cost half a search again, so they are looked for where a search is short. */
export function optionsFor({ design }: Instance, maxStates: number): CheckOptions {
  return { maxStates, maxBytes: 3 * 2 ** 30, timeLocks: design === 'fenced' };
}

/** What is compared of a report. */
export function findingsOf(report: CheckReport): SystemFindings {
  const { properties, uncovered, structure, states, edges, complete } = report;
  return {
    properties: properties.map(({ id, verdict, trace }) => ({
      id,
      verdict,
      ...(trace === undefined ? {} : { traceLength: trace.picks.length }),
    })),
    uncovered,
    deadlocks: structure.deadlocks > 0,
    ...(structure.timeLocks === undefined ? {} : { timeLocks: structure.timeLocks > 0 }),
    states,
    edges,
    complete,
  };
}

/** Checks an instance as it is, and listens. */
export async function baselineOf(instance: Instance, maxStates: number): Promise<Baseline> {
  const questions = new Questions();
  const systems: SystemFindings[] = [];
  for (const { system, properties } of obligationsOf(instance)) {
    const report = await check(questions.heardIn(system), properties, optionsFor(instance, maxStates));
    systems.push(findingsOf(report));
  }
  return { instance, systems, questions: questions.all() };
}
