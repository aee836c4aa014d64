/**
 * Random walks through systems with running XState actors, drawn and shrunk by fast-check: for what is too large to be
 * searched. Here and not in the main module, so that who only checks does not load fast-check.
 *
 * ```ts
 * import { assertWalks } from 'routeproof/random';
 *
 * it('deletes no known route', () => assertWalks(system, noKnownRouteDeleted(8), { runs: 100 }));
 * ```
 *
 * @module
 */

export { type AssertWalksOptions, assertWalks } from './assert-walks.ts';
export type { Drawing, Phase } from './draw-walk.ts';
export {
  type FuzzedProperty,
  type FuzzOptions,
  type FuzzReport,
  type FuzzViolation,
  fuzz,
  goalsOf,
  type Shard,
  type ShardDone,
} from './fuzz.ts';
export { MergeError, mergeReports, missingShards } from './merge.ts';
export { type WalkListener, WalkPlayer } from './play-walk.ts';
export { RunningSystem } from './running-system.ts';
export type { FuzzStatistics } from './statistics.ts';
export type { Shown, Walk } from './walk.ts';
export { Walker } from './walker.ts';
export { walks } from './walks.ts';
