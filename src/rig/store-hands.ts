/** What is done to the store of a rig by hand, besides what the CNI plugin and the agent do. */

import { calicoPrefix } from '../etcd/endpoint-keys.ts';
import { Member } from '../etcd/member.ts';
import type { StoreOptions } from '../etcd/options.ts';
import { keysUnder } from '../etcd/records.ts';
import type { EtcdCluster } from './etcd-process.ts';

/** A key and its value. */
interface KeyValue {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** A key that is nobody's. */
const idle: KeyValue = { key: Buffer.from('/routeproof-rig/idle'), value: Buffer.from('') };

/** Whoever may read and write while others may not. */
const superuser = { username: 'root', password: 'rig' };

const patience = 5000;

/** Speaks to the first member that can be asked, over a connection for each call. */
export class StoreHands {
  readonly #cluster: EtcdCluster;
  #locked = false;
  #hasUser = false;

  constructor(cluster: EtcdCluster) {
    this.#cluster = cluster;
  }

  /** How others that are no agent reach the store now. */
  get options(): StoreOptions {
    return {
      endpoints: this.#cluster.endpoints,
      prefix: calicoPrefix,
      ...{ dialTimeout: 2000, callTimeout: patience, requireLeader: false },
      ...(this.#locked ? superuser : {}),
    };
  }

  /** All that is under a prefix. */
  read(prefix: string): Promise<{ readonly revision: bigint; readonly records: readonly KeyValue[] }> {
    return this.#with(async (member) => {
      const { header, kvs } = await member.call(Date.now() + patience, (client, each) =>
        client.kv.range(keysUnder(prefix), each),
      );
      return { revision: BigInt(header.revision), records: kvs };
    });
  }

  /** Writes keys, one revision for each. */
  write(pairs: readonly KeyValue[]): Promise<void> {
    return this.#with(async (member) => {
      for (const { key, value } of pairs)
        await member.call(Date.now() + patience, (client, each) => client.kv.put({ key, value }, each));
    });
  }

  /** Writes what concerns nobody, until the store has come to a revision. */
  writeUntil(revision: bigint): Promise<void> {
    return this.#with(async (member) => {
      for (let reached = 0n; reached < revision; ) {
        const { header } = await member.call(Date.now() + patience, (client, each) =>
          client.kv.put(idle, each),
        );
        reached = BigInt(header.revision);
      }
    });
  }

  /** Discards the history up to now. */
  async compact(): Promise<void> {
    try {
      await this.#with((member) =>
        member.call(Date.now() + patience, async (client, each) => {
          const { header } = await client.kv.range({ key: idle.key }, each);
          await client.kv.compact({ revision: header.revision, physical: true }, each);
        }),
      );
    } catch (error) {
      // Nothing has been written since the last time.
      if (!(error instanceof Error && error.message.includes('has been compacted'))) throw error;
    }
  }

  /** Has the store ask for a user, or ask for none again. Connections and watches that there are stay. */
  async lock(locked: boolean): Promise<void> {
    if (locked === this.#locked) return;
    await this.#with(async (member) => {
      const end = Date.now() + patience;
      const { username: name, password } = superuser;
      if (!this.#hasUser) {
        await member.call(end, ({ auth }, each) => auth.userAdd({ name, password }, each));
        await member.call(end, ({ auth }, each) => auth.userGrantRole({ user: name, role: 'root' }, each));
        this.#hasUser = true;
      }
      await member.call(end, ({ auth }, each) => (locked ? auth.authEnable(each) : auth.authDisable(each)));
    });
    this.#locked = locked;
  }

  async #with<T>(work: (member: Member) => Promise<T>): Promise<T> {
    const member = new Member(this.#cluster.endpoints[0] as string, this.options);
    try {
      return await work(member);
    } finally {
      member.close();
    }
  }
}
