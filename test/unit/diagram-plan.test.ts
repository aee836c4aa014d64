import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { type ChartLayout, layout, type StateBox, type TextBox } from '../../src/diagram/layout.ts';
import { type Statechart, statechart } from '../../src/machine/statechart.ts';

const layoutOf = (config: object): Promise<ChartLayout> => layout(statechart(createMachine(config as never)));

const stateIn = (placed: ChartLayout, id: string): StateBox => {
  const found = placed.states.find((state) => state.node.id === id);
  if (found === undefined) throw new Error(`no state ${id}`);
  return found;
};

const textsOf = (boxes: readonly TextBox[]): string[] =>
  boxes.map((box) => box.lines.map((line) => line.text).join(' '));

describe('arcs', () => {
  it('are shared by transitions between the same two states, apart from timers', async () => {
    const { arcs } = await layoutOf({
      id: 'm',
      initial: 'a',
      states: {
        a: { on: { one: 'b', two: { target: 'b', guard: 'x' } }, after: { 5: 'b' } },
        b: { on: { back: 'a' } },
      },
    });
    const seen = arcs.map(({ kind, source, target, edges }) => [kind, source, target, edges]);
    expect(seen).toEqual([
      ['initial', 'm', 'm.a', []],
      ['event', 'm.a', 'm.b', ['m.a#0', 'm.a#1']],
      ['timer', 'm.a', 'm.b', ['m.a#2']],
      ['event', 'm.b', 'm.a', ['m.b#0']],
    ]);
    expect(textsOf(arcs[1]?.labels ?? [])).toEqual(['one', 'two [x]']);
  });

  it('of a transition with several targets lead to each, with one label', async () => {
    const placed = await layoutOf({
      id: 'm',
      initial: 'off',
      states: {
        off: { on: { go: { target: ['on.a.two', 'on.b.two'] } } },
        on: {
          type: 'parallel',
          states: {
            a: { initial: 'one', states: { one: {}, two: {} } },
            b: { initial: 'one', states: { one: {}, two: {} } },
          },
        },
      },
    });
    const targets = placed.arcs.filter((arc) => arc.edges.includes('m.off#0'));
    expect(targets.map((arc) => [arc.target, arc.labels.length])).toEqual([
      ['m.on.a.two', 1],
      ['m.on.b.two', 0],
    ]);
  });

  it('give way to lines in the state for what does not lead from one state to another', async () => {
    const placed = await layoutOf({
      id: 'm',
      initial: 'a',
      on: {
        reset: { target: '.b', actions: 'clear' },
        noted: { guard: 'x', actions: 'note' },
        afresh: { target: '#m', reenter: true },
      },
      states: {
        a: {
          initial: 'inner',
          on: {
            down: '.inner',
            self: 'a',
            afresh: { target: '.inner', reenter: true },
            loop: { target: 'a', reenter: true },
          },
          states: {
            inner: {
              on: { up: '#m.a', same: 'inner', hush: undefined, loop: { target: 'inner', reenter: true } },
            },
          },
        },
        b: {},
      },
    });
    const drawn = placed.arcs
      .filter((arc) => arc.kind === 'event')
      .map((arc) => `${arc.source} ${arc.target}`);
    expect(drawn).toEqual(['m.a m.a', 'm.a.inner m.a.inner']);
    expect(textsOf(stateIn(placed, 'm').details)).toEqual([
      'reset → b / clear',
      'noted [x] / note',
      'afresh → itself, re-entering',
    ]);
    expect(textsOf(stateIn(placed, 'm.a').details)).toEqual([
      'down → inner',
      'self → itself',
      'afresh → inner, re-entering',
    ]);
    expect(textsOf(stateIn(placed, 'm.a.inner').details)).toEqual([
      'up → a',
      'same (stays)',
      'hush (ignored)',
    ]);
  });
});

describe('roles', () => {
  it('tell how a state is drawn', async () => {
    const { states } = await layoutOf({
      id: 'm',
      initial: 'a',
      states: {
        a: { initial: 'x', states: { x: {}, back: { type: 'history' } } },
        b: { type: 'parallel', states: { one: {}, two: { initial: 'x', states: { x: {} } } } },
        over: { type: 'final' },
      },
    });
    expect(states.map(({ node, role }) => `${node.id} ${role}`)).toEqual([
      'm frame',
      'm.a group',
      'm.a.x leaf',
      'm.a.back history',
      'm.b group',
      'm.b.one region',
      'm.b.two region',
      'm.b.two.x leaf',
      'm.over final',
    ]);
  });
});

it('fails with the name of a state that a chart does not have', async () => {
  const chart = statechart(createMachine({ id: 'm', initial: 'a', states: { a: {}, b: {} } }));
  const broken: Statechart = { ...chart, nodes: chart.nodes.filter((node) => node.id !== 'm.b') };
  await expect(layout(broken)).rejects.toThrow("'m.b'");
});
