/** Trace files: what `check` writes, `replay` plays. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkSchema, directory, halfOpen, known, run } from './command.ts';

interface TraceFile {
  readonly '#meta': Record<string, unknown>;
  readonly states: Record<string, Record<string, unknown>>[];
}

describe('trace files', () => {
  const file = 'traces/felix-3.0.1.no-known-route-deleted.itf.json';
  const lasso = 'traces/felix-3.0.1.route-repaired.itf.json';
  let original: string;

  beforeAll(async () => {
    const { exitCode, stdout } = await run([
      ...['check', 'felix-3.0.1', ...halfOpen, '--format', 'json', '--trace-dir', 'traces'],
      ...[...known, '--property', 'route-repaired'],
    ]);
    expect(exitCode).toBe(1);
    const [result] = checkSchema.parse(JSON.parse(stdout)).results;
    expect(result?.properties.map(({ traceFile }) => traceFile)).toEqual([file, lasso]);
    original = await readFile(join(directory, file), 'utf8');
  });

  /** Writes a changed copy, and replays it. */
  async function replayChanged(change: (trace: TraceFile) => void, ...args: string[]) {
    const trace = JSON.parse(original);
    change(trace);
    await writeFile(join(directory, 'changed.itf.json'), JSON.stringify(trace));
    return await run(['replay', 'changed.itf.json', ...args]);
  }

  test('are whole, and nothing else is left behind', async () => {
    expect((await readdir(join(directory, 'traces'))).sort()).toEqual(
      [file, lasso].map((name) => name.slice('traces/'.length)).sort(),
    );
    expect(JSON.parse(original)).toMatchObject({
      '#meta': {
        format: 'ITF',
        design: 'felix-3.0.1',
        endpoints: 1,
        faults: ['half-open'],
        strikes: 1,
        property: 'no-known-route-deleted',
      },
    });
  });

  test.each([file, lasso])('%s is reproduced', async (name) => {
    const { exitCode, stdout, stderr } = await run(['replay', name]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain('✓ reproduced: every state is as recorded');
    expect(stdout).toMatch(/^! +0\.0 s +the peer vanishes/m);
  });

  test('the lasso has its loop in the file', async () => {
    const { loop, states } = JSON.parse(await readFile(join(directory, lasso), 'utf8'));
    expect(loop).toBeGreaterThan(0);
    expect(loop).toBeLessThan(states.length);
  });

  test('a state that was tampered with is found at its step', async () => {
    const tampered = await replayChanged(
      (trace) => {
        Object.assign(trace.states[7]?.['cni[1]'] ?? {}, { value: 'absent' });
      },
      '--format',
      'json',
    );
    expect(tampered.exitCode).toBe(1);
    expect(JSON.parse(tampered.stdout)).toMatchObject({
      reproduced: false,
      differsAt: 7,
      reason: expect.stringContaining("part 'cni[1]'"),
    });
  });

  test('a step that is not offered is found', async () => {
    const tampered = await replayChanged((trace) => {
      Object.assign(trace.states[3]?.['mbt::nondetPicks'] ?? {}, {
        choice: { tag: 'Some', value: 'delete.executed[1]' },
      });
    });
    expect(tampered.exitCode).toBe(1);
    expect(tampered.stdout).toMatch(/not reproduced at step 3\n +'delete\.executed\[1\]' is not offered/);
  });

  test('a run that stops too early violates nothing', async () => {
    const tampered = await replayChanged((trace) => {
      trace.states.pop();
    });
    expect(tampered.exitCode).toBe(1);
    expect(tampered.stdout).toContain("the run does not violate 'no-known-route-deleted'");
  });

  test('another design than the recorded one does not reproduce it', async () => {
    const { exitCode } = await replayChanged((trace) => {
      Object.assign(trace['#meta'], { design: 'never-delete', system: 'never-delete with 1 endpoint' });
    });
    expect(exitCode).toBe(1);
  });

  test.each([
    [
      'unknown design',
      (meta: Record<string, unknown>) => Object.assign(meta, { design: 'felix-3.0.2' }),
      /design 'felix-3\.0\.2': .* 'felix-3\.0\.1'\?/,
    ],
    [
      'unknown property',
      (meta: Record<string, unknown>) => Object.assign(meta, { property: 'fail-statics' }),
      /property 'fail-statics': .* 'fail-static'\?/,
    ],
    [
      'parameter out of range',
      (meta: Record<string, unknown>) => Object.assign(meta.parameters as object, { grace: 0 }),
      /\["#meta"\]\.parameters\.grace/,
    ],
    [
      'no endpoints',
      (meta: Record<string, unknown>) => Object.assign(meta, { endpoints: 0 }),
      /\["#meta"\]\.endpoints/,
    ],
    [
      'unknown system',
      (meta: Record<string, unknown>) => Object.assign(meta, { system: 'other' }),
      /there is no system 'other'/,
    ],
  ])('%s in the file ends with 2', async (_name, change, message) => {
    const { exitCode, stderr, stdout } = await replayChanged((trace) => change(trace['#meta']));
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).toContain('changed.itf.json');
  });

  test.each([
    [['--trace', 'agent.trace'], /^error: --trace: .*--on/],
    [['--time-scale', '2'], /^error: --time-scale: .*--on/],
    [['--design', 'fenced'], /^error: --design: .*--on/],
    [['--on', 'etcd', '--time-scale', '1e9'], /^error: the longest wait: with --time-scale 1000000000 /],
    [['--on', 'etcd', '--trace', file], /^error: --trace .*: it is the file that is played/],
  ])('replay %s ends with 2, and the file is as it was', async (options, message) => {
    const { exitCode, stdout, stderr } = await run(['replay', file, ...options]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(await readFile(join(directory, file), 'utf8')).toBe(original);
  });

  test.each([
    ['empty', () => '', /it is empty/],
    ['cut off', () => original.slice(0, original.length / 2), /it is not JSON/],
    ['something else', () => '{"a": 1}', /at \["#meta"\]/],
    ['out of order', () => original.replace('"index": 3', '"index": 0'), /expected 3, .*received 0/],
  ])('a file that is %s ends with 2', async (_name, text, message) => {
    await writeFile(join(directory, 'broken.json'), text());
    const { exitCode, stderr } = await run(['replay', 'broken.json']);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^error: broken\.json: /);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at [^[]/);
  });
});
