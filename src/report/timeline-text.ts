/**
 * Lays a timeline out on a page of characters: a column for each part whose state changes, as long as they fit. What
 * has no column is told below what happened.
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

/** A cell, line by line, with the colour that it is printed in. */
interface Cell {
  readonly lines: readonly string[];
  readonly paint?: (text: string) => string;
}

/** A page on which the columns have been given their places. */
interface Sheet extends PageOptions {
  readonly story: Timeline;
  /** The parts that have a column. */
  readonly shown: readonly string[];
  readonly timeWidth: number;
  readonly textWidth: number;
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
  const sheet = planSheet(story, page);
  const out = sheet.shown.length > 0 ? printHeader(sheet) : [];
  for (const [place, row] of story.rows.entries()) {
    if (place === story.loop) out.push(printLoop('then for ever:', sheet));
    out.push(...printRow(row, sheet));
  }
  if (story.loop === story.rows.length) out.push(printLoop('and so it stays for ever', sheet));
  return out.join('\n');
}

function planSheet(story: Timeline, page: PageOptions): Sheet {
  const times = story.rows.map(({ ticks }) => timeText(ticks, story.tickSeconds));
  const timeWidth = Math.max(4, ...times.map((time) => time.length));
  const room = (parts: readonly string[]): number =>
    parts.reduce(
      (left, part) => left - gap.length - columnWidth(part, story),
      page.width - 2 - timeWidth - gap.length,
    );
  const choices = [[...story.parts, ...story.dataParts], story.parts];
  const shown = choices.find((parts) => room(parts) >= textWidthMin) ?? [];
  const longest = Math.max(textWidthMin, ...story.rows.map(({ text }) => text.length));
  const textWidth = shown.length > 0 ? Math.min(room(shown), textWidthMax, longest) : room([]);
  return { ...page, story, shown, timeWidth, textWidth };
}

function printHeader(sheet: Sheet): string[] {
  const { story, shown, colors } = sheet;
  const titles = ['', 'time', 'what happens', ...shown];
  const start = shown.map((part) => breakWords(story.start.get(part) ?? []));
  return [
    ...layOut(
      titles.map((title) => ({ lines: [title], paint: colors.bold })),
      sheet,
    ),
    ...layOut(
      [[''], [timeText(0, story.tickSeconds)], ['at the start'], ...start].map((lines) => ({
        lines,
        paint: colors.dim,
      })),
      sheet,
    ),
  ];
}

function printLoop(text: string, { timeWidth, colors }: Sheet): string {
  return `${colors.red(marks.violation)} ${' '.repeat(timeWidth)}${gap}${colors.bold(text)}`;
}

function printRow(row: TimelineRow, sheet: Sheet): string[] {
  const { story, shown, timeWidth, textWidth, width, colors } = sheet;
  const { red, yellow, dim } = colors;
  const colour = row.mark === 'violation' ? red : row.mark === 'fault' ? yellow : undefined;
  const paint = colour === undefined ? {} : { paint: colour };
  const untold = [...row.changes].filter(([part]) => !shown.includes(part));
  const told = untold.map(([part, words]) => `${part}: ${words.join(', ')}`).join(' · ');
  const cells: Cell[] = [
    { lines: [row.mark === undefined ? '' : marks[row.mark]], ...paint },
    { lines: [timeText(row.ticks, story.tickSeconds)] },
    { lines: [...wrap(row.text, textWidth), ...(told === '' ? [] : wrap(`→ ${told}`, textWidth))], ...paint },
    ...shown.map((part): Cell => {
      const words = row.changes.get(part);
      return words === undefined ? { lines: ['·'], paint: dim } : { lines: breakWords(words), ...paint };
    }),
  ];
  const indent = ' '.repeat(2 + timeWidth + gap.length + 2);
  const notes = row.notes.flatMap((note) => wrap(note, width - indent.length));
  return [...layOut(cells, sheet), ...notes.map((note) => indent + dim(note))];
}

function columnWidth(part: string, { start, rows }: Timeline): number {
  const all = [start.get(part) ?? [], ...rows.map(({ changes }) => changes.get(part) ?? [])];
  return Math.max(part.length, ...all.flatMap(breakWords).map((line) => line.length));
}

/** One word to a line, and a long one broken after a dot or an equals sign, or at a hump. */
function breakWords(words: readonly string[]): string[] {
  return words.flatMap((word) => {
    if (word.length <= columnWidthMax) return [word];
    return fill(word.split(/(?<=[.=])|(?<=[a-z0-9])(?=[A-Z])/), '', columnWidthMax);
  });
}

/** Breaks a sentence at spaces. */
export const wrap = (text: string, max: number): string[] => fill(text.split(' '), ' ', max);

function fill(pieces: readonly string[], separator: string, max: number): string[] {
  const lines: string[] = [];
  for (const piece of pieces) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + separator.length + piece.length <= max) {
      lines[lines.length - 1] = last + separator + piece;
    } else {
      lines.push(piece);
    }
  }
  return lines;
}

function layOut(cells: readonly Cell[], { story, shown, timeWidth, textWidth }: Sheet): string[] {
  const widths = [1, timeWidth, textWidth, ...shown.map((part) => columnWidth(part, story))];
  const height = Math.max(...cells.map(({ lines }) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    cells
      .map(({ lines, paint }, column) => {
        const text = lines[line] ?? '';
        const width = widths[column] ?? 0;
        const padded = column === 1 ? text.padStart(width) : text.padEnd(width);
        const before = column === 0 ? '' : column === 1 ? ' ' : gap;
        return before + (paint === undefined || text === '' ? padded : paint(padded));
      })
      .join('')
      .trimEnd(),
  );
}
