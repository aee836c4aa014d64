/**
 * A program's tables as C. A component has one table, with a row for each local state and a column for each thing that
 * is asked of it, so that all that is asked in one state lies side by side in the processor's cache.
 */
import { impossible, type Program } from './program.ts';

/** Spin refuses longer pieces of C. */
const pieceMax = 24_000;

/** The columns of one component. */
export class CTable {
  readonly name: string;
  readonly #size: number;
  readonly #columns: (readonly number[])[] = [];
  readonly #places = new Map<string, number>();

  constructor(name: string, size: number) {
    this.name = name;
    this.#size = size;
  }

  /** The place of a column; equal columns have one place. */
  column(values: readonly number[]): number {
    const key = values.join();
    const place = this.#places.get(key) ?? this.#columns.push(values) - 1;
    this.#places.set(key, place);
    return place;
  }

  /** The declaration, in pieces that Spin can read. */
  pieces(): string[] {
    const width = Math.max(1, this.#columns.length);
    const rows = Array.from(
      { length: this.#size },
      (_, local) => `{${this.#columns.map((column) => column[local]).join() || '0'}}`,
    );
    const head = `static const ${cType(this.#columns.flat())} ${this.name}[${this.#size}][${width}]`;
    const whole = `${head} = {\n${rows.join(',\n')}\n};`;
    if (whole.length <= pieceMax) return [whole];
    const pieces: string[] = [];
    const names: string[] = [];
    for (let piece: string[] = [], length = 0, row = 0; row < rows.length; ) {
      while (row < rows.length && length < pieceMax) {
        piece.push(rows[row] as string);
        length += (rows[row] as string).length;
        row += 1;
      }
      const name = `${this.name}_${names.length}`;
      names.push(name);
      pieces.push(`\\#define ${name} ${piece.join()}`);
      piece = [];
      length = 0;
    }
    return [...pieces, `${head} = {\n${names.join(',\n')}\n};`];
  }
}

/** A table of numbers. */
function cArray(name: string, values: readonly number[]): string {
  return `static const ${cType(values)} ${name}[${Math.max(1, values.length)}] = {${values.join() || '0'}};`;
}

/** What steps say, one after another, and where each begins. */
export function talkTables({ talks }: Program): string[] {
  const starts = [0];
  for (const said of talks) starts.push((starts.at(-1) as number) + said.length);
  return [cArray('talk_start', starts), cArray('talk_said', talks.flat())];
}

/** The smallest of C's types that holds these. */
function cType(values: readonly number[]): string {
  let least = impossible;
  let most = 0;
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  if (least >= -128 && most <= 127) return 'signed char';
  return least >= -32_768 && most <= 32_767 ? 'short' : 'int';
}
