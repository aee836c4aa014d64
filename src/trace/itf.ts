/**
 * The trace file: a run in the Informal Trace Format (ITF), with what a replay needs and what a test of a real system
 * needs.
 *
 * Each part is a variable, and its value in a state is its snapshot: `value` and `context` as XState has them, and the
 * ticks that its `timers` have yet to run. `mbt::actionTaken` and `mbt::nondetPicks` say what led to the state, as Quint
 * writes them. What ITF has no place for stands under `#meta`. A run that never ends has `loop`, the index of the
 * state in which its cycle starts; the last state equals it.
 */
import { type Statechart, statechart } from '../machine/statechart.ts';
import type { Pick } from '../semantics/world.ts';
import type { System } from '../system.ts';
import type { ReplayedState } from './replay.ts';
import { type Moment, moments } from './run.ts';
import type { Trace } from './trace.ts';

/** A value of ITF: JSON without `null`, and a few records with one key that starts with `#`. */
export type ItfValue = string | number | boolean | readonly ItfValue[] | { readonly [key: string]: ItfValue };

/** A state of a trace file: `#meta`, the two variables of model-based testing, and one for each part. */
export type ItfState = Readonly<Record<string, ItfValue>>;

/** A trace file. */
export interface ItfTrace {
  /** What the run is of, and what it shows. */
  readonly '#meta': Readonly<Record<string, unknown>>;
  /** The variables that each state has. */
  readonly vars: readonly string[];
  /** The run, from the first state on. */
  readonly states: readonly ItfState[];
  /** For a run that never ends: the index of the state in which its cycle starts. */
  readonly loop?: number;
}

/** The variables that are not parts. */
export const actionTaken = 'mbt::actionTaken';
/** What was picked, each in an option: `choice`, or `part` and `timer`, or none of them when time passed. */
export const nondetPicks = 'mbt::nondetPicks';

/**
 * Writes a trace.
 *
 * @param system - the system that it is a run of
 * @param trace - the run
 * @param about - what stands under `#meta` besides system and property, such as the design
 */
export function toItf(system: System, trace: Trace, about: Readonly<Record<string, unknown>> = {}): ItfTrace {
  const charts = new Map(system.parts.map(({ name, machine }) => [name, statechart(machine)]));
  return {
    '#meta': {
      format: 'ITF',
      'format-description': 'https://apalache-mc.org/docs/adr/015adr-trace.html',
      ...about,
      system: trace.system,
      property: trace.property,
      ...(system.tickSeconds === undefined ? {} : { tickSeconds: system.tickSeconds }),
    },
    vars: [actionTaken, nondetPicks, ...system.parts.map(({ name }) => name)],
    states: [...moments(system, trace.picks)].map((moment) => writeMoment(system, moment, charts)),
    ...(trace.loop === undefined ? {} : { loop: trace.loop }),
  };
}

function writeMoment(system: System, moment: Moment, charts: ReadonlyMap<string, Statechart>): ItfState {
  const { index, pick, ticks, state, emissions, transitions } = moment;
  const says = pick?.kind === 'choice' ? system.choices.find(({ id }) => id === pick.id)?.says : undefined;
  return {
    '#meta': {
      index,
      ticks,
      ...(system.tickSeconds === undefined ? {} : { seconds: ticks * system.tickSeconds }),
      ...(says === undefined ? {} : { says }),
      emitted: emissions.map(({ part, event }) => ({ part, event: toItfValue(event) })),
      transitions: transitions.map((name) => {
        const part = name.slice(0, name.indexOf(':'));
        const id = name.slice(part.length + 1);
        const guard = charts.get(part)?.edges.find((edge) => edge.id === id)?.guard;
        return { part, transition: id, ...(guard === undefined ? {} : { guard: guard.label }) };
      }),
    },
    [actionTaken]: actionOf(pick),
    [nondetPicks]: writePick(pick),
    ...writeState(system, state),
  };
}

/** The parts of a state, as a trace file has them. */
export function writeState(system: System, { snapshots, timers }: ReplayedState): Record<string, ItfValue> {
  return Object.fromEntries(
    system.parts.map(({ name, index }) => {
      const { value, context, status, historyValue } = snapshots[index] as (typeof snapshots)[number];
      const history = Object.entries(historyValue as Readonly<Record<string, { id: string }[]>>);
      const part: ItfValue = {
        value: toItfValue(value),
        context: toItfValue(context),
        timers: (timers[index] ?? []).map(({ id, remaining, event }) => ({
          id,
          remaining,
          ...(event.type === id && Object.keys(event).length === 1 ? {} : { event: toItfValue(event) }),
        })),
        ...(status === 'active' ? {} : { status }),
        ...(history.length === 0
          ? {}
          : { history: history.map(([id, nodes]) => [id, nodes.map((node) => node.id)]) }),
      };
      return [name, part];
    }),
  );
}

const actionOf = (pick: Pick | undefined): string =>
  pick === undefined ? 'init' : pick.kind === 'choice' ? pick.id : pick.kind;

const none: ItfValue = { tag: 'None', value: { '#tup': [] } };
const some = (value: string): ItfValue => ({ tag: 'Some', value });

function writePick(pick: Pick | undefined): ItfValue {
  return {
    choice: pick?.kind === 'choice' ? some(pick.id) : none,
    part: pick?.kind === 'timer' ? some(pick.part) : none,
    timer: pick?.kind === 'timer' ? some(pick.timer) : none,
  };
}

/** A plain value as ITF has it. What ITF cannot hold is written as its text. */
export function toItfValue(value: unknown): ItfValue {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  if (Array.isArray(value)) return value.map(toItfValue);
  if (typeof value !== 'object' || value === null) return { '#unserializable': String(value) };
  const entries = Object.entries(value).map(([key, each]): [string, ItfValue] => [key, toItfValue(each)]);
  return entries.some(([key]) => key.startsWith('#')) ? { '#map': entries } : Object.fromEntries(entries);
}
