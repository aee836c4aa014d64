/**
 * Prints the closing line of .ci/run: 'N passed, N failed', with ', N skipped' when some were.
 *
 *   node .ci/count-tests.mjs <Vitest JSON report> <exit code of the run>
 *
 * A run that failed with no failed test (a step other than the tests, or a test file that did not load)
 * counts as one failure, so that the line never looks green when the run is not.
 */
import { existsSync, readFileSync } from 'node:fs';

const [reportFile = '', exitCode = '0'] = process.argv.slice(2);

/** @type {{ numPassedTests?: number, numFailedTests?: number, numPendingTests?: number, numTodoTests?: number }} */
let report = {};
try {
  if (existsSync(reportFile)) report = JSON.parse(readFileSync(reportFile, 'utf8'));
} catch (error) {
  console.error(`The test report cannot be read: ${error instanceof Error ? error.message : error}`);
}

const passed = report.numPassedTests ?? 0;
const failed = Math.max(report.numFailedTests ?? 0, exitCode === '0' ? 0 : 1);
const skipped = (report.numPendingTests ?? 0) + (report.numTodoTests ?? 0);
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
