/** Runs the built command in a directory of its own, as a user does. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll } from 'vitest';
import { z } from 'zod';

/** The project. */
export const root = fileURLToPath(new URL('../..', import.meta.url));
/** The command's file. */
export const main = join(root, 'dist/src/cli/main.js');
/** Where commands run; a new one for each test file. */
export const directory = mkdtempSync(join(tmpdir(), 'routeproof-'));

afterAll(() => rmSync(directory, { recursive: true }));

/** Runs the command; it may end with any code. How wide the terminal of the tests is, is nothing to it. */
export const run = (args: readonly string[], { env = {} }: { readonly env?: Record<string, string> } = {}) =>
  execa(process.execPath, [main, ...args], {
    ...{ reject: false, cwd: directory },
    env: { COLUMNS: '', ...env },
  });

/** The smallest catalogue in which the report's failure happens: a search of a fraction of a second. */
export const halfOpen: readonly string[] = ['--fault', 'half-open', '--strikes', '1'];
/** The property that the report is about. */
export const known: readonly string[] = ['--property', 'no-known-route-deleted'];

/** How large a search was. */
export const counts = {
  states: z.int().positive(),
  edges: z.int().positive(),
  depth: z.int().positive(),
  elapsedMs: z.int().nonnegative(),
};
/** A verdict. */
export const verdict = z.enum(['proved', 'violated', 'vacuous', 'incomplete']);
/** The JSON of `check`. */
export const checkSchema = z.strictObject({
  results: z.array(
    z.strictObject({
      design: z.string(),
      parameters: z.record(z.string(), z.number()),
      endpoints: z.int(),
      faults: z.array(z.string()),
      strikes: z.union([z.int(), z.literal('unbounded')]),
      ...counts,
      complete: z.boolean(),
      properties: z.array(
        z.strictObject({
          id: z.string(),
          kind: z.enum(['invariant', 'effect', 'eventually-always']),
          verdict,
          reason: z.string().optional(),
          traceLength: z.int().optional(),
          cycleLength: z.int().optional(),
          traceFile: z.string().optional(),
          fairness: z.array(z.string()).optional(),
          needs: z.array(z.string()).optional(),
        }),
      ),
      witnesses: z.array(
        z.strictObject({
          id: z.string(),
          property: z.string(),
          reached: z.boolean(),
          depth: z.int().optional(),
        }),
      ),
      uncovered: z.array(z.string()),
      offByDesign: z.array(z.string()),
      coverageCounts: z.boolean(),
      systems: z.array(
        z.strictObject({
          id: z.string(),
          search: z.enum(['hashed', 'dense']),
          symmetry: z
            .strictObject({ interchangeable: z.array(z.array(z.string())), states: z.int() })
            .optional(),
          ...counts,
          complete: z.boolean(),
          stopped: z.string().optional(),
          bytesPerState: z.number(),
          structure: z.strictObject({
            restStates: z.int(),
            deadlocks: z.int(),
            timeLocks: z.int().optional(),
          }),
        }),
      ),
    }),
  ),
});
