/** The agent's trace as a file: a line of JSON that says what it is of, and one for each step. */
import { closeSync, openSync, writeSync } from 'node:fs';
import type { Design } from '../../models/index.ts';
import type { Line } from './record.ts';

/** What the first line says. */
export interface TraceHead {
  /** Tells it from other files. */
  readonly format: 'routeproof agent trace';
  /** The version of the format. */
  readonly version: 1;
  /** The id of the design that ran. */
  readonly design: string;
  /** The numbers that it ran with. */
  readonly parameters: Design['parameters'];
  /** The node whose endpoints were its own. */
  readonly node: string;
}

/** A trace that is being written. Each line is in the file when `write` returns, so that a crash loses none. */
export class TraceFile {
  readonly #file: number;

  /** Makes the file anew. */
  constructor(path: string, design: Design, node: string) {
    this.#file = openSync(path, 'w');
    const head: TraceHead = {
      ...{ format: 'routeproof agent trace', version: 1 },
      ...{ design: design.id, parameters: design.parameters, node },
    };
    this.#write(head);
  }

  /** Adds a step. */
  write(line: Line): void {
    this.#write(line);
  }

  /** Closes the file. */
  close(): void {
    closeSync(this.#file);
  }

  #write(value: object): void {
    let rest = Buffer.from(`${JSON.stringify(value)}\n`);
    // A disk that is nearly full takes a part, and says so only when asked again.
    while (rest.length > 0) rest = rest.subarray(writeSync(this.#file, rest));
  }
}
