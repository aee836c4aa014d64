/** A matrix of verdicts, subjects down and properties across, as a table for people and in Markdown. */
import type { Verdict } from '../check.ts';
import { paintOf, signs } from './check-text.ts';
import { openTable } from './open-table.ts';
import type { Colors } from './timeline-text.ts';

/** One cell. */
interface Cell {
  readonly verdict: Verdict;
  /** Steps of a shortest run, if it is violated. */
  readonly traceLength?: number;
}

/** A matrix. */
export interface Matrix {
  /** What the rows are. */
  readonly corner: string;
  /** The properties' ids. */
  readonly columns: readonly string[];
  /** Further columns of plain text. */
  readonly extras: readonly string[];
  readonly rows: readonly {
    readonly name: string;
    readonly cells: readonly (Cell | undefined)[];
    readonly extras: readonly string[];
  }[];
}

/** The signs in the cells. */
export const legend = '✓ proved   ✗ n violated, in n steps at the least   – vacuous   ? incomplete';

const cellText = (cell: Cell | undefined): string => {
  if (cell === undefined) return '?';
  return cell.traceLength === undefined ? signs[cell.verdict] : `${signs[cell.verdict]} ${cell.traceLength}`;
};

/** Draws a matrix with lines of characters. Headers are broken at hyphens and spaces to keep it narrow. */
export function matrixTable({ corner, columns, extras, rows }: Matrix, colors: Colors): string {
  const heading = (text: string): string => colors.bold(text.replace(/[- ]/g, '\n'));
  return openTable({
    head: [colors.bold(corner), ...columns.map(heading), ...extras.map(heading)],
    rows: rows.map(({ name, cells, extras: more }) => [
      name,
      ...cells.map((cell) => paintOf(cell?.verdict ?? 'incomplete', colors)(cellText(cell))),
      ...more,
    ]),
    line: '─',
  }).join('\n');
}

/** Writes a matrix as a Markdown table. */
export function matrixMarkdown({ corner, columns, extras, rows }: Matrix): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line([corner, ...columns.map((id) => `\`${id}\``), ...extras]),
    line([corner, ...columns, ...extras].map(() => '---')),
    ...rows.map(({ name, cells, extras: more }) => line([`\`${name}\``, ...cells.map(cellText), ...more])),
  ].join('\n');
}
