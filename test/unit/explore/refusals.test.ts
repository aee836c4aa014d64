import { describe, expect, it } from 'vitest';
import {
  type AnyStateMachine,
  assign,
  createMachine,
  emit,
  fromPromise,
  raise,
  sendTo,
  setup,
  spawnChild,
} from 'xstate';
import { check } from '../../../src/check.ts';
import type { Condition, Property } from '../../../src/property.ts';
import { type Choice, defineSystem, type System, SystemError } from '../../../src/system.ts';

function alone(
  machine: AnyStateMachine,
  events: readonly Choice['deliver'][number]['event'][] = [{ type: 'GO' }],
): System {
  return defineSystem({
    id: 'alone',
    parts: { link: { machine } },
    wiring: () => [],
    choices: events.map((event, place) => ({ id: `choice ${place}`, deliver: [{ to: 'link', event }] })),
  });
}

/** Each machine with the words that its refusal must hold: where, what, and the way out. */
const refused: readonly (readonly [string, () => AnyStateMachine, readonly string[]])[] = [
  [
    'raised events that run in a circle',
    () => createMachine({ id: 'link', on: { GO: { actions: raise({ type: 'GO' }) } } }),
    ["part 'link', event 'GO'", 'Infinite loop', 'circle of transitions'],
  ],
  [
    'eventless transitions that run in a circle from the start',
    () =>
      createMachine({
        id: 'link',
        initial: 'up',
        states: { up: { always: { target: 'down' } }, down: { always: { target: 'up' } } },
      }),
    ["part 'link', at its start", 'Infinite loop', 'circle of transitions'],
  ],
  [
    'an invoked actor',
    () =>
      createMachine({
        id: 'link',
        initial: 'up',
        states: { up: { invoke: { src: fromPromise(async () => 1) } } },
      }),
    ["part 'link', state 'link.up'", 'it invokes', 'Make it a part of the system'],
  ],
  [
    'a spawned actor',
    () => createMachine({ id: 'link', entry: spawnChild(fromPromise(async () => 1)) }),
    ["part 'link', state 'link'", 'spawnChild', 'Parts of a system talk by emit'],
  ],
  [
    'a message to another actor',
    () => createMachine({ id: 'link', on: { GO: { actions: sendTo('store', { type: 'HELLO' }) } } }),
    ["part 'link', state 'link', transition on 'GO'", 'sendTo', 'say in the wiring who hears it'],
  ],
  [
    'a named action that sends',
    () =>
      setup({ actions: { tell: sendTo('store', { type: 'HELLO' }) } }).createMachine({
        id: 'link',
        on: { GO: { actions: 'tell' } },
      }),
    ["part 'link', action 'tell'", 'sendTo', 'say in the wiring who hears it'],
  ],
  [
    'an inline effect',
    () => createMachine({ id: 'link', on: { GO: { actions: () => undefined } } }),
    ["part 'link', state 'link', transition on 'GO'", 'inline effect', 'Name the action in setup'],
  ],
  [
    'a guard that draws random numbers',
    () => createMachine({ id: 'link', on: { GO: { guard: () => Math.random() > 0.5, target: '#link' } } }),
    ["part 'link', state 'link', transition on 'GO'", 'Math.random', 'Let an event carry the value'],
  ],
  [
    'a named guard that reads the clock',
    () =>
      setup({ guards: { late: () => Date.now() > 0 } }).createMachine({
        id: 'link',
        on: { GO: { guard: 'late', target: '#link' } },
      }),
    ["part 'link', guard 'late'", 'Date.now', 'must depend on context and event alone'],
  ],
  [
    'a guard that reads an outer variable',
    () => {
      let calls = 0;
      const odd = (): boolean => {
        calls += 1;
        return calls % 2 === 1;
      };
      return createMachine({
        id: 'link',
        initial: 'up',
        states: { up: { on: { GO: { guard: odd, target: 'down' } } }, down: {} },
      });
    },
    [
      "part 'link', event 'GO' in state \"up\"",
      'two different results',
      'Put what it needs into the context',
    ],
  ],
  [
    'a counter without a bound',
    () =>
      createMachine({
        types: {} as { context: { count: number } },
        id: 'link',
        context: { count: 0 },
        on: { GO: { actions: assign({ count: ({ context }) => context.count + 1 }) } },
      }),
    ["part 'link'", 'more than 100,000 local states', 'Keep what is relative and small'],
  ],
  [
    'a Map in the context',
    () => createMachine({ id: 'link', context: { known: new Map() } }),
    ["part 'link', context.known", 'an instance of Map', 'Context holds numbers, booleans, strings'],
  ],
  [
    'a number that JSON cannot hold',
    () => createMachine({ id: 'link', context: { limits: [1, Number.POSITIVE_INFINITY] } }),
    ["part 'link', context.limits[1]", 'it holds Infinity', 'Use a finite number'],
  ],
  [
    'a delay that is no whole number of ticks',
    () => createMachine({ id: 'link', initial: 'up', states: { up: { after: { 2.5: 'down' } }, down: {} } }),
    [
      "part 'link', timer 'xstate.after.2.5.link.up'",
      'its delay is 2.5 ticks',
      'choose a tick that divides every delay',
    ],
  ],
  [
    'a second timer of the same name',
    () => createMachine({ id: 'link', on: { GO: { actions: raise({ type: 'LATER' }, { delay: 5 }) } } }),
    ["part 'link', delayed raise of 'LATER'", 'a second timer', 'Give each delayed raise an id of its own'],
  ],
  [
    'a guard that throws',
    () =>
      createMachine({
        id: 'link',
        on: {
          GO: {
            target: '#link',
            guard: () => {
              throw new Error('no such key');
            },
          },
        },
      }),
    ["part 'link', event 'GO'", 'no such key', 'mend the guard'],
  ],
];

