import { assign, type EventObject, emit, setup } from 'xstate';
import type { Relation } from './cni.machine.ts';

/** What the agent finds when it lists the routes of one endpoint's address. */
export type Found =
  /** No interface of the name. */
  | 'noInterface'
  /** The newest interface is up and has no route. */
  | 'noRoute'
  /** Nothing to add a route to, and no route. */
  | 'nothing'
  /** A route over the interface that the newest ADD made. */
  | 'current'
  /** A route over an older interface of the name, to the same address. */
  | 'same'
  /** A route over an older interface of the name, to another address. */
  | 'renumbered';

const listed = (found: Found, event: EventObject & { readonly resync?: boolean }) =>
  ({ type: 'routes.listed', found, resync: event.resync === true }) as const;

/**
 * What the kernel holds for one endpoint: the host side of its veth pair, and the route to its address over it.
 *
 * Interfaces are told apart as the kernel does, by index: `up`, `routed` and `down` are the interface that the newest
 * ADD made, `stale` and `staleRouted` one of the same name that an earlier ADD made and no DEL removed. The two never
 * coexist: an ADD removes what has its name before it makes its own. Removing an interface takes its route along, and
 * the kernel announces no route deletion then.
 */
export const kernelMachine = setup({
  types: {
    context: {} as { address: 'same' | 'other' },
    events: {} as
      | { type: 'changes.stopped' }
      | { type: 'interface.created' }
      | { type: 'interface.removed' }
      | { type: 'sandbox.cleaned' }
      | { type: 'interface.flapped' }
      | { type: 'interface.recovered' }
      | { type: 'route.added' }
      | { type: 'route.repaired' }
      | { type: 'route.deleteRequested'; target: 'present' | 'gone' }
      | { type: 'routes.asked'; resync: boolean }
      | { type: 'fence.asked' }
      | { type: 'pod.superseded'; relation: Relation }
      | { type: 'slot.reused' }
      | { type: 'agent.restarted' },
    emitted: {} as
      | { type: 'interface.appeared' }
      | { type: 'interface.vanished'; address: 'same' | 'other' }
      | { type: 'routes.listed'; found: Found; resync: boolean }
      | { type: 'fence.read'; found: Found }
      | { type: 'route.deleted'; interface: 'current' | 'stale'; meant: 'current' | 'stale' },
  },
  guards: {
    renumbered: ({ event }) => event.type === 'pod.superseded' && event.relation === 'renumbered',
    /** The request was decided for the interface that stands now, or names the destination only. */
    targetPresent: ({ event }) => event.type === 'route.deleteRequested' && event.target === 'present',
    /** A switch of the design: a delete names the destination only, not the interface. */
    deletesByKey: () => false,
  },
  actions: {
    noteSame: assign({ address: 'same' }),
    noteRenumbered: assign({ address: 'other' }),
    sayAppeared: emit({ type: 'interface.appeared' }),
    sayVanished: emit(({ context }) => ({ type: 'interface.vanished', address: context.address })),
    sayDeleted: emit({ type: 'route.deleted', interface: 'current', meant: 'current' }),
    sayStaleDeleted: emit({ type: 'route.deleted', interface: 'stale', meant: 'stale' }),
    sayWrongDeleted: emit({ type: 'route.deleted', interface: 'current', meant: 'stale' }),
    listNoInterface: emit(({ event }) => listed('noInterface', event)),
    listNoRoute: emit(({ event }) => listed('noRoute', event)),
    listNothing: emit(({ event }) => listed('nothing', event)),
    listRoute: emit(({ event }) => listed('current', event)),
    listStaleRoute: emit(({ context, event }) =>
      listed(context.address === 'same' ? 'same' : 'renumbered', event),
    ),
    readRoute: emit({ type: 'fence.read', found: 'current' }),
    readStaleRoute: emit(({ context }) => ({
      type: 'fence.read',
      found: context.address === 'same' ? 'same' : 'renumbered',
    })),
  },
}).createMachine({
  id: 'kernel',
  description: 'The interface of one endpoint and the route over it.',
  context: { address: 'same' },
  initial: 'absent',
  states: {
    absent: {
      tags: 'rest',
      on: {
        'changes.stopped': { target: 'absent' },
        'interface.created': { target: 'up', actions: 'sayAppeared' },
        'slot.reused': { target: 'absent' },
        'routes.asked': { actions: 'listNoInterface' },
      },
    },
    stale: {
      tags: 'rest',
      description: 'An older interface of the same name, without a route.',
      on: {
        'changes.stopped': { target: 'stale' },
        'interface.created': { target: 'up', actions: ['sayVanished', 'sayAppeared'] },
        'sandbox.cleaned': { target: 'absent', actions: 'sayVanished' },
        'routes.asked': { actions: 'listNothing' },
        'fence.asked': { actions: 'listNothing' },
        'agent.restarted': { actions: 'sayAppeared' },
      },
    },
    staleRouted: {
      tags: 'rest',
      description: 'An older interface of the same name, and the route that its pod had.',
      exit: 'noteSame',
      on: {
        'changes.stopped': { target: 'staleRouted' },
        'interface.created': { target: 'up', actions: ['sayVanished', 'sayAppeared'] },
        'sandbox.cleaned': { target: 'absent', actions: 'sayVanished' },
        'pod.superseded': { guard: 'renumbered', actions: 'noteRenumbered' },
        'route.deleteRequested': { guard: 'targetPresent', target: 'stale', actions: 'sayStaleDeleted' },
        'routes.asked': { actions: 'listStaleRoute' },
        'fence.asked': { actions: 'readStaleRoute' },
        'agent.restarted': { actions: 'sayAppeared' },
      },
    },
    up: {
      tags: ['rest', 'up'],
      on: {
        'changes.stopped': { target: 'up' },
        'interface.removed': { target: 'absent', actions: 'sayVanished' },
        'interface.flapped': { target: 'down' },
        'route.added': { target: 'routed' },
        'route.repaired': { target: 'routed' },
        'pod.superseded': { target: 'stale' },
        'routes.asked': { actions: 'listNoRoute' },
        'fence.asked': { actions: 'listNothing' },
        'agent.restarted': { actions: 'sayAppeared' },
      },
    },
    routed: {
      tags: ['rest', 'up', 'routed'],
      on: {
        'changes.stopped': { target: 'routed' },
        'interface.removed': { target: 'absent', actions: 'sayVanished' },
        'interface.flapped': {
          target: 'down',
          description: 'The kernel drops the routes of a link that goes down.',
        },
        'route.deleteRequested': [
          {
            guard: 'targetPresent',
            target: 'up',
            actions: 'sayDeleted',
            // Every newest interface is claimed, so a design that checks claims never deletes its route.
            meta: { ruledOutBy: ['checksClaims'] },
          },
          {
            guard: 'deletesByKey',
            target: 'up',
            actions: 'sayWrongDeleted',
            description: 'Meant for another interface; the destination is all that it names.',
          },
        ],
        'pod.superseded': [
          { guard: 'renumbered', target: 'staleRouted', actions: 'noteRenumbered' },
          { target: 'staleRouted' },
        ],
        'routes.asked': { actions: 'listRoute' },
        'fence.asked': { actions: 'readRoute' },
        'agent.restarted': { actions: 'sayAppeared' },
      },
    },
    down: {
      description: 'The link went down and took its route along.',
      on: {
        'interface.removed': { target: 'absent', actions: 'sayVanished' },
        'interface.recovered': { target: 'up' },
        'pod.superseded': { target: 'stale' },
        'routes.asked': { actions: 'listNothing' },
        'fence.asked': { actions: 'listNothing' },
        'agent.restarted': { actions: 'sayAppeared' },
      },
    },
  },
});
