/** `check`: exit codes, what is printed where, and how it ends when it is interrupted. */
import { describe, expect, test } from 'vitest';
import { checkSchema, halfOpen, known, run } from './command.ts';

/** The smallest faithful numbers. */
const smallest = ['tick=1', 'grace=2', 'keepaliveTime=2', 'keepaliveTimeout=1'].flatMap((each) => [
  '--param',
  each,
]);

async function checkJson(args: readonly string[]) {
  const { stdout, exitCode, stderr } = await run(['check', '--format', 'json', ...args]);
  expect(stderr).toBe('');
  return { exitCode, results: checkSchema.parse(JSON.parse(stdout)).results };
}

describe('check ends with', () => {
  test('0 when everything is proved', async () => {
    const { exitCode, results } = await checkJson([
      'grpc-keepalive',
      ...halfOpen,
      '--property',
      'route-repaired',
    ]);
    expect(exitCode).toBe(0);
    const [property] = results[0]?.properties ?? [];
    expect(property).toMatchObject({ id: 'route-repaired', verdict: 'proved' });
    expect(property?.needs).toContain('time');
    expect(property?.fairness).toContain('apply.ran');
  });

  test('0 for the recommended design under every fault, and all of it happens', async () => {
    const { exitCode, results } = await checkJson([]);
    expect(results[0]?.uncovered).toEqual([]);
    expect(results[0]?.properties.filter((property) => property.verdict !== 'proved')).toEqual([]);
    expect(results[0]).toMatchObject({ design: 'fenced', complete: true, coverageCounts: true });
    expect(exitCode).toBe(0);
  });

  test('1 when something is violated', async () => {
    const { exitCode, results } = await checkJson([
      'felix-3.0.1',
      'grpc-keepalive',
      ...halfOpen,
      ...smallest,
      ...known,
    ]);
    expect(exitCode).toBe(1);
    expect(
      results.map(({ design, properties }) => [design, properties[0]?.verdict, properties[0]?.traceLength]),
    ).toEqual([
      ['felix-3.0.1', 'violated', 12],
      ['grpc-keepalive', 'violated', 12],
    ]);
    expect(results[0]?.parameters).toMatchObject({
      tick: 1,
      grace: 2,
      keepaliveTime: 2,
      keepaliveTimeout: 1,
    });
    expect(results[0]).toMatchObject({
      endpoints: 1,
      faults: ['half-open'],
      strikes: 1,
      coverageCounts: false,
    });
  });

  test('3 when a limit was hit', async () => {
    const { exitCode, results } = await checkJson(['fenced', '--max-states', '500', ...known]);
    expect(exitCode).toBe(3);
    expect(results[0]).toMatchObject({
      states: 500,
      complete: false,
      properties: [{ verdict: 'incomplete', reason: 'max-states' }],
    });
  });

  test('4 when a property says nothing', async () => {
    const { exitCode, results } = await checkJson(['--fault', 'none', '--property', 'no-collateral-delete']);
    expect(exitCode).toBe(4);
    expect(results[0]).toMatchObject({ design: 'fenced', properties: [{ verdict: 'vacuous' }] });
    expect(results[0]?.witnesses).toEqual([
      { id: 'route-over-older-interface', property: 'no-collateral-delete', reached: false },
    ]);
  });

  test('2 and a suggestion when the command is wrong', async () => {
    const { exitCode, stderr, stdout } = await run(['chekc']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain('Did you mean check?');
  });
});

test('check without a design checks the recommended one', async () => {
  const { exitCode, results } = await checkJson(['--fault', 'half-open', '--strikes', '1', ...known]);
  expect(exitCode).toBe(0);
  expect(results.map(({ design }) => design)).toEqual(['fenced']);
});

test('a design is decided in as many systems as its properties need, and each is reported', async () => {
  const { results } = await checkJson([
    ...halfOpen,
    '--property',
    'fail-static',
    '--property',
    'staleness-detected',
  ]);
  expect(results[0]?.systems.map(({ id }) => id)).toEqual([
    'fenced with 1 endpoint',
    'fenced with 0 endpoints',
  ]);
  expect(results[0]?.states).toBe(results[0]?.systems[0]?.states);
});

test('with every fault, what never happened is told apart from what the design rules out', async () => {
  const { results } = await checkJson(['--property', 'staleness-detected']);
  expect(results[0]?.coverageCounts).toBe(true);
  expect(results[0]?.offByDesign).toContain('watcher.reconnecting.dialling#0');
  expect(results[0]?.uncovered).not.toContain('watcher.reconnecting.dialling#0');
});

describe('pretty output', () => {
  test('tells the story of the report, without colours where there is no terminal', async () => {
    const { stdout, stderr, exitCode } = await run(['check', 'felix-3.0.1', ...halfOpen, ...known]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
    expect(stdout).not.toContain('\u001B');
    const story = [
      /^felix-3\.0\.1$/,
      /in steps +closed/,
      /in endpoints +this number: 1/,
      /in parameters +these values: .*grace 10 s/,
      /faults +half-open, at most 1 in all/,
      /✗ no-known-route-deleted {2}violated, shortest run 11 steps/,
      /^ +time +what happens +link +watcher /,
      /^! +0\.0 s +the peer vanishes/,
      /^ +0\.0 s +a new pod: ADD begins/,
      /^ +10\.0 s +\+10 s/,
      /the grace period is over/,
      /the agent applies .*deleting/,
      /An unexpected route, and its grace is over\./,
      /^✗ 10\.0 s +the agent’s delete reaches/,
      /✗ The agent deleted the route of an endpoint that is committed in the store/,
      /^felix-3\.0\.1: 1 violated$/,
    ];
    const lines = stdout.split('\n');
    let line = 0;
    for (const part of story) {
      const found = lines.findIndex((text, index) => index >= line && part.test(text));
      expect(found, `${part} after line ${line}`).toBeGreaterThanOrEqual(line);
      line = found;
    }
    expect(Math.max(...lines.map((text) => text.length))).toBeLessThanOrEqual(120);
  });

  test('a violated liveness property shows what goes on for ever', async () => {
    const { stdout } = await run(['check', 'felix-3.0.1', ...halfOpen, '--property', 'route-repaired']);
    expect(stdout).toMatch(/^✗ +(and so it stays for ever|then for ever:)$/m);
    expect(stdout).toContain('fair: ');
  });

  test('NO_COLOR and FORCE_COLOR do not put colours into a pipe', async () => {
    const { stdout } = await run(['check', ...halfOpen, ...known], { env: { FORCE_COLOR: '1' } });
    expect(stdout).not.toContain('\u001B');
  });
});

describe('an interrupt', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s ends a check long before its end, with what was explored',
    async (signal) => {
      const child = run([
        'check',
        'watchdog',
        '--endpoints',
        '2',
        '--format',
        'json',
        '--property',
        'fail-static',
      ]);
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      const start = performance.now();
      child.kill(signal);
      const { exitCode, stdout } = await child;
      expect(exitCode).toBe(130);
      // A fraction of a second, unless other tests have the processors.
      expect(performance.now() - start).toBeLessThan(10_000);
      const [result] = checkSchema.parse(JSON.parse(stdout)).results;
      expect(result).toMatchObject({
        complete: false,
        properties: [{ verdict: 'incomplete', reason: 'interrupted' }],
      });
      expect(result?.states).toBeGreaterThan(1_000);
    },
  );
});
