import { and, assign, emit, not, or, setup, stateIn } from 'xstate';
import type { Relation } from './cni.machine.ts';
import type { Found } from './kernel.machine.ts';
import type { Content } from './record.machine.ts';

/** Whose route is about to be deleted: that of the interface which stands now, or of one that has gone since. */
type Target = 'present' | 'gone';

/**
 * The agent's side of one endpoint: what its view says, the clock of the grace period, and what it is about to delete.
 *
 * `view` is relative, as the record is: `known` is the newest pod's endpoint, `covering` an older one of the same name
 * and address, which makes the newest pod's route look expected, `clashing` an older one of the same name with another
 * address. `clock` counts from when the interface was first seen, by name or by index. `decision` is where the designs
 * differ most: delete what is unexpected, or read the store first, or wait until the view is proven.
 */
export const cleanupMachine = setup({
  types: {
    context: {} as { target: Target },
    events: {} as
      | { type: 'endpoint.reported'; content: Content }
      | { type: 'pod.superseded'; relation: Relation }
      | { type: 'interface.appeared' }
      | { type: 'interface.vanished'; address: 'same' | 'other' }
      | { type: 'apply.started'; resync: boolean }
      | { type: 'routes.listed'; found: Found; resync: boolean }
      | { type: 'view.proven' }
      | { type: 'fence.polled' }
      | { type: 'fence.misled' }
      | { type: 'fence.answered'; expected: boolean; current: boolean }
      | { type: 'delete.executed' }
      | { type: 'agent.restarted' },
    emitted: {} as
      | { type: 'routes.asked'; resync: boolean }
      | { type: 'route.repaired' }
      | { type: 'fence.asked' }
      | { type: 'route.deleteRequested'; target: Target },
  },
  guards: {
    /** A switch of the design: unexpected routes of a new interface are left alone for the grace period. */
    usesGrace: () => false,
    /** A switch of the design: the clock belongs to the interface's name, and a new interface does not restart it. */
    keysGraceByName: () => false,
    /** A switch of the design: an endpoint under the interface's name ends the grace of whatever bears the name. */
    forcesExpiry: () => false,
    /** A switch of the design: the store is read before a delete. */
    fences: () => false,
    /** A switch of the design: a delete waits for a proof that the view is level with the store. */
    awaitsProof: () => false,
    /** A switch of the design: a route is kept while the plugin claims its interface. */
    checksClaims: () => false,
    /** A switch of the design: unexpected routes are left alone for ever. */
    neverDeletes: () => false,

    reportsCommitted: ({ event }) => event.type === 'endpoint.reported' && event.content === 'committed',
    reportsSame: ({ event }) => event.type === 'endpoint.reported' && event.content === 'same',
    reportsRenumbered: ({ event }) => event.type === 'endpoint.reported' && event.content === 'renumbered',
    sameNameAndAddress: ({ event }) => event.type === 'pod.superseded' && event.relation === 'same',
    sameName: ({ event }) =>
      event.type === 'pod.superseded' && (event.relation === 'same' || event.relation === 'renumbered'),

    viewUnknown: stateIn('#cleanup.view.unknown'),
    viewExpectsAddress: or([stateIn('#cleanup.view.known'), stateIn('#cleanup.view.covering')]),
    viewClashes: stateIn('#cleanup.view.clashing'),
    inGrace: stateIn('#cleanup.clock.counting'),
    routeMissing: ({ event }) => event.type === 'routes.listed' && event.found === 'noRoute',
    nameGone: ({ event }) => event.type === 'routes.listed' && event.found === 'noInterface' && event.resync,
    foundAddress: ({ event }) =>
      event.type === 'routes.listed' && (event.found === 'current' || event.found === 'same'),
    foundRenumbered: ({ event }) => event.type === 'routes.listed' && event.found === 'renumbered',

    answerExpects: ({ event }) => event.type === 'fence.answered' && event.expected,
    /** A switch of the design: a delete names the destination only, so it outlives the interface it was meant for. */
    deletesByKey: () => false,
    addressSame: ({ event }) => event.type === 'interface.vanished' && event.address === 'same',
    keepsAddress: ({ event }) =>
      event.type === 'pod.superseded' && (event.relation === 'same' || event.relation === 'readdressed'),
    targetGone: ({ context }) => context.target === 'gone',
    /** The plugin claims the interface of its newest ADD, and no other. */
    claimed: ({ event }) => event.type === 'fence.answered' && event.current,
  },
  delays: { gracePeriod: 1 },
  actions: {
    askRoutes: emit(({ event }) => ({
      type: 'routes.asked',
      resync: event.type === 'apply.started' && event.resync,
    })),
    repairRoute: emit({ type: 'route.repaired' }),
    askFence: emit({ type: 'fence.asked' }),
    deleteRoute: emit(({ context }) => ({ type: 'route.deleteRequested', target: context.target })),
    noteGone: assign({ target: 'gone' }),
    forgetGone: assign({ target: 'present' }),
  },
}).createMachine({
  id: 'cleanup',
  description: "The agent's view of one endpoint, its grace clock, and what it is about to delete.",
  context: { target: 'present' },
  type: 'parallel',
  states: {
    view: {
      initial: 'unknown',
      on: {
        'endpoint.reported': [
          { guard: 'reportsCommitted', target: '.known' },
          { guard: 'reportsSame', target: '.covering' },
          { guard: 'reportsRenumbered', target: '.clashing' },
          { target: '.unknown' },
        ],
        'agent.restarted': { target: '.unknown' },
      },
      states: {
        unknown: { tags: 'rest', description: 'The view has no endpoint for this interface and address.' },
        known: {
          tags: 'rest',
          on: {
            'pod.superseded': [
              { guard: 'sameNameAndAddress', target: 'covering' },
              { guard: 'sameName', target: 'clashing' },
              { target: 'unknown' },
            ],
          },
        },
        covering: {
          tags: 'rest',
          description: 'An older endpoint with this name and address: the newest route looks expected.',
          on: {
            'pod.superseded': [
              { guard: 'sameNameAndAddress', target: 'covering' },
              { guard: 'sameName', target: 'clashing' },
              { target: 'unknown' },
            ],
          },
        },
        clashing: {
          tags: 'rest',
          description: 'An older endpoint with this name and another address.',
          on: { 'pod.superseded': [{ guard: 'sameName', target: 'clashing' }, { target: 'unknown' }] },
        },
      },
    },
    clock: {
      initial: 'unseen',
      on: { 'agent.restarted': { target: '.unseen' } },
      states: {
        unseen: {
          tags: 'rest',
          on: { 'interface.appeared': { guard: 'usesGrace', target: 'counting' } },
        },
        counting: {
          description: 'Cleanup grace period: what is unexpected is left alone.',
          after: { gracePeriod: { target: 'over' } },
          on: {
            'interface.vanished': { guard: not('keysGraceByName'), target: 'unseen' },
            'pod.superseded': { guard: not('sameName'), target: 'unseen' },
            'apply.started': { guard: and(['forcesExpiry', not('viewUnknown')]), target: 'over' },
          },
        },
        over: {
          tags: 'rest',
          on: {
            'interface.vanished': { guard: not('keysGraceByName'), target: 'unseen' },
            'pod.superseded': { guard: not('sameName'), target: 'unseen' },
            'routes.listed': { guard: and(['keysGraceByName', 'nameGone']), target: 'unseen' },
          },
        },
      },
    },
    decision: {
      initial: 'idle',
      on: {
        'agent.restarted': { target: '.idle' },
      },
      states: {
        idle: {
          tags: 'rest',
          entry: 'forgetGone',
          on: {
            'apply.started': { actions: 'askRoutes' },
            'routes.listed': [
              { guard: and(['routeMissing', 'viewExpectsAddress']), actions: 'repairRoute' },
              { guard: or(['neverDeletes', 'inGrace']) },
              { guard: and(['foundAddress', not('viewExpectsAddress')]), target: 'suspecting' },
              { guard: and(['foundRenumbered', not('viewClashes')]), target: 'suspecting' },
            ],
          },
        },
        suspecting: {
          description: 'An unexpected route, and its grace is over.',
          always: [
            { guard: 'fences', target: 'fencing' },
            { guard: 'awaitsProof', target: 'awaitingProof' },
            { target: 'deleting' },
          ],
        },
        fencing: {
          description: 'The store is asked whether it knows the endpoint.',
          on: {
            'interface.vanished': { target: 'idle' },
            'routes.listed': { target: 'idle', description: 'The route has gone meanwhile.' },
            'fence.polled': { actions: 'askFence' },
            'fence.misled': {
              target: 'deleting',
              description:
                'A serializable read, answered by the isolated member: it knows what the view knows.',
            },
            'fence.answered': [
              { guard: 'answerExpects', target: 'idle' },
              {
                guard: and(['checksClaims', 'claimed']),
                target: 'idle',
                description:
                  'The store does not know the endpoint, and the plugin still holds the interface.',
              },
              { target: 'deleting' },
            ],
          },
        },
        awaitingProof: {
          description: 'Deletes only what is still unexpected once the view has been level with the store.',
          on: {
            'interface.vanished': { target: 'idle' },
            'view.proven': { actions: 'askRoutes' },
            'routes.listed': [
              { guard: and(['foundAddress', not('viewExpectsAddress')]), target: 'deleting' },
              { guard: and(['foundRenumbered', not('viewClashes')]), target: 'deleting' },
              { target: 'idle' },
            ],
          },
        },
        deleting: {
          description: 'The request is on its way to the kernel.',
          on: {
            'interface.vanished': [
              { guard: and(['deletesByKey', 'addressSame']), actions: 'noteGone' },
              { target: 'idle', description: 'No route is left that the request could match.' },
            ],
            'pod.superseded': {
              guard: and(['deletesByKey', 'targetGone', not('keepsAddress')]),
              target: 'idle',
            },
            'delete.executed': { target: 'idle', actions: 'deleteRoute' },
          },
        },
      },
    },
  },
});
