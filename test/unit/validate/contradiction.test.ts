import { expect, it } from 'vitest';
import type { Line } from '../../../src/agent/record.ts';
import { contradiction } from '../../../src/validate/contradiction.ts';

const shared = { watcher: { connected: 'probed' }, apply: 'ready' };
const state = (view: string, decision: string) => ({
  ...shared,
  cleanup: { cali1: { view, clock: 'unseen', decision } },
});
const route = { interface: 'cali1', destination: '10.0.0.2/32' };

/** A route that is not the endpoint's is asked about and deleted, and the endpoint goes. */
const lines: readonly Line[] = [
  { at: 0, step: 'interface.appeared', interface: 'cali1', index: 5, state: state('unknown', 'idle') },
  { at: 1, step: 'list.completed', endpoints: { cali1: ['10.0.0.1/32'] }, state: state('known', 'idle') },
  { at: 2, step: 'apply.ran', found: {}, repaired: {}, state: state('known', 'fencing') },
  {
    ...{ at: 3, step: 'fence.polled', ...route, answer: { expected: false, claimed: false } },
    state: state('known', 'deleting'),
  },
  { at: 4, step: 'delete.executed', ...route, index: 5, outcome: 'done', state: state('known', 'idle') },
  { at: 5, step: 'event.delivered', interface: 'cali1', endpoint: null, state: state('unknown', 'idle') },
  { at: 6, step: 'apply.ran', found: {}, repaired: {}, state: state('unknown', 'idle') },
];

it('a trace that tells one story has none', () => {
  expect(contradiction(lines)).toBeUndefined();
});

it.each([
  ['the time goes back', 5, { at: 1 }, /not before 4 ms/],
  ['another route is deleted than was asked about', 4, { destination: '10.0.0.1/32' }, /10\.0\.0\.2\/32/],
  ['an interface is meant that is gone', 4, { index: 4 }, /index is 5/],
  ['the store is asked about the route of the endpoint', 3, { destination: '10.0.0.1/32' }, /not expect/],
])('is refused if %s', (_, place, change, allowed) => {
  const doctored = lines.map((line, at) => (at === place ? ({ ...line, ...change } as Line) : line));
  expect(contradiction(doctored)).toMatchObject({ line: place, allowed: [expect.stringMatching(allowed)] });
});

it('is refused if it forgets an endpoint of which nothing was told', () => {
  expect(contradiction(lines.toSpliced(5, 1))).toMatchObject({ line: 5, interface: 'cali1' });
});
