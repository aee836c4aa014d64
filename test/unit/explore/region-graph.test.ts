import { describe, expect, it } from 'vitest';
import { RememberedCondition } from '../../../src/explore/clauses.ts';
import { FairActions } from '../../../src/explore/fair-actions.ts';
import type { Explored } from '../../../src/explore/known-states.ts';
import { Region, Rows, regionGraph, unlabelled } from '../../../src/explore/region-graph.ts';
import type { Search } from '../../../src/explore/search.ts';
import type { System } from '../../../src/system.ts';
import { counter, explore } from './explore.ts';

function rowOf(rows: Rows, state: number): string[] {
  const told: string[] = [];
  for (let edge = rows.start(state); edge < rows.stop(state); edge += 1) {
    told.push(`${rows.targets(state)[edge]} by ${rows.labels(state)[edge]}`);
  }
  return told;
}

function regionOf(search: Search, holds: (count: number) => boolean): [Region, pauses: number] {
  const { world, spaces } = search.engine;
  const within = new RememberedCondition(
    world,
    spaces,
    { reads: ['counter'], holds: (at) => holds(at('counter').context.count) },
    'within',
  );
  const steps = Region.of(search, within);
  for (let pauses = 0; ; pauses += 1) {
    const { done, value } = steps.next();
    if (done) return [value, pauses];
  }
}

function graphOf(search: Explored, region: Region): [Rows, pauses: number] {
  const { world, picks } = search.engine;
  const steps = regionGraph(search, region, new FairActions(world.system, picks), 'settles');
  for (let pauses = 0; ; pauses += 1) {
    const { done, value } = steps.next();
    if (done) return [value, pauses];
  }
}

const fairly = (system: System): System => ({
  ...system,
  choices: system.choices.map((choice) => ({ ...choice, fairness: 'weak' })),
});

describe('rows', () => {
  it('keep the steps of each state, in more than one chunk', () => {
    const rows = new Rows();
    for (let state = 0; state < 9000; state += 1) {
      for (let edge = 0; edge < state % 3; edge += 1) rows.addEdge(state + edge, edge);
      rows.endRow();
    }
    rows.end();
    expect(rows.count).toBe(9000);
    for (const state of [0, 1, 2, 1000, 4094, 4095, 4096, 4097, 8191, 8192, 8193, 8999]) {
      expect(rowOf(rows, state)).toEqual([`${state} by 0`, `${state + 1} by 1`].slice(0, state % 3));
    }
  });

  it('may fill a chunk to its end, and hold nothing else', () => {
    const rows = new Rows();
    for (let state = 0; state < 4096; state += 1) {
      rows.addEdge(7, unlabelled);
      rows.endRow();
    }
    rows.end();
    expect([rows.start(4095), rows.stop(4095), rows.targets(0).length, rows.labels(0).length]).toEqual([
      4095, 4096, 4096, 4096,
    ]);
    expect(rows.targets(4096)).toBeUndefined();
  });
});

describe('a region', () => {
  it('numbers its states without gaps', () => {
    const search = explore(counter(99));
    const [region] = regionOf(search, (count) => count % 7 === 3);
    const states = Array.from({ length: 14 }, (_, place) => place * 7 + 3);
    expect([...region.states]).toEqual(states);
    expect([...Array(100).keys()].map((state) => region.number(state))).toEqual(
      [...Array(100).keys()].map((state) => states.indexOf(state)),
    );
  });

  it('equals another of the same states', () => {
    const search = explore(counter(99));
    const [odd] = regionOf(search, (count) => count % 2 === 1);
    expect(odd.equals(regionOf(search, (count) => count % 2 === 1)[0])).toBe(true);
    expect(odd.equals(regionOf(search, (count) => count % 2 === 0)[0])).toBe(false);
    expect(odd.equals(regionOf(search, (count) => count % 2 === 1 && count > 2)[0])).toBe(false);
    expect(regionOf(search, () => false)[0].equals(odd)).toBe(false);
  });

  it('is found with a pause for every thousand states', () => {
    expect(regionOf(explore(counter(1023)), () => true)[1]).toBe(1);
    const [region, pauses] = regionOf(explore(counter(1024)), () => true);
    expect([region.states.length, pauses]).toEqual([1025, 2]);
  });
});

describe('the graph of a region', () => {
  it('has the steps that change a state, by the actions that make them', () => {
    const search = explore(fairly(counter(3, ['UP', 'LEAP', 'RESET'])));
    const [all] = regionOf(search, () => true);
    const [rows] = graphOf(search, all);
    expect([0, 1, 2, 3].map((state) => rowOf(rows, state))).toEqual([
      ['1 by 0', '2 by 1'],
      ['2 by 0', '3 by 1', '0 by 2'],
      ['3 by 0', '0 by 2'],
      ['0 by 2'],
    ]);
  });

  it('numbers by the region', () => {
    const search = explore(counter(4));
    const [late] = regionOf(search, (count) => count > 2);
    const [rows] = graphOf(search, late);
    expect([rows.count, rowOf(rows, 0), rowOf(rows, 1)]).toEqual([2, [`1 by ${unlabelled}`], []]);
  });

  it('is made with a pause now and then', () => {
    const search = explore(counter(1500));
    const [all] = regionOf(search, () => true);
    const [rows, pauses] = graphOf(search, all);
    expect([rows.count, pauses, rowOf(rows, 1200)]).toEqual([1501, 2, [`1201 by ${unlabelled}`]]);
    expect(graphOf(search, regionOf(search, () => false)[0])[1]).toBe(0);
  });

  it('is refused if the region can be left', () => {
    const search = explore(counter(4, ['UP', 'RESET']));
    const [late] = regionOf(search, (count) => count > 2);
    expect(() => graphOf(search, late)).toThrow(
      "property 'settles', within: after 3 steps the region is entered, and 'reset' leaves it again.",
    );
    const { engine, expander, states, edges, limits, timed } = search;
    const unordered = {
      engine,
      expander,
      states,
      edges,
      limits,
      timed,
      partsWithTimers: () => new Set<number>(),
    };
    expect(() => graphOf(unordered, late)).toThrow(
      "in some run the region is entered, and 'reset' leaves it",
    );
  });
});
