/** What all commands share, and the two that only look. */
import { readFile, readlink, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { directory, main, root, run } from './command.ts';

describe('list and diagram', () => {
  test('list names designs, properties, faults and machines', async () => {
    const { stdout, exitCode } = await run(['list']);
    expect(exitCode).toBe(0);
    for (const word of [
      'fenced',
      'source: projectcalico/felix 3.0.1',
      'grace 10 s',
      'fail-static',
      'half-open',
      'watcher',
    ]) {
      expect(stdout).toContain(word);
    }
    const list = JSON.parse((await run(['list', '--format', 'json'])).stdout);
    expect(list.designs).toHaveLength(16);
    expect(list.properties.map(({ id }: { id: string }) => id)).toContain('orphan-removed');
    expect(Object.keys(list.designs[0])).toEqual(['id', 'says', 'source', 'switches', 'parameters']);
  });

  test('diagram draws Mermaid and SVG, with the delays of a design', async () => {
    const mermaid = await run([
      'diagram',
      'cleanup',
      '--format',
      'mermaid',
      '--design',
      'keepalive-long-grace',
    ]);
    expect(mermaid.stdout).toMatch(/^stateDiagram-v2/);
    expect(mermaid.stdout).toContain('1 min');
    const svg = await run(['diagram', 'link', '-o', 'link.svg']);
    expect({ exitCode: svg.exitCode, stdout: svg.stdout }).toEqual({ exitCode: 0, stdout: '' });
    expect(await readFile(join(directory, 'link.svg'), 'utf8')).toMatch(/^<svg /);
  });
});

test('a reader that has seen enough ends the command quietly', async () => {
  const { stdout, stderr } = await execa({
    shell: true,
    reject: false,
  })`${process.execPath} ${main} list --format json | head -1`;
  expect({ stdout, stderr }).toEqual({ stdout: '{', stderr: '' });
});

test('a reader that leaves before the last design was looked at does not make it proved', async () => {
  const designs = 'fenced never-delete felix-3.0.1 --property no-known-route-deleted --fault half-open';
  const { exitCode } = await execa(
    `set -o pipefail; ${process.execPath} ${main} check ${designs} | head -1`,
    { shell: 'bash', reject: false },
  );
  // 1 if all was found out before the reader's end was noticed.
  expect([1, 141]).toContain(exitCode);
});

test.each(['list --format json', 'check --fault none', 'check felix-3.0.1 --format json --fault half-open'])(
  '%s ends with 2, and without a verdict, if standard output cannot be written',
  async (args) => {
    const { stderr, exitCode } = await execa(`${process.execPath} ${main} ${args} > /dev/full`, {
      shell: true,
      reject: false,
    });
    expect(stderr).toMatch(
      /^error: standard output cannot be written \(ENOSPC: [^\n]*\)\. Free the place [^\n]*$/,
    );
    expect(exitCode).toBe(2);
  },
);

test.each(['diagram link', 'export fenced --format promela'])(
  '%s -o writes into what is no plain file, and lets it be',
  async (args) => {
    const place = join(directory, 'place');
    await symlink('/dev/full', place);
    const full = await run([...args.split(' '), '-o', place]);
    expect(full.stderr).toMatch(/^error: \S+place: the file cannot be written \(ENOSPC: /);
    expect(full.exitCode).toBe(2);
    expect(await readlink(place)).toBe('/dev/full');
    await rm(place);
    await symlink('/dev/null', place);
    expect((await run([...args.split(' '), '-o', place])).exitCode).toBe(0);
    expect(await readlink(place)).toBe('/dev/null');
    await rm(place);
  },
);

test('help tells exit codes, and the version is the package’s', async () => {
  const help = await run(['check', '--help']);
  expect(help.exitCode).toBe(0);
  expect(help.stdout).toContain('130  interrupted');
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  expect((await run(['--version'])).stdout).toBe(version);
});

test.each([
  ...['check', 'compare', 'fuzz', 'merge', 'replay', 'validate', 'list', 'diagram', 'export', 'agent', 'cni'],
  '',
])('no line of the help of %j is longer than 80 columns', async (command) => {
  const { stdout, exitCode } = await run([...(command === '' ? [] : [command]), '--help']);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('Usage: routeproof');
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
});
