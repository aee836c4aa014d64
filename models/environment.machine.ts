import { assign, setup } from 'xstate';

/**
 * The world around the node: while it is `changing`, pods come and go and faults strike; once it is `calm`, what has
 * begun is finished and nothing new begins. Liveness is promised within `calm`, so that "faults stop" is a state of
 * the model and no filter on runs. It can turn calm when no fault is in progress: the agent runs, the store has its
 * quorum, no stream and no plugin is stalled, no member is isolated, no interface is down. A peer that has vanished is no
 * fault in progress: the network is well again, and nothing tells the agent.
 *
 * Faults strike any number of times, unless the input sets a budget (`strikes`) for larger systems.
 */
export const environmentMachine = setup({
  types: {
    context: {} as { strikesLeft: number | 'unbounded' },
    input: {} as { strikes: number | 'unbounded' },
    events: {} as { type: 'fault.struck' } | { type: 'pod.changed' } | { type: 'changes.stopped' },
  },
  guards: {
    unbounded: ({ context }) => context.strikesLeft === 'unbounded',
    strikesLeft: ({ context }) => context.strikesLeft !== 'unbounded' && context.strikesLeft > 0,
  },
  actions: {
    countStrike: assign({
      strikesLeft: ({ context }) =>
        context.strikesLeft === 'unbounded' ? 'unbounded' : context.strikesLeft - 1,
    }),
  },
}).createMachine({
  id: 'environment',
  description: 'Whether pods still come and go and faults still strike.',
  context: ({ input }) => ({ strikesLeft: input?.strikes ?? 'unbounded' }),
  initial: 'changing',
  states: {
    changing: {
      tags: 'rest',
      on: {
        'fault.struck': [
          { guard: 'unbounded', target: 'changing' },
          { guard: 'strikesLeft', target: 'changing', actions: 'countStrike' },
        ],
        'pod.changed': { target: 'changing' },
        'changes.stopped': { target: 'calm' },
      },
    },
    calm: { tags: ['rest', 'calm'], description: 'What has begun is finished; nothing new begins.' },
  },
});
