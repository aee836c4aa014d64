/** What a node may be busy with when a fault strikes. Several may be at once, and of several endpoints one is enough. */
import type { Reader } from '../src/property.ts';
import type { Phase } from '../src/random/draw-walk.ts';
import { endpointNumbers, partOf } from './parts.ts';

type Kind = 'cni' | 'cleanup';

const shared = (
  id: string,
  says: string,
  part: string,
  holds: (at: Reader) => boolean,
  rare = false,
): Phase => ({
  id,
  says,
  state: { reads: [part], holds },
  rare,
});

function ofSome(
  endpoints: number,
  id: string,
  says: string,
  kind: Kind,
  holds: (snapshot: ReturnType<Reader>) => boolean,
  rare = false,
): Phase {
  const names = endpointNumbers(endpoints).map((number) => partOf(kind, number));
  return { id, says, state: { reads: names, holds: (at) => names.some((name) => holds(at(name))) }, rare };
}

/**
 * The phases of a node.
 *
 * @param endpoints - how many endpoints it has
 */
export const phases = (endpoints: number): readonly Phase[] => [
  shared('start', 'the agent has not had a full list since its start', 'apply', (at) =>
    at('apply').matches('unsynced'),
  ),
  shared(
    'resync',
    'the watch is down, and the agent connects, lists or resumes',
    'watcher',
    (at) => !at('watcher').hasTag('connected'),
  ),
  shared('stale', 'the watch can deliver nothing, and the agent does not know', 'link', (at) =>
    at('link').hasTag('blind'),
  ),
  shared('watching', 'the watch delivers', 'watcher', (at) => at('watcher').hasTag('connected')),
  ofSome(endpoints, 'add', 'a CNI ADD is in flight', 'cni', (cni) => cni.hasTag('adding')),
  ofSome(
    endpoints,
    'grace',
    'an interface is in its grace period',
    'cleanup',
    (cleanup) => cleanup.matches({ clock: 'counting' }),
    true,
  ),
  ofSome(
    endpoints,
    'fence',
    'the agent asks the store, or waits for a proof, before it deletes',
    'cleanup',
    (cleanup) => cleanup.matches({ decision: 'fencing' }) || cleanup.matches({ decision: 'awaitingProof' }),
    true,
  ),
  ofSome(
    endpoints,
    'delete',
    'a delete is on its way to the kernel',
    'cleanup',
    (cleanup) => cleanup.matches({ decision: 'deleting' }),
    true,
  ),
];
