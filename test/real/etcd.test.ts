import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Etcd3 } from 'etcd3';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { calicoPrefix, endpointKey, heartbeatKey, interfaceNameOf } from '../../src/etcd/endpoint-keys.ts';
import { writeValue } from '../../src/etcd/endpoint-value.ts';
import { EndpointWriter } from '../../src/etcd/endpoint-writer.ts';
import { EtcdStore } from '../../src/etcd/etcd-store.ts';
import { Member } from '../../src/etcd/member.ts';
import type { StoreOptions } from '../../src/etcd/options.ts';
import { RawWatch } from '../../src/etcd/raw-watch.ts';
import type { Connection, StoreError, WatchHandle } from '../../src/etcd/store.ts';
import { type EtcdCluster, startEtcd } from '../../src/rig/etcd-process.ts';
import { startProxy, type TransportProxy } from '../../src/rig/transport-proxy.ts';
import { missingCommands } from '../cross/missing-commands.ts';
import { makeCertificates } from './certificates.ts';
import { enableUsers } from './etcd-users.ts';
import { missingEtcd } from './missing-etcd.ts';
import { pod } from './pod.ts';
import { Recorder } from './recorder.ts';

const note = missingEtcd;
const skipped = note !== '';

const options: StoreOptions = {
  endpoints: [],
  prefix: calicoPrefix,
  node: 'node-1',
  dialTimeout: 1000,
  callTimeout: 3000,
  requireLeader: false,
};

// What each test has opened, closed in the opposite order after it.
const opened: { close(): unknown }[] = [];

afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

function closing<T extends { close(): unknown }>(each: T): T {
  opened.push(each);
  return each;
}

function storeOn(endpoints: readonly string[], changed: Partial<StoreOptions> = {}): EtcdStore {
  return closing(new EtcdStore({ ...options, endpoints, ...changed }));
}

function writerOn(endpoints: readonly string[]): EndpointWriter {
  return closing(new EndpointWriter({ ...options, endpoints }));
}

async function proxyOf(port: number): Promise<TransportProxy> {
  return closing(await startProxy(port));
}

function through({ port }: TransportProxy): readonly string[] {
  return [`http://127.0.0.1:${port}`];
}

function keyOf(name: string): string {
  return endpointKey(calicoPrefix, pod(name));
}

/** A plain client for what the store under test does not do. */
function plain(cluster: EtcdCluster): Etcd3 {
  return closing(new Etcd3({ hosts: [...cluster.endpoints] }));
}

async function fault(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => {
      throw new Error('it did not fail');
    },
    (each: StoreError) => each,
  );
  expect(error.name).toBe('StoreError');
  return error.fault;
}

/** Writes `count` endpoints one after the other. @returns the revisions */
async function writeMany(writer: EndpointWriter, name: string, count: number): Promise<readonly bigint[]> {
  const revisions: bigint[] = [];
  for (let index = 0; index < count; index++) revisions.push(await writer.write(pod(`${name}-${index}`)));
  return revisions;
}

async function compact(client: Etcd3, revision: bigint): Promise<void> {
  await client.kv.compact({ revision: `${revision}`, physical: true });
}

