import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, createMachine } from 'xstate';
import {
  type Arc,
  type Box,
  type ChartLayout,
  layout,
  type StateBox,
  type TextBox,
} from '../../src/diagram/layout.ts';
import { statechart } from '../../src/machine/statechart.ts';

const layoutOf = (config: object, options = {}): Promise<ChartLayout> =>
  layout(statechart(createMachine(config as never)), options);

const stateIn = (placed: ChartLayout, id: string): StateBox => {
  const found = placed.states.find((state) => state.node.id === id);
  if (found === undefined) throw new Error(`no state ${id}`);
  return found;
};

const bottomOf = (box: Box): number => box.y + box.height;
const rightOf = (box: Box): number => box.x + box.width;
const overlap = (a: Box, b: Box): boolean =>
  a.x < rightOf(b) && b.x < rightOf(a) && a.y < bottomOf(b) && b.y < bottomOf(a);
const within = (inner: Box, outer: Box): boolean =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  rightOf(inner) <= rightOf(outer) &&
  bottomOf(inner) <= bottomOf(outer);
/** The pieces of an arc as boxes as thick as its line. */
const piecesOf = ({ points }: Arc): Box[] =>
  points.slice(1).map((to, index) => {
    const from = points[index] ?? to;
    const [x, y] = [Math.min(from.x, to.x), Math.min(from.y, to.y)];
    return {
      x: x - 0.5,
      y: y - 0.5,
      width: Math.abs(to.x - from.x) + 1,
      height: Math.abs(to.y - from.y) + 1,
    };
  });
const touches = ({ x, y }: { x: number; y: number }, box: Box): boolean => {
  const on = (value: number, border: number): boolean => Math.abs(value - border) < 2;
  const inX = x > box.x - 2 && x < rightOf(box) + 2;
  const inY = y > box.y - 2 && y < bottomOf(box) + 2;
  return (inX && (on(y, box.y) || on(y, bottomOf(box)))) || (inY && (on(x, box.x) || on(x, rightOf(box))));
};

/** Everything that is wrong with a picture, in words; nothing if all of it can be read. */
function faultsOf(placed: ChartLayout): string[] {
  const { states, arcs, dots } = placed;
  const parentOf = new Map(states.map(({ node }) => [node.id, node.parent]));
  const inside = (id: string, outer: string): boolean => {
    for (let at = parentOf.get(id); at != null; at = parentOf.get(at)) if (at === outer) return true;
    return false;
  };
  const leaves = states.filter(({ node }) => node.children.length === 0);
  const labels = arcs.flatMap((arc) =>
    arc.labels.map((label) => ({ ...label, name: `the label of ${label.edge}` })),
  );
  const faults: string[] = [];
  const disjoint = (a: Box & { name: string }, b: Box & { name: string }): void => {
    if (overlap(a, b)) faults.push(`${a.name} covers ${b.name}`);
  };
  const named = (state: StateBox): Box & { name: string } => ({ ...state, name: state.node.id });
  for (const [index, state] of states.entries()) {
    const { node } = state;
    if (!within(state, { x: 0, y: 0, width: placed.width, height: placed.height }))
      faults.push(`${node.id} is cut off`);
    if (node.parent !== null && !within(state, stateIn(placed, node.parent)))
      faults.push(`${node.id} leaves its parent`);
    const words: TextBox[] = node.kind === 'history' ? [] : [state.title, ...state.details];
    if (!words.every((text) => within(text, state))) faults.push(`the words of ${node.id} leave it`);
    for (const other of states.slice(0, index)) {
      if (!inside(node.id, other.node.id)) disjoint(named(state), named(other));
    }
    for (const text of words) {
      for (const label of labels)
        if (node.children.length > 0) disjoint(label, { ...text, name: `words of ${node.id}` });
      for (const other of states) {
        if (inside(other.node.id, node.id)) disjoint({ ...text, name: `words of ${node.id}` }, named(other));
      }
    }
  }
  for (const [index, label] of labels.entries()) {
    for (const other of labels.slice(0, index)) disjoint(label, other);
    for (const leaf of leaves) disjoint(label, named(leaf));
    for (const dot of dots) disjoint(label, { ...dot, name: `the dot of ${dot.of}` });
  }
  for (const arc of arcs) {
    const name = `the arc ${arc.source} → ${arc.target}`;
    const [first, last] = [arc.points[0], arc.points.at(-1)];
    if (first === undefined || last === undefined) {
      faults.push(`${name} has no points`);
      continue;
    }
    if (!touches(last, stateIn(placed, arc.target))) faults.push(`${name} does not reach its target`);
    if (arc.kind !== 'initial' && !touches(first, stateIn(placed, arc.source)))
      faults.push(`${name} has no source`);
    for (const piece of piecesOf(arc)) {
      for (const label of labels) disjoint({ ...piece, name }, label);
      for (const leaf of leaves) {
        if (leaf.node.id !== arc.source && leaf.node.id !== arc.target)
          disjoint({ ...piece, name }, named(leaf));
      }
    }
  }
  return faults;
}

