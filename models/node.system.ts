/**
 * The node: which machines there are, who hears whom, what the outside may do. One place for all designs.
 *
 * Parts of one endpoint form a component, so that for the engine an endpoint is one small number; so do the parts that
 * all endpoints share.
 */
import type { AnyStateMachine, EventObject } from 'xstate';
import { type Choice, type Delivery, defineSystem, type PartDefinition, type System } from '../src/system.ts';
import { agentMachine } from './agent.machine.ts';
import { applyMachine } from './apply.machine.ts';
import { cleanupMachine } from './cleanup.machine.ts';
import { cniMachine, type Relation } from './cni.machine.ts';
import { type Design, type Parameter, type Parameters, type Switch, switches } from './designs.ts';
import { environmentMachine } from './environment.machine.ts';
import { type FaultId, faults } from './faults.ts';
import { kernelMachine } from './kernel.machine.ts';
import { linkMachine } from './link.machine.ts';
import { recordMachine } from './record.machine.ts';
import { storeMachine } from './store.machine.ts';
import { watcherMachine } from './watcher.machine.ts';

/** The id of a machine. */
export type MachineId =
  | 'environment'
  | 'store'
  | 'link'
  | 'watcher'
  | 'agent'
  | 'apply'
  | 'record'
  | 'cni'
  | 'kernel'
  | 'cleanup';

/** The machines by id, as a designer wrote them: switches off, delays as in the smallest instance. */
export const machines: Readonly<Record<MachineId, AnyStateMachine>> = {
  environment: environmentMachine,
  store: storeMachine,
  link: linkMachine,
  watcher: watcherMachine,
  agent: agentMachine,
  apply: applyMachine,
  record: recordMachine,
  cni: cniMachine,
  kernel: kernelMachine,
  cleanup: cleanupMachine,
};

/** A part that only listens, such as a stopwatch. */
export interface Observer {
  /** What it is. */
  readonly machine: AnyStateMachine;
  /** The types of the emitted events that it hears. */
  readonly hears: readonly string[];
}

/** What a node is built from besides its design. */
export interface NodeOptions {
  /** How many endpoints: 0 or more. */
  readonly endpoints: number;
  /** The faults that may strike; the whole catalogue if left out. */
  readonly faults?: readonly FaultId[];
  /** How many faults may strike in all; any number if left out. */
  readonly strikes?: number;
  /** The agent applies, fences and deletes as soon as it can; otherwise as late as it likes. For measuring costs. */
  readonly promptAgent?: boolean;
  /** Further parts that only listen, by name. */
  readonly observers?: Readonly<Record<string, Observer>>;
}

/** Names of one endpoint's parts. */
export const partOf = (kind: 'record' | 'cni' | 'kernel' | 'cleanup', endpoint: number): string =>
  `${kind}[${endpoint}]`;

/** The numbers of the endpoints: 1, 2, … */
export const endpointNumbers = (endpoints: number): readonly number[] =>
  Array.from({ length: endpoints }, (_, index) => index + 1);

/** A duration in whole ticks, rounded up. */
export function ticksOf(parameters: Parameters, name: Parameter): number {
  return Math.ceil(parameters[name] / parameters.tick);
}

const delayOf: Readonly<Record<string, Parameter>> = {
  gracePeriod: 'grace',
  keepaliveTime: 'keepaliveTime',
  keepaliveTimeout: 'keepaliveTimeout',
  leaderTimeout: 'leaderTimeout',
  probePeriod: 'probePeriod',
  probeTimeout: 'probeTimeout',
  callDeadline: 'callDeadline',
  retryDelay: 'retryDelay',
};

