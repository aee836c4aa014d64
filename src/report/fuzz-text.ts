/** What a campaign of random walks has to say, for people. It never says proved. */
import type { Property } from '../property.ts';
import type { Phase } from '../random/draw-walk.ts';
import type { FuzzedProperty, FuzzReport, FuzzViolation } from '../random/fuzz.ts';
import type { FuzzStatistics } from '../random/statistics.ts';
import type { System } from '../system.ts';
import { printRun } from './check-text.ts';
import { openTable } from './open-table.ts';
import { type PageOptions, wrap } from './timeline-text.ts';

/** A campaign in one system, and what is known of that system from an exhaustive search. */
export interface Fuzzed {
  readonly system: System;
  readonly properties: readonly Property[];
  readonly phases: readonly Phase[];
  readonly report: FuzzReport;
  readonly exhaustive?: Exhaustive;
  /** `<fault> <phase>` of what can happen with one endpoint, where the system has several and that is known. */
  readonly cellsOfOne?: ReadonlySet<string>;
}

/** The cells of a campaign's matrix that are empty, as `<fault> <phase>`. */
export function emptyCells({ statistics }: FuzzReport): string[] {
  return Object.entries(statistics.matrix).flatMap(([fault, row]) =>
    Object.entries(row).flatMap(([phase, struck]) => (struck === 0 ? [`${fault} ${phase}`] : [])),
  );
}

/** What an exhaustive search says that a campaign can be measured by. */
export interface Exhaustive {
  /** Distinct reachable states. */
  readonly states: number;
  /** For each property that it found violated: the length of a shortest run. */
  readonly lengths: ReadonlyMap<string, number>;
  /** `<fault> <phase>` of what can happen. */
  readonly cells: ReadonlySet<string>;
}

/** How a campaign is told. */
export interface FuzzTextOptions extends PageOptions {
  readonly name: string;
  readonly says: string;
  readonly scope: readonly (readonly [string, string])[];
  /** The command that replays a violation. */
  readonly replay: (property: string, violation: FuzzViolation) => string;
  /** The trace file of each property, where one was written. */
  readonly traceFiles: ReadonlyMap<string, string>;
  /** The path of one run was followed, and nothing was shrunk. */
  readonly followed: boolean;
}

/** Tells a campaign. */
export function printFuzz(fuzzed: readonly Fuzzed[], options: FuzzTextOptions): string {
  const { colors, width, name, says, scope, followed } = options;
  const what = followed ? 'the run that the path leads to' : 'a shrunk run';
  const lines = [colors.bold(name), ...wrap(says, width - 2).map((line) => `  ${line}`), ''];
  const titles = Math.max(...scope.map(([title]) => title.length));
  for (const [title, text] of scope) lines.push(...hang(`  ${title.padEnd(titles)}   `, text, width));
  for (const each of fuzzed) lines.push('', ...printTried(each, options));
  lines.push('');
  for (const { report, exhaustive } of fuzzed) {
    for (const property of report.properties) lines.push(...printProperty(property, exhaustive, options));
  }
  // The first system has everything that the others have, and the endpoints besides.
  for (const each of fuzzed.slice(0, 1)) lines.push(...printMatrix(each, options));
  for (const { system, properties, report } of fuzzed) {
    for (const { id, violation } of report.properties) {
      if (violation === undefined) continue;
      const property = properties.find((each) => each.id === id);
      lines.push('', ...printRun(what, { system, trace: violation.trace, property }, options));
    }
  }
  return `${lines.join('\n')}\n\n${summary(fuzzed, options)}\n`;
}

