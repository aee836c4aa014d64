/**
 * How fast the checker is and what a state costs, on worlds of this project: `npm run bench`. It is no timed test; the
 * machine decides what comes out, so read the figures of one run as ratios.
 *
 * `-- --against spin` measures Spin on the same world by turns (three rounds, or `--rounds <n>`); `-- --format json`
 * prints objects.
 */
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { type Comparison, compareWithSpin } from './against-spin.ts';
import { type Measured, measure, type Task } from './measure.ts';

const measurements: readonly (readonly [name: string, task: Task])[] = [
  ['grpc-keepalive, 1 endpoint, every fault: hashed', { world: 'grpc', search: 'hashed' }],
  ['  and liveness', { world: 'grpc', search: 'hashed', liveness: true }],
  ['fenced, 2 endpoints, some faults: hashed', { world: 'flagship', search: 'hashed' }],
  ['  and liveness', { world: 'flagship', search: 'hashed', liveness: true }],
  ['  hashed, with symmetry', { world: 'flagship', symmetry: true }],
  ['  dense', { world: 'flagship', search: 'dense' }],
  ['  dense, and liveness', { world: 'flagship', search: 'dense', liveness: true }],
  ['  dense, two threads', { world: 'flagship', search: 'dense', threads: 2 }],
];

/** A measurement with its name. */
interface Row extends Measured {
  readonly name: string;
}

const { values } = parseArgs({
  options: {
    format: { type: 'string', default: 'pretty' },
    against: { type: 'string' },
    rounds: { type: 'string', default: '3' },
  },
});

if (values.against === undefined) {
  const rows: Row[] = [];
  for (const [name, task] of measurements) rows.push({ name, ...(await measure(task)) });
  print(rows, tableOf(rows));
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

function tableOf(rows: readonly Row[]): string {
  const table = new Table({
    head: ['world', 'states', 'edges', 's', 'states/s', 'bytes/state', 'peak MiB'],
    colAligns: ['left', 'right', 'right', 'right', 'right', 'right', 'right'],
    style: { head: [], border: [] },
  });
  for (const row of rows) {
    table.push([
      row.name,
      row.states.toLocaleString('en'),
      row.edges.toLocaleString('en'),
      (row.elapsedMs / 1000).toFixed(1),
      Math.round((1000 * row.states) / row.elapsedMs).toLocaleString('en'),
      row.bytesPerState.toFixed(1),
      Math.round(row.peakBytes / 2 ** 20).toLocaleString('en'),
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
    `Medians of ${of.rounds} rounds, by turns; searches alone. Closing the tables took ${of.preparationSeconds} s, Spin's translation and compilation ${of.spinPreparationSeconds} s.`,
    table.toString(),
    `On five counters to ten, 100,000 states: ${of.ratioXstateGraph} times as fast as xstate/graph.`,
  ].join('\n');
}
