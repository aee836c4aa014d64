import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Design, findDesign } from '../../models/index.ts';
import { recordedSystem } from '../../src/cli/recorded-system.ts';
import { replayForReal } from '../../src/rig/replay-for-real.ts';
import { startRig } from '../../src/rig/rig.ts';
import { readItf } from '../../src/trace/read-itf.ts';
import { missingEtcd } from './missing-etcd.ts';
import { quick } from './quick.ts';
import { counterexamples, describeReplays } from './replays.ts';

const written = counterexamples();
describeReplays('etcd', missingEtcd, written);

describe.skipIf(missingEtcd !== '')(`a trace played against an agent of another design${missingEtcd}`, () => {
  it('is not reproduced: the step is named, and what the agent was instead', async () => {
    const { picks, meta } = await readItf(readFileSync(written.file('felix-3.0.1'), 'utf8'));
    const { system } = recordedSystem('', meta);
    const felix = findDesign('felix-3.0.1') as Design;
    const design = quick({ ...felix, switches: [...felix.switches, 'fences'] });
    const rig = await startRig('memory');
    try {
      const replayed = await replayForReal(rig, system, design, picks, 0.2);
      expect(replayed).toMatchObject({
        reproduced: false,
        reason: "the agent's cleanup[1] is decision fencing, and the model's deleting",
      });
    } finally {
      await rig.close();
    }
  });
});
