/**
 * One search in a process of its own, as a command would make it: `node measure.js <world> <options as JSON>` prints its
 * counts. In one process after another search, code that has been compiled for that one would be in the way.
 */
import { fileURLToPath } from 'node:url';
import { execaNode } from 'execa';
import { noKnownRouteDeleted, routeRepaired } from '../../properties/index.ts';
import { type CheckOptions, type CheckReport, check } from '../../src/check.ts';
import type { Property } from '../../src/property.ts';
import type { System } from '../../src/system.ts';
import { flagship, nodeOf } from './worlds.ts';
import { counterSystem } from './xstate-graph.ts';

const worlds = {
  grpc: {
    system: (): System => nodeOf('grpc-keepalive', 1),
    safety: (): Property[] => [noKnownRouteDeleted(1)],
    liveness: (): Property[] => [routeRepaired(1)],
  },
  flagship: {
    system: flagship,
    safety: (): Property[] => [noKnownRouteDeleted(2)],
    liveness: (): Property[] => [routeRepaired(2)],
  },
  counters: { system: counterSystem, safety: (): Property[] => [], liveness: (): Property[] => [] },
} as const;

/** A world by name. */
export type WorldName = keyof typeof worlds;

/** What is to be searched, and how. */
export interface Task extends Pick<CheckOptions, 'search' | 'threads' | 'symmetry'> {
  readonly world: WorldName;
  readonly liveness?: boolean;
}

/** What came out. */
export interface Measured
  extends Pick<CheckReport, 'system' | 'states' | 'edges' | 'elapsedMs' | 'preparationMs' | 'bytesPerState'> {
  /** The most memory that the process had, in bytes. */
  readonly peakBytes: number;
}

/** Measures in a process of its own. */
export async function measure(task: Task): Promise<Measured> {
  const { stdout } = await execaNode(fileURLToPath(import.meta.url), [JSON.stringify(task)]);
  return JSON.parse(stdout) as Measured;
}

async function run({ world, liveness, ...options }: Task): Promise<Measured> {
  const { system, safety, liveness: live } = worlds[world];
  const properties = [...safety(), ...(liveness === true ? live() : [])];
  const report = await check(system(), properties, { ...options, timeLocks: false });
  const { states, edges, elapsedMs, preparationMs = 0, bytesPerState } = report;
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  return { system: report.system, states, edges, elapsedMs, preparationMs, bytesPerState, peakBytes };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(JSON.stringify(await run(JSON.parse(process.argv[2] ?? '') as Task)));
}