/** The machines of a design: its switches as guards, its durations as delays in whole ticks. */
export function machinesOf(design: Design): Record<MachineId, AnyStateMachine> {
  const on = new Set<Switch>(design.switches);
  const provided = Object.entries(machines).map(([id, machine]: [string, AnyStateMachine]) => {
    const guards = Object.fromEntries(
      switches
        .filter((name) => name in machine.implementations.guards)
        .map((name) => [name, () => on.has(name)]),
    );
    const delays = Object.fromEntries(
      Object.entries(delayOf)
        .filter(([name]) => name in machine.implementations.delays)
        .map(([name, parameter]) => [name, ticksOf(design.parameters, parameter)]),
    );
    return [id, machine.provide({ guards, delays })];
  });
  return Object.fromEntries(provided) as Record<MachineId, AnyStateMachine>;
}

const kinds = ['record', 'cni', 'kernel', 'cleanup'] as const;
const sharedParts = ['environment', 'store', 'link', 'watcher', 'agent', 'apply'] as const;

/**
 * Composes a node.
 *
 * @param design - switches and parameters
 * @param options - endpoints, faults, observers
 * @returns the system, its parts named `store`, `link`, …, `record[1]`, `cni[1]`, …
 */
export function nodeSystem(design: Design, options: NodeOptions): System {
  const numbers = endpointNumbers(options.endpoints);
  const made = machinesOf(design);
  const ofAgent = { process: 'agent' };
  const parts: Record<string, PartDefinition> = {
    environment: { machine: made.environment, input: { strikes: options.strikes ?? 'unbounded' } },
    store: { machine: made.store },
    link: { machine: made.link, ...ofAgent },
    watcher: { machine: made.watcher, ...ofAgent },
    agent: { machine: made.agent },
    apply: { machine: made.apply, ...ofAgent },
  };
  const components: Record<string, string[]> = { shared: [...sharedParts] };
  for (const number of numbers) {
    for (const kind of kinds) {
      parts[partOf(kind, number)] = { machine: made[kind], ...(kind === 'cleanup' ? ofAgent : {}) };
    }
    components[`endpoint[${number}]`] = kinds.map((kind) => partOf(kind, number));
  }
  for (const [name, observer] of Object.entries(options.observers ?? {}))
    parts[name] = { machine: observer.machine };
  return defineSystem({
    id: `${design.id} with ${options.endpoints} endpoint${options.endpoints === 1 ? '' : 's'}`,
    parts,
    components,
    wiring: nodeWiring(numbers, options),
    choices: nodeChoices(design, numbers, options),
    processes: { agent: { part: 'agent', pausedTag: 'paused' } },
    tickSeconds: design.parameters.tick,
  });
}

/** Who hears what a shared part says: other shared parts by name, and kinds of parts of every endpoint. */
const heard: Readonly<Record<string, readonly string[]>> = {
  'store.restarted': ['link', 'record'],
  'store.overtook': ['record'],
  'watch.created': ['watcher'],
  'watch.refused': ['watcher'],
  'connection.closed': ['watcher'],
  'stream.broken': ['record'],
  'view.listed': ['store', 'record', 'apply'],
  'watch.requested': ['store'],
  'watch.synced': ['apply'],
  'watch.lost': ['apply'],
  'resume.advanced': ['record'],
  'view.proven': ['cleanup'],
  'connection.dropped': ['link'],
  'apply.started': ['cleanup'],
  'agent.restarted': ['watcher', 'apply', 'record', 'cleanup', 'kernel'],
  'backup.restored': ['store'],
};

/** Who hears what a part of an endpoint says, within that endpoint. */
const heardWithin: Readonly<Record<string, readonly (typeof kinds)[number][]>> = {
  'pod.superseded': ['record', 'kernel', 'cleanup'],
  'interface.created': ['kernel'],
  'interface.removed': ['kernel'],
  'sandbox.cleaned': ['kernel'],
  'route.added': ['kernel'],
  'route.repaired': ['kernel'],
  'route.deleteRequested': ['kernel'],
  'routes.asked': ['kernel'],
  'endpoint.written': ['record'],
  'endpoint.erased': ['record'],
  'fence.asked': ['kernel'],
  'fence.read': ['record'],
  'interface.appeared': ['cleanup'],
  'interface.vanished': ['cleanup'],
  'routes.listed': ['cleanup'],
  'endpoint.reported': ['cleanup'],
  'fence.answered': ['cleanup'],
};

