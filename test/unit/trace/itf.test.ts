import { describe, expect, test } from 'vitest';
import { check } from '../../../src/check.ts';
import { toItf, toItfValue } from '../../../src/trace/itf.ts';
import { readItf, TraceFormatError } from '../../../src/trace/read-itf.ts';
import type { Trace } from '../../../src/trace/trace.ts';
import { kettleSystem, neverBoils } from '../report/kettle.ts';

const system = kettleSystem(['whistles'], 10);

async function boil(): Promise<Trace> {
  return (await check(system, [neverBoils])).properties[0]?.trace as Trace;
}

test('writes each part as a variable, and what led to each state as Quint does', async () => {
  const { vars, states, ...file } = toItf(system, await boil(), { design: 'enamel' });
  expect(file['#meta']).toMatchObject({
    format: 'ITF',
    design: 'enamel',
    system: 'kettle',
    property: 'never-boils',
    tickSeconds: 10,
  });
  expect(vars).toEqual(['mbt::actionTaken', 'mbt::nondetPicks', 'kettle', 'ear']);
  expect(states.map((state) => state['mbt::actionTaken'])).toEqual([
    'init',
    'press',
    'time',
    'time',
    'timer',
  ]);
  expect(states[1]).toEqual({
    '#meta': {
      index: 1,
      ticks: 0,
      seconds: 0,
      says: 'the switch is pressed',
      emitted: [],
      transitions: [{ part: 'kettle', transition: 'kettle.heater.off#0' }],
    },
    'mbt::actionTaken': 'press',
    'mbt::nondetPicks': {
      choice: { tag: 'Some', value: 'press' },
      part: { tag: 'None', value: { '#tup': [] } },
      timer: { tag: 'None', value: { '#tup': [] } },
    },
    kettle: {
      value: { heater: { on: 'heating' }, lid: 'shut' },
      context: { cups: 1 },
      timers: [{ id: 'xstate.after.heatingTime.kettle.heater.on.heating', remaining: 2 }],
    },
    ear: { value: 'idle', context: {}, timers: [] },
  });
  expect(states[4]?.['#meta']).toMatchObject({
    ticks: 2,
    seconds: 20,
    emitted: [{ part: 'kettle', event: { type: 'water.boiled', loudly: true } }],
    transitions: [
      { part: 'kettle', transition: 'kettle.heater.on.heating#0', guard: 'whistles' },
      { part: 'ear', transition: 'ear.idle#0' },
    ],
  });
});

test('reads back the run that it wrote', async () => {
  const trace = await boil();
  const text = JSON.stringify(toItf(system, { ...trace, loop: 2 }));
  const read = await readItf(text);
  expect(read.picks).toEqual(trace.picks);
  expect(read.loop).toBe(2);
  expect(read.meta.property).toBe('never-boils');
  expect(Object.keys(read.states[0] ?? {})).toEqual(['kettle', 'ear']);
});

test('values that ITF has no form for are written as text', () => {
  expect(toItfValue({ a: [1, 'b', true], none: null, half: 0.5, '#x': 1 })).toEqual({
    '#map': [
      ['a', [1, 'b', true]],
      ['none', { '#unserializable': 'null' }],
      ['half', { '#unserializable': '0.5' }],
      ['#x', 1],
    ],
  });
});

describe('a text that is no trace is refused with its place', () => {
  const state = {
    '#meta': { index: 0 },
    'mbt::actionTaken': 'init',
    'mbt::nondetPicks': { choice: { tag: 'None' }, part: { tag: 'None' }, timer: { tag: 'None' } },
  };
  const file = { '#meta': { format: 'ITF', system: 's', property: 'p' }, vars: [], states: [state] };
  test.each([
    ['empty', '', 'it is empty'],
    ['cut off', JSON.stringify(file).slice(0, 40), 'it is not JSON'],
    ['another format', { ...file, '#meta': { ...file['#meta'], format: 'GIF' } }, 'at ["#meta"].format'],
    ['no states', { ...file, states: [] }, 'at states'],
    [
      'a state without its action',
      { ...file, states: [state, { '#meta': { index: 1 } }] },
      'at states[1]["mbt::actionTaken"]',
    ],
    [
      'a step that picks nothing',
      { ...file, states: [state, { ...state, '#meta': { index: 1 } }] },
      'at states[1]["mbt::nondetPicks"]',
    ],
    ['a loop outside the run', { ...file, loop: 1 }, 'at loop'],
  ])('%s', async (_name, text, place) => {
    const reading = readItf(typeof text === 'string' ? text : JSON.stringify(text));
    await expect(reading).rejects.toThrow(TraceFormatError);
    await expect(reading).rejects.toThrow(place);
  });
  test('the smallest file passes', async () => {
    await expect(readItf(JSON.stringify(file))).resolves.toMatchObject({ picks: [] });
  });
});
