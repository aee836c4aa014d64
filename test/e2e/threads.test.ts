import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Design, findDesign } from '../../models/index.ts';
import { obligations } from '../../properties/index.ts';
import type { CheckReport, check as checkType } from '../../src/check.ts';

// Threads run compiled code, so here everything does.
const { check } = (await import('../../dist/src/check.js' as string)) as { check: typeof checkType };

const worlds = [
  ['fenced', 2, ['half-open', 'cni-crashed', 'process-paused']],
  ['felix-3.29', 1, ['half-open', 'pod-recreated']],
  ['watchdog', 2, ['half-open']],
] as const;

function designOf(id: string): Design {
  const design = findDesign(id);
  if (design === undefined) throw new Error(`no design ${id}`);
  return design;
}

afterEach(() => vi.restoreAllMocks());

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
    const [obligation] = obligations(designOf(id), { endpoints, faults: [...faults] });
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

  it('are not misled by a call to wake up that comes late', async () => {
    const [obligation] = obligations(designOf('watchdog'), { endpoints: 1, faults: ['half-open'] });
    if (obligation === undefined) throw new Error('nothing to check');
    const { system, properties } = obligation;
    const hashed = said(await check(system, properties, { search: 'hashed' }));
    // A helper that sees the level without being called can be done with it before the call comes.
    const notify = Atomics.notify;
    const nothing = new Int32Array(new SharedArrayBuffer(4));
    vi.spyOn(Atomics, 'notify').mockImplementation((...call: Parameters<typeof notify>) => {
      notify(...call);
      Atomics.wait(nothing, 0, 0, 5);
      return notify(...call);
    });
    const report = await check(system, properties, { search: 'dense', threads: 2 });
    expect(Atomics.notify).toHaveBeenCalled();
    expect({ ...said(report), fusedSizes: {} }).toEqual({ ...hashed, fusedSizes: {} });
  });

  it('hear a request to stop', async () => {
    const [obligation] = obligations(designOf('fenced'), { endpoints: 2 });
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
