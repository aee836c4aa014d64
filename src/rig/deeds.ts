/** The choices of the model that the world makes, as things that are done to a rig. */
import type { Relation } from '../../models/cni.machine.ts';
import type { Order } from '../cni/steps.ts';
import type { Rig } from './rig.ts';

/** A choice of the model for which the rig has nothing that it could do. */
export class NotForReal extends Error {
  /** Always `NotForReal`. */
  override name = 'NotForReal';
}

type Deed = (rig: Rig, place: number, order: Order) => void | Promise<void>;

const created =
  (relation: Relation): Deed =>
  (rig, place, order) =>
    rig.createPod(place, order, relation);

const next: Deed = async (rig, place) => {
  await rig.nextStep(place);
};

const flap =
  (up: boolean): Deed =>
  (rig, place) =>
    rig.setInterface(place, up);

/** A choice without the number of its endpoint. */
const kindOf = (id: string): string => id.replace(/\[.*\]$/, '');

/** By the choice's kind. */
const deeds: Readonly<Record<string, Deed>> = {
  'peer.vanished': (rig) => rig.halfOpen(),
  'connection.reset': (rig) => rig.link.reset(),
  'watch.cancelled': (rig) => rig.cancelWatch(),
  'stream.stalled': (rig) => rig.link.stall(),
  'stream.resumed': (rig) => rig.link.resume(),
  'member.isolated': (rig) => rig.isolate(),
  'member.healed': (rig) => rig.link.cluster.heal(),
  'leader.lost': (rig) => rig.link.cluster.loseLeader(),
  'leader.elected': (rig) => rig.link.cluster.electLeader(),
  'history.compacted': (rig) => rig.compact(),
  'backup.restored': (rig) => rig.restore(() => true),
  'record.forgotten': (rig, place) => rig.restore((each) => each !== place),
  'revision.overtook': (rig) => rig.overtake(),
  'pod.created': created('fresh'),
  'pod.recreated.same': created('same'),
  'pod.recreated.renumbered': created('renumbered'),
  'pod.replaced.same': created('same'),
  'pod.replaced.renumbered': created('renumbered'),
  'address.reused': created('readdressed'),
  'pod.deleted': (rig, place, order) => rig.deletePod(place, order),
  'del.retried': (rig, place, order) => rig.deletePod(place, order),
  'del.repeated': (rig, place, order) => rig.repeatDelete(place, order),
  'cni.made.interface': next,
  'cni.added.route': next,
  'cni.wrote.endpoint': next,
  'cni.erased.endpoint': next,
  'cni.removed.interface': next,
  'cni.crashed': (rig, place) => rig.crash(place),
  // A plugin that is slow does nothing, and that is what the rig does.
  'cni.stalled': () => {},
  'cni.resumed': () => {},
  'interface.flapped': flap(false),
  'interface.recovered': flap(true),
  'process.paused': (rig) => rig.agent.steps.hold(),
  'process.resumed': (rig) => rig.resumeAgent(),
  'process.restarted': (rig) => rig.restartAgent(),
  // Whether the agent pings is the client library's business, and when.
  'ping.sent': () => {},
  'changes.stopped': () => {},
};

/** Whether a choice is the agent's own, so that the agent makes it. */
export const isAgents = (id: string): boolean =>
  [
    ...['connection.opened', 'dial.failed', 'connection.abandoned', 'list.completed', 'list.failed'],
    ...['watch.attempted', 'event.delivered', 'probe.returned', 'apply.ran', 'resync.ran'],
    ...['fence.polled', 'fence.misled', 'delete.executed'],
  ].includes(kindOf(id));

/** The number of the endpoint that a choice or a part is about. */
export const placeOf = (id: string): number => Number(/\[(\d+)\]$/.exec(id)?.[1] ?? 0);

/** Whether there is something that a choice of the world can be on a rig. */
export const isForReal = (id: string): boolean => kindOf(id) in deeds;

/**
 * Does what a choice of the world stands for.
 *
 * @throws NotForReal if there is nothing that it could be
 */
export async function doForReal(rig: Rig, id: string, order: Order): Promise<void> {
  const deed = deeds[kindOf(id)];
  if (deed === undefined) throw new NotForReal(`'${id}' cannot be done to a real system yet`);
  await deed(rig, placeOf(id), order);
}