const nested = {
  id: 'watcher',
  description: 'A sentence that is a good deal wider than the few states which stand below it.',
  initial: 'reconnecting',
  on: { 'agent.restarted': { target: '.lost', actions: 'forget' } },
  states: {
    lost: { on: { 'agent.started': 'reconnecting' } },
    connected: {
      initial: 'quiet',
      entry: 'anActionWithAVeryLongNameIndeed',
      states: {
        quiet: { after: { 30000: 'probing' }, on: { 'watch.delivered': { target: 'quiet', reenter: true } } },
        probing: { on: { 'probe.answered': 'quiet' }, after: { 10000: '#watcher.stale' } },
      },
      on: { 'connection.reset': 'reconnecting', 'watch.counted': { actions: 'count' } },
    },
    stale: {
      on: {
        'connection.closed': 'reconnecting',
        'connection.dropped': { target: 'reconnecting', guard: 'x' },
      },
    },
    reconnecting: {
      initial: 'listing',
      states: {
        listing: {
          on: {
            'list.completed': 'resuming',
            'list.failed': [{ guard: 'often', target: 'backingOff' }, 'listing'],
          },
        },
        backingOff: { after: { 1000: 'listing' } },
        resuming: { on: { 'watch.created': '#watcher.connected', 'watch.failed': 'listing' } },
        given: { type: 'history' },
      },
    },
    over: { type: 'final' },
  },
};

const parallel = {
  id: 'node',
  initial: 'running',
  states: {
    running: {
      type: 'parallel',
      on: {
        'node.drained': 'down',
        'node.split': { target: ['running.process.paused', 'running.link.down'] },
      },
      states: {
        process: {
          initial: 'awake',
          states: {
            awake: { on: { 'process.paused': 'paused' } },
            paused: { on: { 'process.resumed': 'awake' } },
          },
        },
        link: {
          initial: 'up',
          on: { 'link.reset': { target: '.up', actions: ['one', 'two'] } },
          states: {
            up: { on: { 'link.failed': { target: 'down', actions: 'count' } } },
            down: { on: { 'link.repaired': 'checked', 'link.lost': '#node.down' } },
            checked: { always: 'up' },
          },
        },
        clock: { initial: 'ticking', states: { ticking: { on: { 'clock.jumped': { actions: 'count' } } } } },
      },
    },
    down: { on: { 'node.started': 'running' } },
  },
};

const byItself = {
  id: 'pair',
  description: 'Two parts.',
  type: 'parallel',
  states: { one: parallel.states.running.states.process, two: { entry: 'wake', on: { hush: undefined } } },
};

/** Machines as wild as their numbers make them: any depth to two, arcs from anywhere to anywhere. */
function wildMachine(seed: number): AnyStateMachine {
  let state = seed * 7_919;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const ids: string[] = [];
  const grow = (id: string, depth: number): Record<string, unknown> => {
    ids.push(id);
    const leaf = depth > 1 || (depth > 0 && below(2) === 0);
    if (leaf)
      return { id, ...(below(6) === 0 ? { type: 'final' } : {}), tags: below(3) === 0 ? ['tagged'] : [] };
    const keys = Array.from({ length: 2 + below(3) }, (_, index) => `s${index}`);
    const states = Object.fromEntries(keys.map((key) => [key, grow(`${id}_${key}`, depth + 1)]));
    return { id, states, ...(below(3) === 0 ? { type: 'parallel' } : { initial: 's0' }) };
  };
  const connect = (config: Record<string, unknown>): void => {
    const any = (): string => `#${ids[below(ids.length)]}`;
    if (config.type !== 'final') {
      const events = Array.from({ length: below(4) }, () => `event.${'abcdef'.slice(below(6))}`);
      config.on = Object.fromEntries(
        events.map((event) => [
          event,
          below(5) === 0
            ? { actions: 'act' }
            : { target: any(), reenter: below(3) === 0, actions: ['one', 'another'] },
        ]),
      );
      if (below(5) === 0) config.after = { 1000: any() };
    }
    for (const child of Object.values((config.states ?? {}) as object)) connect(child);
  };
  const root = grow('wild', 0);
  connect(root);
  return createMachine(root as never);
}

