/** The machines as they stand, under XState's own interpreter and with each design's switches. */

import { describe, expect, test } from 'vitest';
import { createActor, SimulatedClock } from 'xstate';
import { designs, machines, machinesOf } from '../../../models/index.ts';
import { statechart } from '../../../src/machine/statechart.ts';

describe.each(Object.entries(machines))('%s', (id, machine) => {
  test('runs under XState’s interpreter', () => {
    const actor = createActor(machine, { clock: new SimulatedClock(), input: { strikes: 'unbounded' } });
    actor.start();
    expect(actor.getSnapshot().status).toBe('active');
    expect(actor.getSnapshot().machine.id).toBe(id);
    actor.stop();
  });

  test('no state with children is its own target: that would start its children, and their timers, anew', () => {
    const { nodes, edges } = statechart(machine);
    const parents = new Set(nodes.map(({ parent }) => parent));
    const anew = edges.filter(({ source, targets }) => parents.has(source) && targets.includes(source));
    expect(anew.map(({ id: edge }) => edge)).toEqual([]);
  });

  test('says in a sentence what it stands for', () => {
    expect(machine.root.description).toMatch(/^\S.+\.$/);
  });
});

test.each(designs)('every switch of $id is a guard of some machine', (design) => {
  const guards = Object.values(machinesOf(design)).flatMap((machine) =>
    Object.keys(machine.implementations.guards),
  );
  for (const name of design.switches) expect(guards).toContain(name);
});
