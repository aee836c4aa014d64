/**
 * Mutation testing of the engine's own core: `npm run mutants:engine`. The tests are small and quick, each of one file;
 * fast-check draws the same in each run, so that a mutant that is killed today is killed tomorrow.
 */
export default {
  mutate: [
    'src/explore/strong-components.ts',
    'src/explore/lasso.ts',
    'src/explore/fair-components.ts',
    'src/explore/word-set.ts',
    'src/explore/layout.ts',
    'src/explore/picks.ts',
    'src/explore/paths.ts',
    'src/explore/fair-actions.ts',
    'src/explore/bits.ts',
    'src/explore/state-bits.ts',
    'src/explore/dense/plan.ts',
    'src/explore/dense/ranked-states.ts',
  ],
  testRunner: 'vitest',
  vitest: { configFile: '.config/vitest.stryker.config.ts' },
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 6000,
  timeoutFactor: 2,
  reporters: ['clear-text', 'json'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, reportScoreTable: true },
  jsonReporter: { fileName: '.stryker/report.json' },
  tempDirName: '.stryker/sandbox',
  ignorePatterns: ['dist', 'docs', 'coverage', 'test/e2e', 'test/cross'],
};
