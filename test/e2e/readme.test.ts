/** The README's example runs as it stands and prints what the README says. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { execa } from 'execa';
import { afterAll, expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
// Inside the package, so that its own name resolves to what was built.
const example = new URL('dist/readme-example.mjs', root);

afterAll(() => rm(example, { force: true }));

test('the library example finds the run that it speaks of', async () => {
  const readme = await readFile(new URL('README.md', root), 'utf8');
  const code = /```ts\n([\s\S]*?)```/.exec(readme)?.[1];
  await writeFile(example, code ?? 'throw new Error("no example")');
  const { stdout } = await execa(process.execPath, [example.pathname]);
  expect(stdout).toMatch(/^violated/);
  expect(stdout.match(/kind:/g)).toHaveLength(6);
});
