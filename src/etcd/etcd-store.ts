/** The store on etcd. */
import { hostname } from 'node:os';
import type { CallOptions } from '@grpc/grpc-js';
import type { Etcd3 } from 'etcd3';
import { heartbeatKey } from './endpoint-keys.ts';
import { Member } from './member.ts';
import { MemberTurns } from './member-turns.ts';
import type { StoreOptions } from './options.ts';
import { RawWatch } from './raw-watch.ts';
import { keysUnder, recordsOf } from './records.ts';
import { StockWatch } from './stock-watch.ts';
import type { Connection, Listing, Reads, Store, WatchHandle, WatchListener } from './store.ts';

/** Endpoints in etcd v3. Each connection is one TCP connection, which nothing else uses. */
export class EtcdStore implements Store {
  /** Reads and writes that decide something. */
  readonly reads: Reads;
  readonly #options: StoreOptions;
  readonly #connections = new Set<EtcdConnection>();
  #dials = 0;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.reads = new EtcdReads(options);
  }

  async dial(): Promise<Connection> {
    const { endpoints, dialTimeout, prefix } = this.#options;
    const endpoint = endpoints[this.#dials++ % endpoints.length] as string;
    const member = new Member(endpoint, this.#options);
    const connection = new EtcdConnection(member, this.#options, () => this.#connections.delete(connection));
    this.#connections.add(connection);
    try {
      await member.call(Date.now() + dialTimeout, (client, options) =>
        client.kv.range({ key: Buffer.from(prefix), serializable: true, keys_only: true }, options),
      );
    } catch (error) {
      connection.close();
      throw error;
    }
    return connection;
  }

  /** Ends all of its connections. */
  close(): void {
    this.reads.close();
    for (const connection of [...this.#connections]) connection.close();
  }
}

class EtcdConnection implements Connection {
  readonly member: string;
  readonly #member: Member;
  readonly #options: StoreOptions;
  readonly #closing: () => void;
  readonly #watches = new Set<WatchHandle>();

  constructor(member: Member, options: StoreOptions, closing: () => void) {
    this.member = member.name;
    this.#member = member;
    this.#options = options;
    this.#closing = closing;
  }

  ended(): Promise<void> {
    return this.#member.ended();
  }

  list(deadline?: number): Promise<Listing> {
    const until = deadline === undefined ? undefined : Date.now() + deadline;
    return this.#member.call(until, (client, options) => list(client, options, this.#options.prefix, false));
  }

  watch(from: bigint, listener: WatchListener): WatchHandle {
    const { stock = false, prefix } = this.#options;
    const watch = new (stock ? StockWatch : RawWatch)(this.#member, prefix, from, listener);
    this.#watches.add(watch);
    return watch;
  }

  close(): void {
    for (const watch of this.#watches) watch.end();
    this.#watches.clear();
    this.#member.close();
    this.#closing();
  }
}

class EtcdReads implements Reads {
  readonly #options: StoreOptions;
  readonly #turns: MemberTurns;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#turns = new MemberTurns(options);
  }

  list(kind: 'linearizable' | 'serializable'): Promise<Listing> {
    const { prefix } = this.#options;
    return this.#turns.call((client, options) => list(client, options, prefix, kind === 'serializable'));
  }

  async revision(): Promise<bigint> {
    const key = Buffer.from(this.#options.prefix);
    const { header } = await this.#turns.call((client, options) =>
      client.kv.range({ key, keys_only: true }, options),
    );
    return BigInt(header.revision);
  }

  async heartbeat(): Promise<bigint> {
    const { prefix, node = hostname() } = this.#options;
    const key = Buffer.from(heartbeatKey(prefix, node));
    const value = Buffer.from(new Date().toISOString());
    const { header } = await this.#turns.call((client, options) => client.kv.put({ key, value }, options));
    return BigInt(header.revision);
  }

  close(): void {
    this.#turns.close();
  }
}

async function list(
  client: Etcd3,
  options: CallOptions,
  prefix: string,
  serializable: boolean,
): Promise<Listing> {
  const { header, kvs } = await client.kv.range({ ...keysUnder(prefix), serializable }, options);
  return { revision: BigInt(header.revision), records: recordsOf(prefix, kvs) };
}