function nodeWiring(
  numbers: readonly number[],
  options: NodeOptions,
): (from: string, event: EventObject) => Delivery[] {
  return (from, event) => {
    const endpoint = /\[\d+\]$/.exec(from)?.[0];
    const within = endpoint === undefined ? [] : (heardWithin[event.type] ?? []);
    const around = heard[event.type] ?? [];
    const observers = Object.entries(options.observers ?? {}).filter(([, { hears }]) =>
      hears.includes(event.type),
    );
    return [
      ...within.map((kind) => `${kind}${endpoint}`),
      ...around.flatMap((kind) =>
        (kinds as readonly string[]).includes(kind) ? numbers.map((number) => `${kind}[${number}]`) : [kind],
      ),
      ...observers.map(([name]) => name),
    ].map((to) => ({ to, event }));
  };
}

type Told = Record<string, string | EventObject>;

/** A choice from `{ part: event }`; an event without data may be given by its type. */
function choice(id: string, says: string, told: Told, rest: Partial<Choice> = {}): Choice {
  const deliver = Object.entries(told).map(([to, event]) => ({
    to,
    event: typeof event === 'string' ? { type: event } : event,
  }));
  return { id, says, deliver, ...rest };
}

const prompt = { urgent: true, fairness: 'weak' } as const;
const fair = { fairness: 'weak' } as const;

function nodeChoices(design: Design, numbers: readonly number[], options: NodeOptions): Choice[] {
  const enabled = new Set<FaultId>(options.faults ?? faults.map(({ id }) => id));
  const agents = options.promptAgent === true ? prompt : fair;
  const fault = (fault: FaultId, id: string, says: string, told: Told): Choice[] =>
    enabled.has(fault) ? [choice(id, says, { environment: 'fault.struck', ...told }, { fault })] : [];
  return [
    choice(
      'connection.opened',
      'a connection is made',
      { link: 'connection.opened', watcher: 'connection.opened' },
      prompt,
    ),
    choice(
      'list.completed',
      'the list is complete: in sync',
      { store: 'read.served', link: 'call.carried', watcher: 'list.completed' },
      prompt,
    ),
    ...fault('half-open', 'peer.vanished', 'the peer vanishes; the socket stays ESTABLISHED', {
      link: 'peer.vanished',
    }),
    ...fault('isolated-member', 'member.isolated', 'the member loses its quorum, and still answers pings', {
      link: 'member.isolated',
    }),
    ...fault('connection-reset', 'connection.reset', 'the connection is reset', { link: 'connection.reset' }),
    ...fault('stalled-stream', 'stream.stalled', 'events queue up', { link: 'stream.stalled' }),
    ...fault('watch-cancelled', 'watch.cancelled', 'the server cancels the watch', {
      link: 'call.carried',
      watcher: 'watch.cancelled',
    }),
    ...fault('dial-failed', 'dial.failed', 'the dial fails', { watcher: 'dial.failed' }),
    ...fault('list-failed', 'list.failed', 'the list fails half-way', { watcher: 'list.failed' }),
    ...fault('compaction', 'history.compacted', 'history is compacted', { store: 'history.compacted' }),
    ...fault('backup-restored', 'backup.restored', 'an older backup is restored', {
      store: 'backup.restored',
    }),
    ...fault('leader-lost', 'leader.lost', 'the leader is lost', { store: 'leader.lost' }),
    ...fault('process-paused', 'process.paused', 'the agent is frozen', { agent: 'process.paused' }),
    ...fault('agent-restarted', 'process.restarted', 'the agent restarts', { agent: 'process.restarted' }),
    ...numbers.flatMap((number) => endpointFaults(number, fault)),
    ...numbers.flatMap((number) => podChoices(number, enabled)),
    choice('process.resumed', 'the agent goes on', { agent: 'process.resumed' }, fair),
    choice('leader.elected', 'a leader is elected', { store: 'leader.elected' }, fair),
    choice('member.healed', 'the member has its quorum back', { link: 'member.healed' }, fair),
    choice('stream.resumed', 'events flow again', { link: 'stream.resumed' }, fair),
    choice('revision.overtook', 'the restored store passes the resume point', { store: 'revision.overtook' }),
    ...(design.switches.includes('sendsKeepalive')
      ? [choice('ping.sent', 'a ping is sent', { link: 'ping.sent' })]
      : []),
    choice(
      'watch.attempted',
      'the watch is resumed',
      { link: 'call.carried', watcher: 'watch.attempted' },
      prompt,
    ),
    choice('connection.abandoned', 'the connection is given up', { watcher: 'connection.abandoned' }, prompt),
    ...probeChoices(design, numbers),
    ...numbers.flatMap((number) => endpointChoices(design, number, agents)),
    choice('apply.ran', 'the agent applies', { apply: 'apply.ran' }, agents),
    ...(design.switches.includes('keysGraceByName')
      ? [choice('resync.ran', 'the agent applies after a full resync', { apply: 'resync.ran' })]
      : []),
    choice(
      'changes.stopped',
      'no fault is in progress, and there will be no more; no more pods',
      calmOf(numbers),
    ),
  ];
}

