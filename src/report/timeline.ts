/**
 * A counterexample as a story: one row for each step, with what happened in the words of the model, what each part
 * became, and what is worth knowing of the way there. How it is laid out on a page is for {@link printTimeline}.
 */
import type { AnyMachineSnapshot } from 'xstate';
import { type Statechart, statechart } from '../machine/statechart.ts';
import type { Property } from '../property.ts';
import type { Pick } from '../semantics/world.ts';
import type { Choice, Part, System } from '../system.ts';
import { type ReplayedState, readerOf } from '../trace/replay.ts';
import { type Moment, moments } from '../trace/run.ts';
import type { Trace } from '../trace/trace.ts';
import { changedWords, stateWords } from './state-words.ts';

/** A row of a timeline. */
export interface TimelineRow {
  /** Ticks since the start, once the step is made. */
  readonly ticks: number;
  /** What happened. */
  readonly text: string;
  /** What the model's author says of the transitions that were taken, and of states that were passed through. */
  readonly notes: readonly string[];
  /** A fault struck, or the property was broken here. */
  readonly mark?: 'fault' | 'violation';
  /** What changed of each part, by its name. */
  readonly changes: ReadonlyMap<string, readonly string[]>;
}

/** A counterexample, ready to be laid out. */
export interface Timeline {
  /** The parts whose state changes, in the system's order. */
  readonly parts: readonly string[];
  /** The parts of which only data changes. */
  readonly dataParts: readonly string[];
  /** The first state. */
  readonly start: ReadonlyMap<string, readonly string[]>;
  /** The steps, with those in which only time passes taken together. */
  readonly rows: readonly TimelineRow[];
  /** For a run that never ends: how many rows come before the part that repeats for ever. */
  readonly loop?: number;
  /** What went wrong, in a sentence. */
  readonly ending: string;
  /** Seconds in one tick, if time has a unit. */
  readonly tickSeconds: number | undefined;
}

/**
 * Tells a run.
 *
 * @param system - the system that it is a run of
 * @param trace - the run
 * @param property - what it violates; left out for deadlocks and time-locks
 */
export function timeline(system: System, trace: Trace, property?: Property): Timeline {
  const run = [...moments(system, trace.picks)];
  const parts = partsTold(system, property);
  const charts = new Map(system.parts.map(({ name, machine }) => [name, statechart(machine)]));
  const first = (run[0] as Moment).state;
  const rows: TimelineRow[] = [];
  let loop: number | undefined;
  for (const moment of run.slice(1)) {
    const before = (run[moment.index - 1] as Moment).state;
    if (trace.loop === moment.index - 1) loop = rows.length;
    const last = rows.at(-1);
    if (
      moment.pick?.kind === 'time' &&
      run[moment.index - 1]?.pick?.kind === 'time' &&
      last &&
      loop !== rows.length
    ) {
      const passed = run.slice(0, moment.index).findLastIndex(({ pick }) => pick?.kind !== 'time');
      const since = loop === rows.length - 1 ? Math.max(passed, trace.loop ?? 0) : passed;
      rows[rows.length - 1] = {
        ...last,
        ticks: moment.ticks,
        text: elapsed(moment.index - since, system.tickSeconds),
      };
      continue;
    }
    const violating = property !== undefined && trace.loop === undefined && moment.index === run.length - 1;
    const mark = violating ? 'violation' : isFault(moment.pick, system) ? 'fault' : undefined;
    rows.push({
      ticks: moment.ticks,
      text: tell(moment.pick as Pick, system),
      notes: [
        ...notes(moment, before, system, charts),
        ...(violating ? effects(system, property, before, moment) : []),
      ],
      ...(mark === undefined ? {} : { mark }),
      changes: changesOf(parts, before, moment.state),
    });
  }
  if (trace.loop === trace.picks.length) loop = rows.length;
  const changing = parts.filter(({ name }) => rows.some(({ changes }) => changes.has(name)));
  const dataParts = changing.filter(({ index }) => {
    const values = new Set(run.map(({ state }) => JSON.stringify(state.snapshots[index]?.value)));
    return values.size === 1;
  });
  return {
    parts: changing.filter((part) => !dataParts.includes(part)).map(({ name }) => name),
    dataParts: dataParts.map(({ name }) => name),
    start: new Map(parts.map(({ name, index }) => [name, stateWords(first.snapshots[index] as never)])),
    rows,
    ...(loop === undefined ? {} : { loop }),
    ending: property?.violation ?? endingOf(trace.property),
    tickSeconds: system.tickSeconds,
  };
}

