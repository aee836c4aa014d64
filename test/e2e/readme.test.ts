/** What the README shows is what the commands print. */
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, expect, test } from 'vitest';
import { directory, root, run } from './command.ts';

const readme = await readFile(join(root, 'README.md'), 'utf8');
const [designExample, libraryExample] = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(
  ([, code = '']) => code,
);
// Inside the package, so that its own name resolves to what was built.
const example = join(root, 'dist/readme-example.mjs');

afterAll(() => rm(example, { force: true }));

test('the library example finds the run that it speaks of', async () => {
  await writeFile(example, libraryExample ?? 'throw new Error("no example")');
  const { stdout } = await execa(process.execPath, [example]);
  expect(stdout).toMatch(/^violated/);
  expect(stdout.match(/kind:/g)).toHaveLength(6);
});

test('the example of a design, put where the README says, is compiled and gets the verdicts that it shows', async () => {
  const copy = join(directory, 'copy');
  await mkdir(copy);
  for (const each of ['src', 'models', 'dist', 'package.json', 'tsconfig.json'])
    await cp(join(root, each), join(copy, each), { recursive: true });
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  const file = join(copy, 'models/designs.ts');
  const designs = (await readFile(file, 'utf8')).split('\n];\n');
  // The last list of the file is that of the designs.
  const after = designs.pop();
  await writeFile(file, `${designs.join('\n];\n')}\n${designExample}];\n${after}`);
  // What does not import the designs is as it was built.
  const config = { extends: './tsconfig.json', include: ['models'] };
  await writeFile(join(copy, 'tsconfig.models.json'), JSON.stringify(config));
  await execa(join(root, 'node_modules/.bin/tsc'), ['--project', 'tsconfig.models.json'], { cwd: copy });
  const command = /^\$ node (\S+) (check fenced-without-claims)$/m.exec(readme);
  const [, main = '', args = ''] = command ?? [];
  const { stdout } = await execa(process.execPath, [main, ...args.split(' ')], { cwd: copy, reject: false });
  const shown = /check fenced-without-claims\n```\n\n```text\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const lines = shown.split('\n').filter((line) => line !== '' && line !== '…');
  expect(lines.length).toBeGreaterThan(3);
  expect(stdout.split('\n').filter((line) => lines.includes(line))).toEqual(lines);
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
