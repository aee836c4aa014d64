import { and, assign, emit, not, or, setup, stateIn } from 'xstate';
import type { Relation } from './cni.machine.ts';
import type { Found } from './kernel.machine.ts';

/** What a reader of the store finds, relative to the pod that the CNI made last. */
export type Content =
  | 'absent'
  /** The newest pod's endpoint. */
  | 'committed'
  /** An older pod's endpoint, with the newest pod's name and address. */
  | 'same'
  /** An older pod's endpoint, with the newest pod's name and another address. */
  | 'renumbered';

/**
 * One endpoint's record in the store, and how far the watch has come with it.
 *
 * `content` is the truth that the safety properties are stated against. Incarnations are relative: `committed` is the
 * record of the pod that the CNI made last, `stale` that of one before it under the same name. `forgotten` looks like
 * `absent` to every reader: the endpoint was committed, its CNI never removed it, and a restored backup does not know
 * it.
 *
 * `seen` is what was delivered last, so an event is on its way whenever the two differ. `delivery` says whether it can
 * still come: `flowing` in order, `backlog` if the client would resume behind it, `lost` if only a list can tell.
 */
export const recordMachine = setup({
  types: {
    context: {} as { address: 'same' | 'other'; seen: Content },
    events: {} as
      | { type: 'endpoint.written' }
      | { type: 'endpoint.erased' }
      | { type: 'pod.superseded'; relation: Relation }
      | { type: 'slot.reused' }
      | { type: 'record.forgotten' }
      | { type: 'store.restarted' }
      | { type: 'store.overtook' }
      | { type: 'event.delivered' }
      | { type: 'view.listed' }
      | { type: 'resume.advanced' }
      | { type: 'stream.broken' }
      | { type: 'stream.drained' }
      | { type: 'fence.read'; found: Found }
      | { type: 'agent.restarted' },
    emitted: {} as
      | { type: 'endpoint.reported'; content: Content }
      | { type: 'fence.answered'; expected: boolean; current: boolean }
      | { type: 'backup.restored' },
  },
  guards: {
    /** A switch of the design: a broken watch resumes where it ended; otherwise the next one begins behind a list. */
    watchResumes: () => false,
    renumbered: ({ event }) => event.type === 'pod.superseded' && event.relation === 'renumbered',
    sawAbsent: ({ context }) => context.seen === 'absent',
    sawCommitted: ({ context }) => context.seen === 'committed',
    sawStale: ({ context }) => context.seen === (context.address === 'same' ? 'same' : 'renumbered'),
    level: or([
      and([stateIn('#record.content.absent'), 'sawAbsent']),
      and([stateIn('#record.content.forgotten'), 'sawAbsent']),
      and([stateIn('#record.content.committed'), 'sawCommitted']),
      and([stateIn('#record.content.stale'), 'sawStale']),
    ]),
    lost: stateIn('#record.delivery.lost'),
  },
  actions: {
    noteRenumbered: assign({ address: 'other' }),
    noteSame: assign({ address: 'same' }),
    /** What was seen of the newest pod was seen of an older one from now on. */
    shiftSeen: assign({
      seen: ({ context, event }): Content => {
        if (event.type !== 'pod.superseded' || context.seen === 'absent') return context.seen;
        if (event.relation === 'fresh' || event.relation === 'readdressed') return 'absent';
        return event.relation === 'renumbered' || context.seen === 'renumbered' ? 'renumbered' : 'same';
      },
    }),
    forgetSeen: assign({ seen: 'absent' }),
    seeAbsent: assign({ seen: 'absent' }),
    seeCommitted: assign({ seen: 'committed' }),
    seeStale: assign({
      seen: ({ context }): Content => (context.address === 'same' ? 'same' : 'renumbered'),
    }),
    report: emit(({ context }) => ({ type: 'endpoint.reported', content: context.seen })),
    sayRestored: emit({ type: 'backup.restored' }),
    answerAbsent: emit(({ event }) => answer(event, () => false)),
    answerCommitted: emit(({ event }) => answer(event, (found) => found !== 'renumbered')),
    answerStale: emit(({ context, event }) =>
      answer(event, (found) => (found === 'renumbered') === (context.address === 'other')),
    ),
  },
}).createMachine({
  id: 'record',
  description: "One endpoint's record in the store, and how far the watch has come with it.",
  context: { address: 'same', seen: 'absent' },
  type: 'parallel',
  on: {
    'pod.superseded': { actions: 'shiftSeen' },
  },
  states: {
    content: {
      initial: 'absent',
      states: {
        absent: {
          tags: 'rest',
          on: {
            'endpoint.written': { target: 'committed' },
            'slot.reused': { target: 'absent' },
            'event.delivered': { guard: not(or(['sawAbsent', 'lost'])), actions: ['seeAbsent', 'report'] },
            'view.listed': { actions: ['seeAbsent', 'report'] },
            'fence.read': { actions: 'answerAbsent' },
          },
        },
        stale: {
          tags: 'rest',
          description: 'Written for an earlier incarnation of the pod of this name.',
          exit: 'noteSame',
          on: {
            'endpoint.written': { target: 'committed' },
            'pod.superseded': [
              { guard: 'renumbered', actions: ['shiftSeen', 'noteRenumbered'] },
              { actions: 'shiftSeen' },
            ],
            'event.delivered': { guard: not(or(['sawStale', 'lost'])), actions: ['seeStale', 'report'] },
            'view.listed': { actions: ['seeStale', 'report'] },
            'fence.read': { actions: 'answerStale' },
          },
        },
        committed: {
          tags: ['rest', 'committed'],
          on: {
            'endpoint.erased': { target: 'absent' },
            'pod.superseded': [
              { guard: 'renumbered', target: 'stale', actions: ['shiftSeen', 'noteRenumbered'] },
              { target: 'stale', actions: 'shiftSeen' },
            ],
            'record.forgotten': {
              target: 'forgotten',
              actions: 'sayRestored',
              description: 'A restored backup is older than this endpoint.',
            },
            'event.delivered': {
              guard: not(or(['sawCommitted', 'lost'])),
              actions: ['seeCommitted', 'report'],
            },
            'view.listed': { actions: ['seeCommitted', 'report'] },
            'fence.read': { actions: 'answerCommitted' },
          },
        },
        forgotten: {
          tags: ['rest', 'forgotten'],
          description: 'The pod lives, its CNI removed nothing, and the store does not know it.',
          on: {
            'endpoint.erased': { target: 'absent' },
            'pod.superseded': { target: 'absent', actions: 'shiftSeen' },
            'view.listed': { actions: ['seeAbsent', 'report'] },
            'fence.read': { actions: 'answerAbsent' },
          },
        },
      },
    },
    delivery: {
      initial: 'flowing',
      on: {
        'view.listed': { target: '.flowing' },
        'agent.restarted': { target: '.flowing', actions: 'forgetSeen' },
      },
      states: {
        flowing: {
          tags: 'rest',
          on: {
            'store.restarted': { guard: and(['watchResumes', not('level')]), target: 'lost' },
            'store.overtook': { guard: not('level'), target: 'lost' },
            'record.forgotten': { guard: 'watchResumes', target: 'lost' },
            'stream.broken': {
              guard: not(or(['watchResumes', 'level'])),
              target: 'lost',
              description: 'The next watch begins behind a list, so only that list can tell.',
            },
            'resume.advanced': { guard: not('level'), target: 'backlog' },
            'stream.drained': { guard: 'level', target: 'flowing' },
          },
        },
        backlog: {
          tags: 'rest',
          description: 'Not delivered yet, and the client would resume behind it.',
          on: {
            'event.delivered': { target: 'flowing' },
            'endpoint.written': { target: 'flowing' },
            'endpoint.erased': { target: 'flowing' },
            'stream.broken': { target: 'lost' },
            'store.restarted': { target: 'lost' },
            'record.forgotten': { target: 'lost' },
          },
        },
        lost: {
          tags: 'rest',
          description: 'No watch will deliver it; a list would.',
          on: {
            'endpoint.written': { target: 'flowing' },
            'endpoint.erased': { target: 'flowing' },
            'stream.drained': {
              guard: 'watchResumes',
              target: 'lost',
              description: 'A watch that began behind a list has lost nothing as long as it stands.',
            },
          },
        },
      },
    },
  },
});

function answer(
  event: { readonly type: string; readonly found?: Found },
  expects: (found: Found | undefined) => boolean,
) {
  return {
    type: 'fence.answered',
    expected: expects(event.found),
    current: event.found === 'current',
  } as const;
}
