import { emit, setup } from 'xstate';

/**
 * When the agent compares the kernel with its view. Nothing fires at the end of a grace period by itself: a route is
 * deleted by the next apply, and that comes with any unrelated event, or with the next periodic refresh, or late.
 */
export const applyMachine = setup({
  types: {
    events: {} as
      | { type: 'view.listed' }
      | { type: 'apply.ran' }
      | { type: 'resync.ran' }
      | { type: 'watch.synced' }
      | { type: 'watch.lost' }
      | { type: 'agent.restarted' },
    emitted: {} as { type: 'apply.started'; resync: boolean },
  },
  guards: {
    /** A switch of the design: nothing is applied while the watch is known to be down. */
    gatesOnStatus: () => false,
  },
  actions: {
    startApply: emit({ type: 'apply.started', resync: false }),
    startResync: emit({ type: 'apply.started', resync: true }),
  },
}).createMachine({
  id: 'apply',
  description: 'When the agent applies its view to the kernel.',
  initial: 'unsynced',
  on: { 'agent.restarted': { target: '.unsynced' } },
  states: {
    unsynced: {
      tags: 'rest',
      description: 'Before the first full list after a start: fail-static.',
      on: { 'view.listed': { target: 'ready' } },
    },
    ready: {
      tags: 'rest',
      on: {
        'apply.ran': { target: 'ready', actions: 'startApply' },
        'resync.ran': { target: 'ready', actions: 'startResync' },
        'watch.lost': { guard: 'gatesOnStatus', target: 'gated' },
      },
    },
    gated: {
      tags: 'rest',
      description: 'The watch is known to be down, so its view proves nothing.',
      on: { 'watch.synced': { target: 'ready' } },
    },
  },
});
