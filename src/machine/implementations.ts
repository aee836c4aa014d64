/**
 * Actions and guards in words: the names that their author gave them, and XState's own creators and combinators taken
 * apart by what they leave on the functions that they return.
 */
import { type AnyStateMachine, type AnyStateNode, and, not, or, stateIn } from 'xstate';
import type { StatechartAction, StatechartGuard } from './statechart.ts';

/** What XState's action creators leave on the functions that they return. */
interface BuiltIn {
  readonly type?: string;
  readonly event?: unknown;
  readonly delay?: unknown;
  readonly assignment?: unknown;
  readonly sendId?: unknown;
  readonly src?: unknown;
}

/** A machine's actions as their author named them; what XState adds for `after` is left out. */
export function readActions(actions: readonly unknown[], node: AnyStateNode): StatechartAction[] {
  return actions
    .filter((action) => !belongsToAfter(action))
    .map((action) => readAction(action, node.machine));
}

function belongsToAfter(action: unknown): boolean {
  const { type, event, sendId } = action as BuiltIn;
  const id = type === 'xstate.raise' ? eventType(event) : type === 'xstate.cancel' ? sendId : undefined;
  return typeof id === 'string' && id.startsWith('xstate.after.');
}

function eventType(event: unknown): string | undefined {
  const type: unknown =
    typeof event === 'object' && event !== null ? (event as { type?: unknown }).type : event;
  return typeof type === 'string' ? type : undefined;
}

function readAction(action: unknown, machine: AnyStateMachine): StatechartAction {
  if (typeof action === 'function') return readInline(action as BuiltIn & { name: string });
  const { name, label } = readReference(action);
  const implementation = machine.implementations.actions[name] as BuiltIn | undefined;
  const emits = implementation?.type === 'xstate.emit' ? eventType(implementation.event) : undefined;
  return { label, ...(emits !== undefined && { emits }) };
}

function readInline(action: BuiltIn & { name: string }): StatechartAction {
  const { type, assignment, delay } = action;
  const event = eventType(action.event);
  const verb = type?.replace(/^xstate\./, '') ?? inlineName(action.name);
  if (type === 'xstate.emit' && event !== undefined) return { label: `emit ${event}`, emits: event };
  if (type === 'xstate.assign' && typeof assignment === 'object') {
    return { label: `assign ${Object.keys(assignment ?? {}).join(', ')}` };
  }
  const object = event ?? [action.sendId, action.src].find((each) => typeof each === 'string');
  const later = typeof delay === 'number' || typeof delay === 'string' ? ` after ${delay}` : '';
  return { label: `${[verb, object].filter(Boolean).join(' ')}${later}` };
}

/** JavaScript names a function after the property that it is written in, which says nothing. */
const inlineName = (name: string): string =>
  ['', 'actions', 'entry', 'exit', 'guard'].includes(name) ? '(inline)' : name;

function readReference(reference: unknown): { name: string; label: string } {
  if (typeof reference === 'string') return { name: reference, label: reference };
  const { type, params } = reference as { type: string; params?: unknown };
  if (params === undefined) return { name: type, label: type };
  if (typeof params !== 'object' || params === null) return { name: type, label: `${type}(…)` };
  const pairs = Object.entries(params).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return { name: type, label: `${type}(${pairs.join(', ')})` };
}

/** XState's guard combinators, told by the function that each puts on its results. */
const combinators = new Map<unknown, 'and' | 'or' | 'not' | 'in'>(
  (
    [
      ['and', and([])],
      ['or', or([])],
      ['not', not('')],
      ['in', stateIn('')],
    ] as const
  ).map(([word, sample]) => [(sample as { check?: unknown }).check, word]),
);

/** A guard as its author wrote it, combinators included. */
export function readGuard(guard: unknown): StatechartGuard {
  const names: string[] = [];
  return { label: printGuard(guard, names, false), names };
}

function printGuard(guard: unknown, names: string[], nested: boolean): string {
  if (typeof guard !== 'function') {
    const { name, label } = readReference(guard);
    names.push(name);
    return label;
  }
  const { check, guards, stateValue, name } = guard as {
    check?: unknown;
    guards?: unknown[];
    stateValue?: unknown;
    name: string;
  };
  const word = combinators.get(check);
  if (word === undefined) return inlineName(name);
  if (word === 'in') return `in ${printStateValue(stateValue)}`;
  const terms = (guards ?? []).map((each) =>
    printGuard(each, names, word === 'not' || (guards ?? []).length > 1),
  );
  if (word === 'not') return `not ${terms[0]}`;
  return nested && terms.length > 1 ? `(${terms.join(` ${word} `)})` : terms.join(` ${word} `);
}

function printStateValue(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value).replace(/^#/, '');
  const inner = Object.entries(value).map(([key, each]) => `${key}.${printStateValue(each)}`);
  return inner.length > 1 ? `(${inner.join(' and ')})` : inner.join('');
}
