import { assign, createMachine } from 'xstate';
import { Engine } from '../../../src/explore/engine.ts';
import { Search, type SearchLimits } from '../../../src/explore/search.ts';
import { type Choice, defineSystem, type System } from '../../../src/system.ts';

const enough: SearchLimits = { statesMax: 1e6, bytesMax: 1e9 };

/** Searches a system until it has seen everything or may not go on. */
export function explore(system: System, limits: SearchLimits = enough): Search {
  const search = new Search(new Engine(system, []), limits);
  for (const _ of search.run());
  return search;
}

/** A choice that tells one part something. */
export function tell(to: string, type: string, rest: Partial<Choice> = {}): Choice {
  return { id: type.toLowerCase(), deliver: [{ to, event: { type } }], ...rest };
}

/** A part that counts up to a number, and back to 0 when it is told so. */
export function counter(last: number, choices: readonly string[] = ['UP']): System {
  const machine = createMachine({
    types: {} as { context: { count: number } },
    id: 'counter',
    context: { count: 0 },
    on: {
      UP: {
        guard: ({ context }) => context.count < last,
        actions: assign({ count: ({ context }) => context.count + 1 }),
      },
      LEAP: {
        guard: ({ context }) => context.count < last - 1,
        actions: assign({ count: ({ context }) => context.count + 2 }),
      },
      RESET: { actions: assign({ count: 0 }) },
    },
  });
  return defineSystem({
    id: 'counting',
    parts: { counter: { machine } },
    wiring: () => [],
    choices: choices.map((type) => tell('counter', type)),
  });
}
