/**
 * How far a long piece of work is: one line that is written over and over on a terminal, from its second second on. On
 * anything but a terminal it stays quiet, so that logs and pipes hold results only.
 */

import type { CheckProgress } from '../check.ts';

/** Where progress is shown; `process.stderr`, or a stand-in for it in a test. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** A line that is rewritten. */
export interface Progress {
  /** Shows a text, unless it is too early. */
  show(text: string): void;
  /** Takes the line away. */
  clear(): void;
}

/** Work that ends sooner than this shows nothing. */
const quietMs = 1_000;
const carriageReturnAndErase = '\r\u001B[K';

/**
 * Starts to show progress.
 *
 * @param stream - usually `process.stderr`
 * @param now - the time in milliseconds
 */
export function startProgress(stream: ProgressStream, now: () => number = () => performance.now()): Progress {
  const start = now();
  let shown = false;
  return {
    show(text) {
      if (stream.isTTY !== true || now() - start < quietMs) return;
      shown = true;
      stream.write(carriageReturnAndErase + text.slice(0, (stream.columns || 80) - 1));
    },
    clear() {
      if (shown) stream.write(carriageReturnAndErase);
      shown = false;
    },
  };
}

/** What a search tells of itself. */
export function searchProgress(
  name: string,
  { states, statesPerSecond, depth, phase }: CheckProgress,
): string {
  const count = (value: number): string => value.toLocaleString('en');
  const doing = phase === 'search' ? '' : ` · ${phase}`;
  return `${name}${doing} · ${count(states)} states · ${count(statesPerSecond)}/s · depth ${depth}`;
}
