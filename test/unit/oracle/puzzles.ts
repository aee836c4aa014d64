import { assign, createMachine } from 'xstate';
import { type Choice, defineSystem, type System } from '../../../src/system.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Towers of Hanoi: three pegs, discs numbered from the smallest. */
export function hanoi(discs: number): System {
  const peg = createMachine({
    types: {} as {
      context: { stack: number[] };
      input: { stack: number[] };
      events: { type: 'TAKE'; disc: number } | { type: 'PUT'; disc: number };
    },
    id: 'peg',
    context: ({ input }) => ({ stack: input.stack }),
    on: {
      TAKE: {
        guard: ({ context, event }) => context.stack.at(-1) === event.disc,
        actions: assign({ stack: ({ context }) => context.stack.slice(0, -1) }),
      },
      PUT: {
        guard: ({ context, event }) => (context.stack.at(-1) ?? Number.POSITIVE_INFINITY) > event.disc,
        actions: assign({ stack: ({ context, event }) => [...context.stack, event.disc] }),
      },
    },
  });
  const moves = [0, 1, 2].flatMap((from) =>
    [0, 1, 2].filter((to) => to !== from).map((to) => [from, to] as const),
  );
  return defineSystem({
    id: 'towers of Hanoi',
    parts: Object.fromEntries(
      [0, 1, 2].map((place) => [
        `peg${place}`,
        { machine: peg, input: { stack: place === 0 ? numbers(discs).reverse() : [] } },
      ]),
    ),
    wiring: () => [],
    choices: numbers(discs).flatMap((disc) =>
      moves.map(([from, to]) => ({
        id: `${disc} from ${from} to ${to}`,
        deliver: [
          { to: `peg${from}`, event: { type: 'TAKE', disc } },
          { to: `peg${to}`, event: { type: 'PUT', disc } },
        ],
      })),
    ),
  });
}

/** The sliding puzzle with eight tiles: each of nine cells holds a tile or the gap, 0. */
export function slidingPuzzle(): System {
  const cell = createMachine({
    types: {} as {
      context: { tile: number };
      input: { tile: number };
      events: { type: string; tile: number };
    },
    id: 'cell',
    context: ({ input }) => ({ tile: input.tile }),
    on: {
      TAKE: { guard: ({ context, event }) => context.tile === event.tile, actions: assign({ tile: 0 }) },
      PUT: {
        guard: ({ context }) => context.tile === 0,
        actions: assign({ tile: ({ event }) => event.tile }),
      },
    },
  });
  const cells = numbers(9);
  const besides = (a: number, b: number): boolean =>
    Math.abs((a % 3) - (b % 3)) + Math.abs(Math.floor(a / 3) - Math.floor(b / 3)) === 1;
  return defineSystem({
    id: 'sliding puzzle',
    parts: Object.fromEntries(
      cells.map((place) => [`cell${place}`, { machine: cell, input: { tile: place } }]),
    ),
    wiring: () => [],
    choices: cells.flatMap((from) =>
      cells
        .filter((to) => besides(from, to))
        .flatMap((to) =>
          numbers(8).map((less) => ({
            id: `tile ${less + 1} from ${from} to ${to}`,
            deliver: [
              { to: `cell${from}`, event: { type: 'TAKE', tile: less + 1 } },
              { to: `cell${to}`, event: { type: 'PUT', tile: less + 1 } },
            ],
          })),
        ),
    ),
  });
}

/** Dining philosophers, each of whom takes the left fork first; with `asymmetric`, the last takes the right one first. */
export function philosophers(count: number, asymmetric: boolean): System {
  const philosopher = createMachine({
    id: 'philosopher',
    initial: 'thinking',
    states: {
      thinking: { on: { FIRST: 'hungry' } },
      hungry: { on: { SECOND: 'eating' } },
      eating: { on: { DROP_FIRST: 'leaving' } },
      leaving: { on: { DROP_SECOND: 'thinking' } },
    },
  });
  const fork = createMachine({
    id: 'fork',
    initial: 'free',
    states: { free: { on: { TAKE: 'taken' } }, taken: { on: { DROP: 'free' } } },
  });
  const all = numbers(count);
  const step = (who: number, event: string, forkOf: number): Choice => ({
    id: `${who} ${event}`,
    deliver: [
      { to: `philosopher${who}`, event: { type: event } },
      { to: `fork${forkOf}`, event: { type: event.startsWith('DROP') ? 'DROP' : 'TAKE' } },
    ],
  });
  return defineSystem({
    id: 'dining philosophers',
    parts: {
      ...Object.fromEntries(all.map((each) => [`philosopher${each}`, { machine: philosopher }])),
      ...Object.fromEntries(all.map((each) => [`fork${each}`, { machine: fork }])),
    },
    wiring: () => [],
    choices: all.flatMap((who) => {
      const forks = [who, (who + 1) % count];
      if (asymmetric && who === count - 1) forks.reverse();
      const [first = 0, second = 0] = forks;
      return [
        step(who, 'FIRST', first),
        step(who, 'SECOND', second),
        step(who, 'DROP_FIRST', first),
        step(who, 'DROP_SECOND', second),
      ];
    }),
  });
}
