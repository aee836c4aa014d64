import { expect, it, vi } from 'vitest';

const loads = vi.hoisted(() => ({ count: 0 }));
vi.mock('elkjs/lib/elk.bundled.js', async (original) => {
  loads.count += 1;
  return original();
});

it('loads the layout engine only when something is drawn', async () => {
  const { toSvg } = await import('../../src/diagram/svg.ts');
  const { statechart } = await import('../../src/machine/statechart.ts');
  const { createMachine } = await import('xstate');
  const chart = statechart(createMachine({ id: 'm', initial: 'a', states: { a: {} } }));
  expect(loads.count).toBe(0);
  await toSvg(chart);
  expect(loads.count).toBe(1);
});