function endpointFaults(
  number: number,
  fault: (fault: FaultId, id: string, says: string, told: Told) => Choice[],
): Choice[] {
  const cni = partOf('cni', number);
  return [
    ...fault('cni-crashed', `cni.crashed[${number}]`, 'the CNI plugin crashes', { [cni]: 'cni.crashed' }),
    ...fault('cni-stalled', `cni.stalled[${number}]`, 'the CNI plugin is slow', { [cni]: 'cni.stalled' }),
    ...fault('late-del', `del.repeated[${number}]`, 'a late DEL of an earlier sandbox', {
      [cni]: 'del.repeated',
    }),
    ...fault('interface-flapped', `interface.flapped[${number}]`, 'the interface goes down', {
      [partOf('kernel', number)]: 'interface.flapped',
    }),
    ...fault(
      'backup-restored',
      `record.forgotten[${number}]`,
      'a restored backup does not know the endpoint',
      {
        [partOf('record', number)]: 'record.forgotten',
      },
    ),
  ];
}

function podChoices(number: number, enabled: ReadonlySet<FaultId>): Choice[] {
  const cni = partOf('cni', number);
  const changed = { environment: 'pod.changed' };
  const cleared = { [partOf('record', number)]: 'slot.reused', [partOf('kernel', number)]: 'slot.reused' };
  const created = (relation: Relation) => ({ [cni]: { type: 'pod.created', relation } });
  const recreated = (relation: Relation) => ({ [cni]: { type: 'pod.recreated', relation } });
  return [
    choice(`pod.created[${number}]`, 'a new pod: ADD begins', {
      ...changed,
      ...cleared,
      ...created('fresh'),
    }),
    ...(enabled.has('pod-recreated')
      ? [
          choice(
            `pod.recreated.same[${number}]`,
            'the pod is made again, same name, same address: ADD begins',
            { ...changed, ...created('same') },
            { fault: 'pod-recreated' },
          ),
          choice(
            `pod.recreated.renumbered[${number}]`,
            'the pod is made again, same name, new address: ADD begins',
            { ...changed, ...created('renumbered') },
            { fault: 'pod-recreated' },
          ),
          choice(
            `pod.replaced.same[${number}]`,
            'the pod is made again before any DEL, same name, same address: ADD begins',
            { ...changed, ...recreated('same') },
            { fault: 'pod-recreated' },
          ),
          choice(
            `pod.replaced.renumbered[${number}]`,
            'the pod is made again before any DEL, same name, new address: ADD begins',
            { ...changed, ...recreated('renumbered') },
            { fault: 'pod-recreated' },
          ),
        ]
      : []),
    ...(enabled.has('address-reused')
      ? [
          choice(
            `address.reused[${number}]`,
            'a pod of another name gets the address: ADD begins',
            { ...changed, ...cleared, ...created('readdressed') },
            { fault: 'address-reused' },
          ),
        ]
      : []),
    choice(`pod.deleted[${number}]`, 'the pod is deleted: DEL begins', { ...changed, [cni]: 'pod.deleted' }),
  ];
}