describe('a picture', () => {
  it.each([
    ['nested states', nested],
    ['parallel states', parallel],
    ['a machine that is itself parallel', byItself],
    ['a machine without states', { id: 'm', description: 'Alone.', on: { go: { actions: 'count' } } }],
  ])('of %s has nothing that covers anything else', async (_, config) => {
    expect(faultsOf(await layoutOf(config))).toEqual([]);
  });

  it('of a wild machine neither', async () => {
    for (let seed = 1; seed <= 15; seed += 1) {
      expect(faultsOf(await layout(statechart(wildMachine(seed)))), `machine ${seed}`).toEqual([]);
    }
  }, 30_000);

  it("of each of the project's own models neither", async () => {
    const models = new URL('../../models/', import.meta.url);
    const files = readdirSync(models).filter((file) => file.endsWith('.machine.ts'));
    expect(files.length).toBeGreaterThan(5);
    for (const file of files) {
      for (const exported of Object.values(await import(new URL(file, models).href))) {
        if (!isMachine(exported)) continue;
        const placed = await layout(statechart(exported));
        expect(faultsOf(placed), file).toEqual([]);
        expect(placed.width, file).toBeLessThanOrEqual(1_600);
      }
    }
  }, 30_000);

  it('shows every state once and every transition once', async () => {
    for (const config of [nested, parallel, byItself]) {
      const chart = statechart(createMachine(config as never));
      const placed = await layout(chart);
      expect(placed.states.map((state) => state.node.id)).toEqual(chart.nodes.map((node) => node.id));
      const texts = [
        ...placed.arcs.flatMap((arc) => arc.labels),
        ...placed.states.flatMap((state) => state.details),
      ];
      const shown = texts.flatMap((text) => text.edge ?? []);
      expect(shown.toSorted()).toEqual(chart.edges.map((edge) => edge.id).toSorted());
    }
  });

  it('has the first child of each compound state above its siblings', async () => {
    for (const config of [nested, parallel]) {
      const { states } = await layoutOf(config);
      for (const { node } of states) {
        if (node.initial === undefined) continue;
        const siblings = states.filter((state) => state.node.parent === node.id);
        const highest = Math.min(...siblings.map((state) => state.y));
        expect(siblings.find((state) => state.y === highest)?.node.id).toBe(node.initial.target);
      }
    }
  });
});

const isMachine = (value: unknown): value is AnyStateMachine =>
  typeof value === 'object' && value !== null && 'root' in value && 'implementations' in value;

describe('regions', () => {
  it('stand side by side in document order, with equal tops and heights', async () => {
    const placed = await layoutOf(parallel);
    const regions = placed.states.filter((state) => state.role === 'region');
    expect(regions.map((region) => region.node.key)).toEqual(['process', 'link', 'clock']);
    expect(new Set(regions.map((region) => region.y)).size).toBe(1);
    expect(new Set(regions.map((region) => region.height)).size).toBe(1);
    expect(regions.map((region) => region.x)).toEqual(
      regions.map((region) => region.x).toSorted((a, b) => a - b),
    );
  });

  it('begin with their dot right below their title, though ELK would centre it', async () => {
    const placed = await layoutOf({
      id: 'm',
      type: 'parallel',
      states: { short: { initial: 'a', states: { a: {} } }, long: parallel.states.running.states.process },
    });
    const gaps = placed.dots.map((dot) => {
      const { title, details } = stateIn(placed, dot.of);
      return dot.y - bottomOf(details.at(-1) ?? title);
    });
    expect(Math.max(...gaps)).toBeLessThan(30);
  });

  it('stand below each other where the picture would be too wide', async () => {
    const wide = await layoutOf(parallel);
    const narrow = await layoutOf(parallel, { wantedWidth: 420 });
    expect(narrow.width).toBeLessThan(wide.width);
    const tops = narrow.states.filter((state) => state.role === 'region').map((region) => region.y);
    expect(new Set(tops).size).toBeGreaterThan(1);
    expect(faultsOf(narrow)).toEqual([]);
  });
});

describe('the words of a state that arcs run across', () => {
  it('step aside where there is room', async () => {
    const moved: StateBox[] = [];
    for (let seed = 1; seed <= 15; seed += 1) {
      const { states, arcs } = await layout(statechart(wildMachine(seed)));
      for (const state of states) {
        if (state.node.children.length === 0 || state.title.x < state.x + 15) continue;
        moved.push(state);
        for (const words of [state.title, ...state.details]) {
          expect(
            arcs.flatMap(piecesOf).filter((piece) => overlap(piece, words)),
            `machine ${seed}`,
          ).toEqual([]);
        }
      }
    }
    expect(moved.length).toBeGreaterThan(3);
  }, 30_000);
});
