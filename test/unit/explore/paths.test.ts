import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { pathTo, pathToFinding } from '../../../src/explore/paths.ts';
import type { Search } from '../../../src/explore/search.ts';
import { defineSystem } from '../../../src/system.ts';
import { counter, explore, tell } from './explore.ts';

const lamp = createMachine({ id: 'lamp', initial: 'off', states: { off: { on: { ON: 'on' } }, on: {} } });
const names = Array.from({ length: 33 }, (_, place) => `lamp ${place}`);

describe('the way to a state', () => {
  it('is a shortest run, and of those the one whose picks come first', () => {
    const search = explore(counter(5, ['UP', 'LEAP', 'RESET']));
    expect([0, 1, 2, 3, 4, 5].map((state) => pathTo(search, state))).toEqual([
      [],
      [0],
      [1],
      [0, 1],
      [1, 1],
      [0, 1, 1],
    ]);
  });

  it('takes the first of two picks that do the same', () => {
    const system = counter(2);
    const again = { ...tell('counter', 'UP'), id: 'again' };
    const search = explore({ ...system, choices: [...system.choices, again] });
    expect(pathTo(search, 2)).toEqual([0, 0]);
  });

  it('is found where a state has more than one word', () => {
    const system = defineSystem({
      id: 'lamps',
      parts: Object.fromEntries(names.map((name) => [name, { machine: lamp }])),
      wiring: () => [],
      choices: names.map((name) => ({ ...tell(name, 'ON'), id: name })),
    });
    const search = explore(system, { statesMax: 100, bytesMax: 1e9 });
    expect(search.states.words).toBe(2);
    expect([5, 33, 34, 65, 66].map((state) => pathTo(search, state))).toEqual([
      [4],
      [32],
      [0, 1],
      [0, 32],
      [1, 2],
    ]);
  });

  it('goes on with the step in which something was found', () => {
    const search = explore(counter(3));
    expect(pathToFinding(search, { state: 2 })).toEqual([0, 0]);
    expect(pathToFinding(search, { state: 2, pick: 7 })).toEqual([0, 0, 7]);
    expect(pathToFinding(search, { state: 0, pick: 0 })).toEqual([0]);
  });

  it('is missing only by mistake', () => {
    const search = explore(counter(3));
    const { states, expander } = search;
    const wrong = {
      expander,
      states: {
        words: states.words,
        parent: () => 0,
        chunk: (state: number) => states.chunk(state),
        offset: (state: number) => states.offset(state),
        read: (state: number, into: Int32Array, at: number) => states.read(state, into, at),
      },
    } as unknown as Search;
    expect(() => pathTo(wrong, 3)).toThrow('internal error: no step leads from state 0 to 3');
  });
});
