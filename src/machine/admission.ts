/**
 * Turns away machines that cannot be checked soundly, with the machine, the place, and the way out: actors of their
 * own, effects that only running actors would have, context that is unbounded or cannot be written down, guards that
 * read a clock. What only shows when a machine runs (throwing, impure or unbounded parts) is refused where it shows.
 */
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { SystemError } from '../system.ts';

/** Refuses: the place, what was found there, and what to do. */
export function refuse(where: string, found: string, wayOut: string): never {
  throw new SystemError(`${where}: ${found}. ${wayOut}`);
}

/**
 * Looks a machine over before it is run.
 *
 * @throws SystemError for `invoke`, spawned or messaged actors, inline effects, and functions that read a clock or
 * draw random numbers
 */
export function admit(machine: AnyStateMachine, where: string): void {
  visit(machine.root, where);
  const { guards, actions, delays } = machine.implementations;
  for (const [kind, group] of Object.entries({ guard: guards, action: actions, delay: delays })) {
    for (const [name, implementation] of Object.entries(group)) {
      admitFunction(implementation, `${where}, ${kind} '${name}'`, kind);
    }
  }
}

function visit(node: AnyStateNode, where: string): void {
  const place = `${where}, state '${node.id}'`;
  for (const { src } of node.invoke) {
    refuse(
      place,
      `it invokes '${typeof src === 'string' ? src : 'an inline actor'}'`,
      'An invoked actor runs outside of the model. Make it a part of the system, and let the two talk by emit and wiring.',
    );
  }
  for (const action of [...node.entry, ...node.exit]) admitAction(action, place);
  const transitions = [...[...node.transitions.values()].flat(), ...(node.always ?? [])];
  for (const transition of transitions) {
    const arc = `${place}, transition on '${transition.eventType}'`;
    for (const action of transition.actions) admitAction(action, arc);
    admitGuard(transition.guard, arc);
  }
  for (const child of Object.values(node.states)) visit(child, where);
}

/** XState's own actions, by the type that it gives their creators' results, that a pure step can carry out. */
const pureActions = new Set([
  'xstate.assign',
  'xstate.emit',
  'xstate.raise',
  'xstate.cancel',
  'xstate.log',
  'xstate.enqueueActions',
]);

function admitAction(action: unknown, where: string): void {
  if (typeof action !== 'function') return; // A name, or a name with parameters: judged with the implementations.
  const type = (action as { type?: string }).type;
  if (type === undefined) {
    refuse(
      where,
      'it has an inline effect, a function that only a running actor calls',
      'Name the action in setup({ actions }), so that an implementation can be provided, or emit an event.',
    );
  }
  if (!pureActions.has(type)) refuseActor(type, where);
  admitFunction(action, where, 'action');
}

function refuseActor(type: string, where: string): never {
  return refuse(
    where,
    `it uses ${type.replace('xstate.', '')}, which needs another actor`,
    'Parts of a system talk by emit; say in the wiring who hears it.',
  );
}

function admitGuard(guard: unknown, where: string): void {
  if (guard !== undefined) admitFunction(guard, where, 'guard');
}

/** Calls that give another answer each time, so that no remembered answer is right. */
const impure =
  /\b(?:Math\.random|Date\.now|new Date|Date\(|performance\.now|process\.(?:hrtime|env)|crypto\.)/;

function admitFunction(implementation: unknown, where: string, kind: string): void {
  if (typeof implementation !== 'function') return;
  const type = (implementation as { type?: unknown }).type;
  if (kind === 'action' && typeof type === 'string' && type.startsWith('xstate.') && !pureActions.has(type)) {
    refuseActor(type, where);
  }
  const found = impure.exec(implementation.toString());
  if (found !== null) {
    refuse(
      where,
      `it calls ${found[0]}`,
      'A guard, an assign or a delay must depend on context and event alone. Let an event carry the value.',
    );
  }
}

/**
 * Refuses a context that cannot be written down exactly: it would make two states look alike.
 *
 * @throws SystemError naming the key
 */
export function admitContext(value: unknown, where: string, key = 'context', depth = 0): void {
  if (depth > depthMax) refuseContext(`${where}, ${key}`, 'itself, or data deeper than anyone can read');
  if (value === null || value === undefined || typeof value === 'string' || typeof value === 'boolean')
    return;
  if (typeof value === 'number') {
    if (Number.isFinite(value) && !Object.is(value, -0)) return;
    refuse(
      `${where}, ${key}`,
      `it holds ${Object.is(value, -0) ? '-0' : value}`,
      'Use a finite number, or a string.',
    );
  }
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) admitContext(each, where, `${key}[${index}]`, depth + 1);
    return;
  }
  if (typeof value === 'object') {
    const prototype = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) {
      refuseContext(`${where}, ${key}`, `an instance of ${prototype.constructor?.name ?? 'a class'}`);
    }
    for (const [name, each] of Object.entries(value)) admitContext(each, where, `${key}.${name}`, depth + 1);
    return;
  }
  refuseContext(`${where}, ${key}`, `a ${typeof value}`);
}

/** Context nested deeper than this is taken to be in a circle. */
const depthMax = 50;

function refuseContext(where: string, found: string): never {
  return refuse(
    where,
    `it holds ${found}`,
    'Context holds numbers, booleans, strings, and arrays and plain objects of those, so that equal states are seen to be equal.',
  );
}

/** Refuses a delay that is no whole number of ticks. */
export function admitDelay(delay: number, where: string): void {
  if (Number.isInteger(delay) && delay >= 0) return;
  refuse(
    where,
    `its delay is ${delay} ticks`,
    'Time is discrete: choose a tick that divides every delay, and provide delays as whole ticks.',
  );
}