describe.skipIf(skipped)(`a store on one member${note}`, () => {
  let etcd: EtcdCluster;
  beforeAll(async () => {
    etcd = await startEtcd();
  });
  afterEach(async () => {
    const client = new Etcd3({ hosts: [...etcd.endpoints] });
    await client.delete().prefix('');
    client.close();
  });
  afterAll(() => etcd.close());

  it('lists what was written, at the revision of the store', async () => {
    const writer = writerOn(etcd.endpoints);
    await writer.write(pod('a'));
    const revision = await writer.write(pod('b'));
    const store = storeOn(etcd.endpoints);
    const connection = await store.dial();
    const expected = {
      revision,
      records: [
        { key: keyOf('a'), endpoint: pod('a') },
        { key: keyOf('b'), endpoint: pod('b') },
      ],
    };
    expect(await connection.list()).toEqual(expected);
    expect(await connection.list(1000)).toEqual(expected);
    expect(await store.reads.list('linearizable')).toEqual(expected);
    expect(await store.reads.list('serializable')).toEqual(expected);
    expect(await store.reads.revision()).toBe(revision);
    expect(connection.member).toBe(`127.0.0.1:${etcd.members[0].port}`);
  });

  it('watches on from a list without a gap', async () => {
    const writer = writerOn(etcd.endpoints);
    await writer.write(pod('a'));
    const connection = await storeOn(etcd.endpoints).dial();
    const { revision } = await connection.list();
    const b = await writer.write(pod('b'));
    const heard = new Recorder();
    const watch = connection.watch(revision + 1n, heard);
    await heard.heard('created');
    await writer.erase(pod('a'));
    await heard.reached(b + 1n);
    expect(heard.changes).toEqual([
      { kind: 'put', revision: b, record: { key: keyOf('b'), endpoint: pod('b') } },
      { kind: 'delete', revision: b + 1n, key: keyOf('a') },
    ]);
    expect(watch.next).toBe(b + 2n);
    expect(heard.count('created')).toBe(1);
  });

  it('tells all changes of one revision at once, those under its prefix only', async () => {
    const client = plain(etcd);
    const connection = await storeOn(etcd.endpoints).dial();
    const { revision } = await connection.list();
    const heard = new Recorder();
    const watch = connection.watch(revision + 1n, heard);
    await heard.heard('created');
    const puts = ['a', 'b', 'c'].map((name) => client.put(keyOf(name)).value(writeValue(pod(name))));
    await client
      .if('x', 'Version', '==', 0)
      .then(...puts, client.put('elsewhere').value(''))
      .commit();
    await heard.reached(revision + 1n);
    expect(heard.batches).toEqual([[revision + 1n, revision + 1n, revision + 1n]]);
    expect(heard.keys).toEqual([keyOf('a'), keyOf('b'), keyOf('c')]);
    expect(watch.next).toBe(revision + 2n);
  });

  it('goes on behind what was written elsewhere once the server has told its progress', async () => {
    const client = plain(etcd);
    const connection = await storeOn(etcd.endpoints).dial();
    const { revision } = await connection.list();
    const heard = new Recorder();
    const watch = connection.watch(revision + 1n, heard);
    await heard.heard('created');
    await client.put('elsewhere').value('');
    await heard.heard(`progressed ${revision + 1n}$`);
    expect(watch.next).toBe(revision + 2n);
    expect(heard.changes).toEqual([]);
  });

  it('tells a heartbeat as a change of nothing, and lists none', async () => {
    const store = storeOn(etcd.endpoints);
    const connection = await store.dial();
    const { revision } = await connection.list();
    const heard = new Recorder();
    const watch = connection.watch(revision + 1n, heard);
    await heard.heard('created');
    expect(await store.reads.heartbeat()).toBe(revision + 1n);
    await heard.heard('changed');
    expect(heard.batches).toEqual([[]]);
    expect(watch.next).toBe(revision + 2n);
    const key = heartbeatKey(calicoPrefix, 'node-1');
    expect(await plain(etcd).get(key).exists()).toBe(true);
    expect(await connection.list()).toEqual({ revision: revision + 1n, records: [] });
  });

  it('has what it cannot read as unreadable, in lists and in changes', async () => {
    const client = plain(etcd);
    const connection = await storeOn(etcd.endpoints).dial();
    const { revision } = await connection.list();
    const heard = new Recorder();
    connection.watch(revision + 1n, heard);
    await client.put(keyOf('a')).value('{"kind":');
    await client.put(`${calicoPrefix}odd`).value(Buffer.from([0xff, 0]));
    await heard.reached(revision + 2n);
    const unreadable = expect.stringContaining('not JSON');
    const interfaceName = interfaceNameOf('default', 'a');
    const records = [
      { key: keyOf('a'), unreadable, node: 'node-1', interfaceName },
      { key: `${calicoPrefix}odd`, unreadable },
    ];
    expect(heard.changes.map((each) => each.kind === 'put' && each.record)).toEqual(records);
    expect((await connection.list()).records).toEqual(records);
  });

  it('lists more than the 4 MiB that gRPC takes by default', async () => {
    const client = plain(etcd);
    for (let index = 0; index < 6; index++)
      await client.put(keyOf(`big-${index}`)).value('x'.repeat(1_000_000));
    const connection = await storeOn(etcd.endpoints).dial();
    expect((await connection.list()).records).toHaveLength(6);
  });

  it('joins the fragments of a large response', async () => {
    const client = plain(etcd);
    const connection = await storeOn(etcd.endpoints).dial();
    const { revision } = await connection.list();
    for (let index = 0; index < 6; index++)
      await client.put(keyOf(`big-${index}`)).value('x'.repeat(900_000));
    const heard = new Recorder();
    const watch = connection.watch(revision + 1n, heard);
    await heard.reached(revision + 6n);
    // One response in which the server has put all of the backlog, and which is too large for one message.
    expect(heard.batches).toHaveLength(1);
    expect(heard.changes).toHaveLength(6);
    expect(watch.next).toBe(revision + 7n);
  });

  it('is refused where history has been compacted, told once, and keeps its connection', async () => {
    const writer = writerOn(etcd.endpoints);
    const [first = 0n, , , last = 0n] = await writeMany(writer, 'a', 4);
    await compact(plain(etcd), last);
    const connection = await storeOn(etcd.endpoints).dial();
    const heard = new Recorder();
    const watch = connection.watch(first, heard);
    await heard.heard('refused');
    expect(heard.told).toEqual([expect.stringMatching(/^created /), `refused ${last}`]);
    expect(watch.next).toBe(first);
    expect((await connection.list(1000)).revision).toBe(last);
    const again = new Recorder();
    connection.watch(last, again);
    await again.reached(last);
    expect(heard.told).toHaveLength(2);
  });

  it('says nothing after a watch was ended, and lists on', async () => {
    const writer = writerOn(etcd.endpoints);
    const connection = await storeOn(etcd.endpoints).dial();
    const { revision } = await connection.list();
    const [early, late] = [new Recorder(), new Recorder()];
    connection.watch(revision + 1n, early).end();
    const watch = connection.watch(revision + 1n, late);
    await late.heard('created');
    watch.end();
    const written = await writer.write(pod('a'));
    await sleep(300);
    expect(early.told).toEqual([]);
    expect(late.count('changed') + late.count('closed') + late.count('cancelled')).toBe(0);
    expect((await connection.list(1000)).revision).toBe(written);
  });

  it('tells once that the connection ended', async () => {
    const proxy = await proxyOf(etcd.members[0].port);
    const connection = await storeOn(through(proxy)).dial();
    const heard = new Recorder();
    connection.watch((await connection.list()).revision + 1n, heard);
    await heard.heard('created');
    expect(proxy.connections).toBe(1);
    proxy.reset();
    await heard.heard('closed');
    await sleep(300);
    expect(heard.count('closed')).toBe(1);
  });

  it('hears nothing, not even an end, on a connection that is half-open; another connection works', async () => {
    const proxy = await proxyOf(etcd.members[0].port);
    const writer = writerOn(etcd.endpoints);
    const store = storeOn(through(proxy));
    const connection = await store.dial();
    const { revision } = await connection.list();
    const heard = new Recorder();
    const watch = connection.watch(revision + 1n, heard);
    await heard.heard('created');
    proxy.halfOpen();
    await writer.write(pod('a'));
    const told = heard.told.length;
    await sleep(1000);
    expect(heard.told).toHaveLength(told);
    expect(await fault(connection.list(200))).toBe('deadline');
    const other = new Recorder();
    (await store.dial()).watch(watch.next, other);
    await other.reached(revision + 1n);
    expect(other.keys).toEqual([keyOf('a')]);
  });

  it('tells late, and all of it, what a network held up', async () => {
    const proxy = await proxyOf(etcd.members[0].port);
    const writer = writerOn(etcd.endpoints);
    const connection = await storeOn(through(proxy)).dial();
    const { revision } = await connection.list();
    const heard = new Recorder();
    connection.watch(revision + 1n, heard);
    await heard.heard('created');
    proxy.blackhole();
    await writer.write(pod('a'));
    const told = heard.told.length;
    await sleep(300);
    expect(heard.told).toHaveLength(told);
    proxy.release();
    await heard.reached(revision + 1n);
    proxy.delay = 100;
    const start = performance.now();
    await connection.list(2000);
    expect(performance.now() - start).toBeGreaterThan(195);
  });

  it('ends a connection by pings where that was asked for', async () => {
    const proxy = await proxyOf(etcd.members[0].port);
    const store = storeOn(through(proxy), { keepalive: { time: 600, timeout: 300 } });
    const connection = await store.dial();
    const heard = new Recorder();
    connection.watch((await connection.list()).revision + 1n, heard);
    await heard.heard('created');
    proxy.halfOpen();
    await heard.heard('closed');
  });

  it('reads by new connections after its own have gone silent', async () => {
    const proxy = await proxyOf(etcd.members[0].port);
    const { reads } = storeOn(through(proxy), { callTimeout: 400 });
    const revision = await reads.revision();
    proxy.halfOpen();
    expect(await fault(reads.revision())).toBe('deadline');
    expect(await reads.revision()).toBe(revision);
  });

  it('says by its faults what was wrong', async () => {
    const proxy = await proxyOf(etcd.members[0].port);
    const store = storeOn(through(proxy), { dialTimeout: 300, callTimeout: 300 });
    proxy.admission = 'swallow';
    expect(await fault(store.dial())).toBe('deadline');
    expect(await fault(store.reads.revision())).toBe('deadline');
    proxy.admission = 'refuse';
    expect(await fault(store.dial())).toBe('unavailable');
    expect(await fault(store.reads.heartbeat())).toBe('unavailable');
    proxy.admission = 'pass';
    await store.dial();
    await store.reads.heartbeat();
    store.close();
    expect(await fault(store.reads.revision())).toBe('unavailable');
  });

  it('leaves no sockets behind where connections are accepted and nothing answers', async () => {
    const proxy = await proxyOf(etcd.members[0].port);
    const store = storeOn(through(proxy), { dialTimeout: 50, callTimeout: 50 });
    proxy.admission = 'swallow';
    for (let attempt = 0; attempt < 5; attempt++) {
      expect(await fault(store.dial())).toBe('deadline');
      expect(await fault(store.reads.revision())).toBe('deadline');
    }
    // etcd3 would wake up the closed channels within 1 s.
    await sleep(1500);
    expect(proxy.connections).toBe(0);
    expect(proxy.accepted).toBe(10);
  });

  it('is one socket for each connection, which closing it closes, silent or not', async () => {
    const proxy = await proxyOf(etcd.members[0].port);
    const store = storeOn(through(proxy));
    const [one, other] = [await store.dial(), await store.dial()];
    for (const connection of [one, other]) {
      const heard = new Recorder();
      connection.watch((await connection.list()).revision + 1n, heard);
      await heard.heard('created');
    }
    expect(proxy.connections).toBe(2);
    one.close();
    await vi.waitFor(() => expect(proxy.connections).toBe(1));
    proxy.halfOpen();
    other.close();
    await vi.waitFor(() => expect(proxy.connections).toBe(0));
    expect(await fault(one.list(100))).toBe('unavailable');
  });

  it('fails a call that is under way when it is closed', async () => {
    const proxy = await proxyOf(etcd.members[0].port);
    const store = storeOn(through(proxy));
    const connection = await store.dial();
    proxy.halfOpen();
    const list = fault(connection.list());
    await sleep(50);
    store.close();
    expect(await list).toBe('unavailable');
  });

  it('gives up a member that stands still at the deadline, and the next one in turn answers', async () => {
    const frozen = closing(await startEtcd());
    await frozen.members[0].stop();
    const store = storeOn([...frozen.endpoints, ...etcd.endpoints], { dialTimeout: 500, callTimeout: 1000 });
    const start = performance.now();
    expect(await fault(store.dial())).toBe('deadline');
    const took = performance.now() - start;
    expect(took).toBeGreaterThan(450);
    expect(took).toBeLessThan(1500);
    expect((await store.dial()).member).toBe(`127.0.0.1:${etcd.members[0].port}`);
    await store.reads.revision();
    frozen.members[0].cont();
    expect((await store.dial()).member).toBe(`127.0.0.1:${frozen.members[0].port}`);
  });

  it('writes, reads and erases an endpoint', async () => {
    const writer = writerOn(etcd.endpoints);
    expect(await writer.read(pod('a'))).toBeUndefined();
    expect(await writer.erase(pod('a'))).toBe(false);
    const revision = await writer.write(pod('a'));
    expect(await writer.read(pod('a'))).toEqual({
      revision,
      record: { key: keyOf('a'), endpoint: pod('a') },
    });
    expect(await writer.erase(keyOf('a'))).toBe(true);
    expect(await writer.read(keyOf('a'))).toBeUndefined();
  });

  it('does not write over another’s record when a write that was given up is carried out late', async () => {
    const proxy = await proxyOf(etcd.members[0].port);
    const writer = writerOn(etcd.endpoints);
    const slow = closing(new EndpointWriter({ ...options, endpoints: through(proxy), callTimeout: 500 }));
    await slow.read(pod('a'));
    proxy.delay = 200;
    // It reads within the time, and what it then sends is on its way when the time is up.
    const given = fault(slow.write({ ...pod('a'), containerId: 'given-up' }));
    await sleep(300);
    const revision = await writer.write(pod('a'));
    expect(await given).toBe('deadline');
    await sleep(500);
    expect(await writer.read(pod('a'))).toMatchObject({ revision, record: { endpoint: pod('a') } });
  });

  it('writes once what it has to write twice to know that it is written', async () => {
    const writer = writerOn(etcd.endpoints);
    const revision = await writer.write(pod('a'));
    expect(await writer.write(pod('a'))).toBe(revision);
    expect(await writer.write({ ...pod('a'), containerId: 'next' })).toBe(revision + 1n);
  });

  it('erases for a container what is that container’s, and nothing else', async () => {
    const writer = writerOn(etcd.endpoints);
    await writer.write(pod('a'));
    expect(await writer.erase(pod('a'), 'another')).toBe(false);
    expect(await writer.read(pod('a'))).toBeDefined();
    expect(await writer.erase(pod('a'), 'container-of-a')).toBe(true);
    expect(await writer.erase(pod('a'), 'container-of-a')).toBe(false);
    await plain(etcd).put(keyOf('b')).value('no JSON');
    expect(await writer.erase(pod('b'), 'container-of-b')).toBe(false);
  });

  it('does not erase the next container’s endpoint, however the writes fall', async () => {
    const [old, young] = [writerOn(etcd.endpoints), writerOn(etcd.endpoints)];
    for (let round = 0; round < 100; round++) {
      await old.write(pod('a'));
      await Promise.all([
        old.erase(pod('a'), 'container-of-a'),
        sleep(Math.random() * 2).then(() => young.write({ ...pod('a'), containerId: 'next' })),
      ]);
      expect((await young.read(pod('a')))?.record).toMatchObject({ endpoint: { containerId: 'next' } });
    }
  });
});

