import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Design, findDesign } from '../../models/index.ts';
import { recordedSystem } from '../../src/cli/recorded-system.ts';
import { replayForReal } from '../../src/rig/replay-for-real.ts';
import { startRig } from '../../src/rig/rig.ts';
import { readItf } from '../../src/trace/read-itf.ts';
import { missingEtcd } from './missing-etcd.ts';
import { quick } from './quick.ts';
import { counterexamples, describeReplays, run } from './replays.ts';

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

describe.skipIf(missingEtcd !== '')(`a trace in which no pod has a route${missingEtcd}`, () => {
  it('shows nothing of a design: that none was lost is no verdict', async () => {
    const trace = JSON.parse(readFileSync(written.file('felix-3.0.1'), 'utf8')) as { states: object[] };
    const short = join(written.folder, 'short.itf.json');
    writeFileSync(short, JSON.stringify({ ...trace, states: trace.states.slice(0, 2) }));
    const { stdout, exitCode } = await run('replay', short, '--on', 'etcd', '--design', 'fenced');
    expect(stdout).toContain('vacuous');
    expect(exitCode).toBe(4);
  });

  it.each([
    ['a folder that there is not', join(written.folder, 'none', 'agent.trace'), 'ENOENT'],
    ['a disk that is full', '/dev/full', 'ENOSPC'],
  ])('--trace on %s: ends with 2 and names it', async (_, to, reason) => {
    const { stdout, stderr, exitCode } = await run(
      ...['replay', written.file('felix-3.0.1'), '--on', 'etcd', '--trace', to],
    );
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toMatch(new RegExp(`^error: --trace ${to}: .*${reason}`));
  });
});
