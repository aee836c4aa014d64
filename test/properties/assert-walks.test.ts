import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Design, findDesign } from '../../models/index.ts';
import { type Obligation, obligations } from '../../properties/index.ts';
import { type AssertWalksOptions, assertWalks } from '../../src/random/index.ts';
import { readItf } from '../../src/trace/read-itf.ts';
import { replay } from '../../src/trace/replay.ts';

function obligationOf(id: string, wanted: string): Obligation {
  const [obligation] = obligations(findDesign(id) as Design, { endpoints: 1 }, [wanted]);
  return obligation as Obligation;
}

function messageOf(obligation: Obligation, options: AssertWalksOptions): string {
  const [property] = obligation.properties;
  try {
    assertWalks(obligation.system, property as (typeof obligation.properties)[number], options);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return 'it held';
}

describe('assertWalks', () => {
  let traceDir: string;

  beforeAll(() => {
    traceDir = mkdtempSync(join(tmpdir(), 'routeproof-traces-'));
  });

  afterAll(() => rmSync(traceDir, { recursive: true }));

  it('fails with seed and path, the story, and a file that replays', async () => {
    const obligation = obligationOf('felix-3.0.1', 'no-known-route-deleted');
    const message = messageOf(obligation, { runs: 500, steps: 60, seed: 3, traceDir });
    expect(message).toMatch(
      /^Property failed after \d+ tests: no-known-route-deleted in felix-3.0.1 with 1 endpoint$/m,
    );
    expect(message).toContain('the pod is cut off');
    const [, seed, path] = /\{ seed: (-?\d+), path: "([\d:]+)" \}/.exec(message) ?? [];
    const [, steps] = /to (\d+) steps/.exec(message) ?? [];

    const file = join(traceDir, 'no-known-route-deleted.itf.json');
    const { picks } = await readItf(readFileSync(file, 'utf8'));
    expect(picks).toHaveLength(Number(steps));
    expect(replay(obligation.system, picks).steps).toHaveLength(Number(steps));

    const again = messageOf(obligation, { runs: 500, steps: 60, seed: Number(seed), path: path as string });
    expect(again).toContain(`to ${steps} steps`);
  });

  it('says nothing of what holds', () => {
    expect(messageOf(obligationOf('fenced', 'no-known-route-deleted'), { runs: 20, steps: 60 })).toBe(
      'it held',
    );
  });
});
