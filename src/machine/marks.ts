/**
 * Tells which transitions `transition()` selected, which XState itself reports only to inspectors of a running actor.
 *
 * A copy of the machine gets one more action on each transition, a mark that carries the transition's place. XState
 * returns it among the actions of each step, so that one call answers what happened and by which arcs, `always` and
 * raised events included. Counterexamples are replayed on the machine as it was written.
 */
import type { AnyStateMachine, AnyTransitionDefinition } from 'xstate';
import { transitionIds } from './statechart.ts';

/** The type of the marking action. */
export const takenMark = 'routeproof.transitionTaken';

/** A step of a machine that takes more microsteps than this is taken to be endless. */
const microstepsMax = 10_000;

/** A machine whose transitions tell that they were taken. */
export interface MarkedMachine {
  readonly machine: AnyStateMachine;
  /** The id of each transition, by place. */
  readonly ids: readonly string[];
  /** The places of transitions with neither target nor action. */
  readonly idle: ReadonlySet<number>;
}

/** Copies a machine and marks the copy's transitions. */
export function markTransitions(original: AnyStateMachine): MarkedMachine {
  const machine = original.provide({});
  // XState goes on for ever where raised events or `always` run in a circle, unless it is told when to give up.
  const { maxIterations = microstepsMax } = machine.options;
  machine.options = { ...machine.options, maxIterations: Math.min(maxIterations, microstepsMax) };
  const ids: string[] = [];
  const idle = new Set<number>();
  for (const [definition, id] of transitionIds(machine)) {
    const place = ids.push(id) - 1;
    if (definition.target === undefined && definition.actions.length === 0) idle.add(place);
    const writable = definition as {
      -readonly [Key in keyof AnyTransitionDefinition]: AnyTransitionDefinition[Key];
    };
    writable.actions = [...definition.actions, { type: takenMark, params: { place } }];
  }
  return { machine, ids, idle };
}
