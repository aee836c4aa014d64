import { assign, createMachine } from 'xstate';
import { type Choice, type Delivery, defineSystem, type System } from '../../../src/system.ts';

/**
 * Peterson's mutual exclusion for two processes, label by label as in tlaplus/Examples: the flag and the turn are
 * written in two steps, and neither the noncritical nor the critical section is joined with the step after it.
 */
export function peterson(): System {
  const process = createMachine({
    id: 'process',
    initial: 'noncritical',
    states: {
      noncritical: { on: { TRY: 'raising' } },
      raising: { on: { RAISE: 'yielding' } },
      yielding: { on: { YIELD: 'waiting' } },
      waiting: { on: { ENTER: 'critical' } },
      critical: { on: { LEAVE: 'lowering' } },
      lowering: { on: { LOWER: 'noncritical' } },
    },
  });
  const shared = createMachine({
    types: {} as { context: { flags: boolean[]; turn: number }; events: { type: string; by: number } },
    id: 'shared',
    context: { flags: [false, false], turn: 0 },
    on: {
      RAISE: { actions: assign({ flags: ({ context, event }) => context.flags.with(event.by, true) }) },
      LOWER: { actions: assign({ flags: ({ context, event }) => context.flags.with(event.by, false) }) },
      YIELD: { actions: assign({ turn: ({ event }) => 1 - event.by }) },
      ENTER: {
        guard: ({ context, event }) => !context.flags[1 - event.by] || context.turn === event.by,
        actions: assign({}),
      },
    },
  });
  const step = (by: number, type: string, readsOrWrites: boolean): Choice => ({
    id: `p${by} ${type}`,
    deliver: [
      ...(readsOrWrites ? [{ to: 'shared', event: { type, by } as Delivery['event'] }] : []),
      { to: `p${by}`, event: { type } },
    ],
  });
  return defineSystem({
    id: 'Peterson',
    parts: { shared: { machine: shared }, p0: { machine: process }, p1: { machine: process } },
    wiring: () => [],
    choices: [0, 1].flatMap((by) => [
      step(by, 'TRY', false),
      step(by, 'RAISE', true),
      step(by, 'YIELD', true),
      step(by, 'ENTER', true),
      step(by, 'LEAVE', false),
      step(by, 'LOWER', true),
    ]),
  });
}

/**
 * Peterson's filter for any number of processes, step by step as BEEM's `peterson.1` has it. What its number of states
 * rests on: a process that waits on a level looks at the others one by one, itself included, and counts in `seen` how
 * many it has looked at; it goes up as soon as a later one has come to the level, or when it has seen all; and `level`
 * and `seen` keep their last values while they mean nothing, so that states which differ in them only are two.
 */
export function petersonFilter(processes: number): System {
  const process = createMachine({
    types: {} as {
      context: { level: number; seen: number };
      events: { type: string; level: number; seen: number };
    },
    id: 'process',
    context: { level: 0, seen: 0 },
    initial: 'noncritical',
    states: {
      noncritical: { on: { TRY: { target: 'climbing', actions: assign({ level: 1 }) } } },
      climbing: {
        on: {
          STAND: { guard: ({ context, event }) => context.level === event.level, target: 'yielding' },
          ENTER: { guard: ({ context }) => context.level === processes, target: 'critical' },
        },
      },
      yielding: {
        on: {
          YIELD: {
            guard: ({ context, event }) => context.level === event.level,
            target: 'looking',
            actions: assign({ seen: 0 }),
          },
        },
      },
      looking: {
        on: {
          LOOK: {
            guard: ({ context, event }) => context.level === event.level && context.seen === event.seen,
            actions: assign({ seen: ({ context }) => context.seen + 1 }),
          },
          CLIMB: {
            guard: ({ context, event }) => context.level === event.level && context.seen === event.seen,
            target: 'climbing',
            actions: assign({ level: ({ context }) => context.level + 1 }),
          },
        },
      },
      critical: { on: { LEAVE: 'noncritical' } },
    },
  });
  const all = Array.from({ length: processes }, (_, index) => index);
  const shared = createMachine({
    types: {} as {
      context: { levelOf: number[]; latestAt: number[] };
      events: { type: string; by: number; level: number; seen: number };
    },
    id: 'shared',
    context: { levelOf: all.map(() => 0), latestAt: all.map(() => 0) },
    on: {
      STAND: {
        actions: assign({ levelOf: ({ context, event }) => context.levelOf.with(event.by, event.level) }),
      },
      YIELD: {
        actions: assign({
          latestAt: ({ context, event }) => context.latestAt.with(event.level - 1, event.by),
        }),
      },
      LOOK: {
        guard: ({ context, event }) =>
          event.seen === event.by || (context.levelOf[event.seen] as number) < event.level,
        actions: assign({}),
      },
      CLIMB: {
        guard: ({ context, event }) => context.latestAt[event.level - 1] !== event.by,
        actions: assign({}),
      },
    },
  });
  const levels = all.slice(1);
  return defineSystem({
    id: 'Peterson filter',
    parts: {
      shared: { machine: shared },
      ...Object.fromEntries(all.map((each) => [`p${each}`, { machine: process }])),
    },
    wiring: () => [],
    choices: all.flatMap((by): Choice[] => {
      const own = (type: string, level = 0, seen = 0): Delivery => ({
        to: `p${by}`,
        event: { type, level, seen } as Delivery['event'],
      });
      const common = (type: string, level: number, seen = 0): Delivery => ({
        to: 'shared',
        event: { type, by, level, seen } as Delivery['event'],
      });
      return [
        { id: `p${by} tries`, deliver: [own('TRY')] },
        { id: `p${by} enters`, deliver: [own('ENTER')] },
        { id: `p${by} leaves`, deliver: [common('STAND', 0), own('LEAVE')] },
        ...levels.flatMap((level): Choice[] => [
          { id: `p${by} stands on ${level}`, deliver: [common('STAND', level), own('STAND', level)] },
          { id: `p${by} yields on ${level}`, deliver: [common('YIELD', level), own('YIELD', level)] },
          ...all.flatMap((seen): Choice[] => [
            {
              id: `p${by} looks at ${seen} on ${level}`,
              deliver: [common('LOOK', level, seen), own('LOOK', level, seen)],
            },
            {
              id: `p${by} is followed to ${level} having seen ${seen}`,
              deliver: [common('CLIMB', level), own('CLIMB', level, seen)],
            },
          ]),
          { id: `p${by} has seen all on ${level}`, deliver: [own('CLIMB', level, processes)] },
        ]),
      ];
    }),
  });
}
