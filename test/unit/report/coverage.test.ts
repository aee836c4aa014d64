import { expect, test } from 'vitest';
import { and, not, setup } from 'xstate';
import { check } from '../../../src/check.ts';
import { coverage, describeUncovered, ruledOutBy } from '../../../src/report/coverage.ts';
import { possible } from '../../../src/report/possible.ts';
import { defineSystem, type System } from '../../../src/system.ts';
import { kettleSystem } from './kettle.ts';

const whistling = kettleSystem(['whistles', 'hasLid']);

async function search(system: System, references?: readonly System[]) {
  const { uncovered } = await check(system, []);
  return coverage([{ system, uncovered, ...(references === undefined ? {} : { references }) }]);
}

test('tells what a switch rules out from what merely never happens', async () => {
  const { uncovered, offByDesign } = await search(kettleSystem());
  expect(offByDesign).toEqual(
    // The guard of the lid, the whistle's branch, and what an open lid would take.
    ['kettle.heater.on.heating#0', 'kettle.lid.shut#0', 'choice:open'],
  );
  expect(uncovered).toEqual(
    // Nobody sends these, whatever the switches say.
    ['kettle.lid.shut#2', 'kettle.lid.open#0'],
  );
});

test('a branch behind one whose switch is on is ruled out', async () => {
  const { uncovered, offByDesign, happened } = await search(whistling);
  expect(offByDesign).toEqual(['kettle.heater.on.heating#1']);
  expect(uncovered).toEqual(['kettle.lid.shut#2', 'kettle.lid.open#0']);
  expect(happened).toContain('kettle.heater.on.heating#0');
});

test('what happened in one of several searches has happened', async () => {
  const searches = await Promise.all(
    [kettleSystem(), whistling].map(async (system) => ({
      system,
      uncovered: (await check(system, [])).uncovered,
    })),
  );
  expect(coverage(searches).offByDesign).toEqual([]);
});

test('a choice that an option leaves out is ruled out, where a reference has it', async () => {
  const whole = kettleSystem();
  const system = defineSystem({
    id: 'cold kettle',
    parts: Object.fromEntries(whole.parts.map(({ name, machine }) => [name, { machine }])),
    wiring: whole.wiring,
    choices: whole.choices.filter(({ fault }) => fault === undefined),
  });
  expect((await search(system)).uncovered).toContain('kettle.heater.on#0');
  expect((await search(system, [whole])).offByDesign).toContain('kettle.heater.on#0');
});

test('a switch that a transition names in its meta rules it out too', async () => {
  const machine = (careful: boolean) =>
    setup({
      types: { context: {} as { dropped: boolean } },
      guards: { careful: () => careful, dropped: ({ context }) => context.dropped },
    }).createMachine({
      id: 'cup',
      context: { dropped: false },
      initial: 'whole',
      states: {
        whole: {
          on: {
            'cup.moved': [
              { guard: 'dropped', target: 'broken', meta: { ruledOutBy: ['careful'] } },
              { guard: and(['careful', not('dropped')]), target: 'whole' },
              { target: 'whole' },
            ],
          },
        },
        broken: { tags: 'rest' },
      },
    });
  const system = (careful: boolean): System =>
    defineSystem({
      id: 'cup',
      parts: { cup: { machine: machine(careful) } },
      wiring: () => [],
      choices: [{ id: 'move', deliver: [{ to: 'cup', event: { type: 'cup.moved' } }] }],
    });
  expect((await search(system(true))).offByDesign).toEqual(['cup.whole#0']);
  expect((await search(system(false))).uncovered).toEqual(['cup.whole#0']);
});

test('a part that only listens is an instrument, and its alarm need not ring', () => {
  const { uncovered } = coverage([{ system: whistling, uncovered: ['ear:ear.idle#0'] }]);
  expect(uncovered).toEqual([]);
});

test('an earlier branch hides a later one that asks for more', () => {
  const hidden = setup({
    guards: { a: ({ event }) => 'a' in event, b: ({ event }) => 'b' in event },
  }).createMachine({
    id: 'hidden',
    initial: 'x',
    states: {
      x: {
        on: {
          go: [
            { guard: 'a', target: 'y' },
            { guard: and(['b', 'a']), target: 'z' },
            { guard: 'b', target: 'w' },
          ],
        },
      },
      y: {},
      z: {},
      w: {},
    },
  });
  const system = defineSystem({
    id: 'hidden',
    parts: { hidden: { machine: hidden } },
    wiring: () => [],
    choices: [{ id: 'go', deliver: [{ to: 'hidden', event: { type: 'go' } }] }],
  });
  expect(possible(system, { switches: 'held' })).toEqual(
    new Set(['choice:go', 'hidden:hidden.x#0', 'hidden:hidden.x#2']),
  );
});

test('whatever a search finds is possible', async () => {
  for (const system of [kettleSystem(), whistling, kettleSystem(['hasLid'])]) {
    const { uncovered } = await check(system, []);
    const allowed = possible(system, { switches: 'held' });
    const all = possible(system, { switches: 'free' });
    for (const name of all) if (!uncovered.includes(name)) expect(allowed).toContain(name);
  }
});

test('a guard that is constant in this system rules out what needs it', () => {
  expect(ruledOutBy({ full: false }, whistling)).toEqual(new Set(['kettle.lid.shut#1', 'choice:pour']));
  expect([...ruledOutBy({}, whistling)]).toEqual([]);
});

test('says in words what never happened', () => {
  expect(describeUncovered('kettle.lid.shut#0', whistling)).toBe('kettle.lid.shut: lid.opened [hasLid]');
  expect(describeUncovered('choice:cut', whistling)).toBe('never offered: the power fails');
});
