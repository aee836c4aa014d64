import { type AnyStateMachine, setup } from 'xstate';

/**
 * A test automaton that only listens: how long has the watch been unable to deliver, without being given up?
 *
 * Two reasons are timed apart, a silent connection and a mute watch. Time in which the agent is paused does not count:
 * a process that does not run suspects nothing, so its bound starts anew.
 */
export const stopwatchMachine = setup({
  types: {
    events: {} as
      | { type: 'stream.silenced' }
      | { type: 'stream.restored' }
      | { type: 'connection.ended' }
      | { type: 'watch.muted' }
      | { type: 'watch.lost' }
      | { type: 'store.overtook' }
      | { type: 'agent.paused' }
      | { type: 'agent.resumed' },
  },
  delays: {
    /** One tick more than the bound: at the bound itself the agent may be the later of the two to act. */
    beyondBound: 1,
  },
}).createMachine({
  id: 'stopwatch',
  description: 'How long the watch has been unable to deliver.',
  type: 'parallel',
  states: {
    stream: {
      initial: 'delivering',
      states: {
        delivering: { tags: 'rest', on: { 'stream.silenced': 'silent' } },
        silent: {
          tags: ['rest', 'blind'],
          on: { 'stream.restored': 'delivering', 'connection.ended': 'delivering', 'agent.paused': 'held' },
          after: { beyondBound: 'expired' },
        },
        held: {
          tags: 'rest',
          on: {
            'stream.restored': 'delivering',
            'connection.ended': 'delivering',
            'agent.resumed': 'silent',
          },
        },
        expired: { tags: ['rest', 'blind', 'expired'] },
      },
    },
    history: {
      initial: 'delivering',
      states: {
        delivering: { tags: 'rest', on: { 'watch.muted': 'mute' } },
        mute: {
          tags: ['rest', 'blind'],
          on: { 'store.overtook': 'delivering', 'watch.lost': 'delivering', 'agent.paused': 'held' },
          after: { beyondBound: 'expired' },
        },
        held: {
          tags: 'rest',
          on: { 'store.overtook': 'delivering', 'watch.lost': 'delivering', 'agent.resumed': 'mute' },
        },
        expired: { tags: ['rest', 'blind', 'expired'] },
      },
    },
  },
});

/** What a stopwatch hears. */
export const stopwatchHears: readonly string[] = [
  'stream.silenced',
  'stream.restored',
  'connection.ended',
  'watch.muted',
  'watch.lost',
  'store.overtook',
  'agent.paused',
  'agent.resumed',
];

/** A stopwatch that expires once the watch has been unable to deliver for longer than this many ticks. */
export function stopwatchOf(boundTicks: number): AnyStateMachine {
  return stopwatchMachine.provide({ delays: { beyondBound: boundTicks + 1 } });
}
