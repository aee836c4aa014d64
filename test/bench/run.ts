/**
 * How fast the checker is and what a state costs, on worlds of this project: `npm run bench`. It is no timed test; the
 * machine decides what comes out, so read the figures of one run as ratios.
 *
 * `-- --against spin` measures Spin on the same world by turns (three rounds, or `--rounds <n>`); `-- --format json`
 * prints objects.
 */
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { noKnownRouteDeleted, routeRepaired } from '../../properties/index.ts';
import { type CheckOptions, type CheckReport, check } from '../../src/check.ts';
import type { Property } from '../../src/property.ts';
import type { System } from '../../src/system.ts';
import { type Comparison, compareWithSpin } from './against-spin.ts';
import { flagship, nodeOf } from './worlds.ts';

interface Measurement {
  readonly name: string;
  readonly system: () => System;
  readonly properties: readonly Property[];
  readonly options: CheckOptions;
}

const grpc = (): System => nodeOf('grpc-keepalive', 1);
const safety = (endpoints: number): Property[] => [noKnownRouteDeleted(endpoints)];
const both = (endpoints: number): Property[] => [noKnownRouteDeleted(endpoints), routeRepaired(endpoints)];

const measurements: readonly Measurement[] = [
  {
    name: 'grpc-keepalive, 1 endpoint, every fault: hashed',
    system: grpc,
    properties: safety(1),
    options: { search: 'hashed' },
  },
  { name: '  and liveness', system: grpc, properties: both(1), options: { search: 'hashed' } },
  {
    name: 'fenced, 2 endpoints, some faults: hashed',
    system: flagship,
    properties: safety(2),
    options: { search: 'hashed' },
  },
  { name: '  and liveness', system: flagship, properties: both(2), options: { search: 'hashed' } },
  {
    name: '  hashed, with symmetry',
    system: flagship,
    properties: safety(2),
    options: { symmetry: true },
  },
  { name: '  dense', system: flagship, properties: safety(2), options: { search: 'dense' } },
  { name: '  dense, and liveness', system: flagship, properties: both(2), options: { search: 'dense' } },
  {
    name: '  dense, two threads',
    system: flagship,
    properties: safety(2),
    options: { search: 'dense', threads: 2 },
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

const { values } = parseArgs({
  options: {
    format: { type: 'string', default: 'pretty' },
    against: { type: 'string' },
    rounds: { type: 'string', default: '3' },
  },
});

if (values.against === undefined) {
  const figures: Figures[] = [];
  for (const measurement of measurements) figures.push(await measure(measurement));
  print(figures, tableOf(figures));
} else if (values.against === 'spin') {
  const comparison = await compareWithSpin(Number(values.rounds), (round) => {
    process.stderr.write(`round ${round} of ${values.rounds}\n`);
  });
  print(comparison, comparisonTable(comparison));
} else {
  throw new Error(`--against ${values.against}: there is no comparison with that. Use --against spin.`);
}

function print(data: unknown, pretty: string): void {
  process.stdout.write(`${values.format === 'json' ? JSON.stringify(data, null, 2) : pretty}\n`);
}

async function measure({ name, system, properties, options }: Measurement): Promise<Figures> {
  const report: CheckReport = await check(system(), properties, { ...options, timeLocks: false });
  const { states, edges, elapsedMs, bytesPerState } = report;
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

function comparisonTable(of: Comparison): string {
  const { statesPerSecond: speed } = of;
  const table = new Table({
    head: ['search', 'states/s', 'times Spin', 'bytes/state'],
    colAligns: ['left', 'right', 'right', 'right'],
    style: { head: [], border: [] },
  });
  const count = (value: number): string => value.toLocaleString('en');
  table.push(
    ['Spin, depth first', count(speed.spin), '1', ''],
    ['hashed, one thread', count(speed.hashed), `${of.ratioSpinOneThread}`, `${of.bytesPerState}`],
    ['dense, one thread', count(speed.dense), `${of.ratioSpinDense}`, `${of.bytesPerStateDense}`],
    [
      'dense, two threads',
      count(speed.denseTwoThreads),
      `${of.ratioSpinTwoThreads}`,
      `${of.bytesPerStateDense}`,
    ],
  );
  return [
    `${of.world}, some faults: ${count(of.states)} states, ${count(of.edges)} edges, equal in Spin (${of.spinFlags}).`,
    `Medians of ${of.rounds} rounds, by turns.`,
    table.toString(),
    `On five counters to ten, 100,000 states: ${of.ratioXstateGraph} times as fast as xstate/graph.`,
  ].join('\n');
}
