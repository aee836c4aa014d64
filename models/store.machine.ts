import { emit, setup } from 'xstate';

/**
 * etcd, as far as it is shared by all endpoints: whether it has a leader, and how its history stands to the revision
 * from which the agent would resume its watch.
 *
 * Revisions are relative. `whole`: every change since the resume point can still be had. `compacted`: some cannot, and
 * a resuming watch is refused. `ahead`: an older backup was restored, the resume point lies in the future, and a watch
 * there is accepted and stays mute, until the store has passed it.
 */
export const storeMachine = setup({
  types: {
    events: {} as
      | { type: 'changes.stopped' }
      | { type: 'leader.lost' }
      | { type: 'leader.elected' }
      | { type: 'write.served' }
      | { type: 'read.served' }
      | { type: 'history.compacted' }
      | { type: 'backup.restored' }
      | { type: 'revision.overtook' }
      | { type: 'watch.requested' }
      | { type: 'view.listed' }
      | { type: 'event.sent' },
    emitted: {} as
      | { type: 'store.restarted' }
      | { type: 'store.overtook' }
      | { type: 'watch.created'; revision: 'level' | 'behind' }
      | { type: 'watch.refused' },
  },
  guards: {
    /** A switch of the design: the watch resumes where it ended, so that the store's history matters to it. */
    watchResumes: () => false,
  },
  actions: {
    sayRestarted: emit({ type: 'store.restarted' }),
    sayOvertook: emit({ type: 'store.overtook' }),
    acceptWatch: emit({ type: 'watch.created', revision: 'level' }),
    acceptFutureWatch: emit({ type: 'watch.created', revision: 'behind' }),
    refuseWatch: emit({ type: 'watch.refused' }),
  },
}).createMachine({
  id: 'store',
  description: 'etcd: its quorum, and its history relative to where the agent would resume.',
  type: 'parallel',
  states: {
    quorum: {
      initial: 'held',
      states: {
        held: {
          tags: 'rest',
          on: {
            'changes.stopped': { target: 'held' },
            'leader.lost': { target: 'lost' },
            'write.served': { target: 'held' },
            'read.served': { target: 'held' },
          },
        },
        lost: {
          description: 'No leader: neither writes nor linearizable reads are answered.',
          on: { 'leader.elected': { target: 'held' } },
        },
      },
    },
    history: {
      initial: 'whole',
      on: { 'view.listed': { target: '.whole' } },
      states: {
        whole: {
          tags: 'rest',
          on: {
            'history.compacted': [{ guard: 'watchResumes', target: 'compacted' }, { target: 'whole' }],
            'backup.restored': [
              { guard: 'watchResumes', target: 'ahead', actions: 'sayRestarted' },
              { target: 'whole', actions: 'sayRestarted' },
            ],
            'watch.requested': { target: 'whole', actions: 'acceptWatch' },
            'event.sent': { target: 'whole' },
          },
        },
        compacted: {
          tags: 'rest',
          on: {
            'backup.restored': { target: 'ahead', actions: 'sayRestarted' },
            'watch.requested': { target: 'compacted', actions: 'refuseWatch' },
            'event.sent': { target: 'compacted' },
          },
        },
        ahead: {
          tags: ['rest', 'mute'],
          description: 'The resume point is a revision that this store has yet to reach.',
          on: {
            'revision.overtook': {
              target: 'whole',
              actions: 'sayOvertook',
              description: 'What was committed on the way is delivered to no one.',
            },
            'watch.requested': { target: 'ahead', actions: 'acceptFutureWatch' },
          },
        },
      },
    },
  },
});
