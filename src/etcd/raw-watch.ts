/** A watch on etcd's own protocol, by the client that etcd3 generates. */
import type { IEvent, IWatchResponse } from 'etcd3';
import { reasonOf } from '../reason-of.ts';
import type { Member } from './member.ts';
import { changesOf, keysUnder } from './records.ts';
import type { WatchHandle, WatchListener } from './store.ts';

type Stream = Awaited<ReturnType<Member['client']['watchClient']['watch']>>;

/**
 * A watch that knows what it has delivered. Its {@link next} comes from the revisions of the changes themselves, or from a
 * progress notification that the server sends by itself: those are in order with the changes. It never comes from the
 * header of `created` or of a change, which say how far the store is, nor from a notification that was asked for
 * (`watch_id` -1), which etcd before 3.4.25 sends too early.
 *
 * Its listener is told of one end only, and of nothing after it. A heartbeat is told as `changed` without changes.
 */
export class RawWatch implements WatchHandle {
  readonly #prefix: string;
  readonly #listener: WatchListener;
  #next: bigint;
  #stream: Stream | undefined;
  #created = false;
  #over = false;
  #fragments: IEvent[] = [];

  /** @param from - the first revision that it is to tell of, at least 1 */
  constructor(member: Member, prefix: string, from: bigint, listener: WatchListener) {
    this.#prefix = prefix;
    this.#next = from;
    this.#listener = listener;
    member.client.watchClient.watch().then(
      (stream) => this.#begin(stream),
      (error: unknown) => this.#finish(() => listener.closed(reasonOf(error))),
    );
  }

  get next(): bigint {
    return this.#next;
  }

  end(): void {
    this.#over = true;
    this.#stream?.cancel();
  }

  #begin(stream: Stream): void {
    // Also one that was ended meanwhile: its cancellation is an error of the stream.
    stream.on('error', (error) => this.#finish(() => this.#listener.closed(reasonOf(error))));
    if (this.#over) {
      stream.cancel();
      return;
    }
    this.#stream = stream;
    stream.on('end', () => this.#finish(() => this.#listener.closed('the stream ended')));
    stream.on('data', (response) => {
      if (!this.#over) this.#read(response);
    });
    stream.write({
      create_request: {
        ...keysUnder(this.#prefix),
        start_revision: this.#next.toString(),
        progress_notify: true,
        fragment: true,
      },
    });
  }

  #read(response: IWatchResponse): void {
    const revision = BigInt(response.header.revision);
    if (response.canceled) {
      const compacted = BigInt(response.compact_revision);
      if (compacted !== 0n) this.#finish(() => this.#listener.refused(compacted));
      else this.#finish(() => this.#listener.cancelled(response.cancel_reason));
    } else if (response.created) {
      if (this.#created) return;
      this.#created = true;
      this.#listener.created(revision);
    } else if (response.watch_id !== '-1') {
      this.#fragments.push(...response.events);
      if (response.fragment) return;
      const events = this.#fragments;
      this.#fragments = [];
      this.#tell(events, revision);
    }
  }

  #tell(events: readonly IEvent[], revision: bigint): void {
    const last = events.at(-1);
    const told = last === undefined ? revision : BigInt(last.kv.mod_revision);
    if (told >= this.#next) this.#next = told + 1n;
    if (last === undefined) this.#listener.progressed(revision);
    else this.#listener.changed(changesOf(this.#prefix, events));
  }

  #finish(tell: () => void): void {
    if (this.#over) return;
    this.end();
    tell();
  }
}
