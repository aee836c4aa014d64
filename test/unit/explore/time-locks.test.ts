import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { findTimeLocks, type TimeLocks } from '../../../src/explore/time-locks.ts';
import { defineSystem, type System } from '../../../src/system.ts';
import { counter, explore, tell } from './explore.ts';

function timeLocks(system: System): TimeLocks & { pauses: number } {
  const result: TimeLocks = { count: 0, first: undefined };
  const pauses = [...findTimeLocks(explore(system), result)].length;
  return { ...result, pauses };
}

/** A clock that can be kept from ringing by being touched for ever; hands that lead there, and out again. */
function clock(touched: Record<string, Record<string, string>>): System {
  const states = Object.fromEntries(
    Object.entries(touched).map(([name, on]) => [name, { on, after: { 5: name } }]),
  );
  const machine = createMachine({ id: 'clock', initial: 'calm', states: { ...states, off: {} } } as never);
  return defineSystem({
    id: 'clock',
    parts: { clock: { machine: machine as never } },
    wiring: () => [],
    choices: [tell('clock', 'GO'), tell('clock', 'SPIN', { urgent: true }), tell('clock', 'LEAVE')],
  });
}

describe('time-locks', () => {
  it('are states that no step leads out of to where time passes', () => {
    const system = clock({
      calm: { GO: 'left' },
      left: { SPIN: 'right' },
      right: { SPIN: 'left' },
    });
    expect(timeLocks(system)).toMatchObject({ count: 2, first: 1 });
  });

  it('are none if there is a way out, however long', () => {
    const system = clock({
      calm: { GO: 'left' },
      left: { SPIN: 'right', LEAVE: 'far' },
      right: { SPIN: 'left' },
      far: { SPIN: 'farther' },
      farther: { SPIN: 'far', LEAVE: 'off' },
    });
    expect(timeLocks(system)).toMatchObject({ count: 0, first: undefined });
  });

  it('are none without timers, and then nothing is looked at', () => {
    expect(timeLocks(counter(5))).toEqual({ count: 0, first: undefined, pauses: 0 });
  });
});
