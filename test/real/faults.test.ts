import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { calicoPrefix } from '../../src/etcd/endpoint-keys.ts';
import { EndpointWriter } from '../../src/etcd/endpoint-writer.ts';
import { EtcdStore } from '../../src/etcd/etcd-store.ts';
import { type EtcdCluster, startEtcd } from '../../src/rig/etcd-process.ts';
import type { Link } from '../../src/rig/link.ts';
import { startProxyLink } from '../../src/rig/proxy-link.ts';
import { allowedRun } from './allowed-run.ts';
import { main } from './command.ts';
import { missingEtcd } from './missing-etcd.ts';
import { noKernel } from './missing-kernel.ts';
import { pod } from './pod.ts';
import { Recorder } from './recorder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const times = { prefix: calicoPrefix, dialTimeout: 2000, callTimeout: 5000 };

describe.skipIf(missingEtcd !== '')(`an isolated member of three${missingEtcd}`, () => {
  let link: Link;
  let store: EtcdStore;
  let writer: EndpointWriter;
  let heard: Recorder;
  let first: bigint;

  const watch = async (requireLeader: boolean): Promise<void> => {
    store = new EtcdStore({ ...times, endpoints: link.endpoints, requireLeader });
    heard = new Recorder();
    const connection = await store.dial();
    const { revision } = await connection.list();
    connection.watch(revision + 1n, heard);
    await heard.heard('created');
    first = await writer.write(pod('before'));
    await heard.reached(first);
    await link.cluster.isolate(0);
    // The two others have a quorum, and take writes.
    writer.close();
    writer = new EndpointWriter({
      ...times,
      endpoints: link.cluster.endpoints.slice(0, 2),
      requireLeader: false,
    });
  };

  beforeEach(async () => {
    link = await startProxyLink(3);
    writer = new EndpointWriter({ ...times, endpoints: link.cluster.endpoints, requireLeader: false });
  });
  afterEach(async () => {
    store.close();
    writer.close();
    await link.close();
  });

  it('is silent, says that it is level with its old revision, and tells all once it is healed', async () => {
    await watch(false);
    const second = await writer.write(pod('after'));
    const before = heard.told.length;
    await sleep(3000);
    // As if nothing were wrong: neither an event nor an end, and the old revision again and again.
    const told = heard.told.slice(before);
    expect(new Set(told)).toEqual(new Set([`progressed ${first}`]));
    expect(told.length).toBeGreaterThan(10);
    expect(second).toBeGreaterThan(first);
    await link.cluster.heal();
    await heard.reached(second);
    expect(heard.count('closed')).toBe(0);
  });

  it('ends a watch that requires a leader', async () => {
    await watch(true);
    await writer.write(pod('after'));
    await heard.heard('closed');
    expect(heard.told.at(-1)).toContain('no leader');
    expect(heard.changes.length).toBe(1);
  });
});

describe.skipIf(missingEtcd !== '')(`a member that is started again${missingEtcd}`, () => {
  /** Whether each member answers a linearizable read. */
  const whole = async (cluster: EtcdCluster): Promise<boolean> => {
    const options = { ...times, callTimeout: 500, requireLeader: false };
    const asked = cluster.members.map(async ({ endpoint }) => {
      const store = new EtcdStore({ ...options, endpoints: [endpoint] });
      try {
        await store.reads.revision();
      } finally {
        store.close();
      }
    });
    return (await Promise.allSettled(asked)).every(({ status }) => status === 'fulfilled');
  };

  it.each<[string, number, (cluster: EtcdCluster) => Promise<void>, (cluster: EtcdCluster) => Promise<void>]>(
    [
      ['alone, without a leader', 1, (cluster) => cluster.loseLeader(), (cluster) => cluster.electLeader()],
      ['of three without a leader', 3, (cluster) => cluster.loseLeader(), (cluster) => cluster.electLeader()],
      ['that is isolated', 3, (cluster) => cluster.isolate(0), (cluster) => cluster.heal()],
    ],
  )('%s, is so again until that ends', async (_, size, strike, mend) => {
    const cluster = await startEtcd({ size });
    try {
      await strike(cluster);
      await cluster.restart(cluster.members[0]);
      expect(await whole(cluster)).toBe(false);
      await mend(cluster);
      expect(await whole(cluster)).toBe(true);
    } finally {
      await cluster.close();
    }
  });
});

/** Runs the child script in namespaces of its own. */
async function inside(how: string): Promise<Record<string, unknown>> {
  const script = `
    import { inOwnNamespace } from ${JSON.stringify(join(root, 'dist/src/rig/own-namespace.js'))};
    process.exitCode = await inOwnNamespace(${JSON.stringify([join(root, 'test/real/half-open-inside.mjs'), how])});`;
  const { stdout } = await execa(process.execPath, ['--input-type=module', '--eval', script]);
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe.skipIf(missingEtcd !== '')(`traces with an isolated member${missingEtcd}`, () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'routeproof-'));
  });
  const property = 'no-known-route-deleted';
  const command = (...args: readonly string[]) => execa(process.execPath, [main, ...args], { reject: false });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(['serializable-fence', 'require-leader'])('that of %s is reproduced', async (design) => {
    const agentTrace = join(folder, 'agent.trace');
    const coarse = ['-p', 'retryDelay=10', '-p', 'leaderTimeout=10'];
    const only = ['--fault', 'isolated-member', '--property', property];
    await command('check', design, ...only, ...coarse, '--trace-dir', folder);
    const trace = join(folder, `${design}.${property}.itf.json`);
    const { stdout, stderr, exitCode } = await command(
      'replay',
      trace,
      '--on',
      'etcd',
      '--trace',
      agentTrace,
    );
    expect(stdout + stderr).toContain('reproduced: after each of');
    expect(exitCode).toBe(0);
    allowedRun(agentTrace);
  });
});

describe.skipIf(noKernel !== '')(`half-open, with hosts and cables${noKernel}`, () => {
  it.each([
    ['etcd killed, its host made anew', 'wholly', true],
    ['its host forgets', 'hastily', false],
  ])(
    "%s: leaves the agent's socket established and silent, whatever it says, while a new connection hears all",
    async (_, how, killed) => {
      const { before, after, answer, peers, told, level, closed, anew, reset } = await inside(how);
      expect(before).toMatch(/198\.18\.0\.1:\d+\s+198\.18\.0\.10:2379/);
      // The same socket, port and all, and its peer knows nothing of it.
      expect(after).toBe(before);
      expect(peers).toBe('');
      expect(answer).toBe('none');
      expect(told).toEqual([]);
      expect(closed).toBe(false);
      expect(anew).toBe(killed);
      expect(level).toBe(true);
      expect(reset).toMatch(/^closed /);
    },
  );
});
