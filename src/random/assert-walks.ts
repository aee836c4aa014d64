/** For tests: a property holds in random walks, or the test fails with the shortest story that was found. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import picocolors from 'picocolors';
import type { Property } from '../property.ts';
import { timeline } from '../report/timeline.ts';
import { printTimeline } from '../report/timeline-text.ts';
import type { System } from '../system.ts';
import { toItf } from '../trace/itf.ts';
import type { Phase } from './draw-walk.ts';
import { goalsOf } from './fuzz.ts';
import { WalkPlayer } from './play-walk.ts';
import { traceOf } from './walk.ts';
import { Walker } from './walker.ts';
import { walks } from './walks.ts';

/** How walks are drawn, and what becomes of one that fails. */
export interface AssertWalksOptions {
  /** How many steps of a walk are drawn at most; 200 if left out. */
  readonly steps?: number;
  /** How many walks; 100 if left out. */
  readonly runs?: number;
  /** What an earlier failure has printed. */
  readonly seed?: number;
  /** What an earlier failure has printed. */
  readonly path?: string;
  /** Where faults are favoured. */
  readonly phases?: readonly Phase[];
  /** Where the shrunk run is written, as `<property>.itf.json`; nowhere if left out. */
  readonly traceDir?: string;
  /** What stands under `#meta` of that file, such as the design. */
  readonly about?: Readonly<Record<string, unknown>>;
}

/**
 * Draws walks and lets running actors play them.
 *
 * ```ts
 * it('deletes no known route', () => assertWalks(system, noKnownRouteDeleted(8), { runs: 100 }));
 * ```
 *
 * @throws Error if a walk violates the property: with fast-check's seed and path, the shrunk run as a timeline, and the file
 * that it was written to
 */
export function assertWalks(system: System, property: Property, options: AssertWalksOptions = {}): void {
  const { steps = 200, runs = 100, seed, path, phases = [], traceDir, about = {} } = options;
  const walker = new Walker(system);
  const player = new WalkPlayer(system);
  const properties = [property];
  const details = fc.check(
    fc.property(walks(walker, { steps, phases, goals: goalsOf(properties), properties }), (walk) => {
      if (player.play(walk, properties) !== undefined) throw new Error(property.violation);
    }),
    {
      numRuns: runs,
      ...(seed === undefined ? {} : { seed }),
      ...(path === undefined ? {} : { path, endOnFailure: true }),
    },
  );
  if (!details.failed) return;
  const shown =
    details.counterexample === null ? undefined : player.play(details.counterexample[0], properties);
  if (shown === undefined) throw details.errorInstance ?? new Error(fc.defaultReportMessage(details));
  const trace = traceOf(system.id, shown);
  const file = traceDir === undefined ? undefined : join(traceDir, `${property.id}.itf.json`);
  if (traceDir !== undefined && file !== undefined) {
    mkdirSync(traceDir, { recursive: true });
    writeFileSync(file, `${JSON.stringify(toItf(system, trace, about), null, 2)}\n`);
  }
  const page = { width: 120, colors: picocolors.createColors(false) };
  throw new Error(
    [
      `Property failed after ${details.numRuns} tests: ${property.id} in ${system.id}`,
      `{ seed: ${details.seed}, path: "${details.counterexamplePath}" }`,
      `Shrunk ${details.numShrinks} time(s), to ${trace.picks.length} steps:`,
      '',
      printTimeline(timeline(system, trace, property), page),
      '',
      property.violation,
      ...(file === undefined ? [] : [`replay it: routeproof replay ${file}`]),
    ].join('\n'),
  );
}
