/** What the README shows is what the commands print. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, expect, test } from 'vitest';
import { root, run } from './command.ts';

const readme = await readFile(join(root, 'README.md'), 'utf8');
// Inside the package, so that its own name resolves to what was built.
const example = join(root, 'dist/readme-example.mjs');

afterAll(() => rm(example, { force: true }));

test('the library example finds the run that it speaks of', async () => {
  const code = /```ts\n([\s\S]*?)```/.exec(readme)?.[1];
  await writeFile(example, code ?? 'throw new Error("no example")');
  const { stdout } = await execa(process.execPath, [example]);
  expect(stdout).toMatch(/^violated/);
  expect(stdout.match(/kind:/g)).toHaveLength(6);
});

test('the counterexample is the one that the command prints', async () => {
  const { stdout } = await run([
    'check',
    'felix-3.0.1',
    '--fault',
    'half-open',
    '--property',
    'no-known-route-deleted',
  ]);
  const story = /✗ no-known-route-deleted: a shortest run[\s\S]*?cut off\./.exec(stdout)?.[0];
  expect(story).toBeDefined();
  expect(readme).toContain(story);
});

test('the matrix holds the recorded verdicts', async () => {
  const { designs } = JSON.parse(await readFile(join(root, 'test/recorded-verdicts.json'), 'utf8')) as {
    designs: { design: string; properties: { verdict: string; traceLength?: number }[] }[];
  };
  for (const { design, properties } of designs) {
    const cells = properties.map(({ verdict, traceLength }) =>
      verdict === 'proved' ? '✓' : `✗ ${traceLength}`,
    );
    const row = new RegExp(`^${design} +${cells.join(' +')} `, 'm');
    expect(readme).toMatch(row);
  }
});
