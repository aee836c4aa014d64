import { setup } from 'xstate';

/**
 * A test automaton that only listens: has the agent heard a full list since its last start?
 *
 * The agent keeps account of that itself; a property that asked the agent would believe what it is to judge.
 */
export const fullSyncMachine = setup({
  types: {
    events: {} as { type: 'view.listed' } | { type: 'agent.restarted' },
  },
}).createMachine({
  id: 'fullSync',
  description: 'Whether the agent has heard a full list since its last start.',
  initial: 'due',
  states: {
    due: { tags: 'rest', on: { 'view.listed': 'heard' } },
    heard: { tags: 'rest', on: { 'agent.restarted': 'due' } },
  },
});

/** What it hears. */
export const fullSyncHears: readonly string[] = ['view.listed', 'agent.restarted'];
