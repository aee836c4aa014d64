/** The agent's trace as a file: a line of JSON that says what it is of, and one for each step. */
import { closeSync, openSync, writeSync } from 'node:fs';
import type { Design } from '../../models/index.ts';
import type { Line } from './record.ts';

/** What the first line says. */
export interface TraceHead {
  readonly format: 'routeproof agent trace';
  readonly version: 1;
  readonly design: string;
  readonly parameters: Design['parameters'];
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

  close(): void {
    closeSync(this.#file);
  }

  #write(value: object): void {
    writeSync(this.#file, `${JSON.stringify(value)}\n`);
  }
}
