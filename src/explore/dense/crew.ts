/**
 * Threads that help with the levels of a dense search. A level's rows are handed out a few at a time, to whoever asks
 * next; the level ends when all threads have run out of rows.
 */
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { Bitmaps, LevelWork, Tally } from './level-work.ts';
import type { DensePlan } from './plan.ts';
import type { Program } from './program.ts';
import type { MetEffect } from './seen-effects.ts';
import type { StepUses } from './usage.ts';

/** Places in the words that the threads share. */
const nextRow = 0;
/** The level that is to be expanded, */
export const levelNumber = 1;
/** and how many helpers have done so. */
export const finished = 2;
const controlWords = 3;

/** The level that tells the helpers to say what they have seen, and go home. */
export const lastLevel = -1;

/** What a helper is given. */
export interface HelperTask {
  readonly program: Program;
  readonly plan: DensePlan;
  readonly bitmaps: Bitmaps;
  readonly reads: readonly (readonly number[])[];
  readonly control: Int32Array;
  readonly port: MessagePort;
}

/** What a helper says after each level, and in the end. */
export type HelperMessage =
  | { readonly kind: 'level'; readonly tally: Tally; readonly met: readonly MetEffect[] }
  | { readonly kind: 'uses'; readonly uses: StepUses }
  | { readonly kind: 'endless'; readonly delivery: number }
  | { readonly kind: 'failed'; readonly message: string };

/** Where the helpers' code is: beside this file, once compiled. */
const helperUrl = new URL(
  import.meta.url.endsWith('.ts') ? '../../../dist/src/explore/dense/helper.js' : './helper.js',
  import.meta.url,
);

/** Rows are handed out in portions of this size. */
function portionOf({ rows }: DensePlan): number {
  return Math.max(1, Math.min(64, rows >> 10));
}

/** Hands out rows of a level. A generator: it pauses after each portion. */
export function* takeRows(control: Int32Array, plan: DensePlan, work: LevelWork): Generator<void> {
  const portion = portionOf(plan);
  for (;;) {
    const first = Atomics.add(control, nextRow, portion);
    if (first >= plan.rows) return;
    const end = Math.min(plan.rows, first + portion);
    let any = false;
    for (let row = first; row < end; row += 1) if (work.expand(row)) any = true;
    if (any) yield;
  }
}

/** The helpers of one search. */
export class Crew {
  readonly control = new Int32Array(new SharedArrayBuffer(controlWords * 4));
  readonly #workers: readonly Worker[];
  readonly #ports: readonly MessagePort[];
  #failure: string | undefined;

  constructor(helpers: number, task: Omit<HelperTask, 'control' | 'port'>) {
    const channels = Array.from({ length: helpers }, () => new MessageChannel());
    this.#ports = channels.map(({ port1 }) => port1);
    this.#workers = channels.map(({ port2: port }) => {
      const workerData: HelperTask = { ...task, control: this.control, port };
      const worker = new Worker(helperUrl, { workerData, transferList: [port] });
      worker.on('error', (error) => {
        this.#failure ??= error instanceof Error ? (error.stack ?? error.message) : String(error);
      });
      worker.unref();
      return worker;
    });
  }

  /** Lets the helpers begin a level, counted from 1. */
  begin(level: number): void {
    Atomics.store(this.control, nextRow, 0);
    Atomics.store(this.control, finished, 0);
    Atomics.store(this.control, levelNumber, level);
    Atomics.notify(this.control, levelNumber);
  }

  /** Waits for all helpers, and gives what they say. A generator: it pauses while it waits. */
  *end(): Generator<void, HelperMessage[]> {
    const messages: HelperMessage[] = [];
    for (const port of this.#ports) {
      for (;;) {
        const received = receiveMessageOnPort(port);
        if (received !== undefined) {
          messages.push(received.message as HelperMessage);
          break;
        }
        if (this.#failure !== undefined) throw new Error(`internal error: a thread failed: ${this.#failure}`);
        yield;
      }
    }
    while (Atomics.load(this.control, finished) < this.#ports.length) yield;
    return messages;
  }

  /** Asks the helpers what they have seen. */
  *finish(): Generator<void, HelperMessage[]> {
    this.begin(lastLevel);
    return yield* this.end();
  }

  /** Ends the threads, whatever they are doing. */
  dismiss(): void {
    for (const port of this.#ports) port.close();
    for (const worker of this.#workers) void worker.terminate();
  }
}
