/** Counts the states and steps of a Promela model with Spin. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import type { Counts } from './counts.ts';
import { inScratchFolder } from './scratch-folder.ts';

/** Steps that one run of Spin's depth-first search may be long. */
const depthMax = 100_000;

/**
 * Spin's "transitions" are its states stored and matched. The initial state is stored though no transition leads to
 * it, so the transitions are one more than the edges.
 */
export async function runSpin(model: string): Promise<Counts> {
  return inScratchFolder(async (cwd) => {
    await writeFile(join(cwd, 'model.pml'), model);
    await execa('spin', ['-a', 'model.pml'], { cwd });
    await execa('gcc', ['-O0', '-w', '-DSAFETY', '-DNOREDUCE', '-o', 'pan', 'pan.c'], { cwd });
    const { stdout } = await execa(join(cwd, 'pan'), ['-E', '-w16', `-m${depthMax}`], { cwd });
    const errors = /errors: (\d+)/.exec(stdout)?.[1];
    const states = /(\d+) states, stored/.exec(stdout)?.[1];
    const transitions = /(\d+) transitions \(= stored\+matched\)/.exec(stdout)?.[1];
    if (
      errors !== '0' ||
      states === undefined ||
      transitions === undefined ||
      /max search depth/.test(stdout)
    ) {
      throw new Error(`Spin did not search the whole space:\n${stdout}\n${model}`);
    }
    return { states: Number(states), edges: Number(transitions) - 1 };
  });
}
