import { describe, expect, it } from 'vitest';
import {
  and,
  assign,
  SimulatedClock as Clock,
  cancel,
  createActor,
  createMachine,
  emit,
  fromPromise,
  not,
  or,
  raise,
  type SimulatedClock,
  setup,
  stateIn,
} from 'xstate';
import {
  type Statechart,
  type StatechartEdge,
  statechart,
  transitionIds,
} from '../../src/machine/statechart.ts';

const nodeOf = (chart: Statechart, id: string) => {
  const found = chart.nodes.find((node) => node.id === id);
  if (found === undefined)
    throw new Error(`no node ${id} among ${chart.nodes.map((node) => node.id).join(', ')}`);
  return found;
};

const edgeOf = (chart: Statechart, id: string): StatechartEdge => {
  const found = chart.edges.find((edge) => edge.id === id);
  if (found === undefined)
    throw new Error(`no edge ${id} among ${chart.edges.map((edge) => edge.id).join(', ')}`);
  return found;
};

const guardLabels = (chart: Statechart): (string | undefined)[] =>
  chart.edges.map((edge) => edge.guard?.label);

describe('states', () => {
  const machine = createMachine({
    id: 'door',
    description: 'A door with a lock.',
    meta: { requirements: ['DOOR-1'] },
    initial: 'closed',
    states: {
      open: { on: { 'door.closed': 'closed' } },
      closed: {
        description: 'Nobody comes through.',
        tags: ['safe', 'rest'],
        initial: 'unlocked',
        states: { unlocked: {}, locked: { entry: 'turnKey', exit: ['turnKey', 'sigh'] } },
      },
      broken: { type: 'final' },
    },
  });

  it('come in document order, the machine itself first', () => {
    const chart = statechart(machine);
    expect(chart.nodes.map(({ id, parent, kind }) => [id, parent, kind])).toEqual([
      ['door', null, 'compound'],
      ['door.open', 'door', 'atomic'],
      ['door.closed', 'door', 'compound'],
      ['door.closed.unlocked', 'door.closed', 'atomic'],
      ['door.closed.locked', 'door.closed', 'atomic'],
      ['door.broken', 'door', 'final'],
    ]);
    expect(nodeOf(chart, 'door').children).toEqual(['door.open', 'door.closed', 'door.broken']);
  });

  it('tell where they begin, what they do and what is written about them', () => {
    const chart = statechart(machine);
    expect(chart).toMatchObject({
      id: 'door',
      description: 'A door with a lock.',
      meta: { requirements: ['DOOR-1'] },
    });
    expect(nodeOf(chart, 'door').initial).toEqual({ target: 'door.closed', actions: [] });
    expect(nodeOf(chart, 'door.open')).not.toHaveProperty('initial');
    expect(nodeOf(chart, 'door.closed')).toMatchObject({
      key: 'closed',
      description: 'Nobody comes through.',
      tags: ['safe', 'rest'],
    });
    expect(nodeOf(chart, 'door.closed.locked').entry).toEqual([{ label: 'turnKey' }]);
    expect(nodeOf(chart, 'door.closed.locked').exit).toEqual([{ label: 'turnKey' }, { label: 'sigh' }]);
  });

  it('may be parallel or histories, whose default targets are resolved', () => {
    const chart = statechart(
      createMachine({
        id: 'm',
        type: 'parallel',
        states: {
          a: {
            initial: 'one',
            states: {
              one: {},
              two: { id: 'elsewhere', initial: 'deep', states: { deep: {} } },
              back: { type: 'history' },
              deepBack: { type: 'history', history: 'deep', target: 'two.deep' },
              farBack: { type: 'history', target: '#elsewhere' },
            },
          },
          b: {},
        },
      }),
    );
    expect(nodeOf(chart, 'm')).toMatchObject({ kind: 'parallel', children: ['m.a', 'm.b'] });
    expect(nodeOf(chart, 'm')).not.toHaveProperty('initial');
    expect(nodeOf(chart, 'm.a.back').history).toEqual({ depth: 'shallow', targets: [] });
    expect(nodeOf(chart, 'm.a.deepBack').history).toEqual({ depth: 'deep', targets: ['m.a.two.deep'] });
    expect(nodeOf(chart, 'm.a.farBack').history).toEqual({ depth: 'shallow', targets: ['elsewhere'] });
  });
});

