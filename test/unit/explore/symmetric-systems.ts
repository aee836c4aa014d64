import fc from 'fast-check';
import { assign, createMachine, emit } from 'xstate';
import type { Property } from '../../../src/property.ts';
import { type Choice, defineSystem, type System } from '../../../src/system.ts';

/** A member: it is told things by its own choices and by the desk, and tells the desk. */
interface Recipe {
  readonly members: number;
  readonly states: number;
  /** From, event, to, and what is said on the way, if anything. */
  readonly arcs: readonly { from: number; event: number; to: number; says: boolean; counts: boolean }[];
  /** By state of the desk and what it hears: where it goes, and whether it tells all members. */
  readonly desk: readonly { from: number; to: number; tells: boolean }[];
  readonly after: number | null;
  readonly joint: boolean;
}

const recipe: fc.Arbitrary<Recipe> = fc.record({
  members: fc.integer({ min: 2, max: 4 }),
  states: fc.integer({ min: 2, max: 3 }),
  arcs: fc.array(
    fc.record({
      from: fc.nat(2),
      event: fc.nat(2),
      to: fc.nat(2),
      says: fc.boolean(),
      counts: fc.boolean(),
    }),
    { minLength: 2, maxLength: 6 },
  ),
  desk: fc.array(fc.record({ from: fc.nat(1), to: fc.nat(1), tells: fc.boolean() }), { maxLength: 2 }),
  after: fc.option(fc.integer({ min: 1, max: 2 })),
  joint: fc.boolean(),
});

function systemOf({ members, states, arcs, desk, after, joint }: Recipe): System {
  const member = createMachine({
    id: 'member',
    context: { count: 0 },
    initial: 's0',
    states: Object.fromEntries(
      Array.from({ length: states }, (_, state) => [
        `s${state}`,
        {
          ...(after !== null && state === 1 ? { after: { [after]: 's0' } } : {}),
          on: Object.fromEntries(
            [0, 1, 2].map((event) => [
              `e${event}`,
              arcs
                .filter((arc) => arc.from === state && arc.event === event)
                .map((arc) => ({
                  target: `s${arc.to % states}`,
                  actions: [
                    // Only choices make a member speak, so that one member speaks in a step.
                    ...(arc.says && event !== 2 ? [emit({ type: 'said' })] : []),
                    ...(arc.counts
                      ? [
                          assign({
                            count: ({ context }: { context: { count: number } }) => 1 - context.count,
                          }),
                        ]
                      : []),
                  ],
                })),
            ]),
          ),
        },
      ]),
    ) as never,
  } as never);
  const office = createMachine({
    id: 'desk',
    initial: 'd0',
    states: Object.fromEntries(
      [0, 1].map((state) => [
        `d${state}`,
        {
          on: {
            hear: desk
              .filter(({ from }) => from === state)
              .slice(0, 1)
              .map(({ to }) => ({ target: `d${to}` })),
            act: desk
              .filter(({ from }) => from === state)
              .slice(0, 1)
              .map(({ to, tells }) => ({ target: `d${to}`, actions: tells ? [emit({ type: 'told' })] : [] })),
          },
        },
      ]),
    ) as never,
  } as never);
  const names = Array.from({ length: members }, (_, index) => `m${index}`);
  return defineSystem({
    id: 'members',
    parts: {
      desk: { machine: office as never },
      ...Object.fromEntries(names.map((name) => [name, { machine: member as never }])),
    },
    wiring: (_from, { type }) =>
      type === 'said'
        ? [{ to: 'desk', event: { type: 'hear' } }]
        : names.map((to) => ({ to, event: { type: 'e2' } })),
    choices: [
      ...names.flatMap((to): Choice[] => [
        { id: `${to} e0`, deliver: [{ to, event: { type: 'e0' } }] },
        {
          id: `${to} e1`,
          deliver: [
            { to, event: { type: 'e1' } },
            ...(joint ? [{ to: 'desk', event: { type: 'hear' } }] : []),
          ],
        },
      ]),
      { id: 'act', deliver: [{ to: 'desk', event: { type: 'act' } }] },
    ],
  });
}

/** A random system of a desk and equal members. */
export const symmetricSystem: fc.Arbitrary<System> = recipe.map((drawn) =>
  Object.assign(systemOf(drawn), { [fc.toStringMethod]: () => JSON.stringify(drawn) }),
);

/** Properties, some of which single out one member. */
export const memberProperties: readonly Property[] = [
  {
    id: 'never-both',
    kind: 'invariant',
    says: '',
    violation: '',
    witnesses: [
      { id: 'last-moved', says: '', state: { reads: ['m1'], holds: (at) => at('m1').value === 's1' } },
    ],
    clauses: [
      { reads: ['m0', 'm1'], holds: (at) => at('m0').value !== 's1' || at('m1').context.count === 0 },
    ],
  },
  {
    id: 'says-only-when-others-wait',
    kind: 'effect',
    says: '',
    violation: '',
    witnesses: [
      {
        id: 'says-in-d1',
        says: '',
        effect: {
          on: { part: 'm1', emits: 'said' },
          reads: ['desk', 'm0'],
          holds: (at) => at('desk').value === 'd1' && at('m0').value === 's0',
        },
      },
    ],
    clauses: [
      {
        on: { part: 'm0', emits: 'said' },
        reads: ['m0', 'm1'],
        holds: (at) => at('m1').value !== 's1' || at('m0').value === 's0',
      },
    ],
  },
];
