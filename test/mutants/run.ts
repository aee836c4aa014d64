/**
 * Mutation testing of the models: `npm run mutants`. Each mutant is the model with one change; it is killed if the
 * designs are found to be otherwise than as recorded. See docs/mutants.md.
 *
 *   --machine ID     only mutants of this machine, or `wiring`; can be repeated
 *   --only TEXT      only mutants whose id has this text in it; can be repeated
 *   --design ID      only tried on this design; can be repeated
 *   --resume FILE    go on from what an earlier run of the same model, for the same signs, printed with --format json
 *   --shard I/N      only the I-th of N parts
 *   --max-states N   a search that has found so many states is given up
 *   --thorough       go on until a verdict changes, through every design that answers otherwise
 *   --list           print the ids, and judge nothing
 *   --format FORMAT  pretty or json
 *
 * Exit codes: 0 every survivor is explained, 1 one is not, 2 it could not be judged, 130 interrupted.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { interruptedCode, interruptible } from '../../src/cli/interrupt.ts';
import { allMutants, subjects } from './catalogue.ts';
import { signs } from './compare-findings.ts';
import { explanations } from './explanations.ts';
import { instances } from './instances.ts';
import type { Mutant } from './mutant.ts';
import { type Outcome, outcomesOf, type Recorded, staleExplanations, unlikeRecorded } from './outcome.ts';
import { foundIn, type Printed } from './resume.ts';
import { judgeInRounds } from './rounds.ts';
import { countsTable, killersTable, outcomeLine, survivorsText } from './text.ts';

/** More than twice the largest space of a shipped design. */
const defaultStatesMax = '8000000';

const { values } = parseArgs({
  options: {
    machine: { type: 'string', multiple: true, default: [] },
    only: { type: 'string', multiple: true, default: [] },
    design: { type: 'string', multiple: true, default: [] },
    resume: { type: 'string' },
    shard: { type: 'string', default: '1/1' },
    'max-states': { type: 'string', default: defaultStatesMax },
    thorough: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    format: { type: 'string', default: 'pretty' },
  },
});

const tried = instances.filter(({ design }) => values.design.length === 0 || values.design.includes(design));

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof Error)) throw error;
  console.error(`mutants: ${error.message}`);
  process.exitCode = 2;
}

async function main(): Promise<number> {
  const all = allMutants();
  const wanted = wantedOf(all);
  if (values.list) {
    process.stdout.write(wanted.map(({ id }) => `${id}\n`).join(''));
    return 0;
  }
  return interruptible(async (signal) => {
    const outcomes = await judged(wanted, signal);
    const stale = staleExplanations(outcomes, new Set(all.map(({ id }) => id)), explanations);
    process.stdout.write(values.format === 'json' ? json(outcomes, stale) : pretty(outcomes, stale));
    if (signal.aborted) return interruptedCode;
    return outcomes.some(({ fate }) => fate === 'unexplained') ? 1 : 0;
  });
}

function wantedOf(all: readonly Mutant[]): Mutant[] {
  const { machine: machines, only, shard } = values;
  for (const design of values.design) {
    if (!instances.some((instance) => instance.design === design))
      throw new Error(`--design: there is no '${design}'.`);
  }
  for (const machine of machines) {
    if (!(subjects as readonly string[]).includes(machine))
      throw new Error(`--machine: there is no '${machine}'. There are ${subjects.join(', ')}.`);
  }
  const [part = 0, parts = 0] = /^\d+\/\d+$/.test(shard) ? shard.split('/').map(Number) : [];
  if (part < 1 || part > parts) throw new Error(`--shard: '${shard}' is not I/N with I from 1 to N.`);
  if (!['pretty', 'json'].includes(values.format)) throw new Error('--format: pretty or json.');
  const wanted = all
    .filter(({ of }) => machines.length === 0 || machines.includes(of))
    .filter(({ id }) => only.length === 0 || only.some((text) => id.includes(text)))
    .filter((_, index) => index % parts === part - 1);
  if (wanted.length === 0) throw new Error('no mutant is left to judge.');
  return wanted;
}

async function judged(wanted: readonly Mutant[], signal: AbortSignal): Promise<Outcome[]> {
  const maxStates = Number(values['max-states']);
  if (!Number.isSafeInteger(maxStates) || maxStates < 1)
    throw new Error('--max-states: not a whole number from 1.');
  const recorded = readRecord();
  const judgements = await judgeInRounds(wanted, {
    instances: tried,
    found: values.resume === undefined ? [] : foundIn(values.resume),
    maxStates,
    thorough: values.thorough,
    signal,
    onRound: (baseline, mutants) => {
      const unlike = unlikeRecorded(baseline, recorded);
      if (unlike.length > 0)
        throw new Error(
          `the model is not what was recorded, so mutants cannot be told:\n${unlike.join('\n')}`,
        );
      process.stderr.write(`${baseline.instance.name}: ${mutants} mutants to try\n`);
    },
    onJudgement: (judgement, done, all) => {
      const [outcome] = outcomesOf([judgement], tried.length, explanations) as [Outcome];
      process.stderr.write(`[${done}/${all}] ${outcomeLine(outcome)}\n`);
    },
  });
  return outcomesOf(judgements, tried.length, explanations);
}

function readRecord(): Recorded {
  // From the place of the compiled file.
  const file = new URL('../../../test/recorded-verdicts.json', import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Recorded;
}

function json(outcomes: readonly Outcome[], stale: readonly string[]): string {
  const printed: Printed = { signs, instances: tried, mutants: outcomes, staleExplanations: stale };
  return `${JSON.stringify(printed, null, 2)}\n`;
}

function pretty(outcomes: readonly Outcome[], stale: readonly string[]): string {
  return `${[
    countsTable(outcomes, subjects),
    'Killed by a verdict, by the property and the instance that noticed first:',
    killersTable(outcomes),
    survivorsText(outcomes, explanations),
    ...stale,
  ].join('\n\n')}\n`;
}