describe('timers', () => {
  const machine = setup({
    delays: { gracePeriod: 10, computed: ({ context }) => (context as { wait: number }).wait },
    actions: { forget: () => {} },
  }).createMachine({
    id: 'm',
    context: { wait: 3 },
    initial: 'waiting',
    states: {
      waiting: {
        entry: 'forget',
        exit: cancel('reminder'),
        after: {
          gracePeriod: 'over',
          computed: [{ guard: ({ context }) => context.wait > 1, target: 'over' }, { target: 'waiting' }],
          250: 'over',
        },
      },
      over: {},
    },
  });

  it('carry their name, and their value where it is a number', () => {
    // JavaScript puts keys that look like numbers first; so does XState.
    expect(
      statechart(machine).edges.map(({ id, kind, trigger, delay }) => ({ id, kind, trigger, delay })),
    ).toEqual([
      { id: 'm.waiting#0', kind: 'after', trigger: '', delay: { value: 250 } },
      { id: 'm.waiting#1', kind: 'after', trigger: '', delay: { name: 'gracePeriod', value: 10 } },
      { id: 'm.waiting#2', kind: 'after', trigger: '', delay: { name: 'computed' } },
      { id: 'm.waiting#3', kind: 'after', trigger: '', delay: { name: 'computed' } },
    ]);
  });

  it('take values from outside before those of the machine', () => {
    const chart = statechart(machine, { delays: { computed: 7, gracePeriod: 20 } });
    expect(edgeOf(chart, 'm.waiting#1').delay).toEqual({ name: 'gracePeriod', value: 20 });
    expect(edgeOf(chart, 'm.waiting#2').delay).toEqual({ name: 'computed', value: 7 });
  });

  it('follow the implementations that a machine was provided with', () => {
    const chart = statechart(machine.provide({ delays: { gracePeriod: 44 } }));
    expect(edgeOf(chart, 'm.waiting#1').delay).toEqual({ name: 'gracePeriod', value: 44 });
  });

  it("leave no trace of XState's own raise and cancel, but keep the author's", () => {
    const waiting = nodeOf(statechart(machine), 'm.waiting');
    expect(waiting.entry).toEqual([{ label: 'forget' }]);
    expect(waiting.exit).toEqual([{ label: 'cancel reminder' }]);
  });
});

describe('guards', () => {
  const guardsOf = (...guards: unknown[]): Statechart =>
    statechart(
      createMachine({ id: 'm', on: { go: guards.map((guard) => ({ guard, actions: 'x' })) } } as never),
    );

  it('are printed in words, with brackets where they are needed', () => {
    const chart = guardsOf(
      'ready',
      not('ready'),
      and(['a', not('b'), or(['c', 'd'])]),
      or([and(['a', 'b']), 'c']),
      not(or(['a', 'b'])),
      not(and(['a'])),
      stateIn('#link.open'),
      stateIn({ link: { open: 'up' }, process: 'awake' }),
      and([stateIn('idle'), 'a']),
      { type: 'atLeast', params: { count: 3 } },
      { type: 'atLeast', params: () => ({ count: 3 }) },
      () => true,
      function overdue() {
        return true;
      },
    );
    expect(guardLabels(chart)).toEqual([
      'ready',
      'not ready',
      'a and not b and (c or d)',
      '(a and b) or c',
      'not (a or b)',
      'not a',
      'in link.open',
      'in (link.open.up and process.awake)',
      'in idle and a',
      'atLeast(count: 3)',
      'atLeast(…)',
      '(inline)',
      'overdue',
    ]);
  });

  it('list the names in them', () => {
    const chart = guardsOf(and(['a', not('b'), or(['c', 'a'])]), stateIn('x'), {
      type: 'd',
      params: { n: 1 },
    });
    expect(chart.edges.map((edge) => edge.guard?.names)).toEqual([['a', 'b', 'c', 'a'], [], ['d']]);
  });

  it('make a later transition without one the remaining case of the same trigger only', () => {
    const chart = statechart(
      createMachine({
        id: 'm',
        on: { go: [{ guard: 'a', target: '.x' }, { target: '.y' }], stop: '.x' },
        initial: 'x',
        states: { x: { always: [{ guard: 'b', target: 'y' }, 'y'] }, y: { on: { go: 'x' } } },
      } as never),
    );
    expect(chart.edges.map(({ id, otherwise }) => [id, otherwise])).toEqual([
      ['m#0', false],
      ['m#1', true],
      ['m#2', false],
      ['m.x#0', false],
      ['m.x#1', true],
      ['m.y#0', false],
    ]);
  });
});

