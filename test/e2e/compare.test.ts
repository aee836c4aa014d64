/** `compare`: the matrix in its formats. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { counts, halfOpen, run, verdict } from './command.ts';

describe('compare', () => {
  const small = [...halfOpen, '--property', 'no-known-route-deleted', '--property', 'route-repaired'];

  test('draws the matrix within 120 columns and ends with 0', async () => {
    const { exitCode, stdout, stderr } = await run(['compare', ...halfOpen]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const lines = stdout.split('\n');
    expect(lines[0]).toMatch(
      /^design +no +no +no +fail +route +orphan +no +staleness +agent +suspects +outage$/,
    );
    expect(stdout).toMatch(/^felix-3\.0\.1 +✗ 11 .* no +never +never$/m);
    expect(stdout).toMatch(/^fenced +✓ +✓ +.* no +20 s +0 s$/m);
    expect(stdout).toContain('✓ proved   ✗ n violated');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120);
  });

  test('writes JSON that other programs read', async () => {
    const { exitCode, stdout } = await run(['compare', '--format', 'json', ...small]);
    expect(exitCode).toBe(0);
    const duration = z.union([z.number(), z.literal('never')]);
    const { designs, uncovered } = z
      .strictObject({
        designs: z.array(
          z.strictObject({
            design: z.string(),
            parameters: z.record(z.string(), z.number()),
            endpoints: z.int(),
            faults: z.array(z.string()),
            strikes: z.int(),
            properties: z.array(z.strictObject({ id: z.string(), verdict, traceLength: z.int().optional() })),
            ...counts,
            systems: z.array(z.strictObject({ id: z.string(), states: z.int(), edges: z.int() })),
            costs: z.strictObject({
              agentWrites: z.boolean(),
              suspectSeconds: duration,
              outageSeconds: duration,
            }),
          }),
        ),
        uncovered: z.array(z.string()),
      })
      .parse(JSON.parse(stdout));
    expect(designs).toHaveLength(16);
    expect(designs.find(({ design }) => design === 'grpc-keepalive')?.properties).toEqual([
      { id: 'no-known-route-deleted', verdict: 'violated', traceLength: 11 },
      { id: 'route-repaired', verdict: 'proved' },
    ]);
    expect(uncovered).toContain('agent.paused#0');
  });

  test('writes Markdown', async () => {
    const { stdout } = await run(['compare', '--no-costs', '--format', 'md', ...small]);
    expect(stdout).toMatch(/^\| design \| `no-known-route-deleted` \| `route-repaired` \|$/m);
    expect(stdout).toMatch(/^\| `felix-3\.0\.1` \| ✗ 11 \| ✗ \d+ \|/m);
  });

  test('ends with 3 when a cell is not decided', async () => {
    const { exitCode, stdout } = await run([
      'compare',
      '--no-costs',
      '--max-states',
      '500',
      '--property',
      'no-collateral-delete',
    ]);
    expect(exitCode).toBe(3);
    expect(stdout).toMatch(/^fenced +\?$/m);
    expect(stdout).toContain('Some searches did not end');
  });

  test('an interrupt ends it with the cells that were decided', async () => {
    const child = run(['compare']);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    child.kill('SIGINT');
    const { exitCode, stdout } = await child;
    expect(exitCode).toBe(130);
    expect(stdout).toMatch(/^fenced .*\?/m);
  });
});
