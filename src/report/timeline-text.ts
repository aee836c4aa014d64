/**
 * Lays a timeline out on a page of characters: a column for each part that changes, as long as they fit; otherwise the
 * changes below what happened.
 */
import type picocolors from 'picocolors';
import { type Timeline, type TimelineRow, timeText } from './timeline.ts';

/** What picocolors makes: each a function from text to coloured text, or to the same text. */
export type Colors = ReturnType<typeof picocolors.createColors>;

/** The page. */
export interface PageOptions {
  /** Characters in a line. */
  readonly width: number;
  readonly colors: Colors;
}

/** A line of a cell with the colour that it is printed in. */
type Paint = (text: string) => string;

interface Cell {
  readonly lines: readonly string[];
  readonly paint?: Paint;
}

/** What is narrower than this is not read as text any more. */
const textWidthMin = 26;
const textWidthMax = 58;
/** Longer words of a state are broken at their humps. */
const columnWidthMax = 12;
const gap = '  ';
const marks = { fault: '!', violation: '✗' } as const;

/** Prints a timeline, without the property's name and without a closing line break. */
export function printTimeline(story: Timeline, page: PageOptions): string {
  const times = story.rows.map(({ ticks }) => timeText(ticks, story.tickSeconds));
  const timeWidth = Math.max(4, ...times.map((time) => time.length));
  const columns = story.parts.map((part) => columnWidth(part, story));
  const taken = 1 + 1 + timeWidth + gap.length + columns.reduce((sum, width) => sum + gap.length + width, 0);
  const room = page.width - taken;
  const wide = room >= textWidthMin;
  const longest = Math.max(...story.rows.map(({ text }) => text.length));
  const textWidth = wide
    ? Math.min(room, textWidthMax, Math.max(textWidthMin, longest))
    : page.width - timeWidth - 4;
  const widths = [1, timeWidth, textWidth, ...(wide ? columns : [])];
  const { dim, bold } = page.colors;
  const out: string[] = [];
  if (wide) {
    const header: Cell[] = ['', 'time', 'what happens', ...story.parts].map((text) => ({
      lines: [text],
      paint: bold,
    }));
    const start = story.parts.map(
      (part): Cell => ({ lines: breakWords(story.start.get(part) ?? [], columnWidthMax), paint: dim }),
    );
    out.push(...layOut(header, widths));
    out.push(
      ...layOut(
        [
          { lines: [''] },
          { lines: [timeText(0, story.tickSeconds)] },
          { lines: ['at the start'], paint: dim },
          ...start,
        ],
        widths,
      ),
    );
  }
  for (const [place, row] of story.rows.entries()) {
    if (place === story.loop) out.push(loopLine('then for ever:', timeWidth, page));
    out.push(...layOut(cellsOf(row, times[place] as string, story, { wide, textWidth, page }), widths));
    const indent = ' '.repeat(timeWidth + 2 + gap.length);
    for (const note of row.notes) {
      for (const line of wrap(note, page.width - indent.length - 2)) out.push(`${indent}${dim(`  ${line}`)}`);
    }
  }
  if (story.loop === story.rows.length) out.push(loopLine('and so it stays for ever', timeWidth, page));
  return out.join('\n');
}

function loopLine(text: string, timeWidth: number, { colors }: PageOptions): string {
  return `${colors.red(marks.violation)} ${' '.repeat(timeWidth)}${gap}${colors.bold(text)}`;
}

interface Placing {
  readonly wide: boolean;
  readonly textWidth: number;
  readonly page: PageOptions;
}

function cellsOf(
  row: TimelineRow,
  time: string,
  story: Timeline,
  { wide, textWidth, page }: Placing,
): Cell[] {
  const { red, yellow, dim } = page.colors;
  const paint = row.mark === 'violation' ? red : row.mark === 'fault' ? yellow : undefined;
  const inText = wide ? [] : [...row.changes].map(([part, words]) => `${part}: ${words.join(', ')}`);
  const text = wrap(row.text, textWidth);
  const changes = inText.length > 0 ? wrap(`→ ${inText.join(' · ')}`, textWidth) : [];
  const head: Cell[] = [
    { lines: [row.mark === undefined ? '' : marks[row.mark]], ...(paint && { paint }) },
    { lines: [time] },
    { lines: [...text, ...changes], ...(paint && { paint }) },
  ];
  if (!wide) return head;
  return [
    ...head,
    ...story.parts.map((part): Cell => {
      const words = row.changes.get(part);
      if (words === undefined) return { lines: ['·'], paint: dim };
      return { lines: breakWords(words, columnWidthMax), ...(paint && { paint }) };
    }),
  ];
}

function columnWidth(part: string, { start, rows }: Timeline): number {
  const all = [start.get(part) ?? [], ...rows.map(({ changes }) => changes.get(part) ?? [])];
  const lines = all.flatMap((words) => breakWords(words, columnWidthMax));
  return Math.max(part.length, ...lines.map((line) => line.length));
}

/** One word to a line, and a long one broken before a dot, an equals sign or a hump. */
function breakWords(words: readonly string[], max: number): string[] {
  return words.flatMap((word) => {
    if (word.length <= max) return [word];
    const pieces = word.split(/(?<=[.=])|(?<=[a-z0-9])(?=[A-Z])/);
    const lines: string[] = [];
    for (const piece of pieces) {
      const last = lines.at(-1);
      if (last !== undefined && last.length + piece.length <= max) lines[lines.length - 1] = last + piece;
      else lines.push(piece);
    }
    return lines;
  });
}

/** Breaks a sentence at spaces. */
export function wrap(text: string, max: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= max)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function layOut(cells: readonly Cell[], widths: readonly number[]): string[] {
  const height = Math.max(...cells.map(({ lines }) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    cells
      .map(({ lines, paint }, column) => {
        const text = lines[line] ?? '';
        const width = widths[column] ?? 0;
        const padded = column === 1 ? text.padStart(width) : text.padEnd(width);
        const separator = column === 0 ? '' : column === 1 ? ' ' : gap;
        return separator + (paint === undefined || text === '' ? padded : paint(padded));
      })
      .join('')
      .trimEnd(),
  );
}
