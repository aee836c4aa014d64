import { expect, test } from 'vitest';
import { type AnyMachineSnapshot, createMachine } from 'xstate';
import { changedWords, stateWords } from '../../../src/report/state-words.ts';

const machine = createMachine({
  id: 'phone',
  context: { calls: 0, list: [] as string[] },
  initial: 'idle',
  states: {
    idle: {},
    call: {
      initial: 'dialling',
      states: {
        dialling: {},
        talking: {
          type: 'parallel',
          states: {
            voice: { initial: 'clear', states: { clear: {}, noisy: {} } },
            line: { initial: 'free', states: { free: {}, held: {} } },
          },
        },
      },
    },
  },
});

const at = (value: unknown, context: object = { calls: 0, list: [] }): AnyMachineSnapshot =>
  machine.resolveState({ value, context } as never) as AnyMachineSnapshot;

const idle = at('idle');
const dialling = at({ call: 'dialling' });
const talking = at({ call: { talking: { voice: 'clear', line: 'free' } } });
const held = at({ call: { talking: { voice: 'clear', line: 'held' } } });

test('leaves out what is entered by default', () => {
  expect(stateWords(idle)).toEqual(['idle']);
  expect(changedWords(idle, dialling)).toEqual(['call']);
});

test('names the innermost states, and no more than two of a path', () => {
  expect(changedWords(dialling, held)).toEqual(['talking', 'clear', 'held']);
  expect(changedWords(idle, held)).toEqual(['call.talking', 'clear', 'held']);
});

test('names only the region that changed', () => {
  expect(changedWords(talking, held)).toEqual(['held']);
  expect(changedWords(held, held)).toEqual([]);
});

test('names data only where no state changed', () => {
  expect(changedWords(idle, at('idle', { calls: 1, list: ['a'] }))).toEqual(['calls=1', 'list=["a"]']);
  expect(changedWords(idle, at({ call: 'dialling' }, { calls: 1, list: [] }))).toEqual(['call']);
});
