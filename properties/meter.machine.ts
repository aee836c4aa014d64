import { type AnyStateMachine, assign, setup } from 'xstate';

/**
 * A test automaton that only listens: for how many ticks has something lasted, up to a horizon?
 *
 * @param horizonTicks - where the count stops
 * @param events - what starts the count, and what ends it
 */
export function meterOf(
  horizonTicks: number,
  events: { readonly starts: readonly string[]; readonly ends: readonly string[] },
): AnyStateMachine {
  const to = (types: readonly string[], target: 'idle' | 'running') =>
    Object.fromEntries(types.map((type) => [type, { target, actions: 'reset' as const }]));
  return setup({
    types: { context: {} as { elapsed: number } },
    guards: { belowHorizon: ({ context }) => context.elapsed < horizonTicks },
    delays: { tick: 1 },
    actions: {
      count: assign({ elapsed: ({ context }) => context.elapsed + 1 }),
      reset: assign({ elapsed: 0 }),
    },
  }).createMachine({
    id: 'meter',
    description: 'How long something has lasted.',
    context: { elapsed: 0 },
    initial: 'idle',
    states: {
      idle: { tags: 'rest', on: to(events.starts, 'running') },
      running: {
        tags: 'rest',
        on: to(events.ends, 'idle'),
        after: { tick: { guard: 'belowHorizon', target: 'running', reenter: true, actions: 'count' } },
      },
    },
  });
}
