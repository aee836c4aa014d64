/** Keeps what a watch tells, and waits for it. */
import { expect, vi } from 'vitest';
import type { Change, WatchListener } from '../../src/etcd/store.ts';

/** What a watch told, in order: `created 7`, `put 8 key`, `closed ...`. */
export class Recorder implements WatchListener {
  readonly told: string[] = [];
  readonly changes: Change[] = [];
  /** The revisions of each `changed`. */
  readonly batches: (readonly bigint[])[] = [];
  /** Called on each `created` and each `changed`. */
  readonly #then: (what: 'created' | 'changed') => void;

  constructor(then: (what: 'created' | 'changed') => void = () => {}) {
    this.#then = then;
  }

  created(revision: bigint): void {
    this.told.push(`created ${revision}`);
    this.#then('created');
  }

  refused(revision: bigint): void {
    this.told.push(`refused ${revision}`);
  }

  changed(changes: readonly Change[]): void {
    this.told.push('changed');
    this.changes.push(...changes);
    this.batches.push(changes.map(({ revision }) => revision));
    this.#then('changed');
  }

  progressed(revision: bigint): void {
    this.told.push(`progressed ${revision}`);
  }

  cancelled(reason: string): void {
    this.told.push(`cancelled ${reason}`);
  }

  closed(reason: string): void {
    this.told.push(`closed ${reason}`);
  }

  /** How often it was told something that begins so. */
  count(beginning: string): number {
    return this.told.filter((each) => each.startsWith(beginning)).length;
  }

  /** Waits until it has been told something that begins so. */
  async heard(beginning: string): Promise<void> {
    await vi.waitFor(
      () => expect(this.told.map(short)).toContainEqual(expect.stringMatching(beginning)),
      wait,
    );
  }

  /** Waits until it has been told of a revision. */
  async reached(revision: bigint): Promise<void> {
    await vi.waitFor(() => expect(this.changes.at(-1)?.revision).toBe(revision), wait);
  }

  /** The keys of the changes, without the folder. */
  get keys(): readonly string[] {
    return this.changes.map((each) => (each.kind === 'put' ? each.record.key : each.key));
  }
}

const wait = { timeout: 15_000, interval: 10 };

function short(text: string): string {
  return text.slice(0, 200);
}
