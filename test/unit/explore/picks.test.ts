import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { FairActions } from '../../../src/explore/fair-actions.ts';
import { PickNumbers, timePick } from '../../../src/explore/picks.ts';
import { unlabelled } from '../../../src/explore/region-graph.ts';
import { type Choice, defineSystem } from '../../../src/system.ts';

const machine = createMachine({ id: 'clock', on: { GO: {} } });
const go = (id: string, rest: Partial<Choice> = {}): Choice => ({
  id,
  deliver: [{ to: 'a', event: { type: 'GO' } }],
  ...rest,
});
const system = defineSystem({
  id: 'clocks',
  parts: { a: { machine }, b: { machine } },
  wiring: () => [],
  choices: [go('x'), go('y', { fairness: 'strong' }), go('z', { fairness: 'weak' })],
});

describe('numbers of picks', () => {
  it('are a choice’s place, then the timers as they were first seen, and one for time', () => {
    const picks = new PickNumbers(system);
    expect([picks.timer(1, 'soon'), picks.timer(0, 'soon'), picks.timer(1, 'soon')]).toEqual([3, 4, 3]);
    expect(picks.timer(1, 'late')).toBe(5);
    expect([timePick, 0, 2, 3, 5].map((number) => picks.pick(number))).toEqual([
      { kind: 'time' },
      { kind: 'choice', id: 'x' },
      { kind: 'choice', id: 'z' },
      { kind: 'timer', part: 'b', timer: 'soon' },
      { kind: 'timer', part: 'b', timer: 'late' },
    ]);
  });

  it('tell a timer and its part', () => {
    const picks = new PickNumbers(system);
    picks.timer(1, 'soon');
    picks.timer(0, 'late');
    expect([picks.timerOf(3), picks.timerOf(4)]).toEqual([
      { part: 1, timer: 'soon' },
      { part: 0, timer: 'late' },
    ]);
    expect([timePick, 0, 2, 3, 4].map((number) => picks.partOfTimer(number))).toEqual([-1, -1, -1, 1, 0]);
  });

  it('are refused if there is no such pick', () => {
    const picks = new PickNumbers(system);
    expect(() => picks.pick(3)).toThrow(new RangeError('there is no pick 3'));
    expect(() => picks.timerOf(2)).toThrow(new RangeError('there is no timer 2'));
  });
});

describe('fair actions', () => {
  const picks = new PickNumbers(system);
  const timer = picks.timer(1, 'soon');
  const actions = new FairActions(system, picks);

  it('are the fair choices, the timers of each part, and time', () => {
    expect(actions.all).toEqual([
      { id: 'y', kind: 'strong' },
      { id: 'z', kind: 'weak' },
      { id: 'timers:a', kind: 'weak' },
      { id: 'timers:b', kind: 'weak' },
      { id: 'time', kind: 'weak' },
    ]);
    expect([actions.id(0), actions.id(4), actions.id(5)]).toEqual(['y', 'time', '']);
  });

  it('label the steps of their picks', () => {
    expect([0, 1, 2, timer, timePick].map((pick) => actions.label(pick))).toEqual([unlabelled, 0, 1, 3, 4]);
  });

  it('are in force if the system has them at all', () => {
    expect(actions.inForce(true, new Set([0, 1]))).toEqual([0, 1, 2, 3, 4]);
    expect(actions.inForce(false, new Set([1]))).toEqual([0, 1, 3]);
    expect(actions.inForce(true, new Set())).toEqual([0, 1, 4]);
  });
});
