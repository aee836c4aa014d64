/** A watch by etcd3's own `Watcher`, faults and all. */
import type { Watcher } from 'etcd3';
import type { Member } from './member.ts';
import { changesOf } from './records.ts';
import type { WatchHandle, WatchListener } from './store.ts';

/**
 * What a client gets that trusts etcd3's `Watcher`. Its {@link next} is the class's own, which follows the header of each
 * response: how far the store was, not what was delivered. After `created` it points behind a backlog that has not come yet,
 * and if the connection ends then, that backlog is lost. It says of a compaction only that the watch was cancelled.
 */
export class StockWatch implements WatchHandle {
  readonly #watcher: Watcher;
  readonly #from: bigint;
  #over = false;

  constructor(member: Member, prefix: string, from: bigint, listener: WatchListener) {
    this.#from = from;
    this.#watcher = member.client.watch().prefix(prefix).startRevision(from.toString()).watcher();
    const ifOpen = (tell: () => void): void => {
      if (!this.#over) tell();
    };
    this.#watcher.on('connected', ({ header }) => {
      ifOpen(() => listener.created(BigInt(header.revision)));
    });
    this.#watcher.on('data', ({ header, events }) => {
      ifOpen(() => {
        if (events.length === 0) listener.progressed(BigInt(header.revision));
        else listener.changed(changesOf(prefix, events));
      });
    });
    // It would connect again by itself, to the same member; the agent is to decide where to.
    this.#watcher.on('disconnected', (error) => {
      ifOpen(() => {
        this.end();
        listener.closed(error.message);
      });
    });
    this.#watcher.on('error', (error) => {
      ifOpen(() => {
        this.#over = true;
        listener.cancelled(error.message);
      });
    });
  }

  get next(): bigint {
    return BigInt(this.#watcher.lastRevision() ?? this.#from);
  }

  end(): void {
    if (this.#over) return;
    this.#over = true;
    // Fulfilled when the server confirms, which it may never do.
    this.#watcher.cancel().catch(() => {});
  }
}
