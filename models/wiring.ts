/** Who hears whom: one table for what all endpoints hear, and one for what stays within an endpoint. */
import type { EventObject } from 'xstate';
import type { Delivery } from '../src/system.ts';
import type { NodeOptions } from './node-options.ts';
import { kinds } from './parts.ts';

/** Who hears what a shared part says: other shared parts by name, and kinds of parts of every endpoint. */
export const heard: Readonly<Record<string, readonly string[]>> = {
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
export const heardWithin: Readonly<Record<string, readonly (typeof kinds)[number][]>> = {
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

/** The wiring of a node with these endpoints and observers. */
export function nodeWiring(
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
