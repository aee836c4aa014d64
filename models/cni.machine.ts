import { and, assign, emit, not, setup } from 'xstate';

/** How a pod is akin to the one before it in the same place of the model. */
export type Relation =
  /** Neither its name nor its address: as good as the first. */
  | 'fresh'
  /** Its name and its address: a StatefulSet with a fixed address. */
  | 'same'
  /** Its name, and another address: a StatefulSet. */
  | 'renumbered'
  /** Another name, and its address: the address is re-used. */
  | 'readdressed';

/**
 * The CNI plugin's ADD and DEL for one pod, a process of its own with its own short-lived connection to the store: so
 * it writes endpoints while the agent is blind.
 *
 * Felix's plugin adds the route before it writes the endpoint, and removes the endpoint before the interface; a design
 * may turn either order round. A crashed ADD or DEL leaves behind what it made, until the kubelet's DEL. All of `present`
 * is also the plugin's claim on the interface of its newest ADD: a note on the node, written before the first step and
 * given up after the last, so that a claim lasts for as long as that interface, and longer.
 */
export const cniMachine = setup({
  types: {
    context: {} as { stalled: boolean },
    events: {} as
      | { type: 'changes.stopped' }
      | { type: 'pod.created'; relation: Relation }
      | { type: 'pod.recreated'; relation: 'same' | 'renumbered' }
      | { type: 'pod.deleted' }
      | { type: 'del.retried' }
      | { type: 'del.repeated' }
      | { type: 'cni.made.interface' }
      | { type: 'cni.added.route' }
      | { type: 'cni.wrote.endpoint' }
      | { type: 'cni.erased.endpoint' }
      | { type: 'cni.removed.interface' }
      | { type: 'cni.stalled' }
      | { type: 'cni.resumed' }
      | { type: 'cni.crashed' },
    emitted: {} as
      | { type: 'pod.superseded'; relation: Relation }
      | { type: 'interface.created' }
      | { type: 'interface.removed' }
      | { type: 'route.added' }
      | { type: 'endpoint.written' }
      | { type: 'endpoint.erased' }
      | { type: 'sandbox.cleaned' },
  },
  guards: {
    stalled: ({ context }) => context.stalled,
    /** A switch of the design: ADD writes the endpoint before there is a route. */
    writesEndpointFirst: () => false,
    /** A switch of the design: DEL removes the endpoint after there is no route. */
    erasesEndpointLast: () => false,
  },
  actions: {
    supersede: emit(({ event }) => ({
      type: 'pod.superseded',
      relation: event.type === 'pod.created' || event.type === 'pod.recreated' ? event.relation : 'fresh',
    })),
    createInterface: emit({ type: 'interface.created' }),
    removeInterface: emit({ type: 'interface.removed' }),
    addRoute: emit({ type: 'route.added' }),
    writeEndpoint: emit({ type: 'endpoint.written' }),
    eraseEndpoint: emit({ type: 'endpoint.erased' }),
    cleanSandbox: emit({ type: 'sandbox.cleaned' }),
    stall: assign({ stalled: true }),
    resume: assign({ stalled: false }),
  },
}).createMachine({
  id: 'cni',
  description: "The CNI plugin's ADD and DEL for one pod.",
  context: { stalled: false },
  initial: 'absent',
  states: {
    absent: {
      tags: 'rest',
      on: {
        'changes.stopped': { target: 'absent' },
        'pod.created': { target: 'present', actions: 'supersede' },
      },
    },
    present: {
      description: 'A pod was asked for, and its DEL is not done.',
      initial: 'adding',
      on: {
        'changes.stopped': { guard: not('stalled'), actions: 'resume', description: 'No step is slow.' },
        'pod.recreated': {
          target: '.adding',
          reenter: true,
          actions: 'supersede',
          description: 'A new sandbox under the same name, and no DEL came for the old one.',
        },
      },
      states: {
        adding: {
          tags: 'adding',
          description: 'ADD is in flight.',
          initial: 'starting',
          exit: 'resume',
          on: {
            'cni.stalled': {
              guard: not('stalled'),
              actions: 'stall',
              description: 'A busy node, a slow store.',
            },
            'cni.resumed': { guard: 'stalled', actions: 'resume' },
            'cni.crashed': { target: 'failed' },
            'del.repeated': { actions: 'cleanSandbox', description: 'A late DEL of an earlier sandbox.' },
          },
          states: {
            starting: {
              always: [
                { guard: 'writesEndpointFirst', target: 'writingEndpoint' },
                { target: 'creatingInterface' },
              ],
            },
            creatingInterface: {
              on: {
                'cni.made.interface': {
                  guard: not('stalled'),
                  target: 'addingRoute',
                  actions: 'createInterface',
                },
              },
            },
            addingRoute: {
              on: {
                'cni.added.route': [
                  {
                    guard: and([not('stalled'), 'writesEndpointFirst']),
                    target: '#cni.present.running',
                    actions: 'addRoute',
                  },
                  { guard: not('stalled'), target: 'writingEndpoint', actions: 'addRoute' },
                ],
              },
            },
            writingEndpoint: {
              on: {
                'cni.wrote.endpoint': [
                  {
                    guard: and([not('stalled'), 'writesEndpointFirst']),
                    target: 'creatingInterface',
                    actions: 'writeEndpoint',
                  },
                  { guard: not('stalled'), target: '#cni.present.running', actions: 'writeEndpoint' },
                ],
              },
            },
          },
        },
        running: {
          tags: 'rest',
          on: {
            'pod.deleted': { target: 'removing' },
            'del.repeated': { actions: 'cleanSandbox', description: 'A late DEL of an earlier sandbox.' },
          },
        },
        failed: {
          description: 'What the plugin made is left behind until the kubelet asks again for a DEL.',
          on: { 'del.retried': { target: 'removing' } },
        },
        removing: {
          description: 'DEL is in flight.',
          initial: 'starting',
          on: { 'cni.crashed': { target: 'failed' } },
          states: {
            starting: {
              always: [
                { guard: 'erasesEndpointLast', target: 'removingInterface' },
                { target: 'erasingEndpoint' },
              ],
            },
            erasingEndpoint: {
              on: {
                'cni.erased.endpoint': [
                  { guard: 'erasesEndpointLast', target: '#cni.absent', actions: 'eraseEndpoint' },
                  { target: 'removingInterface', actions: 'eraseEndpoint' },
                ],
              },
            },
            removingInterface: {
              on: {
                'cni.removed.interface': [
                  { guard: 'erasesEndpointLast', target: 'erasingEndpoint', actions: 'removeInterface' },
                  { target: '#cni.absent', actions: 'removeInterface' },
                ],
              },
            },
          },
        },
      },
    },
  },
});
