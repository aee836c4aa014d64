/** Counterexamples of the checker, played against a running agent on real parts. */
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Design, findDesign } from '../../models/index.ts';
import { recordedSystem } from '../../src/cli/recorded-system.ts';
import { noOwnNamespace } from '../../src/rig/own-namespace.ts';
import { replayForReal } from '../../src/rig/replay-for-real.ts';
import { startRig } from '../../src/rig/rig.ts';
import { readItf } from '../../src/trace/read-itf.ts';
import { allowedRun } from './allowed-run.ts';
import { missingEtcd } from './missing-etcd.ts';
import { quick } from './quick.ts';

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
        allowedRun(agentTrace);
        const fenced = await replay(design, '--design', 'fenced', '--format', 'json');
        expect(JSON.parse(fenced.stdout)).toMatchObject({ kept: true, cutOff: [], withoutRoute: [] });
        expect(fenced.exitCode).toBe(0);
        allowedRun(agentTrace);
      },
      // On a busy machine both are played with slower timers.
      180_000,
    );

    it('a trace that the model itself does not have is not reproduced, and strikes no other design', async () => {
      const trace = JSON.parse(readFileSync(file('felix-3.0.1'), 'utf8')) as { states: object[] };
      trace.states = trace.states.filter((state) => !JSON.stringify(state).includes('"peer.vanished"'));
      const other = join(folder, `other-${on}.itf.json`);
      writeFileSync(other, JSON.stringify(trace));
      const played = await run('replay', other, '--on', on);
      expect(played.stdout).toMatch(
        /not reproduced at step \d+\n {2}In the model, part '.*' was recorded as/,
      );
      expect(played.exitCode).toBe(1);
      const freely = await run('replay', other, '--on', on, '--design', 'fenced');
      expect(freely.stderr).toMatch(/it is no run of the model, which differs at step \d+: part /);
      expect(freely.exitCode).toBe(2);
    });
  });
}

describe.skipIf(missingEtcd !== '')(`a trace played against an agent of another design${missingEtcd}`, () => {
  it('is not reproduced: the step is named, and what the agent was instead', async () => {
    const { picks, meta } = await readItf(readFileSync(file('felix-3.0.1'), 'utf8'));
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

describe.skipIf(noKernel !== '')(`replay --on kernel, too fast for its faults${noKernel}`, () => {
  it('is repeated with slower timers, and tells when those are too fast as well', async () => {
    const fast = ['--design', 'felix-3.0.1', '--time-scale', '0.001', '--format', 'json'];
    const { stdout, stderr } = await run('replay', file('felix-3.0.1'), '--on', 'kernel', ...fast);
    expect(stderr).toContain('too long at 0.001 s for each second. It is played again at 0.008 s.');
    expect(stderr).toContain("too long at 0.008 s for each second. The agent's timers may have come first.");
    expect(JSON.parse(stdout)).toMatchObject({ timeScale: 0.008 });
  });
});

const home = join(folder, 'nobody');
const switchToNobody = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups'];
const nobodysFolder = { HOME: home, TMPDIR: home };

/** Runs the command as the user `nobody`, with a folder of its own. */
const asNobody = (...args: string[]) => {
  const [command = '', ...rest] = [...switchToNobody, process.execPath, main, ...args];
  return execa(command, rest, { reject: false, env: nobodysFolder });
};

/** The same where the kernel allows no user namespace: in one whose own limit forbids others, with the users outside. */
async function asNobodyForbidden(...args: string[]) {
  const forbid = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"';
  const child = execa(
    'unshare',
    [
      // It is root there only from the first program on that is run after the users are known.
      ...['--user', '--', 'sh', '-c', 'echo in; read -r known; exec "$@"', 'sh', 'sh', '-c', forbid, 'sh'],
      ...[...switchToNobody, process.execPath, main, ...args],
    ],
    { reject: false, env: nobodysFolder, stdin: 'pipe' },
  );
  await once(child.stdout, 'data');
  for (const map of ['uid_map', 'gid_map']) writeFileSync(`/proc/${child.pid}/${map}`, '0 0 65536');
  child.stdin.end('known\n');
  return child;
}

async function cannotBeNobody(): Promise<string> {
  if (process.getuid?.() !== 0) return ' (skipped: only root can switch to nobody)';
  mkdirSync(home, { mode: 0o777 });
  chmodSync(folder, 0o755);
  chmodSync(home, 0o777);
  const { exitCode, stderr } = await asNobody('--version');
  if (exitCode !== 0) return ` (skipped: nobody cannot run the command here: ${stderr.split('\n')[0]})`;
  const made = await execa('setpriv', [...switchToNobody.slice(1), 'unshare', '--user', '--net', 'true'], {
    reject: false,
  });
  return made.exitCode === 0 ? '' : ` (skipped: nobody may make no namespace here: ${made.stderr})`;
}
const noNobody = noKernel || (await cannotBeNobody());

describe.skipIf(noNobody !== '')(`replay --on kernel without root${noNobody}`, () => {
  it('reproduces a counterexample', async () => {
    const { stdout, stderr, exitCode } = await asNobody('replay', file('felix-3.0.1'), '--on', 'kernel');
    expect(stdout + stderr).toContain('reproduced: after each of 11 steps');
    expect(exitCode).toBe(0);
  });

  it('says which setting of the kernel forbids it', async () => {
    const { stderr, exitCode } = await asNobodyForbidden('replay', file('felix-3.0.1'), '--on', 'kernel');
    expect(stderr).toContain("have root run 'sysctl -w user.max_user_namespaces=10000'");
    expect(exitCode).toBe(2);
  });
});
