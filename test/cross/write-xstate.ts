/** Writes a recipe as XState machines in a system, by the public interface only. */
import { type AnyStateMachine, assign, createMachine, emit } from 'xstate';
import { defineSystem, type System } from '../../src/system.ts';
import type { Arc, PartRecipe, Recipe } from './recipe.ts';

/** The recipe as a system for `check`. */
export function writeSystem(recipe: Recipe): System {
  const { parts, componentOf, wires, choices, pause } = recipe;
  const components: Record<string, string[]> = {};
  for (const [part, component] of componentOf.entries()) {
    const members = components[`component${component}`] ?? [];
    members.push(`part${part}`);
    components[`component${component}`] = members;
  }
  return defineSystem({
    id: 'recipe',
    parts: Object.fromEntries(
      parts.map((part, number) => [
        `part${number}`,
        {
          machine: machineOf(part, `machine${number}`, number === pause.by ? pause.while : []),
          ...(pause.parts.includes(number) ? { process: 'process' } : {}),
        },
      ]),
    ),
    components,
    wiring: (from, event) =>
      wires
        .filter((wire) => `part${wire.from}` === from && `signal${wire.signal}` === event.type)
        .map((wire) => ({ to: `part${wire.to}`, event: { type: `event${wire.event}` } })),
    choices: choices.map(({ deliver, urgent }, number) => ({
      id: `choice${number}`,
      deliver: deliver.map(({ to, event }) => ({ to: `part${to}`, event: { type: `event${event}` } })),
      urgent,
    })),
    processes: { process: { part: `part${pause.by}`, pausedTag: 'paused' } },
  });
}

function machineOf(part: PartRecipe, id: string, paused: readonly number[]): AnyStateMachine {
  const states = part.states.map(({ on, after, entry }, number) => [
    `state${number}`,
    {
      tags: paused.includes(number) ? ['paused'] : [],
      entry: entry === undefined ? [] : [emit({ type: `signal${entry}` })],
      on: Object.fromEntries(
        on.flatMap((arcs, event) =>
          arcs.length === 0 ? [] : [[`event${event}`, arcs.map((arc) => transitionOf(arc, part))]],
        ),
      ),
      after: Object.fromEntries(after.map(({ delay, arc }) => [delay, transitionOf(arc, part)])),
    },
  ]);
  return createMachine({
    id,
    context: { count: 0 },
    initial: 'state0',
    states: Object.fromEntries(states),
  } as never) as unknown as AnyStateMachine;
}

function transitionOf({ when, target, reenters, counter, emits }: Arc, { modulus }: PartRecipe): object {
  type Given = { context: { count: number } };
  const guard = when === undefined ? {} : { guard: ({ context }: Given) => context.count === when };
  if (target === 'forbid') return guard;
  const change = {
    keep: [],
    increment: [assign({ count: ({ context }: Given) => (context.count + 1) % modulus })],
    reset: [assign({ count: 0 })],
  }[counter];
  const actions = [...change, ...emits.map((signal) => emit({ type: `signal${signal}` }))];
  if (target !== 'stay') return { ...guard, target: `state${target}`, reenter: reenters, actions };
  // Staying is an action too, even where it changes nothing: without one the arc would forbid its event.
  return { ...guard, actions: actions.length === 0 ? [assign({})] : actions };
}
