/**
 * Mutation testing of the engine's own core: `npm run mutants:engine`. The tests are those of `test/unit/explore`; fast-check
 * draws the same systems in each run, so that a mutant that is killed today is killed tomorrow.
 */
export default {
  mutate: [
    'src/explore/strong-components.ts',
    'src/explore/fair-components.ts',
    'src/explore/lasso.ts',
    'src/explore/judge.ts',
  ],
  testRunner: 'vitest',
  vitest: { configFile: '.config/vitest.stryker.config.ts' },
  coverageAnalysis: 'perTest',
  concurrency: 2,
  timeoutMS: 20_000,
  timeoutFactor: 2,
  reporters: ['clear-text', 'json'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, reportScoreTable: true },
  jsonReporter: { fileName: '.stryker/report.json' },
  tempDirName: '.stryker/sandbox',
  ignorePatterns: ['dist', 'docs', 'coverage', 'test/e2e', 'test/cross'],
};
