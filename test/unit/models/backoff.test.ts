/** The wait after a failed dial or list: how it grows, when it is set back, and what it costs the checker. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createActor, SimulatedClock } from 'xstate';
import {
  type Design,
  findDesign,
  machinesOf,
  type Parameters,
  parametersInPlay,
} from '../../../models/index.ts';
import { obligations } from '../../../properties/index.ts';
import { check } from '../../../src/check.ts';

const fenced = findDesign('fenced') as Design;
const withNumbers = (numbers: Partial<Parameters>): Design => ({
  ...fenced,
  parameters: { ...fenced.parameters, ...numbers },
});

/** A watcher on a simulated clock, whose times are those of its design. */
function started(numbers: Partial<Parameters>) {
  const design = withNumbers(numbers);
  const clock = new SimulatedClock();
  const actor = createActor(machinesOf(design, (name) => design.parameters[name]).watcher, { clock }).start();
  const isDialling = () => actor.getSnapshot().matches({ reconnecting: 'dialling' });
  /** Has the attempt fail. @returns how long it waits until it dials again */
  const waitAfter = (...failure: string[]): number => {
    for (const type of failure) actor.send({ type });
    for (let waited = 0; waited < 1000; waited += 1) {
      if (isDialling()) return waited;
      clock.increment(1);
    }
    throw new Error('it does not dial again');
  };
  const waits = (count: number): number[] => Array.from({ length: count }, () => waitAfter('dial.failed'));
  return { actor, waitAfter, waits };
}

describe('the wait before the next dial', () => {
  test('doubles with each failure in a row, up to the longest', () => {
    expect(started({ retryDelay: 1, retryDelayMax: 16 }).waits(7)).toEqual([1, 2, 4, 8, 16, 16, 16]);
    expect(started({ retryDelay: 3, retryDelayMax: 10 }).waits(4)).toEqual([3, 6, 10, 10]);
  });

  test('grows after a failed list as after a failed dial', () => {
    const { waitAfter } = started({ retryDelay: 1, retryDelayMax: 16 });
    const failedList = ['connection.opened', 'list.failed'];
    expect([waitAfter('dial.failed'), waitAfter(...failedList), waitAfter('dial.failed')]).toEqual([1, 2, 4]);
  });

  test('is the first again once the watch was connected, and not because a connection was made', () => {
    const { actor, waits, waitAfter } = started({ retryDelay: 1, retryDelayMax: 16 });
    waits(3);
    expect(waitAfter('connection.opened', 'connection.closed')).toBe(0);
    expect(waits(1)).toEqual([8]);
    for (const type of ['connection.opened', 'list.completed', 'connection.closed']) actor.send({ type });
    expect(waits(3)).toEqual([1, 2, 4]);
  });

  test('is the first again in a process that was started anew', () => {
    const { actor, waits } = started({ retryDelay: 1, retryDelayMax: 16 });
    waits(3);
    actor.send({ type: 'agent.restarted' });
    expect(waits(2)).toEqual([1, 2]);
  });

  test.each([1, 5])('does not grow if the longest is no longer than the first: %i of 5', (retryDelayMax) => {
    expect(started({ retryDelay: 5, retryDelayMax }).waits(3)).toEqual([5, 5, 5]);
    expect(parametersInPlay(withNumbers({ retryDelay: 5, retryDelayMax }))).not.toContain('retryDelayMax');
  });
});

describe('the states of the shared parts', () => {
  const shared = 'fenced with 0 endpoints';
  const statesOf = async (numbers: Partial<Parameters>): Promise<number | undefined> => {
    const found = obligations(withNumbers(numbers), { endpoints: 1 }).find(
      ({ system }) => system.id === shared,
    );
    if (found === undefined) throw new Error(`there is no system '${shared}'`);
    return (await check(found.system, found.properties)).states;
  };

  test('are as recorded while the wait does not grow, and more when it does', async () => {
    const file = new URL('../../recorded-verdicts.json', import.meta.url);
    const recorded = JSON.parse(readFileSync(file, 'utf8')) as {
      designs: { design: string; systems: { id: string; states: number }[] }[];
    };
    const { states } = recorded.designs.flatMap(({ systems }) => systems).find(({ id }) => id === shared) ?? {
      states: Number.NaN,
    };
    expect(await statesOf({})).toBe(states);
    expect(await statesOf({ retryDelayMax: 10 })).toBe(states);
    expect(await statesOf({ retryDelayMax: 40 })).toBeGreaterThan(states);
  });
});
