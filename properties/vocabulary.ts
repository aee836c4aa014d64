/**
 * The words that the properties are written in: conditions on one endpoint's parts, stated against the store and the
 * kernel and never against what the agent believes.
 *
 * "Has its address on an interface" means the interface that the endpoint's own ADD made. The record names an
 * interface, and the kernel knows an index: an older interface of the same name is not the new endpoint's.
 */
import type { AnyMachineSnapshot } from 'xstate';
import { partOf } from '../models/parts.ts';
import type { Condition, Reader } from '../src/property.ts';

/** What the predicates of one endpoint read. */
export interface Endpoint {
  readonly record: AnyMachineSnapshot;
  readonly cni: AnyMachineSnapshot;
  readonly kernel: AnyMachineSnapshot;
  readonly cleanup: AnyMachineSnapshot;
}

/** A condition on one endpoint. */
export function ofEndpoint(
  number: number,
  kinds: readonly (keyof Endpoint)[],
  holds: (endpoint: Endpoint) => boolean,
): Condition {
  return {
    reads: kinds.map((kind) => partOf(kind, number)),
    holds: (at) => holds(readEndpoint(number, at)),
  };
}

/** Reads one endpoint's parts, each when it is asked for. */
export function readEndpoint(number: number, at: Reader): Endpoint {
  return {
    get record() {
      return at(partOf('record', number));
    },
    get cni() {
      return at(partOf('cni', number));
    },
    get kernel() {
      return at(partOf('kernel', number));
    },
    get cleanup() {
      return at(partOf('cleanup', number));
    },
  };
}

/** The store holds the endpoint of the newest pod. */
export const committed = ({ record }: Pick<Endpoint, 'record'>): boolean => record.hasTag('committed');

/** The store holds the endpoint of an older pod of the same name. */
const staleCommitted = ({ record }: Pick<Endpoint, 'record'>): boolean =>
  record.matches({ content: 'stale' });

/** The endpoint was committed, its CNI never removed it, and a restored store does not know it. */
export const forgotten = ({ record }: Pick<Endpoint, 'record'>): boolean => record.hasTag('forgotten');

/** The newest pod's ADD is in flight. */
export const addInFlight = ({ cni }: Pick<Endpoint, 'cni'>): boolean => cni.hasTag('adding');

/** The newest pod's interface is up. */
export const interfaceUp = ({ kernel }: Pick<Endpoint, 'kernel'>): boolean => kernel.hasTag('up');

/** The newest pod's route stands. */
export const routed = ({ kernel }: Pick<Endpoint, 'kernel'>): boolean => kernel.hasTag('routed');

/** A route stands over an older interface of the same name. */
export const staleRouted = ({ kernel }: Pick<Endpoint, 'kernel'>): boolean => kernel.matches('staleRouted');

/** The agent's view would not expect the newest pod's route. */
export const viewUnaware = ({ cleanup }: Pick<Endpoint, 'cleanup'>): boolean =>
  cleanup.matches({ view: 'unknown' }) || cleanup.matches({ view: 'clashing' });

/**
 * A route stands to which no endpoint has a right: neither a committed one, nor one that a restored store has
 * forgotten, nor one whose ADD is in flight.
 */
export function orphaned(endpoint: Endpoint): boolean {
  if (addInFlight(endpoint)) return false;
  if (staleRouted(endpoint)) return !staleCommitted(endpoint);
  return routed(endpoint) && !committed(endpoint) && !forgotten(endpoint);
}
