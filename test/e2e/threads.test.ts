import { describe, expect, it } from 'vitest';
import { findDesign } from '../../models/index.ts';
import { obligations } from '../../properties/index.ts';
import type { CheckReport, check as checkType } from '../../src/check.ts';

// Threads run compiled code, so here everything does.
const { check } = (await import('../../dist/src/check.js' as string)) as { check: typeof checkType };

const worlds = [
  ['fenced', 2, ['half-open', 'cni-crashed', 'process-paused']],
  ['felix-3.29', 1, ['half-open', 'pod-recreated']],
  ['watchdog', 2, ['half-open']],
] as const;

/** Everything but the time and the place. */
const said = ({
  elapsedMs: _,
  preparationMs: __,
  bytesPerState: ___,
  search: ____,
  ...rest
}: CheckReport): object => rest;

describe('threads over one set of bits', () => {
  it.each(worlds)('say of %s with %d endpoint(s) what one thread says', async (id, endpoints, faults) => {
    const design = findDesign(id);
    if (design === undefined) throw new Error(`no design ${id}`);
    const [obligation] = obligations(design, {
      endpoints,
      faults: [...faults],
    });
    if (obligation === undefined) throw new Error('nothing to check');
    const { system, properties } = obligation;
    const hashed = said(await check(system, properties, { search: 'hashed' }));
    for (const threads of [1, 2, 3]) {
      const report = await check(system, properties, { search: 'dense', threads });
      expect(report.search).toBe('dense');
      // The tables are closed before a dense search, so it knows local states that no run leads to.
      expect({ ...said(report), fusedSizes: {} }).toEqual({ ...hashed, fusedSizes: {} });
    }
  });

  it('hear a request to stop', async () => {
    const design = findDesign('fenced');
    if (design === undefined) throw new Error('no design');
    const [obligation] = obligations(design, { endpoints: 2 });
    if (obligation === undefined) throw new Error('nothing to check');
    const abort = new AbortController();
    const report = await check(obligation.system, obligation.properties, {
      search: 'dense',
      threads: 2,
      signal: abort.signal,
      onProgress: ({ states }) => {
        if (states > 100_000) abort.abort();
      },
    });
    expect(report).toMatchObject({ complete: false, stopped: 'interrupted', search: 'dense' });
    expect(report.properties.every(({ verdict }) => verdict === 'incomplete')).toBe(true);
  });
});
