/** Counterexamples of the checker, played against a running agent on real parts, whichever those are. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { allowedRun } from './allowed-run.ts';
import { main } from './command.ts';

/** Designs of which the model says that they cut a pod off. */
const refuted = ['felix-3.0.1', 'grpc-keepalive', 'felix-3.29'];

/** Runs the command. */
export const run = (...args: string[]) => execa(process.execPath, [main, ...args], { reject: false });

/** What is in a file of a process; nothing if the process has ended meanwhile. */
function readOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** A folder of the test file's own, in which are the counterexamples while its tests run. */
export interface Counterexamples {
  readonly folder: string;
  /** The counterexample of a design. */
  file(design: string): string;
}

/** Has the counterexamples written before the tests of this file, and removed after them. */
export function counterexamples(): Counterexamples {
  const folder = mkdtempSync(join(tmpdir(), 'routeproof-replay-'));
  beforeAll(async () => {
    // With a tick that all durations are multiples of, what the agents do can be validated too.
    const coarse = ['-p', 'retryDelay=10', '-p', 'leaderTimeout=10'];
    // They are found among the first states.
    const first = ['--max-states', '100000', '--property', 'no-known-route-deleted'];
    await run('check', ...refuted, ...coarse, ...first, '--trace-dir', folder);
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, file: (design) => join(folder, `${design}.no-known-route-deleted.itf.json`) };
}

/**
 * Tests that they are reproduced on real parts, and that their faults do nothing to another design.
 *
 * @param reason - why they are skipped, if they are
 */
export function describeReplays(
  on: 'etcd' | 'kernel',
  reason: string,
  { folder, file }: Counterexamples,
): void {
  const agentTrace = join(folder, 'agent.trace');
  describe.skipIf(reason !== '')(`replay --on ${on}${reason}`, () => {
    const replay = (design: string, ...more: string[]) =>
      run('replay', file(design), '--on', on, '--trace', agentTrace, ...more);
    // At the pace that is the default, faults of the kernel take so long that all would be played again.
    const pace = on === 'kernel' ? ['--time-scale', '0.15'] : [];
    const playFreely = (design: string, against: string) =>
      replay(design, '--design', against, '--format', 'json', ...pace);

    it.each(refuted)('%s: its counterexample is reproduced', async (design) => {
      const { stdout, stderr, exitCode } = await replay(design);
      expect(stdout + stderr).toContain('reproduced: after each of 11 steps');
      expect(exitCode).toBe(0);
      allowedRun(agentTrace);
    });

    it.each(refuted)(
      '%s: the same faults cut a pod off when it runs freely, and not under fenced',
      async (design) => {
        const freely = await playFreely(design, design);
        expect(JSON.parse(freely.stdout)).toMatchObject({ design, kept: false, cutOff: [1] });
        expect(freely.exitCode).toBe(1);
        allowedRun(agentTrace);
        const fenced = await playFreely(design, 'fenced');
        expect(JSON.parse(fenced.stdout)).toMatchObject({ kept: true, cutOff: [], withoutRoute: [] });
        expect(fenced.exitCode).toBe(0);
        allowedRun(agentTrace);
      },
      // On a busy machine both are played again, with slower timers.
      180_000,
    );

    it.each([
      ['SIGINT', on === 'kernel' ? { exitCode: 130 } : { signal: 'SIGINT' }],
      ['SIGTERM', on === 'kernel' ? { exitCode: 143 } : { signal: 'SIGTERM' }],
      ['SIGKILL', { signal: 'SIGKILL' }],
    ] as const)('%s ends it, and neither a process nor a file is left', async (signal, end) => {
      const own = mkdtempSync(join(folder, 'killed-'));
      // Its processes have the folder in their environment, but for etcd, whose data are there.
      const processes = () =>
        readdirSync('/proc')
          .filter((id) => /^\d+$/.test(id))
          .map((id) => [readOf(`/proc/${id}/environ`), readOf(`/proc/${id}/cmdline`).replaceAll('\0', ' ')])
          .flatMap(([environment = '', command = '']) =>
            (environment + command).includes(own) ? [command] : [],
          );
      const child = execa(process.execPath, [main, 'replay', file('felix-3.0.1'), '--on', on], {
        env: { TMPDIR: own },
        reject: false,
      });
      await vi.waitFor(() => expect(processes().join()).toContain('etcd --name m0'), 10_000);
      child.kill(signal);
      expect(await child).toMatchObject(end);
      await vi.waitFor(() => expect([processes(), readdirSync(own)]).toEqual([[], []]), 10_000);
    });

    it('a trace that the model itself does not have is not reproduced, and strikes no other design', async () => {
      const trace = JSON.parse(readFileSync(file('felix-3.0.1'), 'utf8')) as { states: object[] };
      trace.states = trace.states
        .filter((state) => !JSON.stringify(state).includes('"peer.vanished"'))
        .map((state, index) => ({ ...state, '#meta': { index } }));
      const other = join(folder, `other-${on}.itf.json`);
      writeFileSync(other, JSON.stringify(trace));
      const played = await run('replay', other, '--on', on);
      expect(played.stdout).toMatch(
        /in the model; real parts were not started\n\n.*not reproduced at step \d+\n {2}In the model, part '.*' was recorded as/,
      );
      expect(played.exitCode).toBe(1);
      const freely = await run('replay', other, '--on', on, '--design', 'fenced');
      expect(freely.stderr).toMatch(/it is no run of the model, which differs at step \d+: part /);
      expect(freely.exitCode).toBe(2);
    });
  });
}
