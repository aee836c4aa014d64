/**
 * Checks the verdict of every design on every property, and the sizes of its spaces, against the recorded ones.
 * `npm run verdicts` compiles first; so `npm run verdicts -- --record` is how the record is made anew.
 *
 *   node .ci/compare-verdicts.mjs                  run the built command and compare
 *   node .ci/compare-verdicts.mjs --actual FILE    compare a saved `compare --format json`
 *   node .ci/compare-verdicts.mjs --record         write what was found as the new record
 *
 * Exit codes: 0 the same, 1 a difference, 2 the comparison could not be made.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** @typedef {{ id: string, verdict: string, traceLength?: number }} PropertyVerdict */
/** @typedef {{ id: string, states: number, edges: number }} SystemSize */
/** @typedef {{ design: string, systems: SystemSize[], properties: PropertyVerdict[] }} DesignFindings */
/** @typedef {{ designs: DesignFindings[] }} Comparison */

const root = fileURLToPath(new URL('..', import.meta.url));
const commandFile = `${root}dist/src/cli/main.js`;
const defaultRecord = `${root}test/recorded-verdicts.json`;

/** What stops the check itself, as opposed to a difference. */
class CheckError extends Error {}

/**
 * @param {string} text
 * @param {string} source
 * @returns {Comparison}
 */
function parseComparison(text, source) {
  /** @type {unknown} */
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CheckError(`${source} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
  const designs = /** @type {Partial<Comparison> | null} */ (value)?.designs;
  if (!Array.isArray(designs) || designs.length === 0) throw new CheckError(`${source} lists no designs.`);
  for (const { design, systems, properties } of designs) {
    if (typeof design !== 'string') throw new CheckError(`${source} has a design without a name.`);
    if (!Array.isArray(properties) || properties.length === 0) {
      throw new CheckError(`${source} lists no properties for design '${design}'.`);
    }
    checkSizes(systems, `${source}, design '${design}'`);
    for (const { id, verdict } of properties) {
      if (typeof id !== 'string' || typeof verdict !== 'string') {
        throw new CheckError(`${source} has a property without id or verdict in design '${design}'.`);
      }
    }
  }
  return { designs };
}

/**
 * @param {SystemSize[] | undefined} systems
 * @param {string} source
 */
function checkSizes(systems, source) {
  const isSize = (/** @type {SystemSize} */ { id, states, edges }) =>
    typeof id === 'string' && Number.isSafeInteger(states) && Number.isSafeInteger(edges);
  if (!Array.isArray(systems) || systems.length === 0 || !systems.every(isSize)) {
    throw new CheckError(
      `${source}: the states and edges of each system are missing. Make it anew with \`npm run verdicts -- --record\`.`,
    );
  }
}

/** Runs the built command. It exits with 1 when some design fails a property, which is expected here. */
function runComparison() {
  if (!existsSync(commandFile)) throw new CheckError('dist/ is not built. Run `npm run build` first.');
  const { status, signal, stdout } = spawnSync(
    process.execPath,
    [commandFile, 'compare', '--format', 'json'],
    { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 256 * 1024 * 1024 },
  );
  if (status !== 0 && status !== 1) {
    throw new CheckError(`routeproof compare ended with ${signal ?? `exit code ${status}`}.`);
  }
  return parseComparison(stdout, 'The output of routeproof compare');
}

/**
 * One line per verdict and per size, keyed by design and property or system, so that differences read as a plain list.
 *
 * @param {Comparison} comparison
 * @param {string} source
 */
function findingsByKey(comparison, source) {
  /** @type {Map<string, string>} */
  const findings = new Map();
  const add = (/** @type {string} */ key, /** @type {string} */ words) => {
    if (findings.has(key)) throw new CheckError(`${source} has two findings for ${key}.`);
    findings.set(key, words);
  };
  for (const { design, systems, properties } of comparison.designs) {
    for (const { id, verdict, traceLength } of properties) {
      add(`${design} · ${id}`, traceLength === undefined ? verdict : `${verdict}, trace of ${traceLength}`);
    }
    for (const { id, states, edges } of systems) {
      add(`${design} · size of ${id}`, `${states} states, ${edges} edges`);
    }
  }
  return findings;
}

/**
 * Only what is compared goes into the record, so that timings never show up as a change.
 *
 * @param {Comparison} comparison
 */
function record(comparison) {
  const designs = comparison.designs.map(({ design, systems, properties }) => ({
    design,
    systems: systems.map(({ id, states, edges }) => ({ id, states, edges })),
    properties: properties.map(({ id, verdict, traceLength }) => ({ id, verdict, traceLength })),
  }));
  return `${JSON.stringify({ designs }, null, 2)}\n`;
}

function main() {
  const { values } = parseArgs({
    options: {
      actual: { type: 'string' },
      recorded: { type: 'string', default: defaultRecord },
      record: { type: 'boolean', default: false },
    },
  });
  const actual =
    values.actual === undefined
      ? runComparison()
      : parseComparison(readFileSync(values.actual, 'utf8'), values.actual);
  const found = findingsByKey(actual, 'The comparison');

  if (values.record) {
    writeFileSync(values.recorded, record(actual));
    console.log(`Recorded ${found.size} verdicts and sizes of ${actual.designs.length} designs.`);
    return 0;
  }

  if (!existsSync(values.recorded)) {
    throw new CheckError(
      `${values.recorded} does not exist. Write it with \`npm run verdicts -- --record\`.`,
    );
  }
  const recorded = parseComparison(readFileSync(values.recorded, 'utf8'), values.recorded);
  const expected = findingsByKey(recorded, values.recorded);
  const keys = new Set([...expected.keys(), ...found.keys()]);
  const differences = [...keys].filter((key) => expected.get(key) !== found.get(key));
  for (const key of differences) {
    console.log(`✗ ${key}`);
    console.log(`    recorded  ${expected.get(key) ?? '(none)'}`);
    console.log(`    found     ${found.get(key) ?? '(none)'}`);
  }
  if (differences.length > 0) {
    console.log(`${differences.length} of ${keys.size} verdicts and sizes differ from the recorded ones.`);
    return 1;
  }
  console.log(`All ${keys.size} verdicts and sizes of ${actual.designs.length} designs are as recorded.`);
  return 0;
}

try {
  process.exitCode = main();
} catch (error) {
  if (!(error instanceof Error)) throw error;
  console.error(`compare-verdicts: ${error.message}`);
  process.exitCode = 2;
}
