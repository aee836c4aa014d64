/** A kettle, its thermostat and a power cut: small, and with everything that reports have to tell. */
import { assign, emit, setup } from 'xstate';
import type { EffectInvariant, EventuallyAlways, Invariant } from '../../../src/property.ts';
import { defineSystem, type System } from '../../../src/system.ts';

const kettle = setup({
  types: {
    context: {} as { cups: number },
    events: {} as
      | { type: 'switch.pressed' }
      | { type: 'power.cut' }
      | { type: 'power.back' }
      | { type: 'cup.poured' }
      | { type: 'lid.opened' },
    emitted: {} as { type: 'water.boiled'; loudly: boolean },
  },
  guards: {
    /** A switch of the design. */
    whistles: () => false,
    /** A switch of the design. */
    hasLid: () => false,
    full: ({ context }) => context.cups > 0,
  },
  delays: { heatingTime: 2 },
  actions: {
    pour: assign({ cups: ({ context }) => context.cups - 1 }),
    boilLoudly: emit({ type: 'water.boiled', loudly: true }),
    boil: emit({ type: 'water.boiled', loudly: false }),
  },
}).createMachine({
  id: 'kettle',
  description: 'Heats water.',
  context: { cups: 1 },
  type: 'parallel',
  states: {
    heater: {
      initial: 'off',
      states: {
        off: { tags: 'rest', on: { 'switch.pressed': { target: 'on' } } },
        on: {
          description: 'The element glows.',
          initial: 'heating',
          on: { 'power.cut': { target: 'off', description: 'The switch falls back.' } },
          states: {
            heating: {
              after: {
                heatingTime: [
                  { guard: 'whistles', target: 'boiling', actions: 'boilLoudly' },
                  { target: 'boiling', actions: 'boil' },
                ],
              },
            },
            boiling: {},
          },
        },
      },
    },
    lid: {
      initial: 'shut',
      states: {
        shut: {
          tags: 'rest',
          on: {
            'lid.opened': { guard: 'hasLid', target: 'open' },
            'cup.poured': { guard: 'full', actions: 'pour' },
            'lid.broken': { target: 'open' },
          },
        },
        open: { on: { 'power.back': { target: 'shut' } } },
      },
    },
  },
});

const ear = setup({}).createMachine({
  id: 'ear',
  initial: 'idle',
  states: { idle: { tags: 'rest', on: { 'water.boiled': 'startled' } }, startled: { tags: 'rest' } },
});

/** The kettle with its switches set. */
export function kettleSystem(on: readonly ('whistles' | 'hasLid')[] = [], tickSeconds?: number): System {
  return defineSystem({
    id: 'kettle',
    parts: {
      kettle: {
        machine: kettle.provide({
          guards: { whistles: () => on.includes('whistles'), hasLid: () => on.includes('hasLid') },
        }),
      },
      ear: { machine: ear },
    },
    wiring: (_from, event) => [{ to: 'ear', event }],
    choices: [
      {
        id: 'press',
        says: 'the switch is pressed',
        deliver: [{ to: 'kettle', event: { type: 'switch.pressed' } }],
      },
      {
        id: 'cut',
        says: 'the power fails',
        fault: 'power-cut',
        deliver: [{ to: 'kettle', event: { type: 'power.cut' } }],
      },
      { id: 'pour', says: 'a cup is poured', deliver: [{ to: 'kettle', event: { type: 'cup.poured' } }] },
      { id: 'open', deliver: [{ to: 'kettle', event: { type: 'lid.opened' } }] },
    ],
    ...(tickSeconds === undefined ? {} : { tickSeconds }),
  });
}

/** Violated when the water boils. */
export const neverBoils: EffectInvariant = {
  id: 'never-boils',
  kind: 'effect',
  says: 'the water never boils',
  violation: 'The water boiled over.',
  witnesses: [],
  clauses: [{ on: { part: 'kettle', emits: 'water.boiled' }, reads: [], holds: () => false }],
};

/** Violated once a cup is poured. */
export const staysFull: Invariant = {
  id: 'stays-full',
  kind: 'invariant',
  says: 'the kettle stays full',
  violation: 'The kettle is empty.',
  witnesses: [],
  clauses: [{ reads: ['kettle'], holds: (at) => (at('kettle').context as { cups: number }).cups > 0 }],
};

/** Violated, as nothing must press the switch. */
export const staysHot: EventuallyAlways = {
  id: 'stays-hot',
  kind: 'eventually-always',
  says: 'in the end the heater is on, for good',
  violation: 'The kettle stays cold for ever.',
  witnesses: [],
  within: { reads: [], holds: () => true },
  clauses: [{ reads: ['kettle'], holds: (at) => at('kettle').matches({ heater: 'on' }) }],
};
