/** Counts the states and steps of a Murphi model with Rumur. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import type { Counts } from './counts.ts';
import { inScratchFolder } from './scratch-folder.ts';

/** Rumur's "rules fired" are the edges. */
export async function runRumur(model: string): Promise<Counts> {
  return inScratchFolder(async (cwd) => {
    await writeFile(join(cwd, 'model.m'), model);
    await execa(
      'rumur',
      ['--deadlock-detection', 'off', '--threads', '1', '--output', 'checker.c', 'model.m'],
      { cwd },
    );
    await execa('gcc', ['-std=c11', '-O0', '-w', '-o', 'checker', 'checker.c', '-lpthread'], { cwd });
    const { stdout } = await execa(join(cwd, 'checker'), { cwd });
    const found = /(\d+) states, (\d+) rules fired/.exec(stdout);
    if (found === null || !/No error found/.test(stdout)) {
      throw new Error(`Rumur did not search the whole space:\n${stdout}\n${model}`);
    }
    return { states: Number(found[1]), edges: Number(found[2]) };
  });
}