const endingOf = (property: string): string =>
  property === 'deadlock'
    ? 'Nothing can happen any more, and not every part is at rest.'
    : 'From here on time can never pass again, though a timer runs.';

/** Seconds with one decimal, or ticks where time has no unit. */
export function timeText(ticks: number, tickSeconds: number | undefined): string {
  if (tickSeconds !== undefined) return `${(ticks * tickSeconds).toFixed(1)} s`;
  return ticks === 1 ? '1 tick' : `${ticks} ticks`;
}

const elapsed = (ticks: number, tickSeconds: number | undefined): string =>
  `+${timeText(ticks, tickSeconds).replace('.0 ', ' ')}`;

function tell(pick: Pick, system: System): string {
  if (pick.kind === 'time') return elapsed(1, system.tickSeconds);
  if (pick.kind === 'timer') return `${timerWords(pick.timer)} (${pick.part})`;
  const choice = system.choices.find(({ id }) => id === pick.id);
  return choice === undefined ? pick.id : choiceWords(choice, system);
}

/** A choice's sentence, with its id or its number in brackets if others say the same. */
function choiceWords({ id, says }: Choice, { choices }: System): string {
  if (says === undefined) return id;
  if (choices.filter((other) => other.says === says).length === 1) return says;
  return `${says} ${/\[[^\]]*\]$/.exec(id)?.[0] ?? `(${id})`}`;
}

/** `xstate.after.gracePeriod.cleanup.inGrace` is `the grace period is over`. */
function timerWords(timer: string): string {
  const delay = /^xstate\.after\.([^.]+)\./.exec(timer)?.[1];
  if (delay === undefined) return `the timer '${timer}' is due`;
  if (/^\d+$/.test(delay)) return `after ${delay}`;
  return `the ${delay.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()} is over`;
}

const isFault = (pick: Pick | undefined, { choices }: System): boolean =>
  pick?.kind === 'choice' && choices.some(({ id, fault }) => id === pick.id && fault !== undefined);

/** The parts that a story tells of: all but those that only listen, unless the property reads them. */
function partsTold({ parts }: System, property: Property | undefined): readonly Part[] {
  const read = new Set(property?.clauses.flatMap(({ reads }) => reads));
  return parts.filter(({ name, observer }) => observer !== true || read.has(name));
}

function changesOf(
  parts: readonly Part[],
  before: ReplayedState,
  after: ReplayedState,
): ReadonlyMap<string, readonly string[]> {
  const changes = new Map<string, readonly string[]>();
  for (const { name, index } of parts) {
    const words = changedWords(before.snapshots[index] as never, after.snapshots[index] as never);
    if (words.length > 0) changes.set(name, words);
  }
  return changes;
}

/** The author's sentences about the transitions of a step, and about the states that it enters. */
function notes(
  { transitions }: Moment,
  { snapshots }: ReplayedState,
  system: System,
  charts: ReadonlyMap<string, Statechart>,
): string[] {
  const said = new Set<string>();
  for (const name of transitions) {
    const part = name.slice(0, name.indexOf(':'));
    const chart = charts.get(part);
    const edge = chart?.edges.find(({ id }) => id === name.slice(part.length + 1));
    if (chart === undefined || edge === undefined) continue;
    if (edge.description !== undefined) said.add(`${part}: ${edge.description}`);
    const active = (snapshots[system.partIndex(part)] as AnyMachineSnapshot)._nodes;
    for (const target of edge.targets) {
      const description = chart.nodes.find(({ id }) => id === target)?.description;
      if (description !== undefined && !active.some(({ id }) => id === target))
        said.add(`${part}: ${description}`);
    }
  }
  return [...said];
}

/** What a part said that the property forbids. */
function effects(system: System, property: Property, before: ReplayedState, { emissions }: Moment): string[] {
  if (property.kind !== 'effect') return [];
  const at = readerOf(system, before);
  return emissions
    .filter(({ part, event }) =>
      property.clauses.some(
        ({ on, holds }) => on.part === part && on.emits === event.type && !holds(at, event),
      ),
    )
    .map(({ part, event: { type, ...data } }) => {
      const details = Object.entries(data).map(([key, value]) => `${key}: ${String(value)}`);
      return `${part} says ${type}${details.length > 0 ? ` (${details.join(', ')})` : ''}`;
    });
}