describe('actions', () => {
  it('are told by name, and by what they emit or raise where that is fixed', () => {
    const machine = setup({
      actions: {
        deleteRoute: () => {},
        sayLost: emit({ type: 'watch.lost' }),
        sayComputed: emit(() => ({ type: 'watch.lost' })),
        log: (_, _params: { level: string }) => {},
      },
    }).createMachine({
      id: 'm',
      context: { rev: 0, errors: 0 },
      entry: [
        'deleteRoute',
        'sayLost',
        'sayComputed',
        { type: 'log', params: { level: 'warn' } },
        emit({ type: 'route.added' }),
        emit(() => ({ type: 'route.added' })),
        assign({ rev: 1, errors: 0 }),
        assign(() => ({})),
        raise({ type: 'retry' }),
        raise({ type: 'retry' }, { delay: 500 }),
        () => {},
      ],
    });
    expect(nodeOf(statechart(machine), 'm').entry).toEqual([
      { label: 'deleteRoute' },
      { label: 'sayLost', emits: 'watch.lost' },
      { label: 'sayComputed' },
      { label: 'log(level: "warn")' },
      { label: 'emit route.added', emits: 'route.added' },
      { label: 'emit' },
      { label: 'assign rev, errors' },
      { label: 'assign' },
      { label: 'raise retry' },
      { label: 'raise retry after 500' },
      { label: '(inline)' },
    ]);
  });

  it('of a beginning and of a transition are kept apart from those of the state', () => {
    const chart = statechart(
      createMachine({
        id: 'm',
        initial: { target: 'a', actions: 'greet', description: 'Starts politely.' },
        states: { a: { on: { go: { actions: ['one', 'two'] } } } },
      } as never),
    );
    expect(nodeOf(chart, 'm').initial).toEqual({
      target: 'm.a',
      actions: [{ label: 'greet' }],
      description: 'Starts politely.',
    });
    expect(nodeOf(chart, 'm.a').entry).toEqual([]);
    expect(edgeOf(chart, 'm.a#0').actions).toEqual([{ label: 'one' }, { label: 'two' }]);
  });
});

describe('transitions', () => {
  it('tell what sets them off and where they lead', () => {
    const chart = statechart(
      createMachine({
        id: 'm',
        initial: 'work',
        on: { '*': '.rest', 'route.*': { actions: 'count' } },
        states: {
          work: {
            type: 'parallel',
            states: { a: { type: 'final' }, b: { type: 'final' } },
            invoke: { id: 'reader', src: fromPromise(async () => 1), onDone: 'rest', onError: 'work' },
            on: {
              hush: undefined,
              again: { target: 'work', reenter: true },
              split: { target: ['#m.work.a', '#m.work.b'] },
            },
            onDone: { target: 'rest', description: 'Both are through.', meta: { requirements: ['M-1'] } },
            always: { guard: 'tired', target: 'rest' },
          },
          rest: {},
        },
      } as never),
    );
    expect(
      chart.edges.map(({ id, kind, trigger, targets, reenter }) => [id, kind, trigger, targets, reenter]),
    ).toEqual([
      ['m#0', 'event', '*', ['m.rest'], false],
      ['m#1', 'event', 'route.*', [], false],
      ['m.work#0', 'event', 'hush', [], false],
      ['m.work#1', 'event', 'again', ['m.work'], true],
      ['m.work#2', 'event', 'split', ['m.work.a', 'm.work.b'], false],
      ['m.work#3', 'done', 'm.work', ['m.rest'], false],
      ['m.work#4', 'done', 'reader', ['m.rest'], false],
      ['m.work#5', 'error', 'reader', ['m.work'], false],
      ['m.work#6', 'always', '', ['m.rest'], false],
    ]);
    expect(edgeOf(chart, 'm.work#3')).toMatchObject({
      description: 'Both are through.',
      meta: { requirements: ['M-1'] },
    });
    expect(nodeOf(chart, 'm.work').invokes).toHaveLength(1);
  });

  const counter = setup({ delays: { pause: 10 } }).createMachine({
    id: 'm',
    initial: 'a',
    states: {
      a: { on: { go: [{ guard: () => false, target: 'c' }, { target: 'b' }] }, after: { pause: 'b' } },
      b: { always: 'c' },
      c: {},
    },
  });

  it('have the same ids in the same order in the chart and for the definitions', () => {
    expect([...transitionIds(counter).values()]).toEqual(statechart(counter).edges.map((edge) => edge.id));
    expect([...transitionIds(counter).values()]).toEqual(['m.a#0', 'm.a#1', 'm.a#2', 'm.b#0']);
  });

  it('can be counted by identity as XState takes them', () => {
    const ids = transitionIds(counter);
    const run = (
      act: (actor: { send(event: { type: string }): void }, clock: SimulatedClock) => void,
    ): string[] => {
      const taken: string[] = [];
      const clock = new Clock();
      const actor = createActor(counter, {
        clock,
        inspect: (event) => {
          if (event.type !== '@xstate.microstep') return;
          taken.push(...event._transitions.flatMap((transition) => ids.get(transition) ?? []));
        },
      });
      actor.start();
      act(actor, clock);
      return taken;
    };
    expect(run((actor) => actor.send({ type: 'go' }))).toEqual(['m.a#1', 'm.b#0']);
    expect(run((_, clock) => clock.increment(10))).toEqual(['m.a#2', 'm.b#0']);
  });
});

it('is plain JSON, whatever is in meta', () => {
  const machine = createMachine({
    id: 'm',
    meta: { source: () => 'not data', list: [1, undefined], kept: true },
    initial: 'a',
    states: { a: { on: { go: { guard: and(['x', () => true]), actions: assign({ n: () => 1 }) } } } },
  } as never);
  const chart = statechart(machine);
  expect(JSON.parse(JSON.stringify(chart))).toStrictEqual(chart);
  expect(chart.meta).toEqual({ list: [1, null], kept: true });
});
