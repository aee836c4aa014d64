import { describe, expect, it } from 'vitest';
import { compareWith } from './compare.ts';
import { missingCommands } from './missing-commands.ts';
import { runRumur } from './run-rumur.ts';
import { writeMurphi } from './write-murphi.ts';

const missing = await missingCommands(['rumur', 'gcc']);

describe.skipIf(missing !== '')(`Rumur${missing}`, () => {
  it('fires a rule for each edge, and for a step that changes nothing', async () => {
    const model = `var a: 0..2; b: 0..1;
startstate begin a := 0; b := 0; end;
rule "a" a < 2 ==> begin a := a + 1; end;
rule "b" b < 1 ==> begin b := b + 1; end;
rule "nothing" a = 1 ==> begin end;`;
    expect(await runRumur(model)).toEqual({ states: 6, edges: 4 + 3 + 2 });
  });

  it('counts as many states and edges of random systems', async () => {
    await compareWith((recipe) => runRumur(writeMurphi(recipe)));
  });
});
