import { describe, expect, it } from 'vitest';
import { ExportError } from '../../../src/export/export-error.ts';
import { countsOf, house, office, textOf } from './systems.ts';

describe('the Graphviz format', () => {
  it('draws each state once and joins the labels of steps that lead to the same state', async () => {
    const text = await textOf(office, 'dot');
    const { states } = await countsOf(office);
    expect(text.match(/^ {2}\d+ \[label=/gm)).toHaveLength(states);
    expect(text.startsWith('digraph "office \\"upstairs\\"" {\n')).toBe(true);
    expect(text.endsWith('}\n')).toBe(true);
    const arcs = text.match(/^ {2}\d+ -> \d+/gm) ?? [];
    expect(new Set(arcs).size).toBe(arcs.length);
  });

  it('names the parts, and the ticks that their timers still run', async () => {
    expect(await textOf(house, 'dot')).toContain('1 [label="door: open (3)\\nlift: waiting"];');
  });

  it('refuses what nobody could look at, with the number, the limit and the way out', async () => {
    const { states } = await countsOf(house);
    await expect(textOf(house, 'dot', { maxStates: states })).resolves.toContain('digraph');
    const refused = textOf(house, 'dot', { maxStates: states - 1 });
    await expect(refused).rejects.toThrow(ExportError);
    await expect(refused).rejects.toThrow(
      `it has ${states} states, and a picture of more than ${states - 1} shows nothing. Leave out faults`,
    );
  });
});
