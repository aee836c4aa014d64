import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './longest-first.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

export default defineConfig({
  root,
  test: {
    root,
    environment: 'node',
    maxWorkers: '100%',
    retry: 0,
    sequence: { sequencer: LongestFirst },
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts', 'models/**/*.ts', 'properties/**/*.ts'],
      exclude: ['**/*.test.ts'],
      reportsDirectory: 'coverage',
      reporter: ['text', 'html'],
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/*.test.ts', 'test/unit/**/*.test.ts'],
          testTimeout: 60_000,
          // They leave nothing behind, so each worker loads the modules once.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'properties',
          include: ['properties/**/*.test.ts', 'test/properties/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          // These tests run the built command, so dist/ is built once before the first of them.
          globalSetup: ['test/setup/build.ts'],
          testTimeout: 180_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'cross',
          include: ['test/cross/**/*.test.ts'],
          // These tests compare with other model checkers, which are installed first where that may be done.
          globalSetup: ['test/setup/model-checkers.ts'],
          testTimeout: 960_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'real',
          include: ['test/real/**/*.test.ts'],
          // These tests run real systems, which are installed first where that may be done.
          globalSetup: ['test/setup/build.ts', 'test/setup/system-packages.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // With more workers than processors their timers come late, and what they wait for takes longer than it saves.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
