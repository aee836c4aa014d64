import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BadComponent, FairComponents } from '../../../src/explore/fair-components.ts';
import type { FairnessKind } from '../../../src/system.ts';
import { breaksLiveness } from './brute-liveness.ts';
import { type Edge, rowsOf } from './rows.ts';

interface Graph {
  readonly states: number;
  readonly fairness: readonly FairnessKind[];
  readonly edges: readonly Edge[];
  readonly bad: readonly number[];
}

function prepared({ states, fairness, edges, bad }: Graph): FairComponents {
  const components = new FairComponents(
    rowsOf(
      states,
      edges.filter(([from, to]) => from !== to),
    ),
    fairness.map((kind, label) => ({ id: `a${label}`, kind })),
    (state) => bad.includes(state),
  );
  for (const _ of components.prepare());
  return components;
}

function find(components: FairComponents, assumed: (label: number) => boolean = () => true): BadComponent[] {
  const found: BadComponent[] = [];
  for (const _ of components.bad(assumed, (each) => found.push(each) > 0));
  return found;
}

interface Told {
  readonly states: readonly number[];
  readonly bad: number;
  readonly still: number;
}

function told(components: FairComponents, assumed?: (label: number) => boolean): Told[] {
  return find(components, assumed).map(({ states, bad, still }) => ({
    states: [...states].sort((a, b) => a - b),
    bad,
    still,
  }));
}

const randomGraph: fc.Arbitrary<Graph> = fc
  .tuple(
    fc.integer({ min: 1, max: 5 }),
    fc.array(fc.constantFrom<FairnessKind>('weak', 'strong'), { maxLength: 2 }),
  )
  .chain(([states, fairness]) =>
    fc.record({
      states: fc.constant(states),
      fairness: fc.constant(fairness),
      edges: fc.array(
        fc
          .tuple(fc.nat(states - 1), fc.nat(states - 1), fc.nat(fairness.length))
          .map(([from, to, label]): Edge => (label < fairness.length ? [from, to, label] : [from, to])),
        { maxLength: 7 },
      ),
      bad: fc.subarray([0, 1, 2, 3, 4], { maxLength: 2 }),
    }),
  );

const ring: readonly Edge[] = [
  [0, 1],
  [1, 2],
  [2, 0],
];

