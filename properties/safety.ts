/** The safety properties: what the agent's deletes must never do. Section 4 of the specification. */
import type { EventObject } from 'xstate';
import { endpointNumbers, partOf } from '../models/parts.ts';
import type { EffectCondition, EffectInvariant, Witness } from '../src/property.ts';
import {
  addInFlight,
  committed,
  type Endpoint,
  forgotten,
  ofEndpoint,
  readEndpoint,
  routed,
  staleRouted,
  viewUnaware,
} from './vocabulary.ts';

/** What the kernel says when the agent's request has removed a route. */
interface RouteDeleted extends EventObject {
  readonly interface: 'current' | 'stale';
  readonly meant: 'current' | 'stale';
}

/** A rule on every route that the agent's cleanup removes. */
function onDelete(
  number: number,
  kinds: readonly (keyof Endpoint)[],
  holds: (before: Endpoint, deleted: RouteDeleted) => boolean,
): EffectCondition {
  return {
    on: { part: partOf('kernel', number), emits: 'route.deleted' },
    reads: kinds.map((kind) => partOf(kind, number)),
    holds: (at, event) => holds(readEndpoint(number, at), event as RouteDeleted),
  };
}

const routeUnknownToView: Witness = {
  id: 'known-route-looks-unknown',
  says: 'a committed endpoint has its route, and the view of the agent does not know the endpoint',
  state: ofEndpoint(
    1,
    ['record', 'kernel', 'cleanup'],
    (endpoint) => committed(endpoint) && routed(endpoint) && viewUnaware(endpoint),
  ),
};

/** When cleanup removes route X on interface i, no committed endpoint has address X on i. */
export const noKnownRouteDeleted = (endpoints: number): EffectInvariant => ({
  id: 'no-known-route-deleted',
  kind: 'effect',
  says: 'when cleanup removes route X on interface i, no committed endpoint has address X on i',
  violation: 'The agent deleted the route of an endpoint that is committed in the store: the pod is cut off.',
  witnesses: [routeUnknownToView],
  clauses: endpointNumbers(endpoints).map((number) =>
    onDelete(number, ['record'], (before, deleted) => deleted.interface !== 'current' || !committed(before)),
  ),
});

/** Cleanup removes no route whose CNI ADD is still in flight. */
export const noRouteDeletedDuringAdd = (endpoints: number): EffectInvariant => ({
  id: 'no-route-deleted-during-add',
  kind: 'effect',
  says: 'cleanup removes no route whose CNI ADD is still in flight',
  violation: 'The agent deleted a route that the CNI plugin had just added: the pod starts without it.',
  witnesses: [
    {
      id: 'route-during-add',
      says: 'a route stands while its ADD is in flight',
      state: ofEndpoint(1, ['cni', 'kernel'], (endpoint) => addInFlight(endpoint) && routed(endpoint)),
    },
  ],
  clauses: endpointNumbers(endpoints).map((number) =>
    onDelete(number, ['cni'], (before, deleted) => deleted.interface !== 'current' || !addInFlight(before)),
  ),
});

/** A delete meant for X on i never removes X on another interface j. */
export const noCollateralDelete = (endpoints: number): EffectInvariant => ({
  id: 'no-collateral-delete',
  kind: 'effect',
  says: 'a delete meant for X on i never removes X on another interface j',
  violation:
    'A delete meant for an interface that is gone removed the route of the pod that has its address now.',
  witnesses: [
    {
      id: 'route-over-older-interface',
      says: 'a route stands over an interface that an earlier pod of the name left behind',
      state: ofEndpoint(1, ['kernel'], staleRouted),
    },
  ],
  clauses: endpointNumbers(endpoints).map((number) =>
    onDelete(number, [], (_before, deleted) => deleted.interface === deleted.meant),
  ),
});

/** Before the first full sync after a start nothing is deleted. Reads the part `fullSync`; see {@link fullSyncMachine}. */
export const failStatic = (endpoints: number): EffectInvariant => ({
  id: 'fail-static',
  kind: 'effect',
  says: 'before the first full sync after a start nothing is deleted',
  violation: 'The agent deleted a route before it had heard of every endpoint.',
  witnesses: [
    {
      id: 'unknown-route-before-sync',
      says: 'a route stands that the agent does not know, and it has not synced since its start',
      state: {
        reads: ['fullSync', partOf('kernel', 1), partOf('cleanup', 1)],
        holds: (at) =>
          at('fullSync').matches('due') && routed(readEndpoint(1, at)) && viewUnaware(readEndpoint(1, at)),
      },
    },
  ],
  clauses: endpointNumbers(endpoints).map((number) => ({
    on: { part: partOf('kernel', number), emits: 'route.deleted' },
    reads: ['fullSync'],
    holds: (at) => !at('fullSync').matches('due'),
  })),
});

/** When cleanup removes X on i, no endpoint that was committed there and never removed exists, even a forgotten one. */
export const noForgottenRouteDeleted = (endpoints: number): EffectInvariant => ({
  id: 'no-forgotten-route-deleted',
  kind: 'effect',
  says: 'when cleanup removes X on i, no endpoint that was committed there and never removed by its CNI exists, even if a restored store has forgotten it',
  violation: 'The agent deleted the route of a living pod that a restored store has forgotten.',
  witnesses: [
    {
      id: 'forgotten-endpoint-has-route',
      says: 'a restored store has forgotten an endpoint, its route stands, and the view does not know it',
      state: ofEndpoint(
        1,
        ['record', 'kernel', 'cleanup'],
        (endpoint) => forgotten(endpoint) && routed(endpoint) && viewUnaware(endpoint),
      ),
    },
  ],
  clauses: endpointNumbers(endpoints).map((number) =>
    onDelete(number, ['record'], (before, deleted) => deleted.interface !== 'current' || !forgotten(before)),
  ),
});
