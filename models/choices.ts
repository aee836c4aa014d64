/**
 * What the outside may do to a node: deliver, fail, recover, create and delete pods. Where several parts must agree, a
 * choice tells each of them, and is offered when all of them take it.
 */
import type { EventObject } from 'xstate';
import type { Choice } from '../src/system.ts';
import type { Relation } from './cni.machine.ts';
import type { Design } from './designs.ts';
import { type FaultId, faults } from './faults.ts';
import type { NodeOptions } from './node-options.ts';
import { kinds, partOf } from './parts.ts';

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

/** The choices of a node, in the order in which equally short traces prefer them. */
export function nodeChoices(design: Design, numbers: readonly number[], options: NodeOptions): Choice[] {
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
