import fc from 'fast-check';
import { type AnyStateMachine, assign, cancel, createMachine, emit, raise } from 'xstate';
import type { Property } from '../../../src/property.ts';
import { type Choice, type Delivery, defineSystem, type System } from '../../../src/system.ts';

/** What a random machine is made of; its states are `s0`, `s1`, …. */
interface Recipe {
  readonly states: readonly {
    readonly on: readonly Arc[];
    readonly after: readonly (Arc & { readonly delay: number })[];
    readonly tag: 'none' | 'rest' | 'paused';
    readonly final: boolean;
  }[];
  /** What the machine takes in every state. */
  readonly root: readonly Arc[];
}

interface Arc {
  readonly event: number;
  readonly target: number;
  /** The guard asks for this count; above 2 there is none. */
  readonly when: number;
  readonly act: 'nothing' | 'count' | 'emit' | 'both' | 'raise' | 'later' | 'forbid';
  readonly says: number;
}

const events = 3;

const arc: fc.Arbitrary<Arc> = fc.record({
  event: fc.nat(events - 1),
  target: fc.nat(3),
  when: fc.nat(8),
  act: fc.constantFrom('nothing', 'count', 'emit', 'both', 'raise', 'later', 'forbid'),
  says: fc.nat(events - 1),
});

const recipe: fc.Arbitrary<Recipe> = fc.record({
  states: fc.array(
    fc.record({
      on: fc.array(arc, { minLength: 1, maxLength: 4 }),
      after: fc.array(
        fc.record({
          event: fc.nat(events - 1),
          target: fc.nat(3),
          when: fc.nat(8),
          act: fc.constantFrom('nothing', 'count', 'emit', 'both', 'later'),
          says: fc.nat(events - 1),
          delay: fc.nat(3),
        }),
        { maxLength: 1 },
      ),
      tag: fc.constantFrom('none', 'none', 'none', 'rest', 'paused'),
      final: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)),
    }),
    { minLength: 2, maxLength: 3 },
  ),
  root: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(arc, { minLength: 1, maxLength: 1 })),
});

function machineOf({ states, root }: Recipe, id: string): AnyStateMachine {
  const configOf = (each: Arc): object => {
    if (each.act === 'forbid') return {};
    const count = assign({ count: ({ context }: { context: { count: number } }) => (context.count + 1) % 3 });
    const say = emit({ type: `said${each.says}` });
    const actions = {
      nothing: [],
      count: [count],
      emit: [say],
      both: [count, say],
      // Only upwards: XState itself would never come back from events that raise each other in a circle.
      raise: each.says > each.event ? [raise({ type: `e${each.says}` })] : [],
      later: [
        cancel(`later${each.says}`),
        raise({ type: `e${each.says}` }, { id: `later${each.says}`, delay: 1 + each.says }),
      ],
    }[each.act];
    const guarded =
      each.when <= 2
        ? { guard: ({ context }: { context: { count: number } }) => context.count === each.when }
        : {};
    return { target: `s${each.target % states.length}`, actions, ...guarded };
  };
  const within = (each: Arc): object => {
    const configured = configOf(each) as { target?: string };
    return configured.target === undefined ? configured : { ...configured, target: `.${configured.target}` };
  };
  return createMachine({
    id,
    context: { count: 0 },
    initial: 's0',
    on: Object.fromEntries(root.map((each) => [`e${each.event}`, within(each)])),
    states: Object.fromEntries(
      states.map(({ on, after, tag, final }, index) => [
        `s${index}`,
        final && index > 0
          ? { type: 'final', tags: [tag] }
          : {
              tags: [tag],
              on: Object.fromEntries(
                Array.from({ length: events }, (_, event) => [
                  `e${event}`,
                  on.filter((each) => each.event === event).map(configOf),
                ]).filter(([, arcs]) => arcs?.length !== 0),
              ),
              after: Object.fromEntries(after.map((each) => [each.delay, configOf(each)])),
            },
      ]),
    ) as never,
  } as never) as unknown as AnyStateMachine;
}

