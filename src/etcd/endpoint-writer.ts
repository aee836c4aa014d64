/** What the CNI plugin does to the store. */
import type { IKeyValue } from 'etcd3';
import type { Endpoint, EndpointRecord } from './endpoint.ts';
import { type EndpointName, endpointKey } from './endpoint-keys.ts';
import { readRecord, writeValue } from './endpoint-value.ts';
import { MemberTurns } from './member-turns.ts';
import type { StoreOptions } from './options.ts';

/** A record as it was read. */
export interface RecordRead {
  readonly record: EndpointRecord;
  /** The revision that it was last written at. */
  readonly revision: bigint;
}

/** Writes endpoints. Each call has `callTimeout` for all that it does, and throws a `StoreError` if that is not enough. */
export class EndpointWriter {
  readonly #prefix: string;
  readonly #callTimeout: number;
  readonly #turns: MemberTurns;

  constructor(options: StoreOptions) {
    this.#prefix = options.prefix;
    this.#callTimeout = options.callTimeout;
    this.#turns = new MemberTurns(options);
  }

  /**
   * Writes an endpoint, in place of what its key holds, unless it holds just that. A write that got no answer in time may be
   * carried out later, when a member goes on; it then does nothing if the key has been written since. But if there was none
   * and there is none again, then it does.
   *
   * @returns the revision that it was written at
   */
  async write(endpoint: Endpoint): Promise<bigint> {
    const end = Date.now() + this.#callTimeout;
    const key = Buffer.from(endpointKey(this.#prefix, endpoint));
    const value = Buffer.from(writeValue(endpoint));
    for (;;) {
      const held = await this.#pair(key, end);
      if (held?.value.equals(value)) return BigInt(held.mod_revision);
      const mod_revision = held?.mod_revision ?? '0';
      const compare = [{ key, target: 'Mod', result: 'Equal', mod_revision } as const];
      const { header, succeeded } = await this.#turns.call(
        (client, options) => client.kv.txn({ compare, success: [{ request_put: { key, value } }] }, options),
        end,
      );
      if (succeeded) return BigInt(header.revision);
    }
  }

  /**
   * Erases an endpoint. If the container is given, then only one that is of that container: a pod's next container may have
   * taken the key over, and a record that cannot be read may be its. What was read is what is erased, or it is read again.
   *
   * @returns whether there was one to erase. After a lost answer it may not be there any more.
   */
  async erase(endpoint: string | EndpointName, onlyIfContainer?: string): Promise<boolean> {
    const end = Date.now() + this.#callTimeout;
    const name = this.#keyOf(endpoint);
    const key = Buffer.from(name);
    const request_delete_range = { key };
    if (onlyIfContainer === undefined) {
      const { deleted } = await this.#turns.call(
        (client, options) => client.kv.deleteRange(request_delete_range, options),
        end,
      );
      return deleted !== '0';
    }
    for (;;) {
      const found = await this.#read(name, end);
      if (found === undefined || 'unreadable' in found.record) return false;
      if (found.record.endpoint.containerId !== onlyIfContainer) return false;
      const compare = [{ key, target: 'Mod', result: 'Equal', mod_revision: `${found.revision}` } as const];
      const { succeeded } = await this.#turns.call(
        (client, options) => client.kv.txn({ compare, success: [{ request_delete_range }] }, options),
        end,
      );
      if (succeeded) return true;
    }
  }

  /** Reads an endpoint, linearizably. */
  read(endpoint: string | EndpointName): Promise<RecordRead | undefined> {
    return this.#read(this.#keyOf(endpoint), Date.now() + this.#callTimeout);
  }

  close(): void {
    this.#turns.close();
  }

  #keyOf(endpoint: string | EndpointName): string {
    return typeof endpoint === 'string' ? endpoint : endpointKey(this.#prefix, endpoint);
  }

  async #read(key: string, end: number): Promise<RecordRead | undefined> {
    const pair = await this.#pair(Buffer.from(key), end);
    if (pair === undefined) return undefined;
    return { record: readRecord(this.#prefix, key, pair.value), revision: BigInt(pair.mod_revision) };
  }

  async #pair(key: Buffer, end: number): Promise<IKeyValue | undefined> {
    const { kvs } = await this.#turns.call((client, options) => client.kv.range({ key }, options), end);
    return kvs[0];
  }
}