/** Watches on from a place, by connection after connection, until a revision has been told or nothing more comes. */
async function follow(
  store: EtcdStore,
  from: bigint,
  last: bigint,
  cut: (what: 'created' | 'changed', count: number) => void,
  patience: number,
): Promise<Recorder> {
  let count = 0;
  const heard = new Recorder((what) => cut(what, count++));
  let next = from;
  for (let attempt = 0; attempt < 3; attempt++) {
    const connection: Connection = await store.dial();
    const closed = heard.count('closed');
    const watch: WatchHandle = connection.watch(next, heard);
    await vi
      .waitFor(
        () => expect(heard.count('closed') > closed || heard.changes.at(-1)?.revision === last).toBe(true),
        { timeout: patience, interval: 10 },
      )
      .catch(() => {});
    next = watch.next;
    connection.close();
    if (heard.changes.at(-1)?.revision === last) break;
  }
  return heard;
}

describe.skipIf(skipped)(`the schedules on which etcd3's own Watcher loses changes${note}`, () => {
  let etcd: EtcdCluster;
  beforeAll(async () => {
    etcd = await startEtcd();
  });
  afterAll(() => etcd.close());

  describe.each([
    { watch: 'the stock watch', stock: true, patience: 1500 },
    { watch: 'ours', stock: false, patience: 10_000 },
  ])('$watch', ({ stock, patience }) => {
    it(`${stock ? 'loses' : 'keeps'} a backlog if the connection ends after it was created`, async () => {
      const proxy = await proxyOf(etcd.members[0].port);
      const store = storeOn(through(proxy), { stock });
      const revisions = await writeMany(writerOn(etcd.endpoints), `l1-${stock}`, 10);
      const last = revisions.at(-1) as bigint;
      // The server sends the backlog within 100 ms after `created`.
      const cut = (what: string, count: number): void => {
        if (what === 'created' && count === 0) proxy.reset();
      };
      const heard = await follow(store, revisions[0] as bigint, last, cut, patience);
      const told = heard.changes.map(({ revision }) => revision);
      if (stock) expect(told).toEqual([]);
      else expect(told).toEqual(revisions);
    });

    it(`${stock ? 'loses' : 'keeps'} what comes after the first part of a long backlog`, async () => {
      const client = plain(etcd);
      const proxy = await proxyOf(etcd.members[0].port);
      const store = storeOn(through(proxy), { stock });
      const key = Buffer.from(keyOf(`l2-${stock}`));
      const value = Buffer.from(writeValue(pod(`l2-${stock}`)));
      const revisions: bigint[] = [];
      for (let round = 0; round < 35; round++) {
        const puts = await Promise.all(Array.from({ length: 100 }, () => client.kv.put({ key, value })));
        revisions.push(...puts.map(({ header }) => BigInt(header.revision)));
      }
      revisions.sort((one, other) => Number(one - other));
      let cuts = 0;
      const cut = (what: string): void => {
        if (what === 'changed' && cuts++ === 0) proxy.reset();
      };
      const heard = await follow(store, revisions[0] as bigint, revisions.at(-1) as bigint, cut, patience);
      const told = heard.changes.map(({ revision }) => revision);
      if (stock) expect(told).toEqual(revisions.slice(0, 1000));
      else expect(told).toEqual(revisions);
    });

    it(`${stock ? 'does not say' : 'says'} that its history was compacted`, async () => {
      const revisions = await writeMany(writerOn(etcd.endpoints), `c1-${stock}`, 5);
      const last = revisions.at(-1) as bigint;
      await compact(plain(etcd), last);
      const connection = await storeOn(etcd.endpoints, { stock }).dial();
      const heard = new Recorder();
      const watch = connection.watch(revisions[0] as bigint, heard);
      await heard.heard(stock ? 'cancelled' : 'refused');
      expect(heard.told.at(-1)).toBe(stock ? 'cancelled Watcher canceled: ' : `refused ${last}`);
      // Where the stock one says that it would go on, the compacted changes have been skipped.
      expect(watch.next).toBe(stock ? last + 1n : revisions[0]);
    });

    it(`${stock ? 'goes back, and tells changes again,' : 'repeats nothing'} after a member that lags`, async () => {
      const cluster = closing(await startEtcd());
      const member = cluster.members[0];
      const writer = writerOn(cluster.endpoints);
      const store = storeOn(cluster.endpoints, { stock });
      const behind = (await writeMany(writer, 'w', 6)).at(-1) as bigint;
      await member.kill();
      const early = await member.snapshot();
      await cluster.restart(member);
      const ahead = (await writeMany(writer, 'x', 6)).at(-1) as bigint;
      const told = new Recorder();
      const connection = await store.dial();
      const watch = connection.watch(1n, told);
      await told.reached(ahead);
      await vi.waitFor(() => expect(watch.next).toBe(ahead + 1n));
      connection.close();
      await member.kill();
      const late = await member.snapshot();

      // As one that lags, or that was restored from a backup: its header is behind where the watch is to begin.
      await member.restore(early);
      await cluster.restart(member);
      const lagging = new Recorder();
      const lagged = (await store.dial()).watch(watch.next, lagging);
      await lagging.heard('progressed');
      expect(lagging.told[0]).toBe(`created ${behind}`);
      expect(behind + 1n).toBeLessThan(watch.next);
      expect(lagged.next).toBe(stock ? behind + 1n : ahead + 1n);
      await member.kill();

      await member.restore(late);
      await cluster.restart(member);
      const again = new Recorder();
      (await store.dial()).watch(lagged.next, again);
      await again.heard('progressed');
      expect(again.changes).toHaveLength(stock ? 6 : 0);
    });
  });

  it('etcd3 by itself: a watcher made by create() dies of a compaction without a word', async () => {
    const writer = writerOn(etcd.endpoints);
    const revisions = await writeMany(writer, 'c2', 5);
    const client = plain(etcd);
    await compact(client, revisions.at(-1) as bigint);
    const watcher = await client.watch().prefix(calicoPrefix).startRevision(`${revisions[0]}`).create();
    const heard: string[] = [];
    watcher.on('put', () => heard.push('put'));
    watcher.on('disconnected', () => heard.push('disconnected'));
    watcher.on('end', () => heard.push('end'));
    await sleep(500);
    await writer.write(pod('later'));
    await sleep(1000);
    expect(heard).toEqual([]);
  });
});

