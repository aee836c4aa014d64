/**
 * Where the agent's log goes. What cannot be written there, on a full disk or after its reader has gone, is left out: pino's
 * own output would try for ever, and the agent would do nothing else meanwhile, not even end.
 */
import { writeSync } from 'node:fs';

/** What pino writes to. */
export interface LogOutput {
  write(line: string): void;
}

/** How long it waits, in ms, for a reader that is slow. Once that was in vain, it waits no more until the reader has gone on. */
const patience = 1000;
const pause = 10;

/** The log on an open file. */
export function logOutput(file: number): LogOutput {
  let torn = false;
  let lost = false;
  return {
    write(line) {
      const whole = Buffer.from(torn ? `\n${line}` : line);
      const written = writeAsFarAs(file, whole, lost ? 0 : patience);
      lost = written < whole.length;
      // The beginning of a line may stand there; the next one begins anew.
      torn = lost && (torn || written > 0);
    },
  };
}

/** @returns how many bytes were written */
function writeAsFarAs(file: number, whole: Buffer, wait: number): number {
  let written = 0;
  let waited = 0;
  while (written < whole.length) {
    try {
      written += writeSync(file, whole.subarray(written));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || waited >= wait) break;
      Atomics.wait(sleeper, 0, 0, pause);
      waited += pause;
    }
  }
  return written;
}

const sleeper = new Int32Array(new SharedArrayBuffer(4));
