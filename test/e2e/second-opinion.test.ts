/** Spin and Rumur, where they are installed, find as many states and steps as the checker. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { System } from '../../src/system.ts';
import { randomSystem } from '../unit/explore/random-systems.ts';
import { countsOf, house, office, textOf } from '../unit/export/systems.ts';
import { directory, root, run } from './command.ts';

/** Why a program cannot be used, or nothing if it can. */
async function missing(program: string, flag: string): Promise<string | undefined> {
  const { failed, shortMessage } = await execa(program, [flag], { reject: false });
  return failed ? `${program} is not installed: ${shortMessage}` : undefined;
}

const compiler = await missing('gcc', '--version');
const noSpin = (await missing('spin', '-V')) ?? compiler;
const noRumur = (await missing('rumur', '--version')) ?? compiler;

/** A few random systems, always the same. */
const few: readonly System[] = fc.sample(randomSystem, { seed: 7, numRuns: 3 });
const systems: readonly System[] = [house, office, ...few];

async function place(name: string): Promise<string> {
  const path = join(directory, name);
  await mkdir(path);
  return path;
}

/** Spin's states and transitions but for the one that is the first state. */
async function spinCounts(cwd: string): Promise<{ states: number; edges: number }> {
  await execa('spin', ['-a', 'model.pml'], { cwd });
  await execa('gcc', ['-O1', '-DSAFETY', '-DNOREDUCE', '-DNOCOMP', '-o', 'pan', 'pan.c'], { cwd });
  const { stdout } = await execa(join(cwd, 'pan'), ['-E', '-m200000', '-w20'], { cwd });
  expect(stdout).not.toContain('max search depth too small');
  expect(stdout).toContain('errors: 0');
  const number = (what: RegExp): number => Number(what.exec(stdout)?.[1]);
  return { states: number(/(\d+) states, stored/), edges: number(/(\d+) transitions \(/) - 1 };
}

async function rumurCounts(cwd: string): Promise<{ states: number; edges: number }> {
  const flags = ['--deadlock-detection', 'off', '--symmetry-reduction', 'off', '--threads', '1'];
  await execa('rumur', [...flags, '-o', 'model.c', 'model.m'], { cwd });
  const native = process.arch === 'x64' ? ['-mcx16'] : [];
  await execa('gcc', ['-std=c11', '-O1', ...native, '-o', 'model', 'model.c', '-lpthread', '-latomic'], {
    cwd,
  });
  const { stdout } = await execa(join(cwd, 'model'), { cwd, reject: false });
  expect(stdout).toContain('No error found');
  const [, states, edges] = /([\d,]+) states, ([\d,]+) rules fired/.exec(stdout) ?? [];
  const number = (text = ''): number => Number(text.replaceAll(',', ''));
  return { states: number(states), edges: number(edges) };
}

describe('Spin', () => {
  it('counts what the checker counts', async (context) => {
    context.skip(noSpin !== undefined, noSpin);
    for (const [index, system] of systems.entries()) {
      const cwd = await place(`spin-${index}`);
      await writeFile(join(cwd, 'model.pml'), await textOf(system, 'promela'));
      expect({ id: system.id, ...(await spinCounts(cwd)) }).toEqual({
        id: system.id,
        ...(await countsOf(system)),
      });
    }
  });

  it('counts what the checker counts of the recommended design', async (context) => {
    context.skip(noSpin !== undefined, noSpin);
    const cwd = await place('spin-fenced');
    const { exitCode } = await run(['export', 'fenced', '--format', 'promela', '-o', join(cwd, 'model.pml')]);
    expect(exitCode).toBe(0);
    const readme = await readFile(join(root, 'README.md'), 'utf8');
    const number = (what: RegExp): number => Number(what.exec(readme)?.[1]);
    const shown = { states: number(/(\d+) states, stored/), edges: number(/(\d+) transitions \(/) - 1 };
    expect(await spinCounts(cwd)).toEqual({ states: 207_490, edges: 2_287_555 });
    expect(shown).toEqual({ states: 207_490, edges: 2_287_555 });
  });
});

describe('Rumur', () => {
  it('counts what the checker counts', async (context) => {
    context.skip(noRumur !== undefined, noRumur);
    for (const [index, system] of systems.entries()) {
      const cwd = await place(`rumur-${index}`);
      await writeFile(join(cwd, 'model.m'), await textOf(system, 'murphi'));
      expect({ id: system.id, ...(await rumurCounts(cwd)) }).toEqual({
        id: system.id,
        ...(await countsOf(system)),
      });
    }
  });

  it('counts what the checker counts of a small world of the recommended design', async (context) => {
    context.skip(noRumur !== undefined, noRumur);
    const cwd = await place('rumur-fenced');
    const file = join(cwd, 'model.m');
    const { exitCode } = await run(['export', '--format', 'murphi', '--fault', 'half-open', '-o', file]);
    expect(exitCode).toBe(0);
    expect(await rumurCounts(cwd)).toEqual({ states: 634, edges: 2097 });
  });
});

describe('the command', () => {
  it('writes the whole graph to standard output', async () => {
    const { stdout, exitCode } = await run(['export', '--format', 'aut', '--fault', 'none']);
    expect(exitCode).toBe(0);
    const [, edges] = /^des \(0, (\d+), \d+\)/.exec(stdout) ?? [];
    expect(stdout.split('\n')).toHaveLength(Number(edges) + 1);
  });

  it('refuses to draw what is too large', async () => {
    const { stderr, stdout, exitCode } = await run(['export', '--format', 'dot']);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toContain('it has 207,490 states, and a picture of more than 2,000 shows nothing');
  });

  it('says which file cannot be written', async () => {
    const { stderr, exitCode } = await run(['export', '--format', 'promela', '-o', 'nowhere/model.pml']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('nowhere/model.pml: the file cannot be written');
  });
});
