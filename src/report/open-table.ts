/** A table without a frame, as reports show it; at most with a line between its rows. */
import Table from 'cli-table3';

const frame = [
  ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'],
  ...['left', 'left-mid', 'right', 'right-mid', 'middle', 'mid', 'mid-mid'],
];

/** What a table is made of. */
export interface OpenTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Columns of numbers are aligned on the right; all are on the left if left out. */
  readonly aligns?: readonly ('left' | 'right')[];
  /** What a line below the head is drawn with; none if left out. */
  readonly line?: string;
}

/** Draws a table. @returns its lines, without blanks at their ends */
export function openTable({ head, rows, aligns, line = '' }: OpenTable): string[] {
  const table = new Table({
    head: [...head],
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 1, compact: true },
    chars: { ...Object.fromEntries(frame.map((place) => [place, ''])), mid: line },
    ...(aligns === undefined ? {} : { colAligns: [...aligns] }),
  });
  table.push(...rows.map((row) => [...row]));
  return table
    .toString()
    .split('\n')
    .map((each) => each.trimEnd());
}
