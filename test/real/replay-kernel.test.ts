import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { main } from './command.ts';
import { noKernel } from './missing-kernel.ts';
import { counterexamples, describeReplays, run } from './replays.ts';

const { folder, file } = counterexamples();
describeReplays('kernel', noKernel, { folder, file });

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
