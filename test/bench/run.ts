/**
 * How fast the checker is and what a state costs, on worlds of this project: `npm run bench`. It is no timed test; the
 * machine decides what comes out, so read the figures of one run as ratios.
 *
 * `-- --format json` prints an object a world.
 */
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { type FaultId, findDesign, nodeSystem } from '../../models/index.ts';
import { noKnownRouteDeleted, routeRepaired } from '../../properties/index.ts';
import { type CheckReport, check } from '../../src/check.ts';
import type { Property } from '../../src/property.ts';

interface World {
  readonly name: string;
  readonly design: string;
  readonly endpoints: number;
  readonly faults?: readonly FaultId[];
  readonly properties: readonly Property[];
}

const someFaults: readonly FaultId[] = [
  'half-open',
  'isolated-member',
  'cni-crashed',
  'pod-recreated',
  'process-paused',
];

const worlds: readonly World[] = [
  {
    name: 'grpc-keepalive, 1 endpoint, every fault: search',
    design: 'grpc-keepalive',
    endpoints: 1,
    properties: [noKnownRouteDeleted(1)],
  },
  {
    name: 'grpc-keepalive, 1 endpoint, every fault: search and liveness',
    design: 'grpc-keepalive',
    endpoints: 1,
    properties: [noKnownRouteDeleted(1), routeRepaired(1)],
  },
  {
    name: 'fenced, 2 endpoints, some faults: search',
    design: 'fenced',
    endpoints: 2,
    faults: someFaults,
    properties: [noKnownRouteDeleted(2)],
  },
];

interface Figures {
  readonly world: string;
  readonly states: number;
  readonly edges: number;
  readonly elapsedMs: number;
  readonly statesPerSecond: number;
  readonly bytesPerState: number;
}

const { values } = parseArgs({ options: { format: { type: 'string', default: 'pretty' } } });
const figures: Figures[] = [];
for (const world of worlds) figures.push(figuresOf(world, await run(world)));
process.stdout.write(`${values.format === 'json' ? JSON.stringify(figures, null, 2) : tableOf(figures)}\n`);

function run({ design, endpoints, faults, properties }: World): Promise<CheckReport> {
  const found = findDesign(design);
  if (found === undefined) throw new Error(`no design ${design}`);
  const system = nodeSystem(found, { endpoints, ...(faults === undefined ? {} : { faults }) });
  return check(system, properties, { timeLocks: false });
}

function figuresOf({ name }: World, { states, edges, elapsedMs, bytesPerState }: CheckReport): Figures {
  return {
    world: name,
    states,
    edges,
    elapsedMs,
    statesPerSecond: (1000 * states) / elapsedMs,
    bytesPerState,
  };
}

function tableOf(rows: readonly Figures[]): string {
  const table = new Table({
    head: ['world', 'states', 'edges', 's', 'states/s', 'bytes/state'],
    colAligns: ['left', 'right', 'right', 'right', 'right', 'right'],
    style: { head: [], border: [] },
  });
  for (const row of rows) {
    table.push([
      row.world,
      row.states.toLocaleString('en'),
      row.edges.toLocaleString('en'),
      (row.elapsedMs / 1000).toFixed(1),
      Math.round(row.statesPerSecond).toLocaleString('en'),
      row.bytesPerState.toFixed(1),
    ]);
  }
  return table.toString();
}