describe.skipIf(skipped)(`a store that asks for users${note}`, () => {
  const agent = { username: 'agent', password: 'password of agent' };
  let etcd: EtcdCluster;
  beforeAll(async () => {
    etcd = await startEtcd({ flags: ['--auth-token-ttl=1'] });
    const client = new Etcd3({ hosts: [...etcd.endpoints] });
    await enableUsers(client, calicoPrefix);
    client.close();
  });
  afterAll(() => etcd.close());

  it.each([
    ['without a user', {}],
    ['with a wrong password', { ...agent, password: 'x' }],
    ['with an unknown user', { ...agent, username: 'x' }],
    ['under a prefix that is not the user’s', { ...agent, prefix: '/other/' }],
  ])('is denied %s', async (_, changed) => {
    const store = storeOn(etcd.endpoints, changed);
    expect(await fault(store.dial())).toBe('denied');
    expect(await fault(store.reads.list('linearizable'))).toBe('denied');
    expect(await fault(store.reads.heartbeat())).toBe('denied');
  });

  it('lists, watches and writes for its user, also after the token has run out', async () => {
    const store = storeOn(etcd.endpoints, agent);
    const writer = closing(new EndpointWriter({ ...options, ...agent, endpoints: etcd.endpoints }));
    const connection = await store.dial();
    const { revision } = await connection.list();
    const heard = new Recorder();
    connection.watch(revision + 1n, heard);
    await heard.heard('created');
    await writer.write(pod('a'));
    await heard.reached(revision + 1n);
    await sleep(3000);
    await writer.write(pod('b'));
    await heard.reached(revision + 2n);
    expect((await connection.list()).records).toHaveLength(2);
    expect(await store.reads.heartbeat()).toBe(revision + 3n);
  });

  it('logs in again after the member was started anew', async () => {
    const store = storeOn(etcd.endpoints, agent);
    const revision = await store.reads.revision();
    await etcd.restart(etcd.members[0]);
    // The first call may be what finds the connection ended.
    await vi.waitFor(async () => expect(await store.reads.revision()).toBe(revision), { timeout: 5000 });
  });

  it('cancels the watch of a user who may not', async () => {
    const store = storeOn(etcd.endpoints, agent);
    const member = new Member(etcd.endpoints[0] as string, { ...options, ...agent });
    closing(member);
    await member.call(undefined, (client, call) => client.kv.range({ key: Buffer.from(calicoPrefix) }, call));
    const heard = new Recorder();
    closing({ close: () => watch.end() });
    const watch = new RawWatch(member, '/other/', 1n, heard);
    await heard.heard('cancelled .*permission denied');
    expect(heard.told).toHaveLength(1);
    await store.dial();
  });

  it('is none that has no users: a user does no harm there', async () => {
    const open = closing(await startEtcd());
    const store = storeOn(open.endpoints, agent);
    expect((await (await store.dial()).list()).records).toEqual([]);
    await store.reads.heartbeat();
  });
});

