/**
 * How soon random walks find what the exhaustive search finds, and how short they make it.
 *
 *   npm run targets                                    every violated cell of the comparison, from 20 seeds
 *   npm run targets -- --seeds 3 --design felix-3.29   fewer seeds, some designs
 *   npm run targets -- --shard 1/2                     every second cell
 *   npm run targets -- --first 4 --seeds 1             the fourth seed alone
 *   npm run targets -- --endpoints 8                   more endpoints, made as short as with one
 *
 * Exit codes: 0 all were found within the runs and nine of ten made as short as can be, 1 not so, 2 wrong usage.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { findDesign, phases } from '../../models/index.ts';
import { obligations } from '../../properties/index.ts';
import { type FuzzViolation, fuzz, goalsOf } from '../../src/random/fuzz.ts';

interface Cell {
  readonly design: string;
  readonly property: string;
  readonly shortest: number;
}

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20' },
    first: { type: 'string', default: '1' },
    runs: { type: 'string', default: '10000' },
    steps: { type: 'string', default: '200' },
    endpoints: { type: 'string', default: '1' },
    design: { type: 'string', multiple: true },
    shard: { type: 'string', default: '1/1' },
  },
});

const [index, of] = values.shard.split('/').map(Number) as [number, number];

/** The violated cells of the recorded comparison. */
function cells(): Cell[] {
  const record = JSON.parse(
    readFileSync(new URL('../../../test/recorded-verdicts.json', import.meta.url), 'utf8'),
  ) as {
    designs: {
      design: string;
      properties: { id: string; verdict: string; traceLength?: number }[];
    }[];
  };
  return record.designs
    .filter(({ design }) => values.design === undefined || values.design.includes(design))
    .flatMap(({ design, properties }) =>
      properties.flatMap(({ id, verdict, traceLength }) =>
        verdict === 'violated' ? [{ design, property: id, shortest: traceLength as number }] : [],
      ),
    )
    .filter((_, place) => place % of === index - 1);
}

/** Seeds far enough apart that the runs of one are not the runs of another. */
const seedOf = (number: number): number => number * 1_000_003;

async function found({ design, property }: Cell, seed: number): Promise<FuzzViolation | undefined> {
  const chosen = findDesign(design);
  if (chosen === undefined) throw new Error(`there is no design '${design}'`);
  const endpoints = Number(values.endpoints);
  const [obligation] = obligations(chosen, { endpoints }, [property]);
  if (obligation === undefined) throw new Error(`nothing is decided about '${property}'`);
  const all = obligations(chosen, { endpoints }).find(({ system }) => system.id === obligation.system.id);
  const { properties } = await fuzz(obligation.system, obligation.properties, {
    runs: Number(values.runs),
    steps: Number(values.steps),
    seed,
    phases: phases(property === 'staleness-detected' ? 0 : endpoints),
    goals: goalsOf(all?.properties ?? []),
  });
  return properties[0]?.violation;
}

const table = new Table({
  head: ['design', 'property', 'found in', 'last in run', 'as short as can be', 'longest'],
  style: { head: [], border: [] },
});
let all = 0;
let missed = 0;
let exact = 0;
for (const cell of cells()) {
  const violations: FuzzViolation[] = [];
  const seeds = Number(values.seeds);
  for (let number = 0; number < seeds; number += 1) {
    const violation = await found(cell, seedOf(Number(values.first) + number));
    if (violation !== undefined) violations.push(violation);
  }
  const lengths = violations.map(({ trace }) => trace.picks.length);
  const shortest = lengths.filter((length) => length === cell.shortest).length;
  all += seeds;
  missed += seeds - violations.length;
  exact += shortest;
  const row = [
    cell.design,
    cell.property,
    `${violations.length} of ${seeds}`,
    violations.length === 0 ? '' : Math.max(...violations.map(({ run }) => run + 1)).toLocaleString('en'),
    `${shortest} of ${violations.length}`,
    violations.length === 0 ? '' : `${Math.max(...lengths)} (${cell.shortest})`,
  ];
  table.push(row);
  console.error(row.join(' · '));
}
console.log(table.toString());
console.log(`${all - missed} of ${all} found, ${exact} of ${all - missed} as short as can be.`);
process.exitCode = missed === 0 && exact >= 0.9 * all ? 0 : 1;
