import picocolors from 'picocolors';
import { expect, test } from 'vitest';
import { type Matrix, matrixMarkdown, matrixTable } from '../../../src/report/matrix.ts';

const matrix: Matrix = {
  corner: 'kettle',
  columns: ['never-boils', 'stays-full', 'whistles', 'lid'],
  extras: ['price up to'],
  rows: [
    {
      name: 'enamel',
      cells: [
        { verdict: 'proved' },
        { verdict: 'violated', traceLength: 11 },
        { verdict: 'vacuous' },
        undefined,
      ],
      extras: ['20 €'],
    },
  ],
};

test('draws verdicts as signs, with the length of the shortest run in red cells', () => {
  expect(matrixTable(matrix, picocolors.createColors(false)).split('\n')).toEqual([
    'kettle never stays whistles lid price',
    '       boils full               up',
    '                                to',
    '──────────────────────────────────────',
    'enamel ✓     ✗ 11  –        ?   20 €',
  ]);
  expect(matrixTable(matrix, picocolors.createColors(true))).toContain('\u001B[31m✗ 11');
});

test('writes Markdown', () => {
  expect(matrixMarkdown(matrix).split('\n')).toEqual([
    '| kettle | `never-boils` | `stays-full` | `whistles` | `lid` | price up to |',
    '| --- | --- | --- | --- | --- | --- |',
    '| `enamel` | ✓ | ✗ 11 | – | ? | 20 € |',
  ]);
});