function printTried({ report, exhaustive }: Fuzzed, { colors, width }: FuzzTextOptions): string[] {
  const { system, shards, seed, steps, statistics, statesVisited, stopped } = report;
  const done = shards.reduce((sum, shard) => sum + shard.done, 0);
  const { drawn, made } = statistics;
  const first = shards[0];
  const where =
    shards.length === 1 && first !== undefined && first.of > 1 ? `, shard ${first.index}/${first.of}` : '';
  const visited =
    statesVisited === undefined || exhaustive === undefined
      ? []
      : [
          `  states    ${statesVisited.toLocaleString('en')} of ${exhaustive.states.toLocaleString('en')} visited (${percent(statesVisited, exhaustive.states)})`,
        ];
  const end = stopped === undefined ? '' : `, ${stopped}`;
  const text = `${system}: ${count(done, 'run')} of up to ${count(steps, 'drawn step')}, from seed ${seed}${where}${end}`;
  return [
    ...hang('  ', text, width).map((line) =>
      line.replace(system, () => colors.bold(system)).replace(end, () => colors.yellow(end)),
    ),
    ...(drawn === 0
      ? []
      : [
          ...hang(
            '  steps     ',
            `${made.toLocaleString('en')} made by the running actors, ${percent(made, drawn)} of those drawn`,
            width,
          ),
          ...hang('  depth     ', depthWords(statistics), width),
        ]),
    ...visited,
  ];
}

/** At most so many bars. */
const barsMax = 6;

/** How many runs had how many steps. */
function depthWords({ depths }: FuzzStatistics): string {
  const entries = Object.entries(depths).map(([tens, runs]) => [Number(tens), runs] as const);
  const longest = Math.max(0, ...entries.map(([tens]) => tens + 10));
  const width = Math.max(10, Math.ceil(longest / barsMax / 10) * 10);
  const bars = new Map<number, number>();
  for (const [tens, runs] of entries) {
    const from = Math.floor(tens / width) * width;
    bars.set(from, (bars.get(from) ?? 0) + runs);
  }
  return [...bars]
    .sort(([a], [b]) => a - b)
    .map(([from, runs]) => `${from}–${from + width - 1} steps ${runs.toLocaleString('en')}×`)
    .join(' · ');
}

function printProperty(
  { id, held, violation }: FuzzedProperty,
  exhaustive: Exhaustive | undefined,
  { colors, width, replay, traceFiles, followed }: FuzzTextOptions,
): string[] {
  if (violation === undefined)
    return [`  ${colors.dim('·')} ${colors.bold(id)}  held in ${count(held, 'run')}`];
  const shrunk = violation.trace.picks.length;
  const shortest = exhaustive?.lengths.get(id);
  const compared =
    shortest === undefined
      ? ''
      : shortest === shrunk
        ? ', as short as can be'
        : `, ${shrunk - shortest} more than the shortest`;
  const file = traceFiles.get(id);
  const run = followed
    ? `by the run that the path leads to, ${count(shrunk, 'step')}`
    : `in run ${violation.run.toLocaleString('en')}, shrunk from ${violation.foundLength} to ${count(shrunk, 'step')}`;
  const [first = '', ...rest] = wrap(`${id}  violated ${run}${compared}`, width - 4);
  const told = first.slice(id.length).replace('violated', colors.red);
  // The commands are not wrapped: they are to be copied.
  return [
    `  ${colors.red('✗')} ${colors.bold(id)}${told}`,
    ...rest.map((line) => `    ${line}`),
    ...(followed ? [] : [`    shrink it again: ${replay(id, violation)}`]),
    ...(file === undefined ? [] : [`    replay it: routeproof replay ${file}`]),
  ];
}

