/** A run of mutation testing as a person reads it. */
import Table from 'cli-table3';
import type { Explanation } from './explanation.ts';
import { type Fate, fates, type Outcome } from './outcome.ts';

const meanings: Readonly<Record<Fate, string>> = {
  verdict: 'killed by the verdict of a property',
  trace: 'killed by the length of a shortest run',
  deadlock: 'killed by a deadlock',
  'time-lock': 'killed by a time-lock',
  refusal: 'killed by being refused',
  coverage: 'killed by what can happen',
  size: 'killed by the size of a space',
  same: 'proved to be the same model',
  explained: 'survived, explained',
  unexplained: 'survived, not explained',
  incomplete: 'incomplete: some search did not end',
  unfinished: 'unfinished: not yet tried on everything',
};

/** How many mutants of each subject met each fate. */
export function countsTable(outcomes: readonly Outcome[], subjects: readonly string[]): string {
  const shown = subjects.filter((subject) => outcomes.some(({ id }) => subjectOf(id) === subject));
  const table = new Table({
    head: ['', ...shown, 'all'],
    colAligns: ['left', ...[...shown, 'all'].map(() => 'right' as const)],
    style: { head: [], border: [] },
  });
  const row = (name: string, counted: readonly Outcome[]): string[] => [
    name,
    ...shown.map((subject) => String(counted.filter(({ id }) => subjectOf(id) === subject).length)),
    String(counted.length),
  ];
  for (const fate of fates) {
    const counted = outcomes.filter((outcome) => outcome.fate === fate);
    if (counted.length > 0) table.push(row(meanings[fate], counted));
  }
  table.push(row('mutants', outcomes));
  return table.toString();
}

const subjectOf = (id: string): string => id.slice(0, id.indexOf(':'));

/** Which property of which instance was the first to notice how many mutants. */
export function killersTable(outcomes: readonly Outcome[]): string {
  const killers = new Map<string, number>();
  for (const { fate, differences } of outcomes) {
    const [first] = differences;
    if (fate !== 'verdict' || first?.property === undefined) continue;
    const key = `${first.property}\n${first.design}`;
    killers.set(key, (killers.get(key) ?? 0) + 1);
  }
  const table = new Table({
    head: ['property', 'instance', 'killed first'],
    colAligns: ['left', 'left', 'right'],
    style: { head: [], border: [] },
  });
  for (const [key, count] of [...killers].sort((a, b) => b[1] - a[1]))
    table.push([...key.split('\n'), String(count)]);
  return table.toString();
}

/** The survivors that are explained, group by group; then all that need a look. */
export function survivorsText(outcomes: readonly Outcome[], explanations: readonly Explanation[]): string {
  const ids = new Set(outcomes.filter(({ fate }) => fate === 'explained').map(({ id }) => id));
  const groups = explanations.flatMap(({ kind, group, reason, proposal, mutants }) => {
    const here = mutants.filter((id) => ids.has(id));
    if (here.length === 0) return [];
    return [
      `${kind}: ${group}`,
      `  ${reason}`,
      ...(proposal === undefined ? [] : [`  What would notice: ${proposal}`]),
      ...here.map((id) => `    ${id}`),
      '',
    ];
  });
  const open = outcomes
    .filter(({ fate }) => fate === 'unexplained' || fate === 'incomplete' || fate === 'unfinished')
    .map(outcomeLine);
  return [...groups, ...open].join('\n');
}

/** One mutant in a line. */
export function outcomeLine({ id, fate, differences, incomplete }: Outcome): string {
  const [first] = differences;
  const why =
    first === undefined
      ? incomplete.join(', ')
      : `${first.design}${first.property === undefined ? '' : ` · ${first.property}`}: ${first.says}`;
  return `${fate.padEnd(11)} ${id}${why === '' ? '' : `\n    ${why}`}`;
}