describe('fair components with a bad state', () => {
  it('are there exactly if a fair run breaks the clause for ever', () => {
    fc.assert(
      fc.property(randomGraph, (graph) => {
        const small = {
          ...graph,
          edges: graph.edges.map(([from, to, label]) => ({ from, to, label })),
        };
        const bad = [...Array(graph.states).keys()].map((state) => graph.bad.includes(state));
        expect(find(prepared(graph)).length > 0).toBe(breaksLiveness(small, bad, true));
      }),
      { numRuns: 200 },
    );
  });

  it('are told with the first bad state and the first in which a run may stand still', () => {
    const edges: Edge[] = [...ring, [1, 2, 0], [0, 3], [3, 4], [4, 3]];
    const graph: Graph = { states: 5, fairness: ['weak'], edges, bad: [1, 2] };
    expect(told(prepared(graph))).toEqual([{ states: [0, 1, 2], bad: 1, still: 2 }]);
    expect(told(prepared({ ...graph, bad: [1] }))).toEqual([{ states: [0, 1, 2], bad: 1, still: -1 }]);
    expect(told(prepared({ ...graph, bad: [1] }), () => false)).toEqual([
      { states: [0, 1, 2], bad: 1, still: 1 },
    ]);
    expect(told(prepared({ ...graph, bad: [0, 4] }))).toEqual([
      { states: [3, 4], bad: 4, still: 4 },
      { states: [0, 1, 2], bad: 0, still: 0 },
    ]);
  });

  it('are unfair to a weakly fair action that is enabled everywhere and taken nowhere', () => {
    const out: Edge[] = [
      [0, 3, 0],
      [1, 3, 0],
      [2, 3, 0],
    ];
    const graph = (edges: readonly Edge[]): Graph => ({ states: 4, fairness: ['weak'], edges, bad: [0] });
    expect(told(prepared(graph([...ring, ...out])))).toEqual([]);
    expect(told(prepared(graph([...ring, ...out, [0, 1, 0]])))).toHaveLength(1);
    expect(told(prepared(graph([...ring, ...out.slice(0, 2)])))).toEqual([
      { states: [0, 1, 2], bad: 0, still: -1 },
    ]);
    expect(told(prepared(graph([...ring, ...out])), () => false)).toHaveLength(1);
  });

  it('are what is left without the states that enable a strongly fair action', () => {
    const edges: Edge[] = [...ring, [2, 1], [0, 5, 0], [2, 3], [3, 4], [4, 3], [4, 2]];
    const graph: Graph = { states: 6, fairness: ['strong'], edges, bad: [1, 4] };
    expect(told(prepared(graph))).toEqual([{ states: [1, 2, 3, 4], bad: 1, still: 1 }]);
    expect(told(prepared({ ...graph, edges: [...edges, [2, 5, 0]] }))).toEqual([
      { states: [3, 4], bad: 4, still: 4 },
      { states: [1], bad: 1, still: 1 },
    ]);
    expect(told(prepared({ ...graph, edges: [...edges, [2, 5, 0]], bad: [0] }))).toEqual([]);
    expect(told(prepared({ ...graph, edges: [...edges, [0, 1, 0]] }))).toEqual([
      { states: [0, 1, 2, 3, 4], bad: 1, still: 1 },
    ]);
  });

  it('are found again after they were taken apart, with other assumptions', () => {
    const edges: Edge[] = [...ring, [0, 3, 0], [1, 4, 1]];
    const components = prepared({ states: 5, fairness: ['strong', 'strong'], edges, bad: [0, 1, 2] });
    const all = told(components);
    expect(all).toEqual([{ states: [2], bad: 2, still: 2 }]);
    expect(told(components, () => false)).toEqual([{ states: [0, 1, 2], bad: 0, still: 0 }]);
    expect(told(components, (label) => label === 0)).toHaveLength(2);
    expect(told(components)).toEqual(all);
  });

  it('are whole again when other assumptions are made', () => {
    const edges: Edge[] = [
      [0, 1, 1],
      [1, 2],
      [2, 0],
      [0, 3, 0],
    ];
    const components = prepared({ states: 4, fairness: ['strong', 'strong'], edges, bad: [0, 2] });
    expect(told(components)).toEqual([{ states: [2], bad: 2, still: 2 }]);
    expect(told(components, (label) => label === 1)).toEqual([{ states: [0, 1, 2], bad: 0, still: 2 }]);
  });

  it('are judged each on its own', () => {
    const edges: Edge[] = [
      [0, 1, 0],
      [1, 0],
      [1, 2],
      [2, 3],
      [3, 2],
    ];
    const components = prepared({ states: 4, fairness: ['strong'], edges, bad: [0, 1, 2, 3] });
    expect(told(components)).toEqual([
      { states: [2, 3], bad: 2, still: 2 },
      { states: [0, 1], bad: 0, still: 1 },
    ]);
  });

  it('lose no state for what the next one enables', () => {
    const edges: Edge[] = [[2, 3, 0], ...ring];
    const components = prepared({ states: 4, fairness: ['strong'], edges, bad: [0, 1, 2] });
    expect(told(components).map(({ bad }) => bad)).toEqual([0, 1]);
  });

  it('begin with their first bad state in whatever order they lie', () => {
    const edges: Edge[] = [
      [0, 1],
      [1, 2],
      [2, 0],
      [2, 3],
      [3, 0],
      [3, 4, 0],
    ];
    const components = prepared({ states: 5, fairness: ['strong'], edges, bad: [0, 1, 2] });
    expect(told(components)).toEqual([{ states: [0, 1, 2], bad: 0, still: 0 }]);
  });

  it('are not looked for where no state is bad', () => {
    let asked = 0;
    const components = new FairComponents(rowsOf(3, ring), [], () => {
      asked += 1;
      return false;
    });
    for (const _ of components.prepare());
    expect(asked).toBe(3);
    expect(find(components)).toEqual([]);
    expect(asked).toBe(3);
  });

  it('are looked for until it is enough', () => {
    const components = prepared({ states: 3, fairness: [], edges: [], bad: [0, 1, 2] });
    const found: number[] = [];
    for (const _ of components.bad(
      () => true,
      ({ bad }) => found.push(bad) < 2,
    ));
    expect(found).toEqual([0, 1]);
  });

  it('may be many', () => {
    const bad = [...Array(600).keys()];
    const found = find(prepared({ states: 600, fairness: [], edges: [], bad }));
    expect(found.map((each) => each.bad)).toEqual(bad);
  });

  it.each([
    [0xfff, 0, 0],
    [0x1fff, 1, 0],
    [0x2000, 2, 1],
    [0x4000, 5, 2],
  ])('are looked for with a pause now and then: %i states', (states, preparing, judging) => {
    const components = new FairComponents(rowsOf(states, []), [], () => true);
    expect([...components.prepare()]).toHaveLength(preparing);
    const enough = (): boolean => true;
    expect([...components.bad(enough, enough)]).toHaveLength(judging);
  });
});
