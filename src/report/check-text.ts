/** The outcome of a check as a person reads it: verdicts first, then each counterexample as a timeline. */
import type { PropertyReport, Verdict } from '../check.ts';
import type { Property } from '../property.ts';
import type { System } from '../system.ts';
import type { Trace } from '../trace/trace.ts';
import { describeUncovered } from './coverage.ts';
import {
  type CheckedSystem,
  type Finding,
  findings,
  type Outcome,
  verdictsOf,
  wasInterrupted,
} from './outcome.ts';
import { timeline } from './timeline.ts';
import { type Colors, type PageOptions, printTimeline, wrap } from './timeline-text.ts';

/** What the command knows besides the outcome. */
export interface CheckTextOptions extends PageOptions {
  /** One sentence on the subject. */
  readonly says?: string;
  /** What was left open and what was not, each with a name: `in steps`, `in parameters`. */
  readonly scope: readonly (readonly [name: string, text: string])[];
  /** Where a trace was written, by property. */
  readonly traceFiles: ReadonlyMap<string, string>;
}

/** Verdicts as signs. */
export const signs: Readonly<Record<Verdict, string>> = {
  proved: '✓',
  violated: '✗',
  vacuous: '–',
  incomplete: '?',
};

const label = 15;

/** Prints an outcome, with a closing line break. */
export function printCheck(outcome: Outcome, options: CheckTextOptions): string {
  const { bold, dim } = options.colors;
  const blocks = [
    [
      bold(outcome.name),
      ...(options.says === undefined
        ? []
        : wrap(options.says, options.width - 2).map((line) => `  ${dim(line)}`)),
      '',
      ...options.scope.flatMap(([name, text]) => labelled(name, text, options)),
      ...outcome.checks.flatMap((checked) => labelled('searched', sizeOf(checked), options)),
    ],
    outcome.checks.flatMap((checked) =>
      checked.report.properties.flatMap((each) => printProperty(each, checked, options)),
    ),
    remarks(outcome, options),
    ...findings(outcome).map((finding) => printFinding(finding, options)),
    ...structureFindings(outcome).map((finding) => printFinding(finding, options)),
    [summary(outcome, options.colors)],
  ];
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n')}\n`;
}

function labelled(name: string, text: string, { width, colors }: PageOptions): string[] {
  return wrap(text, width - label - 2).map(
    (line, index) => `  ${colors.dim((index === 0 ? name : '').padEnd(label))}${line}`,
  );
}

function sizeOf({ system, report }: CheckedSystem): string {
  const { states, edges, depth, elapsedMs, complete, stopped, search, symmetry } = report;
  const count = (value: number): string => Math.round(value).toLocaleString('en');
  const end = complete ? '' : ` · stopped: ${stopped ?? 'interrupted'}`;
  const what = symmetry === undefined ? 'states' : `orbits of ${count(symmetry.states)} states`;
  const how = search === 'dense' ? ' · dense' : '';
  return `${system.id}: ${count(states)} ${what} · ${count(edges)} edges · depth ${depth} · ${(elapsedMs / 1000).toFixed(1)} s${how}${end}`;
}

/** The verdicts in their colours. */
export function paintOf(verdict: Verdict, { green, red, yellow }: Colors): (text: string) => string {
  return verdict === 'proved' ? green : verdict === 'violated' ? red : yellow;
}

function printProperty(
  report: PropertyReport,
  { properties }: CheckedSystem,
  options: CheckTextOptions,
): string[] {
  const { id, verdict, trace, reason, fairness, needs } = report;
  const paint = paintOf(verdict, options.colors);
  const steps =
    trace === undefined ? '' : `, shortest run ${count(trace.picks.length, 'step')}${loopWords(trace)}`;
  const why = reason === undefined ? '' : `: ${reason}`;
  const says = properties.find((property) => property.id === id)?.says ?? '';
  const indented = (text: string, first = ''): string[] =>
    wrap(text, options.width - 4 - first.length).map((line, index) => {
      const lead = index === 0 ? first : ' '.repeat(first.length);
      return `    ${options.colors.dim(lead + line)}`;
    });
  const needed = new Set(needs);
  const assumed = fairness?.map((action) => (needed.has(action) ? `${action}*` : action)).join(', ');
  return [
    `  ${paint(signs[verdict])} ${options.colors.bold(id)}  ${paint(`${verdict}${steps}${why}`)}`,
    ...indented(says),
    ...(assumed === undefined ? [] : indented(assumed, needs === undefined ? 'fair: ' : 'fair (* needed): ')),
  ];
}

