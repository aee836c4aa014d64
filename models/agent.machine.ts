import { emit, setup } from 'xstate';

/**
 * The agent's process. A paused process takes no message and fires no timer; its timers come due late. A restarted
 * one has forgotten its view, its clocks and what it was about to delete; the kernel and the store have not.
 */
export const agentMachine = setup({
  types: {
    events: {} as
      | { type: 'changes.stopped' }
      | { type: 'process.paused' }
      | { type: 'process.resumed' }
      | { type: 'process.restarted' },
    emitted: {} as { type: 'agent.restarted' } | { type: 'agent.paused' } | { type: 'agent.resumed' },
  },
  actions: {
    sayRestarted: emit({ type: 'agent.restarted' }),
    sayPaused: emit({ type: 'agent.paused' }),
    sayResumed: emit({ type: 'agent.resumed' }),
  },
}).createMachine({
  id: 'agent',
  description: 'The process that runs link, watcher, apply and cleanup.',
  initial: 'running',
  states: {
    running: {
      tags: 'rest',
      on: {
        'changes.stopped': { target: 'running' },
        'process.paused': { target: 'paused', actions: 'sayPaused' },
        'process.restarted': { target: 'running', actions: 'sayRestarted' },
      },
    },
    paused: {
      tags: 'paused',
      description: 'Frozen or starved: other parts go on.',
      on: {
        'process.resumed': { target: 'running', actions: 'sayResumed' },
        'process.restarted': { target: 'running', actions: ['sayRestarted', 'sayResumed'] },
      },
    },
  },
});
