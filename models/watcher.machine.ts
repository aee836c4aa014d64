import { type AnyStateMachine, and, assign, emit, setup } from 'xstate';

/**
 * The agent's watch of the store: how it lists, watches, notices that it may be stale, and comes back.
 *
 * `connected` means that the agent believes its watch to deliver, which is all that it can know. `stale` means that
 * it has stopped believing so.
 */
export const watcherMachine = setup({
  types: {
    context: {} as {
      listed: boolean;
      /** How often in a row the wait after a failed dial or list was doubled; see {@link withBackoff}. */
      doublings: number;
    },
    events: {} as
      | { type: 'connection.opened' }
      | { type: 'connection.closed' }
      | { type: 'dial.failed' }
      | { type: 'list.completed' }
      | { type: 'list.failed' }
      | { type: 'watch.attempted' }
      | { type: 'watch.created'; revision: 'level' | 'behind' }
      | { type: 'watch.refused' }
      | { type: 'watch.cancelled' }
      | { type: 'event.delivered' }
      | { type: 'probe.returned' }
      | { type: 'connection.abandoned' }
      | { type: 'agent.restarted' },
    emitted: {} as
      | { type: 'view.listed' }
      | { type: 'watch.requested' }
      | { type: 'watch.synced' }
      | { type: 'watch.lost' }
      | { type: 'watch.muted' }
      | { type: 'resume.advanced' }
      | { type: 'view.proven' }
      | { type: 'connection.dropped' },
  },
  guards: {
    hasListed: ({ context }) => context.listed,
    /** A switch of the design: a new connection resumes where the last one ended, instead of listing again. */
    watchResumes: () => false,
    /** A switch of the design: a watch whose store is behind the resume point is a new epoch. */
    checksRevision: () => false,
    /** A switch of the design: the resume point is the header's revision, as in the etcd3 package's Watcher. */
    resumesFromHeader: () => false,
    /** A switch of the design: a connected watch is probed, or its silence is timed. */
    probes: () => false,
    /** A switch of the design: a list that is not answered in time is given up. */
    boundsCalls: () => false,
    revisionBehind: ({ event }) => event.type === 'watch.created' && event.revision === 'behind',
  },
  delays: {
    probePeriod: 1,
    probeTimeout: 1,
    callDeadline: 1,
    retryDelay: 1,
  },
  actions: {
    rememberListed: assign({ listed: true }),
    forgetListed: assign({ listed: false }),
    /** A number of the design: the next wait is longer, up to a maximum. */
    lengthenWait: assign({}),
    resetWait: assign({ doublings: 0 }),
    sayListed: emit({ type: 'view.listed' }),
    requestWatch: emit({ type: 'watch.requested' }),
    saySynced: emit({ type: 'watch.synced' }),
    sayLost: emit({ type: 'watch.lost' }),
    sayMuted: emit({ type: 'watch.muted' }),
    advanceResume: emit({ type: 'resume.advanced' }),
    sayProven: emit({ type: 'view.proven' }),
    dropConnection: emit({ type: 'connection.dropped' }),
  },
}).createMachine({
  id: 'watcher',
  description: "The agent's watch: connected, stale, reconnecting.",
  context: { listed: false, doublings: 0 },
  initial: 'reconnecting',
  on: {
    'agent.restarted': {
      target: '.reconnecting.dialling',
      actions: ['dropConnection', 'forgetListed', 'resetWait'],
      description: 'A new process knows nothing and lists first.',
    },
  },
  states: {
    reconnecting: {
      description: 'No watch, and the agent knows it.',
      initial: 'dialling',
      on: { 'connection.closed': { target: '.dialling' } },
      states: {
        dialling: {
          on: {
            'connection.opened': [
              { guard: and(['watchResumes', 'hasListed']), target: 'resuming' },
              { target: 'listing' },
            ],
            'dial.failed': { target: 'backingOff' },
          },
        },
        listing: {
          description:
            'A linearizable list, compared with the view: what is missing from it is taken as deleted.',
          on: {
            'list.completed': [
              {
                guard: 'watchResumes',
                target: '#watcher.connected',
                actions: ['sayListed', 'rememberListed'],
              },
              { target: '#watcher.connected', actions: 'sayListed' },
            ],
            'list.failed': {
              target: 'backingOff',
              actions: 'dropConnection',
              description: 'Failed half-way: nothing of it is applied.',
            },
          },
          initial: 'unbounded',
          states: {
            unbounded: { tags: 'rest', always: { guard: 'boundsCalls', target: 'bounded' } },
            bounded: { after: { callDeadline: { target: '#watcher.stale' } } },
          },
        },
        resuming: {
          description: 'A watch is asked for, from where the last one ended.',
          on: {
            'watch.attempted': { actions: 'requestWatch' },
            'watch.created': [
              { guard: and(['checksRevision', 'revisionBehind']), target: 'listing' },
              { guard: 'revisionBehind', target: '#watcher.connected', actions: 'sayMuted' },
              { guard: 'resumesFromHeader', target: '#watcher.connected', actions: 'advanceResume' },
              { target: '#watcher.connected' },
            ],
            'watch.refused': { target: 'listing', description: 'Compacted: list again and compare.' },
          },
          initial: 'unbounded',
          states: {
            unbounded: { tags: 'rest', always: { guard: 'boundsCalls', target: 'bounded' } },
            bounded: { after: { callDeadline: { target: '#watcher.stale' } } },
          },
        },
        backingOff: { after: { retryDelay: { target: 'dialling', actions: 'lengthenWait' } } },
      },
    },
    connected: {
      description: 'The agent believes that its watch delivers.',
      tags: 'connected',
      entry: ['resetWait', 'saySynced'],
      exit: 'sayLost',
      initial: 'quiet',
      on: {
        'connection.closed': { target: 'reconnecting.dialling' },
        'watch.cancelled': {
          target: 'reconnecting.listing',
          description: 'The server ends the watch and says so.',
        },
      },
      states: {
        quiet: {
          tags: 'rest',
          always: { guard: 'probes', target: 'probed' },
          on: { 'event.delivered': { target: 'quiet' } },
        },
        probed: {
          tags: 'rest',
          description: 'Something arrived less than a probe period ago.',
          on: { 'event.delivered': { target: 'probed', reenter: true } },
          after: { probePeriod: { target: 'probing' } },
        },
        probing: {
          description: 'An answer, or anything else, is awaited.',
          on: {
            'event.delivered': { target: 'probed' },
            'probe.returned': { target: 'probed', actions: 'sayProven' },
          },
          after: { probeTimeout: { target: '#watcher.stale' } },
        },
      },
    },
    stale: {
      description: 'The agent has stopped believing its watch: every absence in its view is unproven.',
      on: {
        'connection.abandoned': { target: 'reconnecting.dialling', actions: 'dropConnection' },
        'connection.closed': { target: 'reconnecting.dialling' },
      },
    },
  },
});

/**
 * A watcher whose wait after a failed dial or list is doubled with each further failure, until it is connected again.
 *
 * @param first - the wait after the first failure, in the machine's unit of time
 * @param longest - the wait grows no further; what is less than `first` counts as `first`
 */
export function withBackoff(watcher: AnyStateMachine, first: number, longest: number): AnyStateMachine {
  // A number can be shown in diagrams, and a context that stays the same adds no states.
  if (longest <= first) return watcher.provide({ delays: { retryDelay: first } });
  const wait = ({ doublings }: { readonly doublings: number }): number =>
    Math.min(first * 2 ** doublings, longest);
  return watcher.provide({
    delays: { retryDelay: ({ context }) => wait(context) },
    actions: {
      lengthenWait: assign(({ context }) => ({
        doublings: wait(context) < longest ? context.doublings + 1 : context.doublings,
      })),
    },
  });
}