function printMatrix(fuzzed: Fuzzed, { colors, width }: FuzzTextOptions): string[] {
  const { phases, report, exhaustive, cellsOfOne } = fuzzed;
  const { faults, matrix } = report.statistics;
  if (Object.keys(faults).length === 0 || phases.length === 0) return [];
  const empty = emptyCells(report).filter((cell) => exhaustive?.cells.has(cell) ?? true);
  const can = exhaustive?.cells ?? cellsOfOne;
  const text = (fault: string, phase: string): string => {
    const struck = matrix[fault]?.[phase] ?? 0;
    if (struck > 0) return struck.toLocaleString('en');
    if (can?.has(`${fault} ${phase}`) === true) return colors.yellow('gap');
    return exhaustive === undefined ? '0' : colors.dim('–');
  };
  const table = openTable({
    head: ['fault', 'struck', ...phases.map(({ id }) => id)].map((title) => colors.bold(title)),
    aligns: ['left', 'right', ...phases.map(() => 'right' as const)],
    rows: Object.keys(matrix).map((fault) => [
      fault,
      (faults[fault] ?? 0).toLocaleString('en'),
      ...phases.map(({ id }) => text(fault, id)),
    ]),
  });
  const gaps = can === undefined ? [] : empty.filter((cell) => can.has(cell));
  const others = can === undefined ? empty : empty.filter((cell) => !can.has(cell));
  const signs = [
    'How often each fault struck, and in which phase; several phases may be on at once.',
    ...(gaps.length > 0 ? ['gap: it never struck there, and it can: a gap of this campaign.'] : []),
    ...(exhaustive === undefined
      ? others.length > 0
        ? [`0: it never struck there${cellsOfOne === undefined ? '' : ', and with one endpoint it cannot'}.`]
        : []
      : ['–: it cannot, since no reachable state offers it.']),
  ];
  const every = Object.keys(matrix);
  /** The cells, a line for each phase. */
  const named = (title: string, cells: readonly string[]): string[] => {
    if (cells.length === 0) return [];
    const lines = phases.flatMap(({ id }) => {
      const missed = every.filter((fault) => cells.includes(`${fault} ${id}`));
      if (missed.length === 0) return [];
      const words = missed.length === every.length ? 'every fault' : missed.join(', ');
      return wrap(`during ${id}: ${words}`, width - 6).map(
        (line, place) => (place === 0 ? '  ' : '    ') + line,
      );
    });
    return [...wrap(title, width - 2), ...lines];
  };
  const reachable = cellsOfOne === undefined ? 'reachable' : 'reachable with one endpoint';
  const never = [
    ...named(`never struck, ${reachable}: a gap of this campaign`, gaps),
    ...named(`never struck${cellsOfOne === undefined ? '' : ', cannot be with one endpoint'}`, others),
  ];
  return [
    '',
    ...table.map((line) => `  ${line}`),
    ...signs.flatMap((line) => wrap(line, width - 2)).map((line) => `  ${colors.dim(line)}`),
    ...never.map((line) => `  ${colors.yellow(line)}`),
  ];
}

function summary(fuzzed: readonly Fuzzed[], { name, colors }: FuzzTextOptions): string {
  const properties = fuzzed.flatMap(({ report }) => report.properties);
  const violated = properties.filter(({ violation }) => violation !== undefined).length;
  const held = properties.length - violated;
  const least = Math.min(
    ...properties.filter(({ violation }) => violation === undefined).map((each) => each.held),
  );
  const parts = [
    ...(violated > 0 ? [colors.red(`${violated} violated`)] : []),
    ...(held > 0 ? [`${held} held in ${count(least, 'run')}`] : []),
    ...(fuzzed.some(({ report }) => report.stopped !== undefined)
      ? [colors.yellow('not all runs were made')]
      : []),
  ];
  return `${colors.bold(name)}: ${parts.join(', ')}`;
}

/** Lines of a text behind `lead`, each as far to the right as the first. */
const hang = (lead: string, text: string, width: number): string[] =>
  wrap(text, width - lead.length).map((line, place) => (place === 0 ? lead : ' '.repeat(lead.length)) + line);

const percent = (part: number, whole: number): string =>
  `${((100 * part) / whole).toFixed(part === whole ? 0 : 1)} %`;

const count = (amount: number, noun: string): string =>
  `${amount.toLocaleString('en')} ${noun}${amount === 1 ? '' : 's'}`;
