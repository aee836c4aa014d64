/** A few random runs on real parts; `npm run test:real` makes as many as are asked for. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Design, findDesign } from '../../models/index.ts';
import { Validator } from '../../src/validate/validate.ts';
import { missingEtcd } from './missing-etcd.ts';
import { quick } from './quick.ts';
import { randomRun, script } from './random-run.ts';

describe.skipIf(missingEtcd !== '')(`random runs on a real etcd${missingEtcd}`, () => {
  it('fenced removes no pod’s route, leaves no orphan, and does what the model allows', async () => {
    const design = quick(findDesign('fenced') as Design);
    const validator = new Validator(design);
    let steps = 0;
    await fc.assert(
      fc.asyncProperty(script, async (drawn) => {
        const { wrong, lines } = await randomRun('memory', design, drawn, validator);
        steps += lines;
        expect(wrong).toEqual([]);
      }),
      { numRuns: 8, endOnFailure: true },
    );
    expect(steps).toBeGreaterThan(0);
  }, 240_000);
});
