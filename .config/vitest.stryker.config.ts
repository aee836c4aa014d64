import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The tests that judge mutants of the engine, with the same random systems for each mutant. */
export default defineConfig({
  root,
  test: {
    root,
    environment: 'node',
    include: ['test/unit/explore/{liveness,known-mistakes,search,clauses}.test.ts'],
    setupFiles: ['test/setup/fixed-seed.ts'],
    testTimeout: 20_000,
  },
});
