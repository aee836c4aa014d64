/**
 * Random runs on real parts, as many as are asked for.
 *
 *   npm run test:real -- --runs 500 [--seed S] [--on etcd|kernel] [--design fenced]
 *
 * Exit codes: 0 nothing was wrong, 1 something was, 2 wrong usage.
 */
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { findDesign } from '../../models/index.ts';
import { inOwnNamespace, isInOwnNamespace } from '../../src/rig/own-namespace.ts';
import { Validator } from '../../src/validate/validate.ts';
import { quick } from './quick.ts';
import { randomRun, type Script, script } from './random-run.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100' },
    seed: { type: 'string' },
    path: { type: 'string' },
    on: { type: 'string', default: 'kernel' },
    design: { type: 'string', default: 'fenced' },
    'no-shrink': { type: 'boolean', default: false },
  },
});

if (values.on === 'kernel' && !isInOwnNamespace()) process.exit(await inOwnNamespace(process.argv.slice(1)));

const chosen = findDesign(values.design);
if (chosen === undefined) throw new Error(`there is no design '${values.design}'`);
const design = quick(chosen);
const validator = new Validator(design);
let made = 0;
let deletes = 0;
let lines = 0;
const began = performance.now();
const details = await fc.check(
  fc.asyncProperty(script, async (drawn: Script) => {
    const outcome = await randomRun(values.on === 'kernel' ? 'kernel' : 'memory', design, drawn, validator);
    made += 1;
    deletes += outcome.deletes;
    lines += outcome.lines;
    if (made % 10 === 0) console.error(`${made} runs, ${Math.round((performance.now() - began) / 1000)} s`);
    if (outcome.wrong.length > 0) console.error(outcome.wrong.join('; '));
    if (outcome.wrong.length > 0) throw new Error(outcome.wrong.join('; '));
  }),
  {
    numRuns: Number(values.runs),
    endOnFailure: values['no-shrink'],
    ...(values.seed === undefined ? {} : { seed: Number(values.seed) }),
    ...(values.path === undefined ? {} : { path: values.path }),
    // Each run takes a second or more, so what failed is made smaller, but not for long.
    interruptAfterTimeLimit: 3_600_000,
    markInterruptAsFailure: true,
  },
);
console.log(
  `${design.id} on ${values.on}: ${made.toLocaleString('en')} runs, seed ${details.seed}, ${deletes.toLocaleString('en')} routes deleted, ${lines.toLocaleString('en')} steps validated.`,
);
if (details.failed) console.log(fc.defaultReportMessage(details), '\n', String(details.errorInstance));
process.exit(details.failed ? 1 : 0);
