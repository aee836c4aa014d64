/**
 * The eight properties of a route reconciler, and the systems in which each is decided.
 *
 * @module
 */
import type { Design } from '../models/designs.ts';
import { nodeSystem } from '../models/node.system.ts';
import type { NodeOptions } from '../models/node-options.ts';
import type { Property } from '../src/property.ts';
import type { System } from '../src/system.ts';
import { fullSyncHears, fullSyncMachine } from './full-sync.machine.ts';
import { orphanRemoved, routeRepaired } from './liveness.ts';
import {
  failStatic,
  noCollateralDelete,
  noForgottenRouteDeleted,
  noKnownRouteDeleted,
  noRouteDeletedDuringAdd,
} from './safety.ts';
import { detectionBound, stalenessDetected } from './staleness.ts';
import { stopwatchHears, stopwatchOf } from './stopwatch.machine.ts';

export { type Costs, costs, type Duration } from './costs.ts';
export { fullSyncHears, fullSyncMachine } from './full-sync.machine.ts';
export { orphanRemoved, routeRepaired } from './liveness.ts';
export {
  failStatic,
  noCollateralDelete,
  noForgottenRouteDeleted,
  noKnownRouteDeleted,
  noRouteDeletedDuringAdd,
} from './safety.ts';
export { detectionBound, stalenessDetected } from './staleness.ts';
export { stopwatchHears, stopwatchMachine, stopwatchOf } from './stopwatch.machine.ts';

/** A system and what must hold in it. */
export interface Obligation {
  /** Where it is decided. */
  readonly system: System;
  /** What is decided there. */
  readonly properties: readonly Property[];
}

const ofEndpoints: readonly ((endpoints: number) => Property)[] = [
  noKnownRouteDeleted,
  noRouteDeletedDuringAdd,
  noCollateralDelete,
  failStatic,
  routeRepaired,
  orphanRemoved,
  noForgottenRouteDeleted,
];

/** A property as it is listed. */
export interface PropertyEntry {
  /** As on the command line. */
  readonly id: string;
  /** One sentence. */
  readonly says: string;
}

/** Every property's id and meaning, in the order in which reports show them. */
export const propertyList: readonly PropertyEntry[] = [
  ...ofEndpoints.map((property) => property(1)),
  stalenessDetected(),
].map(({ id, says }) => ({ id, says }));

/**
 * What has to be decided about a design: its node with endpoints, and a part that listens to its full
 * lists, for all properties but one; and for `staleness-detected`, which no endpoint has a part in, the shared
 * parts with a stopwatch.
 *
 * @param design - the design
 * @param options - endpoints, faults, strikes
 * @param wanted - ids of the properties; all if left out
 */
export function obligations(design: Design, options: NodeOptions, wanted?: readonly string[]): Obligation[] {
  const isWanted = ({ id }: { readonly id: string }): boolean => wanted === undefined || wanted.includes(id);
  const node = ofEndpoints.map((property) => property(options.endpoints)).filter(isWanted);
  const timed = [stalenessDetected()].filter(isWanted);
  const fullSync = { machine: fullSyncMachine, hears: fullSyncHears, shared: true };
  const stopwatch = { machine: stopwatchOf(detectionBound(design)), hears: stopwatchHears };
  return [
    ...(node.length > 0
      ? [{ system: nodeSystem(design, { ...options, observers: { fullSync } }), properties: node }]
      : []),
    ...(timed.length > 0
      ? [
          {
            system: nodeSystem(design, { ...options, endpoints: 0, observers: { stopwatch } }),
            properties: timed,
          },
        ]
      : []),
  ];
}
