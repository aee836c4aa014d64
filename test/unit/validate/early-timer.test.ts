import { expect, it } from 'vitest';
import { type Design, findDesign } from '../../../models/index.ts';
import type { Line } from '../../../src/agent/record.ts';
import { earlyTimer } from '../../../src/validate/early-timer.ts';

const felix = findDesign('felix-3.29') as Design;
const design: Design = {
  ...felix,
  parameters: { ...felix.parameters, grace: 10, probePeriod: 20, retryDelay: 1 },
};

const state = (watcher: Line['state']['watcher'], clock: string) => ({
  ...{ watcher, apply: 'ready' },
  cleanup: { cali1: { view: 'unknown', clock, decision: 'idle' } },
});
const dialling = { reconnecting: 'dialling' };
const backingOff = { reconnecting: 'backingOff' };
const probed = { connected: 'probed' };
const grace = 'xstate.after.gracePeriod.cleanup.clock.counting';
const wait = 'xstate.after.retryDelay.watcher.reconnecting.backingOff';
const period = 'xstate.after.probePeriod.watcher.connected.probed';

/** Two waits, the second of which has grown; an interface is seen at 1,400 ms, and its grace ends before the first probe. */
const lines: readonly Line[] = [
  { at: 100, step: 'dial.failed', state: state(backingOff, 'unseen') },
  { at: 1100, step: 'timer', part: 'watcher', timer: wait, state: state(dialling, 'unseen') },
  { at: 1200, step: 'dial.failed', state: state(backingOff, 'unseen') },
  {
    at: 1400,
    step: 'interface.appeared',
    interface: 'cali1',
    index: 5,
    state: state(backingOff, 'counting'),
  },
  { at: 3200, step: 'timer', part: 'watcher', timer: wait, state: state(dialling, 'counting') },
  { at: 3300, step: 'connection.opened', state: state({ reconnecting: 'listing' }, 'counting') },
  { at: 3400, step: 'list.completed', endpoints: {}, state: state(probed, 'counting') },
  { at: 11_400, step: 'timer', part: 'cleanup[cali1]', timer: grace, state: state(probed, 'over') },
  {
    at: 23_400,
    step: 'timer',
    part: 'watcher',
    timer: period,
    state: state({ connected: 'probing' }, 'over'),
  },
];

const firingAt = (place: number, at: number): readonly Line[] =>
  lines.map((line, each) => (each === place ? { ...line, at } : line));

it('is none where each timer takes its time, or longer', () => {
  expect(earlyTimer(lines, design)).toBeUndefined();
  expect(earlyTimer(firingAt(8, 90_000), design)).toBeUndefined();
});

it.each([
  ['a wait', 1, 900, undefined, /'retryDelay', of 1000 ms, no sooner than at 1000 ms/],
  ['a grace', 7, 11_100, 'cali1', /'gracePeriod', of 10000 ms, no sooner than at 11200 ms/],
  ['a probe', 8, 23_200, undefined, /'probePeriod', of 20000 ms, no sooner than at 23300 ms/],
])('is %s that is over too soon', (_, line, at, name, allowed) => {
  const found = earlyTimer(firingAt(line, at), design);
  expect(found).toMatchObject({ line, interface: name, allowed: [expect.stringMatching(allowed)] });
});

it('is none where the state began again meanwhile, however late that was told', () => {
  const again = lines.toSpliced(3, 0, {
    ...{ at: 1300, step: 'interface.vanished', interface: 'cali1', index: 4 },
    state: state(backingOff, 'unseen'),
  });
  expect(earlyTimer(again, design)).toBeUndefined();
});

it.each(['apply', '__proto__', 'nobody'])('knows nothing of a timer of %s', (part) => {
  const timer = { at: 23_500, step: 'timer', part, timer: grace, state: state(probed, 'over') } as const;
  expect(earlyTimer([...lines, timer], design)).toBeUndefined();
});