const deliveries = (parts: number): fc.Arbitrary<Delivery[]> =>
  fc
    .uniqueArray(fc.record({ to: fc.nat(parts - 1), event: fc.nat(events - 1) }), {
      minLength: 1,
      maxLength: 2,
      selector: ({ to }) => to,
    })
    .map((list) => list.map(({ to, event }) => ({ to: `p${to}`, event: { type: `e${event}` } })));

const choice = (parts: number): fc.Arbitrary<Omit<Choice, 'id'>> =>
  fc
    .record({
      deliver: deliveries(parts),
      urgent: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
      fairness: fc.constantFrom('weak', 'strong', undefined),
    })
    .map(({ fairness, ...each }) => (fairness === undefined ? each : { ...each, fairness }));

/** A random small system: machines with guards, context, emits, raises and timers, wired to each other at random. */
export const randomSystem: fc.Arbitrary<System> = fc.integer({ min: 2, max: 4 }).chain((parts) =>
  fc
    .record({
      recipes: fc.array(recipe, { minLength: parts, maxLength: parts }),
      choices: fc.array(choice(parts), { minLength: 3, maxLength: 8 }),
      grouped: fc.uniqueArray(fc.nat(parts - 1), { maxLength: parts }),
      pausable: fc.option(fc.nat(parts - 1)),
      wires: fc.array(
        fc.record({
          from: fc.nat(parts - 1),
          says: fc.nat(events - 1),
          to: fc.nat(parts - 1),
          event: fc.nat(events - 1),
        }),
        { maxLength: 5 },
      ),
      twins: fc.boolean(),
    })
    .map((drawn) => {
      const { recipes, choices, grouped, pausable, wires, twins } = drawn;
      const machines = recipes.map((each, index) => machineOf(each, `m${index}`));
      if (twins) machines[1] = machines[0] as AnyStateMachine;
      const process = pausable === null || pausable === 0 ? {} : { process: 'agent' };
      const system = defineSystem({
        id: 'random',
        parts: Object.fromEntries(
          machines.map((machine, index) => [
            `p${index}`,
            { machine, ...(index === pausable ? process : {}) },
          ]),
        ),
        components: grouped.length > 0 ? { group: grouped.map((part) => `p${part}`) } : {},
        wiring: (from, event) =>
          wires
            .filter((wire) => `p${wire.from}` === from && `said${wire.says}` === event.type)
            .map((wire) => ({ to: `p${wire.to}`, event: { type: `e${wire.event}` } })),
        choices: choices.map((each, index) => ({ id: `c${index}`, ...each })),
        processes: { agent: { part: 'p0', pausedTag: 'paused' } },
      });
      return Object.assign(system, { [fc.toStringMethod]: () => JSON.stringify(drawn) });
    }),
);

/** Properties that random systems break about as often as they keep. */
export function randomProperties(seed: number): Property[] {
  const value = `s${seed % 3}`;
  const base = { says: '', violation: '' };
  return [
    {
      ...base,
      id: 'apart',
      kind: 'invariant',
      witnesses: [
        { id: 'seen', says: '', state: { reads: ['p1'], holds: (at) => at('p1').value === 's1' } },
        {
          id: 'heard',
          says: '',
          effect: {
            on: { part: 'p0', emits: 'said1' },
            reads: ['p0', 'p1'],
            holds: (at) => at('p1').context.count > 0,
          },
        },
      ],
      clauses: [
        { reads: ['p0', 'p1'], holds: (at) => at('p0').value !== value || at('p1').value !== value },
        { reads: ['p1'], holds: (at) => at('p1').context.count < 2 },
      ],
    },
    {
      ...base,
      id: 'quiet',
      kind: 'effect',
      witnesses: [],
      clauses: [
        { on: { part: 'p1', emits: 'said0' }, reads: ['p0'], holds: (at) => at('p0').value === 's0' },
        {
          on: { part: 'p0', emits: 'said1' },
          reads: ['p1', 'p0'],
          holds: (at) => at('p1').context.count !== seed % 3,
        },
      ],
    },
  ];
}
