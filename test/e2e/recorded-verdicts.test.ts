/** The command that compares verdicts and sizes with the record, on what was found before. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { directory, root } from './command.ts';

const recordFile = join(root, 'test/recorded-verdicts.json');
const record = await readFile(recordFile, 'utf8');
const actual = join(directory, 'actual.json');

interface Found {
  readonly designs: {
    readonly design: string;
    systems?: { readonly id: string; readonly states: number; edges: number }[];
  }[];
}

/** Compares the record with itself after a change. */
async function compared(change: (found: Found) => void, ...args: string[]) {
  const found = JSON.parse(record) as Found;
  change(found);
  await writeFile(actual, JSON.stringify(found));
  const script = join(root, '.ci/compare-verdicts.mjs');
  return execa(process.execPath, [script, '--actual', actual, ...args], { reject: false });
}

function fencedIn({ designs }: Found) {
  return designs.find(({ design }) => design === 'fenced') as Found['designs'][number];
}

describe('the record', () => {
  test('has two systems of each design, none of them empty', () => {
    for (const { systems } of (JSON.parse(record) as Found).designs) {
      expect(systems).toHaveLength(2);
      for (const { states, edges } of systems ?? []) expect(edges).toBeGreaterThan(states);
    }
  });

  test('is like itself', async () => {
    const { exitCode, stdout } = await compared(() => {});
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(/^All \d+ verdicts and sizes of 16 designs/),
    ]);
  });

  test.each([0, 1])('is unlike a system %i with one edge more', async (index) => {
    const { exitCode, stdout } = await compared((found) => {
      (fencedIn(found).systems?.[index] as { edges: number }).edges += 1;
    });
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^✗ fenced · size of fenced with [01] endpoints?$/m);
    expect(stdout).toMatch(/^1 of \d+ verdicts and sizes differ/m);
  });

  test('cannot be compared with what has no sizes', async () => {
    const { exitCode, stderr } = await compared((found) => {
      fencedIn(found).systems = [];
    });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('npm run verdicts -- --record')]);
  });

  test('is made anew with --record', async () => {
    const made = join(directory, 'made.json');
    const { exitCode } = await compared(() => {}, '--record', '--recorded', made);
    expect([exitCode, await readFile(made, 'utf8')]).toEqual([0, record]);
  });
});
