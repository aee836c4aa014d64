/** The liveness properties: what the agent must bring about once faults have stopped. */
import { endpointNumbers, partOf } from '../models/parts.ts';
import type { Condition, EventuallyAlways } from '../src/property.ts';
import { committed, interfaceUp, ofEndpoint, orphaned, readEndpoint, routed } from './vocabulary.ts';

const calm: Condition = { reads: ['environment'], holds: (at) => at('environment').hasTag('calm') };

/** Once faults stop, every committed endpoint with an interface that is up has its route, for good. */
export const routeRepaired = (endpoints: number): EventuallyAlways => ({
  id: 'route-repaired',
  kind: 'eventually-always',
  says: 'once faults stop, every committed endpoint with an interface that is up has its route, for good',
  violation: 'Nothing disturbs the system any more, and a committed endpoint is without its route for ever.',
  witnesses: [
    {
      id: 'route-missing-in-calm',
      says: 'faults have stopped and a committed endpoint is without its route',
      state: {
        reads: ['environment', partOf('record', 1), partOf('kernel', 1)],
        holds: (at) => calm.holds(at) && lacksRoute(1, at),
      },
    },
  ],
  within: calm,
  clauses: endpointNumbers(endpoints).map((number) => ({
    reads: [partOf('record', number), partOf('kernel', number)],
    holds: (at) => !lacksRoute(number, at),
  })),
});

function lacksRoute(number: number, at: Parameters<Condition['holds']>[0]): boolean {
  const endpoint = readEndpoint(number, at);
  return committed(endpoint) && interfaceUp(endpoint) && !routed(endpoint);
}

/** Once faults stop, a route without an endpoint and without an ADD in flight is removed. */
export const orphanRemoved = (endpoints: number): EventuallyAlways => ({
  id: 'orphan-removed',
  kind: 'eventually-always',
  says: 'once faults stop, a route without an endpoint and without an ADD in flight is removed',
  violation: 'Nothing disturbs the system any more, and a route that belongs to no endpoint stands for ever.',
  witnesses: [
    {
      id: 'orphan-in-calm',
      says: 'faults have stopped and a route stands that belongs to no endpoint',
      state: {
        reads: ['environment', ...kinds.map((kind) => partOf(kind, 1))],
        holds: (at) => calm.holds(at) && orphaned(readEndpoint(1, at)),
      },
    },
  ],
  within: calm,
  clauses: endpointNumbers(endpoints).map((number) =>
    ofEndpoint(number, kinds, (endpoint) => !orphaned(endpoint)),
  ),
});

const kinds = ['record', 'cni', 'kernel'] as const;
