/** Counterexamples of the checker, played against a running agent on real parts. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noOwnNamespace } from '../../src/rig/own-namespace.ts';
import { allowedRun } from './allowed-run.ts';
import { missingEtcd } from './missing-etcd.ts';

const main = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));
const why = missingEtcd === '' ? noOwnNamespace() : undefined;
const noKernel = why === undefined ? missingEtcd : ` (skipped: ${why})`;
const refuted = ['felix-3.0.1', 'grpc-keepalive', 'felix-3.29'];

const folder = mkdtempSync(join(tmpdir(), 'routeproof-replay-'));
const file = (design: string) => join(folder, `${design}.no-known-route-deleted.itf.json`);
const agentTrace = join(folder, 'agent.trace');
const run = (...args: string[]) => execa(process.execPath, [main, ...args], { reject: false });

beforeAll(async () => {
  // With a tick that all durations are multiples of, what the agents do can be validated too.
  const coarse = ['-p', 'retryDelay=10', '-p', 'leaderTimeout=10'];
  await run('check', ...refuted, ...coarse, '--property', 'no-known-route-deleted', '--trace-dir', folder);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

for (const [on, reason] of [
  ['etcd', missingEtcd],
  ['kernel', noKernel],
] as const) {
  describe.skipIf(reason !== '')(`replay --on ${on}${reason}`, () => {
    const replay = (design: string, ...more: string[]) =>
      run('replay', file(design), '--on', on, '--trace', agentTrace, ...more);

    it.each(refuted)('%s: its counterexample is reproduced', async (design) => {
      const { stdout, stderr, exitCode } = await replay(design);
      expect(stdout + stderr).toContain('reproduced: after each of 11 steps');
      expect(exitCode).toBe(0);
      allowedRun(agentTrace);
    });

    it.each(refuted)(
      '%s: the same faults cut a pod off when it runs freely, and not under fenced',
      async (design) => {
        const freely = await replay(design, '--design', design, '--format', 'json');
        expect(JSON.parse(freely.stdout)).toMatchObject({ design, kept: false, cutOff: [1] });
        expect(freely.exitCode).toBe(1);
        // With pings whose times have no common measure, more states may be behind a free run than are looked at.
        if (design === 'felix-3.0.1') allowedRun(agentTrace);
        const fenced = await replay(design, '--design', 'fenced', '--format', 'json');
        expect(JSON.parse(fenced.stdout)).toMatchObject({ kept: true, cutOff: [], withoutRoute: [] });
        expect(fenced.exitCode).toBe(0);
        allowedRun(agentTrace);
      },
    );

    it('a trace of which a step cannot happen is not reproduced, and the step is named', async () => {
      const trace = JSON.parse(readFileSync(file('felix-3.0.1'), 'utf8')) as { states: object[] };
      // Without the silent death of its connection the agent hears of the pod, and has nothing to delete.
      trace.states = trace.states.filter((state) => !JSON.stringify(state).includes('"peer.vanished"'));
      const other = join(folder, `other-${on}.itf.json`);
      writeFileSync(other, JSON.stringify(trace));
      const { stdout, exitCode } = await run('replay', other, '--on', on);
      expect(stdout).toMatch(/not reproduced at step \d+/);
      expect(exitCode).toBe(1);
    });
  });
}
