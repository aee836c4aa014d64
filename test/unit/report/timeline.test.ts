import picocolors from 'picocolors';
import { expect, test } from 'vitest';
import { setup } from 'xstate';
import { check } from '../../../src/check.ts';
import type { EventuallyAlways, Property } from '../../../src/property.ts';
import { timeline } from '../../../src/report/timeline.ts';
import { printTimeline } from '../../../src/report/timeline-text.ts';
import { defineSystem, type System } from '../../../src/system.ts';
import type { Trace } from '../../../src/trace/trace.ts';
import { kettleSystem, neverBoils, staysFull, staysHot } from './kettle.ts';

const plain = picocolors.createColors(false);

async function violate(system: System, property: Property): Promise<Trace> {
  const trace = (await check(system, [property])).properties[0]?.trace;
  if (trace === undefined) throw new Error(`${property.id} was not violated`);
  return trace;
}

async function print(system: System, property: Property, width = 120, colors = plain): Promise<string[]> {
  return printTimeline(timeline(system, await violate(system, property), property), { width, colors }).split(
    '\n',
  );
}

test('tells what happened, when, and what became of each part that changed', async () => {
  expect(await print(kettleSystem([], 10), neverBoils)).toEqual([
    '    time  what happens                       kettle   ear',
    '   0.0 s  at the start                       off      idle',
    '                                             shut',
    '   0.0 s  the switch is pressed              on       ·',
    '            kettle: The element glows.',
    '  20.0 s  +20 s                              ·        ·',
    '✗ 20.0 s  the heating time is over (kettle)  boiling  startled',
    '            kettle says water.boiled (loudly: false)',
  ]);
});

test('shows ticks where time has no unit', async () => {
  const text = (await print(kettleSystem(), neverBoils)).join('\n');
  expect(text).toContain('+2 ticks');
  expect(text).not.toMatch(/\d s\b/);
});

test('marks the row that breaks the property, and names data where no state changed', async () => {
  const lines = await print(kettleSystem(), staysFull);
  expect(lines.at(-1)).toMatch(/^✗ 0 ticks {2}a cup is poured +cups=0$/);
});

test('says so when the run stays where it is for ever', async () => {
  expect((await print(kettleSystem(), staysHot)).at(-1)).toMatch(/^✗ +and so it stays for ever$/);
});

test('draws a line before the part that repeats for ever, and keeps its time apart', async () => {
  const blinker = setup({ delays: { pause: 2 } }).createMachine({
    id: 'blinker',
    initial: 'dark',
    states: {
      dark: { after: { pause: 'lit' } },
      lit: { after: { pause: 'dark' } },
    },
  });
  const system = defineSystem({
    id: 'lamp',
    parts: { lamp: { machine: blinker } },
    wiring: () => [],
    choices: [],
  });
  const property: EventuallyAlways = {
    id: 'lit',
    kind: 'eventually-always',
    says: 'lit in the end',
    violation: 'It blinks.',
    witnesses: [],
    within: { reads: [], holds: () => true },
    clauses: [{ reads: ['lamp'], holds: (at) => at('lamp').matches('lit') }],
  };
  const trace: Trace = {
    system: 'lamp',
    property: 'lit',
    picks: [
      { kind: 'time' },
      { kind: 'time' },
      { kind: 'timer', part: 'lamp', timer: 'xstate.after.pause.blinker.dark' },
      { kind: 'time' },
      { kind: 'time' },
      { kind: 'timer', part: 'lamp', timer: 'xstate.after.pause.blinker.lit' },
      { kind: 'time' },
    ],
    loop: 1,
  };
  expect(printTimeline(timeline(system, trace, property), { width: 120, colors: plain }).split('\n')).toEqual(
    [
      '     time  what happens                lamp',
      '  0 ticks  at the start                dark',
      '   1 tick  +1 tick                     ·',
      '✗          then for ever:',
      '  2 ticks  +1 tick                     ·',
      '  2 ticks  the pause is over (lamp)    lit',
      '  4 ticks  +2 ticks                    ·',
      '  4 ticks  the pause is over (lamp)    dark',
      '  5 ticks  +1 tick                     ·',
    ],
  );
});

test('tells the changes below the text where the columns would not fit', async () => {
  const lines = await print(kettleSystem([], 10), neverBoils, 44);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(44);
  expect(lines).toContain('          → kettle: boiling · ear: startled');
});

test('marks faults, and colours only when asked', async () => {
  const system = kettleSystem([], 10);
  const trace: Trace = {
    system: 'kettle',
    property: 'never-boils',
    picks: [
      { kind: 'choice', id: 'press' },
      { kind: 'choice', id: 'cut' },
      { kind: 'choice', id: 'pour' },
    ],
  };
  const story = timeline(system, trace, neverBoils);
  expect(story.rows.map(({ mark }) => mark)).toEqual([undefined, 'fault', 'violation']);
  expect(story.rows[1]?.notes).toEqual(['kettle: The switch falls back.']);
  const coloured = printTimeline(story, { width: 120, colors: picocolors.createColors(true) });
  expect(coloured).toContain('\u001B[33m!');
  expect(coloured).toContain('\u001B[31m✗');
  expect(printTimeline(story, { width: 120, colors: plain })).not.toContain('\u001B');
});

test('a choice without a sentence is told by its id, and one that shares its sentence by its number', () => {
  const { machine } = kettleSystem().parts[0] as System['parts'][number];
  const pour = (id: string, to: string) => ({
    id,
    says: 'a cup is poured',
    deliver: [{ to, event: { type: 'cup.poured' } }],
  });
  const system = defineSystem({
    id: 'two',
    parts: { first: { machine }, second: { machine } },
    wiring: () => [],
    choices: [
      pour('pour[1]', 'first'),
      pour('pour[2]', 'second'),
      { id: 'press', deliver: [{ to: 'first', event: { type: 'switch.pressed' } }] },
    ],
  });
  const picks = ['pour[2]', 'press'].map((id) => ({ kind: 'choice', id }) as const);
  const { rows, dataParts, parts } = timeline(system, { system: 'two', property: 'deadlock', picks });
  expect(rows.map(({ text }) => text)).toEqual(['a cup is poured [2]', 'press']);
  expect({ dataParts, parts }).toEqual({ dataParts: ['second'], parts: ['first'] });
});
