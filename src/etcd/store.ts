/**
 * What the agent asks of the store. A {@link Connection} is one connection to one member and carries the list and the
 * watch; reads that decide something go over connections of their own ({@link Reads}), so that one can fail alone.
 */
import type { EndpointRecord } from './endpoint.ts';

/** All endpoints at a revision. */
export interface Listing {
  /** The store's revision at which it was read. */
  readonly revision: bigint;
  /** All records under the prefix. */
  readonly records: readonly EndpointRecord[];
}

/** A change of one record. */
export type Change =
  | {
      /** The record was written. */
      readonly kind: 'put';
      /** The revision of the write. */
      readonly revision: bigint;
      /** What it is now. */
      readonly record: EndpointRecord;
    }
  | {
      /** The record was deleted. */
      readonly kind: 'delete';
      /** The revision of the delete. */
      readonly revision: bigint;
      /** Which record it was. */
      readonly key: string;
    };

/** What a watch tells, in the order in which the server said it. After `refused`, `cancelled` or `closed` it says no more. */
export interface WatchListener {
  /** The server has accepted the watch. @param revision - the member's, which may be behind the one asked for */
  created(revision: bigint): void;
  /** History at the start has been compacted. @param revision - the oldest that can be watched from */
  refused(revision: bigint): void;
  /** All changes of one revision or of several, never of part of one. */
  changed(changes: readonly Change[]): void;
  /** All changes up to this revision have been told. Only from the server's own, periodic progress notifications. */
  progressed(revision: bigint): void;
  /** The server ended the watch; the connection stands. */
  cancelled(reason: string): void;
  /** The connection ended. */
  closed(reason: string): void;
}

/** A watch that has been asked for. */
export interface WatchHandle {
  /** Where the next watch would have to begin to miss nothing and repeat nothing. */
  readonly next: bigint;
  /** Ends it; its listener hears nothing more. */
  end(): void;
}

/** A connection to one member. */
export interface Connection {
  /** Such as `10.0.0.1:2379`. */
  readonly member: string;
  /** When it has ended, also if nothing is asked over it. A peer that vanishes without a word ends nothing. */
  ended(): Promise<void>;
  /**
   * A linearizable list.
   *
   * @param deadline - milliseconds; none if left out
   * @throws StoreError
   */
  list(deadline?: number): Promise<Listing>;
  /** Watches from a revision on. */
  watch(from: bigint, listener: WatchListener): WatchHandle;
  /** Ends it and what it carries. */
  close(): void;
}

/** Reads and writes that decide something, each with a deadline, over connections of their own, to any member that answers. */
export interface Reads {
  /** All endpoints, by a linearizable read, or by a serializable one, which a member without a quorum answers too. */
  list(kind: 'linearizable' | 'serializable'): Promise<Listing>;
  /** The store's revision, by a linearizable read. */
  revision(): Promise<bigint>;
  /** Writes a key that the agent's own watch brings back. @returns the revision of the write */
  heartbeat(): Promise<bigint>;
  /** Ends the connections that it has. */
  close(): void;
}

/** Where the endpoints are. */
export interface Store {
  /**
   * Makes a connection to the next member in turn, and makes sure that it answers.
   *
   * @throws StoreError if it does not within the deadline
   */
  dial(): Promise<Connection>;
  /** Reads and writes that decide something. */
  readonly reads: Reads;
  /** Ends all of its connections. */
  close(): void;
}

/** What went wrong with a call. */
export type StoreFault =
  /** No answer in time. */
  | 'deadline'
  /** The connection could not be made, or ended. */
  | 'unavailable'
  /** User or password, or what they may do. */
  | 'denied'
  | 'other';

/** A call to the store that failed. */
export class StoreError extends Error {
  /** Always `StoreError`. */
  override name = 'StoreError';
  /** What kind of failure it was. */
  readonly fault: StoreFault;

  constructor(fault: StoreFault, message: string) {
    super(message);
    this.fault = fault;
  }
}