const noTls = await missingCommands(['openssl']);

describe.skipIf(skipped || noTls !== '')(`a store with certificates${note || noTls}`, () => {
  let folder: string;
  let etcd: EtcdCluster;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'routeproof-tls-'));
    await makeCertificates(folder);
    etcd = await startEtcd({
      tls: { ca: join(folder, 'ca.crt'), cert: join(folder, 'm.crt'), key: join(folder, 'm.key') },
    });
  });
  afterAll(async () => {
    await etcd.close();
    await rm(folder, { recursive: true });
  });

  it('is spoken to with a certificate of its authority', async () => {
    const [ca, cert, key] = await Promise.all(
      ['ca.crt', 'm.crt', 'm.key'].map((name) => readFile(join(folder, name))),
    );
    const store = storeOn(etcd.endpoints, { tls: { ca, cert, key } as NonNullable<StoreOptions['tls']> });
    expect(etcd.endpoints[0]).toMatch(/^https:/);
    const connection = await store.dial();
    const { revision } = await connection.list();
    const heard = new Recorder();
    connection.watch(revision + 1n, heard);
    await store.reads.heartbeat();
    await heard.heard('changed');
  });

  it('is unavailable without one, by an authority that is not its own, and without TLS', async () => {
    const [ca, other] = await Promise.all(
      ['ca.crt', 'other.crt'].map((name) => readFile(join(folder, name))),
    );
    for (const tls of [{ ca: ca as Buffer }, { ca: other as Buffer }]) {
      expect(await fault(storeOn(etcd.endpoints, { tls }).dial())).toMatch(/^(unavailable|deadline)$/);
    }
    const plainly = etcd.endpoints.map((each) => each.replace('https', 'http'));
    expect(await fault(storeOn(plainly).dial())).toMatch(/^(unavailable|deadline)$/);
  });
});

