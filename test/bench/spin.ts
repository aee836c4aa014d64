/** Spin on a system that is exported to Promela: counts and speed. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { exportSystem } from '../../src/index.ts';
import type { System } from '../../src/system.ts';

/**
 * How Spin is compiled: for safety, without reduction, and with states stored as they are. Without `-DNOCOMP` it masks
 * them first, and its hash function then collides so often on states this small that it takes six times as long.
 */
export const spinFlags = ['-O2', '-DSAFETY', '-DNOREDUCE', '-DNOCOMP', '-DMEMLIM=16000'] as const;

/** What Spin found. */
export interface SpinFigures {
  readonly states: number;
  readonly edges: number;
  /** Spin writes eight digits of a large number; its edges are known but for this much. */
  readonly edgesRounding: number;
  /** The time of its search, as it says itself. */
  readonly seconds: number;
}

/** Spin, compiled for one system. */
export interface Spin {
  /** How long translating and compiling took. */
  readonly preparationSeconds: number;
  run(): Promise<SpinFigures>;
  remove(): Promise<void>;
}

/**
 * Compiles Spin's verifier for a system.
 *
 * @param states - how many states it will find: its table gets twice as many slots, its stack as many places
 */
export async function compileSpin(system: System, states: number): Promise<Spin> {
  const cwd = await mkdtemp(join(tmpdir(), 'routeproof-bench-'));
  await writeFile(join(cwd, 'model.pml'), await textOf(system));
  const start = performance.now();
  await execa('spin', ['-a', 'model.pml'], { cwd });
  await execa('gcc', [...spinFlags, '-w', '-o', 'pan', 'pan.c'], { cwd });
  const slots = Math.ceil(Math.log2(states)) + 1;
  const preparationSeconds = (performance.now() - start) / 1000;
  return {
    preparationSeconds,
    run: async () => {
      const { stdout } = await execa(join(cwd, 'pan'), ['-E', `-m${states}`, `-w${slots}`], { cwd });
      return figuresOf(stdout);
    },
    remove: () => rm(cwd, { recursive: true, force: true }),
  };
}

async function textOf(system: System): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of exportSystem(system, 'promela')) pieces.push(piece);
  return pieces.join('');
}

/** Its "transitions" are states stored and matched, and no transition leads to the first one. */
function figuresOf(output: string): SpinFigures {
  const number = (pattern: RegExp): number => {
    const found = pattern.exec(output)?.[1];
    if (found === undefined) throw new Error(`Spin's output has no ${pattern}:\n${output}`);
    return Number(found);
  };
  if (/max search depth too small/.test(output)) throw new Error(`Spin was cut off:\n${output}`);
  const stored = number(/(\d+) states, stored/);
  const matched = number(/([\d.e+]+) states, matched/);
  return {
    states: stored,
    edges: stored + matched - 1,
    edgesRounding: matched < 1e8 ? 0 : 10 ** (Math.floor(Math.log10(matched)) - 7) / 2,
    seconds: number(/elapsed time ([\d.]+) seconds/),
  };
}