const count = (amount: number, noun: string): string => `${amount} ${noun}${amount === 1 ? '' : 's'}`;

function loopWords({ picks, loop }: Finding['trace']): string {
  if (loop === undefined) return '';
  return loop === picks.length ? ', then for ever' : `, of which the last ${picks.length - loop} for ever`;
}

function remarks(
  { checks, coverage, coverageCounts }: Outcome,
  { colors, width }: CheckTextOptions,
): string[] {
  const lines: string[] = [];
  const add = (sign: string, text: string): void => {
    const [first = '', ...rest] = wrap(text, width - 4);
    lines.push(`  ${colors.yellow(sign)} ${first}`, ...rest.map((line) => `    ${line}`));
  };
  for (const { report } of checks) {
    if (!report.complete) continue;
    for (const { id, property, reached } of report.witnesses) {
      if (!reached) add('–', `never reached: witness '${id}' of ${property}`);
    }
  }
  for (const { system, report } of checks) {
    const { deadlocks, timeLocks = 0 } = report.structure;
    if (deadlocks > 0)
      add('!', `${system.id}: ${count(deadlocks, 'state')} with nothing left to happen (deadlock)`);
    if (timeLocks > 0)
      add('!', `${system.id}: ${count(timeLocks, 'state')} from which time cannot pass (time-lock)`);
  }
  if (coverageCounts) {
    const [{ system } = { system: undefined }] = checks;
    for (const id of coverage.uncovered)
      add('–', `never happened: ${system ? describeUncovered(id, system) : id}`);
  }
  return lines;
}

function structureFindings({ checks }: Outcome): Finding[] {
  return checks.flatMap((checked) => {
    const { deadlockTrace, timeLockTrace } = checked.report.structure;
    return [deadlockTrace, timeLockTrace].flatMap((trace) =>
      trace === undefined ? [] : [{ checked, trace }],
    );
  });
}

function printFinding({ checked, property, trace }: Finding, options: CheckTextOptions): string[] {
  const file = options.traceFiles.get(trace.property);
  return [
    ...printRun('a shortest run', { system: checked.system, trace, property }, options),
    ...(file === undefined ? [] : [`    replay it: routeproof replay ${file}`]),
  ];
}

/** A run and what it violates; nothing for deadlocks and time-locks. */
interface ShownRun {
  readonly system: System;
  readonly trace: Trace;
  readonly property: Property | undefined;
}

/**
 * Tells a run: a headline, the timeline, and how it ends.
 *
 * @param what - what kind of run it is
 */
export function printRun(what: string, { system, trace, property }: ShownRun, page: PageOptions): string[] {
  const { red, yellow, bold } = page.colors;
  const story = timeline(system, trace, property);
  const paint = property === undefined ? yellow : red;
  const sign = property === undefined ? '!' : signs.violated;
  return [
    `${paint(sign)} ${bold(trace.property)}: ${what}, ${count(trace.picks.length, 'step')}${loopWords(trace)}`,
    '',
    printTimeline(story, page),
    '',
    ...wrap(story.ending, page.width - 4).map(
      (line, index) => `  ${index === 0 ? paint(sign) : ' '} ${bold(line)}`,
    ),
  ];
}

function summary(outcome: Outcome, colors: Colors): string {
  const verdicts = verdictsOf(outcome);
  const kinds: readonly Verdict[] = ['violated', 'incomplete', 'vacuous', 'proved'];
  const parts = kinds.flatMap((kind) => {
    const amount = verdicts.filter((verdict) => verdict === kind).length;
    return amount === 0 ? [] : [paintOf(kind, colors)(`${amount} ${kind}`)];
  });
  const never = outcome.coverageCounts ? outcome.coverage.uncovered.length : 0;
  if (never > 0) parts.push(colors.yellow(`${count(never, 'transition')} that never happened`));
  if (wasInterrupted(outcome)) parts.push(colors.yellow('interrupted'));
  return `${colors.bold(outcome.name)}: ${parts.join(', ')}`;
}
