import { describe, expect, it } from 'vitest';
import { CTable } from '../../../src/export/c-tables.ts';
import { commentText, identifiers } from '../../../src/export/names.ts';
import { house, office, textOf } from './systems.ts';

describe('identifiers', () => {
  it('are different, whatever they were made from', () => {
    expect(identifiers(['cni[1]', 'cni 1', 'CNI-1', '…'])).toEqual(['cni_1', 'cni_1_2', 'CNI_1_3', 'x']);
  });
});

describe('a comment', () => {
  it('cannot end early', () => {
    expect(commentText('a */ b\n/* c')).toBe('a * / b / * c');
  });
});

describe('a table in C', () => {
  it('gives equal columns one place and takes the smallest type', () => {
    const table = new CTable('t', 2);
    expect([table.column([1, 2]), table.column([-1, 200]), table.column([1, 2])]).toEqual([0, 1, 0]);
    expect(table.pieces()).toEqual(['static const short t[2][2] = {\n{1,-1},\n{2,200}\n};']);
  });

  it('comes in pieces that Spin can read', () => {
    const table = new CTable('t', 20_000);
    table.column(Array.from({ length: 20_000 }, (_, local) => local));
    const pieces = table.pieces();
    expect(pieces.length).toBeGreaterThan(2);
    for (const piece of pieces) expect(piece.length).toBeLessThan(30_000);
    const rows = pieces
      .slice(0, -1)
      .join()
      .match(/\{\d+\}/g);
    expect(rows).toHaveLength(20_000);
  });
});

describe('the other languages', () => {
  it('have an option for each pick in Promela, with its name beside it', async () => {
    const text = await textOf(office, 'promela', { writtenBy: 'the test', file: 'office.pml' });
    expect(text).toContain('Written by: the test');
    expect(text).toContain('spin -a office.pml');
    const options = text.match(/^ {2}:: d_step .*\/\* (.*) \*\/$/gm) ?? [];
    expect(options[0]).toMatch(/\/\* shut: the lid \* \/ is "shut" \*\/$/);
    expect(options.at(-1)).toMatch(/\/\* time: one tick \*\/$/);
    expect(options.filter((option) => option.includes('/* timer '))).not.toHaveLength(0);
  });

  it('have a rule for each pick in Murphi, those that concern several components in one set', async () => {
    const text = await textOf(house, 'murphi');
    const rules = [...text.matchAll(/^rule "(.*)"$/gm)].map(([, name]) => name);
    expect(rules).toEqual(['press', 'arrive', 'time: one tick']);
    expect(text).toMatch(/^-- start 0: timer door: /m);
    expect(text).toContain('ruleset start: 0 .. 0 do');
  });
});
