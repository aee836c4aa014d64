/**
 * What guards say in every situation, as far as their text tells it: three-valued, with `undefined` for "it depends".
 *
 * A guard that reads neither context nor event is a switch: its value is the same for ever. `and`, `or` and `not` of
 * switches are decided with them, and so is `stateIn` of a state that is never entered.
 */
import { type AnyStateMachine, type AnyStateNode, and, not, or, stateIn } from 'xstate';

/** Whether the switches of the machines are held to what they say, or may say either. */
export interface SwitchOptions {
  /** Guards that read neither context nor event keep their value. */
  readonly switches: 'held' | 'free';
  /** Values of further named guards, which only the maker of the system can know to be constant; always held. */
  readonly constants?: Readonly<Record<string, boolean>>;
}

/** A machine, and which of its states may be entered as far as is known. */
export interface GuardReading extends SwitchOptions {
  readonly machine: AnyStateMachine;
  readonly entered: ReadonlySet<AnyStateNode>;
}

/** What is left of a guard that must hold, term by term; undefined if it cannot hold. */
export function guardTerms(guard: unknown, reading: GuardReading): unknown[] | undefined {
  const value = guardValue(guard, reading);
  if (value !== undefined) return value ? [] : undefined;
  const { check, guards = [] } = guard as { check?: unknown; guards?: unknown[] };
  if (check === undefined || checks.indexOf(check) !== 0) return [nameOf(guard)];
  return guards.flatMap((each) => guardTerms(each, reading) ?? []);
}

/** Equal for guards that are written alike. */
function nameOf(guard: unknown): unknown {
  const { check, guards } = guard as { check?: unknown; guards?: unknown[] };
  if (check === undefined) return typeof guard === 'object' ? JSON.stringify(guard) : guard;
  return guards === undefined ? guard : JSON.stringify([checks.indexOf(check), guards.map(nameOf)]);
}

/** The names of the switches that a machine has on. */
export function switchesOn({ implementations: { guards } }: AnyStateMachine): string[] {
  return Object.entries(guards as Record<string, unknown>)
    .filter(([, guard]) => isSwitch(guard) && guard())
    .map(([name]) => name);
}

const isSwitch = (guard: unknown): guard is () => boolean =>
  typeof guard === 'function' && guard.length === 0 && (guard as { check?: unknown }).check === undefined;

/** XState's guard combinators, told by the function that each puts on its results. */
const checks = [and([]), or([]), not(''), stateIn('')].map((sample) => (sample as { check?: unknown }).check);

/** The value of a guard in every situation, or undefined if it depends. */
export function guardValue(guard: unknown, reading: GuardReading): boolean | undefined {
  if (guard === undefined) return true;
  if (typeof guard !== 'function') {
    const name = typeof guard === 'string' ? guard : (guard as { type: string }).type;
    if (reading.constants?.[name] !== undefined) return reading.constants[name];
    const written: unknown = reading.machine.implementations.guards[name];
    return written === undefined ? undefined : guardValue(written, reading);
  }
  const { check, guards, stateValue } = guard as unknown as {
    check?: unknown;
    guards?: unknown[];
    stateValue?: unknown;
  };
  const values = (): (boolean | undefined)[] => (guards ?? []).map((each) => guardValue(each, reading));
  switch (check === undefined ? -1 : checks.indexOf(check)) {
    case 0:
      return every(values());
    case 1:
      return negate(every(values().map(negate)));
    case 2:
      return negate(values()[0]);
    case 3:
      return typeof stateValue === 'string' && isNeverEntered(stateValue, reading) ? false : undefined;
    default:
      return isSwitch(guard) && reading.switches === 'held' ? guard() : undefined;
  }
}

const negate = (value: boolean | undefined): boolean | undefined =>
  value === undefined ? undefined : !value;

function every(values: readonly (boolean | undefined)[]): boolean | undefined {
  if (values.includes(false)) return false;
  return values.includes(undefined) ? undefined : true;
}

/** For `#id`, which names a state of the whole machine; other forms are left undecided. */
function isNeverEntered(id: string, { entered }: GuardReading): boolean {
  return id.startsWith('#') && ![...entered].some((node) => `#${node.id}` === id);
}