function endpointChoices(design: Design, number: number, agents: Partial<Choice>): Choice[] {
  const [record, cni, kernel, cleanup] = kinds.map((kind) => partOf(kind, number)) as [
    string,
    string,
    string,
    string,
  ];
  const polled = { store: 'read.served', [cleanup]: 'fence.polled' };
  return [
    choice(
      `event.delivered[${number}]`,
      'the watch delivers the endpoint’s event',
      { link: 'event.carried', store: 'event.sent', watcher: 'event.delivered', [record]: 'event.delivered' },
      prompt,
    ),
    choice(
      `cni.made.interface[${number}]`,
      'the CNI plugin makes the interface: it is up',
      { [cni]: 'cni.made.interface' },
      prompt,
    ),
    choice(
      `cni.added.route[${number}]`,
      'the CNI plugin adds the route',
      { [cni]: 'cni.added.route' },
      prompt,
    ),
    choice(
      `cni.wrote.endpoint[${number}]`,
      'the CNI plugin writes the endpoint: it is committed',
      { store: 'write.served', [cni]: 'cni.wrote.endpoint' },
      prompt,
    ),
    choice(
      `cni.erased.endpoint[${number}]`,
      'the CNI plugin removes the endpoint from the store',
      { store: 'write.served', [cni]: 'cni.erased.endpoint' },
      prompt,
    ),
    choice(
      `cni.removed.interface[${number}]`,
      'the CNI plugin removes the interface',
      { [cni]: 'cni.removed.interface' },
      prompt,
    ),
    choice(`cni.resumed[${number}]`, 'the CNI plugin goes on', { [cni]: 'cni.resumed' }, fair),
    choice(`del.retried[${number}]`, 'the kubelet asks for DEL again', { [cni]: 'del.retried' }, fair),
    choice(
      `interface.recovered[${number}]`,
      'the interface is up again',
      { [kernel]: 'interface.recovered' },
      fair,
    ),
    ...(design.switches.includes('fences')
      ? [choice(`fence.polled[${number}]`, 'the agent reads the endpoint from the store', polled, agents)]
      : []),
    ...(design.switches.includes('fences') && design.fenceRead === 'serializable'
      ? [
          choice(`fence.misled[${number}]`, 'the isolated member answers the read', {
            link: 'call.carriedByIsolated',
            [cleanup]: 'fence.misled',
          }),
        ]
      : []),
    choice(
      `delete.executed[${number}]`,
      'the agent’s delete reaches the kernel',
      { [cleanup]: 'delete.executed' },
      agents,
    ),
  ];
}

/** Every part in which a fault can be in progress must agree that none is. */
function calmOf(numbers: readonly number[]): Told {
  const parts = [
    ...numbers.flatMap((number) => [partOf('cni', number), partOf('kernel', number)]),
    'link',
    'store',
    'agent',
  ];
  return Object.fromEntries(['environment', ...parts].map((part) => [part, 'changes.stopped']));
}

/** An answer to a probe comes behind every event that was sent before it, so it proves that the view is level. */
function probeChoices(design: Design, numbers: readonly number[]): Choice[] {
  if (!design.switches.includes('probes') || design.probeAnswer === 'none') return [];
  const drained = Object.fromEntries(numbers.map((number) => [partOf('record', number), 'stream.drained']));
  return [
    choice(
      'probe.returned',
      'the probe is answered',
      { link: 'event.carried', store: 'event.sent', ...drained, watcher: 'probe.returned' },
      prompt,
    ),
    ...(design.probeAnswer === 'progress'
      ? [
          choice(
            'probe.echoed',
            'the isolated member answers the probe, with its old revision',
            { link: 'call.carriedByIsolated', watcher: 'probe.returned' },
            prompt,
          ),
        ]
      : []),
  ];
}