describe('a machine that cannot be checked soundly', () => {
  it.each(refused)(
    'is refused: %s',
    async (_name, machine, words) => {
      const checking = check(alone(machine()), []);
      await expect(checking).rejects.toBeInstanceOf(SystemError);
      for (const word of words) await expect(checking).rejects.toThrow(word);
    },
    30_000,
  );

  it('is not refused for a throwing guard that is never asked, since another part blocks the choice', async () => {
    const fragile = createMachine({
      id: 'fragile',
      on: {
        GO: {
          target: '#fragile',
          guard: () => {
            throw new Error('never to be asked');
          },
        },
      },
    });
    const system = defineSystem({
      id: 'blocked',
      parts: { gate: { machine: createMachine({ id: 'gate' }) }, fragile: { machine: fragile } },
      wiring: () => [],
      choices: [
        {
          id: 'go',
          deliver: [
            { to: 'gate', event: { type: 'OPEN' } },
            { to: 'fragile', event: { type: 'GO' } },
          ],
        },
      ],
    });
    expect(await check(system, [])).toMatchObject({
      states: 1,
      edges: 0,
      uncovered: ['fragile:fragile#0', 'choice:go'],
    });
  });
});

describe('parts that never stop talking', () => {
  const echo = createMachine({ id: 'echo', on: { PING: { actions: emit({ type: 'ping' }) } } });
  const talk = (components: Record<string, string[]>): System =>
    defineSystem({
      id: 'talk',
      parts: { a: { machine: echo }, b: { machine: echo } },
      components,
      wiring: (from) => [{ to: from === 'a' ? 'b' : 'a', event: { type: 'PING' } }],
      choices: [{ id: 'start', deliver: [{ to: 'a', event: { type: 'PING' } }] }],
    });

  it.each([
    ['in one component', { both: ['a', 'b'] }],
    ['in two', {}],
  ])('are refused %s', async (_name, components) => {
    const checking = check(talk(components), []);
    await expect(checking).rejects.toThrow("system 'talk'");
    await expect(checking).rejects.toThrow('Break the circle in the wiring or with a guard');
  });
});

describe('a predicate that cannot be trusted', () => {
  const lamp = createMachine({ id: 'link', initial: 'off', states: { off: { on: { GO: 'on' } }, on: {} } });
  const property = (holds: Condition['holds'], reads = ['link']): Property => ({
    id: 'lit',
    says: '',
    violation: '',
    kind: 'invariant',
    witnesses: [],
    clauses: [{ reads, holds }],
  });

  it('is refused if it throws, naming the property and the parts', async () => {
    const throwing = property(() => {
      throw new Error('undefined is not a lamp');
    });
    const checking = check(alone(lamp), [throwing]);
    await expect(checking).rejects.toBeInstanceOf(SystemError);
    await expect(checking).rejects.toThrow(/property 'lit'.*over link.*undefined is not a lamp/);
  });

  it('is refused if it reads a part that it does not name', async () => {
    const checking = check(alone(lamp), [property((at) => at('link').value === 'off', [])]);
    await expect(checking).rejects.toThrow(
      /property 'lit'.*reads part 'link' without naming it.*Add it to 'reads'/,
    );
  });

  it('is refused if it names a part that is not there', async () => {
    await expect(check(alone(lamp), [property(() => true, ['lonk'])])).rejects.toThrow(
      /there is no part 'lonk'/,
    );
  });

  it('is refused if two properties have one name', async () => {
    const checking = check(alone(lamp), [property(() => true), property(() => true)]);
    await expect(checking).rejects.toThrow(/property 'lit': there are two of that name/);
  });
});
