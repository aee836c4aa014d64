import { describe, expect, it } from 'vitest';
import { compareWith } from './compare.ts';
import { missingCommands } from './missing-commands.ts';
import { runSpin } from './run-spin.ts';
import { writePromela } from './write-promela.ts';

const missing = await missingCommands(['spin', 'gcc']);

describe.skipIf(missing !== '')(`Spin${missing}`, () => {
  it('prints one transition more than there are edges, and counts a step that changes nothing', async () => {
    const model = `byte a; byte b;
active proctype P() {
  do
  :: d_step { a < 2 -> a++ }
  :: d_step { b < 1 -> b++ }
  :: d_step { a == 1 -> skip }
  od
}`;
    expect(await runSpin(model)).toEqual({ states: 6, edges: 4 + 3 + 2 });
  });

  it('counts as many states and edges of random systems', async () => {
    await compareWith(async (recipe) => {
      const { states, edges } = await runSpin(writePromela(recipe));
      // The model has one state and one step before the parts have started.
      return { states: states - 1, edges: edges - 1 };
    });
  });
});
