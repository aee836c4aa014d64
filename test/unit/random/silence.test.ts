import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, createMachine } from 'xstate';
import { Walker } from '../../../src/random/walker.ts';
import { defineSystem } from '../../../src/system.ts';

/** A system of one part, with a choice for each event; those whose names begin with `!` are faults. */
function walkerOf(machine: AnyStateMachine, types: readonly string[]): Walker {
  return new Walker(
    defineSystem({
      id: 'one',
      parts: { one: { machine } },
      wiring: () => [],
      choices: types.map((type) => ({
        id: type,
        deliver: [{ to: 'one', event: { type } }],
        ...(type.startsWith('!') ? { fault: type } : {}),
      })),
    }),
  );
}

/** Whether the last of some steps silences a fault. */
function silences(walker: Walker, ...ids: readonly string[]): boolean {
  let state = walker.initial;
  let silent = false;
  for (const id of ids) {
    const offer = walker.find(state, { kind: 'choice', id });
    if (offer === undefined) throw new Error(`${id} is not offered`);
    const step = walker.step(state, offer);
    silent = walker.silences(state, offer, step);
    state = step.next;
  }
  return silent;
}

describe('a step silences faults', () => {
  it('if they can never strike again', () => {
    const machine = createMachine({
      initial: 'changing',
      states: {
        changing: { on: { '!crash': 'changing', sleep: 'asleep', stop: 'calm' } },
        asleep: { on: { wake: 'changing' } },
        calm: {},
      },
    });
    const walker = walkerOf(machine, ['!crash', 'sleep', 'wake', 'stop']);
    expect(silences(walker, 'stop')).toBe(true);
    expect(silences(walker, 'sleep')).toBe(false);
    expect(silences(walker, 'sleep', 'wake')).toBe(false);
    expect(silences(walker, '!crash')).toBe(false);
  });

  it('if the machine is done', () => {
    const machine = createMachine({
      initial: 'running',
      states: { running: { on: { '!crash': {}, end: 'ended' } }, ended: { type: 'final' } },
      on: { '*': '.running' },
    });
    expect(silences(walkerOf(machine, ['!crash', 'end']), 'end')).toBe(true);
  });

  it('not if some way leads back: by always, a timer, a history state, another region', () => {
    const states = {
      on: { on: { '!crash': 'on', off: 'off', wait: 'waiting' } },
      off: { always: { guard: () => false, target: 'on' } },
      waiting: { after: { 1: 'on' } },
    };
    const alone = walkerOf(createMachine({ initial: 'on', states }), ['!crash', 'off', 'wait']);
    expect(silences(alone, 'off')).toBe(false);
    expect(silences(alone, 'wait')).toBe(false);
    const inside = createMachine({
      initial: 'busy',
      states: {
        busy: {
          type: 'parallel',
          states: {
            a: { initial: 'x', states: { x: {}, last: { type: 'history' } } },
            b: { on: { '!crash': {} } },
          },
          on: { leave: 'left' },
        },
        left: { on: { back: 'busy.a.last' } },
      },
    });
    expect(silences(walkerOf(inside, ['!crash', 'leave', 'back']), 'leave')).toBe(false);
  });

  it('not if the only fault that it ends is itself', () => {
    const machine = createMachine({
      initial: 'whole',
      states: { whole: { on: { '!break': 'broken', '!crash': {} } }, broken: { on: { '!crash': {} } } },
    });
    expect(silences(walkerOf(machine, ['!break', '!crash']), '!break')).toBe(false);
  });
});
