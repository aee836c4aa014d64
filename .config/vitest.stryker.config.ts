import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The tests that judge mutants of the engine: small ones, each of one file, in one thread. */
export default defineConfig({
  root,
  test: {
    root,
    environment: 'node',
    include: [
      'test/unit/explore/{strong-components,lasso,fair-components,word-set,layout,picks,paths,bits,state-bits,time-locks}.test.ts',
      'test/unit/explore/dense/{plan,ranked-states}.test.ts',
    ],
    setupFiles: ['test/setup/fixed-seed.ts'],
    testTimeout: 5000,
    isolate: false,
    maxWorkers: 1,
    fileParallelism: false,
  },
});
