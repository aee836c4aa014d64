import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Claims, readClaim } from '../../../src/cni/claims.ts';

let directory: string;
let claims: Claims;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'routeproof-claims-'));
  claims = new Claims(directory);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

it('writes what the agent reads', async () => {
  expect(await readClaim(directory, 'cali1')).toBeUndefined();
  await claims.take('cali1', 'first');
  expect(await readClaim(directory, 'cali1')).toBe('first');
  expect(await readClaim(directory, 'cali2')).toBeUndefined();
});

it('is of nobody if the file is empty', async () => {
  await writeFile(join(directory, 'cali1'), '');
  expect(await readClaim(directory, 'cali1')).toBeUndefined();
});

it('is said with its path if it cannot be read', async () => {
  await mkdir(join(directory, 'cali1'));
  await expect(readClaim(directory, 'cali1')).rejects.toThrow(`${join(directory, 'cali1')}: EISDIR`);
});

it('makes its directory', async () => {
  const deep = join(directory, 'a', 'b');
  await new Claims(deep).take('cali1', 'first');
  expect(await readClaim(deep, 'cali1')).toBe('first');
});

it('is there whole or not at all', async () => {
  await claims.take('cali1', 'first');
  expect((await readdir(directory)).sort()).toEqual(['.lock', 'cali1']);
});

it('is overwritten by a newer one, which a late release does not take', async () => {
  await claims.take('cali1', 'first');
  await claims.take('cali1', 'second');
  expect(await claims.release('cali1', 'first')).toBe(false);
  expect(await readClaim(directory, 'cali1')).toBe('second');
  expect(await claims.release('cali1', 'second')).toBe(true);
  expect(await readClaim(directory, 'cali1')).toBeUndefined();
  expect(await claims.release('cali1', 'second')).toBe(false);
});

it('changes nothing while another process changes claims', async () => {
  await claims.take('cali1', 'first');
  // It shares its lock, so only who wants it alone has to wait.
  const other = spawn('flock', ['--shared', join(directory, '.lock'), 'sh', '-c', 'echo locked; read _'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(other.stdout, 'data');
  let released: boolean | undefined;
  const release = claims.release('cali1', 'first').then((was) => {
    released = was;
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(released).toBeUndefined();
  // What the other process does in its turn is seen.
  await writeFile(join(directory, 'cali1'), 'second');
  other.stdin.end('\n');
  await release;
  expect(released).toBe(false);
  expect(await readClaim(directory, 'cali1')).toBe('second');
});

it('says what to do if the directory is none', async () => {
  const file = join(directory, 'file');
  await writeFile(file, '');
  await expect(new Claims(file).take('cali1', 'first')).rejects.toMatchObject({
    code: 5,
    message: expect.stringContaining("'claims_dir'"),
  });
  await expect(new Claims(file).holder('cali1')).rejects.toMatchObject({ code: 5 });
});
