import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { type CheckProgress, type CheckReport, check } from '../../../src/check.ts';
import type { Property } from '../../../src/property.ts';
import { defineSystem, type System } from '../../../src/system.ts';

/** Counters that run round on their own: `size` to the power of `parts` states. */
function counters(parts: number, size: number): System {
  const machine = createMachine({
    id: 'counter',
    initial: 's0',
    states: Object.fromEntries(
      Array.from({ length: size }, (_, place) => [`s${place}`, { on: { UP: `s${(place + 1) % size}` } }]),
    ),
  });
  const names = Array.from({ length: parts }, (_, place) => `c${place}`);
  return defineSystem({
    id: 'counters',
    parts: Object.fromEntries(names.map((name) => [name, { machine }])),
    wiring: () => [],
    choices: names.map((name) => ({ id: `up ${name}`, deliver: [{ to: name, event: { type: 'UP' } }] })),
  });
}

const never = (part: string, value: string): Property => ({
  id: `${part} never ${value}`,
  says: '',
  violation: '',
  kind: 'invariant',
  witnesses: [],
  clauses: [{ reads: [part], holds: (at) => at(part).value !== value }],
});

describe('a limit', () => {
  it('makes the verdict incomplete, but not of a property that is already violated', async () => {
    const report = await check(counters(3, 20), [never('c0', 's1'), never('c0', 's19')], { maxStates: 500 });
    expect(report).toMatchObject({ states: 500, complete: false, stopped: 'max-states' });
    expect(report.properties.map(({ verdict }) => verdict)).toEqual(['violated', 'incomplete']);
  });

  it('leaves the depth of what was found as it is', async () => {
    const report = await check(counters(3, 20), [never('c1', 's2')], { maxStates: 8 });
    expect(report).toMatchObject({ states: 8, depth: 2 });
    expect(report.properties[0]?.trace?.picks).toHaveLength(2);
  });

  it('that is just large enough stops nothing', async () => {
    const report = await check(counters(2, 5), [never('c0', 's9')], { maxStates: 25 });
    expect(report).toMatchObject({ states: 25, edges: 50, complete: true });
    expect(report.stopped).toBeUndefined();
    expect(report.properties[0]?.verdict).toBe('proved');
  });

  it('of memory is an outcome like any other', async () => {
    const report = await check(counters(4, 40), [never('c0', 's9')], { maxBytes: 3_000_000 });
    expect(report).toMatchObject({ complete: false, stopped: 'out-of-memory' });
    expect(report.states).toBeGreaterThan(1000);
  });

  it('is what a signal is too, and soon', async () => {
    const stop = new AbortController();
    let aborted = 0;
    setTimeout(() => {
      aborted = performance.now();
      stop.abort();
    }, 150);
    const report = await check(counters(5, 40), [never('c0', 's39')], { signal: stop.signal });
    expect(performance.now() - aborted).toBeLessThan(300);
    expect(report).toMatchObject({ complete: false, stopped: 'interrupted' });
    expect(report.states).toBeGreaterThan(1000);
  });

  it('holds for a signal that was raised before the start', async () => {
    const report = await check(counters(5, 40), [], { signal: AbortSignal.abort() });
    expect(report.stopped).toBe('interrupted');
  });
});

describe('progress', () => {
  it('is told while the search goes on', async () => {
    const told: CheckProgress[] = [];
    const enough = new AbortController();
    const onProgress = (progress: CheckProgress): void => {
      if (told.push(progress) === 3) enough.abort();
    };
    await check(counters(5, 40), [], { onProgress, signal: enough.signal });
    expect(told.length).toBeGreaterThanOrEqual(3);
    const states = told.map((progress) => progress.states);
    expect(states).toEqual([...states].sort((a, b) => a - b));
    expect(told[0]).toMatchObject({ phase: 'search' });
  }, 30_000);
});

describe('two checks of one system', () => {
  it('report the same', async () => {
    const timeless = ({ elapsedMs: _elapsedMs, ...report }: CheckReport): object => report;
    const properties = [never('c1', 's3'), never('c2', 's7')];
    const system = counters(3, 20);
    const first = timeless(await check(system, properties));
    expect(timeless(await check(system, properties))).toEqual(first);
    expect(timeless(await check(counters(3, 20), properties))).toEqual(first);
  });
});

describe('components that grow while the search runs', () => {
  it('are packed anew without losing a state', async () => {
    const report = await check(counters(3, 60), [never('c2', 's59')]);
    expect(report).toMatchObject({ states: 60 ** 3, edges: 3 * 60 ** 3, depth: 3 * 59 });
    expect(report.properties[0]?.trace?.picks).toEqual(
      Array.from({ length: 59 }, () => ({ kind: 'choice', id: 'up c2' })),
    );
  }, 30_000);
});
