/** Systems and properties that cannot be checked are refused by name, before they can give a verdict. */
import { describe, expect, test } from 'vitest';
import { type AnyStateMachine, createMachine, type EventObject, emit, setup } from 'xstate';
import { check } from '../../../src/check.ts';
import type { Property } from '../../../src/property.ts';
import { defineSystem, type System, type Wiring } from '../../../src/system.ts';

const toggle = createMachine({
  id: 'toggle',
  initial: 'off',
  states: { off: { on: { GO: 'on' } }, on: { on: { GO: 'off' } } },
});
const speaker = createMachine({ id: 'speaker', on: { GO: { actions: emit({ type: 'SAID' }) } } });

function alone(
  machine: AnyStateMachine,
  wiring: Wiring = () => [],
  event: EventObject = { type: 'GO' },
): System {
  return defineSystem({
    id: 'alone',
    parts: { it: { machine } },
    wiring,
    choices: [{ id: 'go', deliver: [{ to: 'it', event }] }],
  });
}

const empty: Property = {
  id: 'empty',
  kind: 'invariant',
  says: '',
  violation: '',
  witnesses: [],
  clauses: [],
};
const circle: Record<string, unknown> = {};
circle.self = circle;

describe.each<readonly [string, () => Promise<unknown>, RegExp]>([
  ['a property without clauses', () => check(alone(toggle), [empty]), /'empty': it has no clauses/],
  [
    'a big integer in context',
    () => check(alone(createMachine({ context: { n: 1n } })), []),
    /context\.n: it holds a bigint/,
  ],
  [
    'context in a circle',
    () => check(alone(createMachine({ context: circle })), []),
    /context\.self.*holds itself/,
  ],
  [
    'wiring that throws',
    () =>
      check(
        alone(speaker, () => {
          throw new Error('lost');
        }),
        [],
      ),
    /wiring of 'SAID' from 'it': it threw "lost"/,
  ],
  [
    'wiring that gives nothing',
    () =>
      check(
        alone(speaker, () => undefined as never),
        [],
      ),
    /it gave undefined/,
  ],
  [
    'wiring to a part that is not there',
    () =>
      check(
        alone(speaker, (_from, event) => [{ to: 'her', event }]),
        [],
      ),
    /no part 'her'/,
  ],
  ['what is no machine', async () => alone({} as never), /part 'it'.*no XState v5 machine/],
  [
    'an event without a type',
    async () => alone(toggle, () => [], {} as never),
    /choice 'go': the event to 'it' has no type/,
  ],
])('%s', (_name, run, message) => {
  test('is refused by name', async () => {
    await expect(run()).rejects.toMatchObject({
      name: 'SystemError',
      message: expect.stringMatching(message),
    });
  });
});

test('timers that fire in a circle without time passing are a time-lock', async () => {
  const machine = setup({ delays: { none: 0 } }).createMachine({
    id: 'zeno',
    initial: 'here',
    states: { here: { after: { none: 'there' } }, there: { after: { none: 'here' } } },
  });
  expect((await check(alone(machine), [])).structure.timeLocks).toBe(2);
});