describe.skipIf(skipped)(`a store on three members${note}`, () => {
  let etcd: EtcdCluster;
  beforeAll(async () => {
    etcd = await startEtcd({ size: 3 });
  });
  afterAll(() => etcd.close());

  it('is dialled at one member after the other', async () => {
    const store = storeOn(etcd.endpoints);
    const members: string[] = [];
    for (let dial = 0; dial < 4; dial++) members.push((await store.dial()).member);
    const ports = etcd.members.map(({ port }) => `127.0.0.1:${port}`);
    expect(members).toEqual([...ports, ports[0]]);
  });

  it('ends the watch on a member that knows no leader if that was asked for, and lists serializably there', async () => {
    const [first, ...others] = etcd.members;
    const alone = [first.endpoint];
    const changed = { callTimeout: 1000, dialTimeout: 1000 };
    const [strict, lenient] = [storeOn(alone, { ...changed, requireLeader: true }), storeOn(alone, changed)];
    const heard = { strict: new Recorder(), lenient: new Recorder() };
    const { revision } = await strict.reads.list('linearizable');
    for (const [store, recorder] of [
      [strict, heard.strict],
      [lenient, heard.lenient],
    ] as const) {
      (await store.dial()).watch(revision + 1n, recorder);
      await recorder.heard('created');
    }
    await Promise.all(others.map((each) => each.stop()));
    try {
      await heard.strict.heard('closed .*no leader');
      await sleep(500);
      expect(heard.lenient.count('closed')).toBe(0);
      // It can be dialled, and lists what it has; but nobody can say that this is all.
      const connection = await strict.dial();
      expect((await strict.reads.list('serializable')).revision).toBe(revision);
      expect(await fault(strict.reads.list('linearizable'))).toMatch(/^(deadline|unavailable)$/);
      expect(await fault(strict.reads.revision())).toMatch(/^(deadline|unavailable)$/);
      const refused = new Recorder();
      connection.watch(revision + 1n, refused);
      await refused.heard('closed .*no leader');
      expect(refused.told).toHaveLength(1);
    } finally {
      for (const each of others) each.cont();
    }
    await vi.waitFor(() => strict.reads.revision(), { timeout: 10_000 });
  });

  // The last one: a write that was given up may still be carried out when its member goes on.
  it('answers reads and writes while one member, whichever, stands still', async () => {
    const store = storeOn(etcd.endpoints, { callTimeout: 9000 });
    for (const member of etcd.members) {
      const before = await store.reads.heartbeat();
      await member.stop();
      try {
        const after = await store.reads.heartbeat();
        expect(after).toBeGreaterThan(before);
        expect((await store.reads.list('linearizable')).revision).toBe(after);
      } finally {
        member.cont();
      }
    }
  });
});
