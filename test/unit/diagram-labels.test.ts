import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { edgeText, formatMilliseconds, measure, ticksOf, widthOf, wrap } from '../../src/diagram/labels.ts';
import { statechart } from '../../src/machine/statechart.ts';

const textsOf = (config: object, formatTime?: (value: number) => string): string[] =>
  statechart(createMachine(config as never)).edges.map((edge) => edgeText(edge, formatTime));

describe('a transition in words', () => {
  it('has its trigger, its guard and its actions', () => {
    expect(
      textsOf({
        id: 'm',
        initial: 'a',
        on: { 'route.added': [{ guard: 'known', actions: ['one', 'two'] }, '.a'], '*': '.a' },
        onDone: '.a',
        states: {
          a: { always: { guard: 'x', target: 'b' }, after: { 1500: 'b', named: 'b' } },
          b: { type: 'final' },
        },
      }),
    ).toEqual([
      'route.added [known] / one, two',
      'route.added [else]',
      '*',
      'done',
      'after 1.5 s',
      'after named',
      'always [x]',
    ]);
  });
});

describe('times', () => {
  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [1_000, '1 s'],
    [1_234, '1234 ms'],
    [1_500, '1.5 s'],
    [30_000, '30 s'],
    [60_000, '1 min'],
    [90_000, '90 s'],
    [600_000, '10 min'],
  ])('of %d milliseconds are %s', (value, text) => {
    expect(formatMilliseconds(value)).toBe(text);
  });

  it('in ticks are ticks, or seconds where a tick has a length', () => {
    expect([0, 1, 2].map(ticksOf())).toEqual(['0 ticks', '1 tick', '2 ticks']);
    expect([1, 6].map(ticksOf(10))).toEqual(['10 s', '1 min']);
    expect([1, 3].map(ticksOf(0.1))).toEqual(['100 ms', '300 ms']);
  });
});

describe('wrap', () => {
  const wrapped = (text: string, max: number): string[] =>
    wrap({ text, size: 10, tone: 'ink', indent: 1 }, max).map(
      (line) => `${' '.repeat(line.indent ?? 0)}${line.text}`,
    );

  it('breaks at spaces and indents what follows', () => {
    expect(wrapped('[one and two and three]', 12)).toEqual([' [one and two', '   and three]']);
    expect(wrapped('short', 12)).toEqual([' short']);
  });

  it('keeps an arrow, a slash or a verb with what it stands before', () => {
    expect(wrapped('event → target', 9)).toEqual([' event', '   → target']);
    expect(wrapped('event / emit route.added', 14)).toEqual([' event', '   / emit route.added']);
  });

  it('does not break a word, however long', () => {
    expect(wrapped('anUncommonlyLongName', 5)).toEqual([' anUncommonlyLongName']);
  });
});

it('measures lines by their characters, the indent included', () => {
  const line = { text: 'abcd', size: 10, tone: 'ink' } as const;
  expect(widthOf(line)).toBeCloseTo(24.08);
  expect(widthOf({ ...line, indent: 1 })).toBeCloseTo(30.1);
  expect(measure([line, { ...line, text: 'ab' }])).toEqual({ width: 25, height: 27 });
  expect(measure([])).toEqual({ width: 0, height: 0 });
});
