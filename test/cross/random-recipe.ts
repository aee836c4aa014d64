/** Draws recipes: small, but with timers, guards, talk, components, urgency and a paused process. */
import fc from 'fast-check';
import {
  type Arc,
  type ChoiceRecipe,
  deliveriesBound,
  eventCount,
  type PartRecipe,
  type Recipe,
  type StateRecipe,
  signalCount,
  type Wire,
} from './recipe.ts';

/** More deliveries in one step than this would make the models of the other checkers slow to compile. */
const deliveriesMax = 60;

const targets = fc.oneof(
  { weight: 1, arbitrary: fc.constant('forbid' as const) },
  { weight: 2, arbitrary: fc.constant('stay' as const) },
  { weight: 7, arbitrary: fc.nat(3) },
);

const drawnArc: fc.Arbitrary<Arc> = fc.record({
  when: fc.option(fc.nat(3), { nil: undefined }),
  target: targets,
  reenters: fc.boolean(),
  counter: fc.constantFrom('keep', 'keep', 'increment', 'reset'),
  emits: fc.array(fc.nat(signalCount - 1), { maxLength: 2 }),
});

const drawnState = fc.record({
  arcs: fc.array(fc.record({ event: fc.nat(eventCount - 1), arc: drawnArc }), { minLength: 4, maxLength: 9 }),
  after: fc.uniqueArray(fc.record({ delay: fc.nat(3), arc: drawnArc }), {
    maxLength: 2,
    selector: ({ delay }) => delay,
  }),
  entry: fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constant(signalCount - 1) },
  ),
});

const drawnPart = fc.record({
  modulus: fc.integer({ min: 2, max: 4 }),
  states: fc.array(drawnState, { minLength: 2, maxLength: 4 }),
});

type DrawnPart = typeof drawnPart extends fc.Arbitrary<infer Value> ? Value : never;

/** Makes an arc fit its place: targets and guards that exist, and signals that keep the talk bounded. */
function fitted(arc: Arc, event: number, { states, modulus }: DrawnPart): Arc {
  const last = event === eventCount - 1;
  const target = typeof arc.target === 'number' ? arc.target % states.length : arc.target;
  const wouldSpeak = last && typeof target === 'number' && states[target]?.entry !== undefined;
  const silent = target === 'forbid';
  return {
    when: arc.when === undefined ? undefined : arc.when % modulus,
    target: wouldSpeak ? 'stay' : target,
    reenters: arc.reenters,
    counter: silent ? 'keep' : wouldSpeak && arc.counter === 'keep' ? 'increment' : arc.counter,
    emits: silent ? [] : arc.emits.filter((signal) => signal >= event),
  };
}

function partOf(drawn: DrawnPart): PartRecipe {
  const events = Array.from({ length: eventCount }, (_, event) => event);
  return {
    modulus: drawn.modulus,
    states: drawn.states.map(
      ({ arcs, after, entry }): StateRecipe => ({
        on: events.map((event) =>
          arcs.filter((each) => each.event === event).map(({ arc }) => fitted(arc, event, drawn)),
        ),
        after: after.map(({ delay, arc }) => ({ delay, arc: fitted(arc, 0, drawn) })),
        entry,
      }),
    ),
  };
}

const wireIn = (parts: number): fc.Arbitrary<Wire> =>
  fc.nat(signalCount - 1).chain((signal) =>
    fc.record({
      from: fc.nat(parts - 1),
      signal: fc.constant(signal),
      to: fc.nat(parts - 1),
      event: fc.integer({ min: signal + 1, max: eventCount - 1 }),
    }),
  );

const choiceIn = (parts: number): fc.Arbitrary<ChoiceRecipe> =>
  fc.record({
    deliver: fc.uniqueArray(fc.record({ to: fc.nat(parts - 1), event: fc.nat(eventCount - 1) }), {
      minLength: 1,
      maxLength: 2,
      selector: ({ to }) => to,
    }),
    urgent: fc.oneof(
      { weight: 5, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
  });

/** A random small system. */
export const randomRecipe: fc.Arbitrary<Recipe> = fc
  .integer({ min: 2, max: 4 })
  .chain((count) =>
    fc.record({
      parts: fc.array(drawnPart.map(partOf), { minLength: count, maxLength: count }),
      componentOf: fc.array(fc.nat(count - 1), { minLength: count, maxLength: count }),
      wires: fc.array(wireIn(count), { minLength: 2, maxLength: 10 }),
      choices: fc.array(choiceIn(count), { minLength: 5, maxLength: 9 }),
      pause: fc.record({
        by: fc.nat(count - 1),
        while: fc.uniqueArray(fc.nat(3), { maxLength: 2 }),
        parts: fc.uniqueArray(fc.nat(count - 1), { minLength: 1 }),
      }),
    }),
  )
  .map((drawn): Recipe => {
    const { by, parts, ...pause } = drawn.pause;
    return { ...drawn, pause: { ...pause, by, parts: parts.filter((part) => part !== by) } };
  })
  .filter((recipe) => deliveriesBound(recipe) <= deliveriesMax);
