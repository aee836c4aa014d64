/**
 * Each property over random interleavings of every fault, far beyond what can be searched: eight endpoints, two hundred
 * steps, and the real durations by the second. The machines run as XState actors under XState's interpreter.
 */
import { mkdtempSync, readdirSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Design, faults, findDesign, phases } from '../models/index.ts';
import { assertWalks } from '../src/random/assert-walks.ts';
import { obligations, propertyList } from './index.ts';

const endpoints = 8;
/** Fewer where a run is found and shrunk: the shortest one is the same, and found sooner. */
const endpointsRefuted = 2;

/** A design with a tick of one second, so that no duration is rounded. */
function bySeconds(id: string): Design {
  const design = findDesign(id) as Design;
  return { ...design, parameters: { ...design.parameters, tick: 1 } };
}

function assertIn(
  design: Design,
  id: string,
  { endpoints, runs, traceDir }: { endpoints: number; runs: number; traceDir?: string },
): void {
  const [obligation] = obligations(design, { endpoints }, [id]);
  const [property] = obligation?.properties ?? [];
  if (obligation === undefined || property === undefined) throw new Error(`nothing to decide about ${id}`);
  const about = {
    design: design.id,
    parameters: design.parameters,
    endpoints,
    faults: faults.map((fault) => fault.id),
    strikes: 'unbounded',
  };
  const nodePhases = id === 'staleness-detected' ? [] : phases(endpoints);
  assertWalks(obligation.system, property, {
    runs,
    about,
    phases: nodePhases,
    ...(traceDir === undefined ? {} : { traceDir }),
  });
}

describe('random interleavings of every fault', () => {
  let traces: string;

  beforeAll(() => {
    traces = mkdtempSync(join(tmpdir(), 'routeproof-traces-'));
  });

  // What was violated has its trace in there.
  afterAll(() => {
    if (readdirSync(traces).length === 0) rmdirSync(traces);
  });

  it.each(propertyList)('keep $id in the recommended design', ({ id }) => {
    assertIn(bySeconds('fenced'), id, { endpoints, runs: 40, traceDir: traces });
  });
});

describe('the same walks', () => {
  it.each([
    ['no-known-route-deleted', 'felix-3.0.1'],
    ['no-route-deleted-during-add', 'felix-3.0.1'],
    ['route-repaired', 'felix-3.0.1'],
    ['no-forgotten-route-deleted', 'felix-3.29'],
    ['staleness-detected', 'grpc-keepalive'],
  ])('refute %s in %s, and tell the shrunk run', (id, design) => {
    expect(() => assertIn(bySeconds(design), id, { endpoints: endpointsRefuted, runs: 2000 })).toThrow(
      /\{ seed: -?\d+, path: "[\d:]+" \}\nShrunk \d+ time\(s\), to \d+ steps:\n\n(.+\n)+✗ .+\n(.+\n)*\n.+\.$/,
    );
  });
});
