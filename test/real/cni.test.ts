/** The plugin as a runtime calls it, on real network namespaces and a real etcd, with addresses by host-local. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { temporaryName } from '../../src/cni/iproute-pod-network.ts';
import { addSteps, deleteSteps, type Order, orders } from '../../src/cni/steps.ts';
import { calicoPrefix, endpointKey, interfaceNameOf } from '../../src/etcd/endpoint-keys.ts';
import { readRecord } from '../../src/etcd/endpoint-value.ts';
import { missingCommands } from '../cross/missing-commands.ts';
import { main } from './command.ts';

const plugins = '/usr/lib/cni';
const reason =
  process.getuid?.() === 0
    ? await missingCommands(['ip', 'nsenter', 'flock', 'etcd', `${plugins}/host-local`])
    : ' (skipped: not root)';
const executable = fileURLToPath(new URL('../../dist/src/cli/cni-main.js', import.meta.url));

const unique = `rp${process.pid}`;
/** The network namespace that is the node: the plugin and etcd run in it. */
const nodeSpace = `${unique}n`;
const nodePath = `/run/netns/${nodeSpace}`;
const nodeName = 'node-a';
const pod = { namespace: 'default', pod: 'web-0' };
const name = interfaceNameOf(pod.namespace, pod.pod);
const endpoint = { node: nodeName, ...pod };

interface Sandbox {
  readonly id: string;
  readonly netns: string;
}

let directory: string;
let etcd: ReturnType<typeof startEtcd>;
let storeClient: ChildProcess;
let sandboxes = 0;

function startEtcd(data: string) {
  const urls = [
    '--listen-client-urls',
    'http://127.0.0.1:2379',
    '--advertise-client-urls',
    'http://127.0.0.1:2379',
  ];
  const args = [
    '--data-dir',
    data,
    ...urls,
    '--listen-peer-urls',
    'http://127.0.0.1:2380',
    '--log-level',
    'error',
  ];
  return execa('nsenter', [`--net=${nodePath}`, 'etcd', ...args], { reject: false });
}

/** Runs a command on the node. */
async function onNode(command: string, ...args: string[]): Promise<string> {
  return (await execa('nsenter', [`--net=${nodePath}`, command, ...args])).stdout;
}

/** A process on the node that asks etcd by its JSON gateway, until it answers. */
function startClient(): ChildProcess {
  const program = `process.on('message', async ([path, body]) => {
    for (let left = 100; ; left--) try {
      const answer = await fetch('http://127.0.0.1:2379/v3/kv/' + path, { method: 'POST', body });
      if (!answer.ok) throw new Error(await answer.text());
      process.send({ answer: await answer.json() });
      return;
    } catch (error) {
      if (left === 0) return process.send({ error: String(error) });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  });`;
  return spawn('nsenter', [`--net=${nodePath}`, process.execPath, '--eval', program], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

/** Asks etcd one thing after the other. */
async function ask(path: string, body: object): Promise<{ kvs?: { key: string; value: string }[] }> {
  const told = once(storeClient, 'message');
  storeClient.send([path, JSON.stringify(body)]);
  const [{ error, answer }] = await told;
  if (error !== undefined) throw new Error(error);
  return answer;
}

/** The container whose endpoint is in the store, and its addresses. */
async function stored() {
  const key = endpointKey(calicoPrefix, endpoint);
  const { kvs = [] } = await ask('range', { key: Buffer.from(key).toString('base64') });
  const [found] = kvs;
  if (found === undefined) return undefined;
  const record = readRecord(calicoPrefix, key, Buffer.from(found.value, 'base64'));
  return 'endpoint' in record ? record.endpoint : record;
}

async function sandbox(): Promise<Sandbox> {
  sandboxes += 1;
  const id = `${unique}c${sandboxes}`;
  await execa('ip', ['netns', 'add', id]);
  return { id, netns: `/run/netns/${id}` };
}

function configuration(overrides: object = {}) {
  return {
    cniVersion: '1.0.0',
    name: `${unique}pods`,
    type: 'routeproof-cni',
    nodename: nodeName,
    etcd_endpoints: 'http://127.0.0.1:2379',
    claims_dir: join(directory, 'claims'),
    ipam: { type: 'host-local', subnet: '10.77.0.0/24', dataDir: join(directory, 'addresses') },
    ...overrides,
  };
}

/** Sandboxes for which the plugin was called. */
const called = new Set<string>();

/** Calls the plugin as a runtime does: variables, and the configuration on standard input. */
async function call(
  command: string,
  { id, netns }: Sandbox,
  {
    config = {},
    env = {},
    program = [executable],
  }: { config?: object; env?: object; program?: string[] } = {},
) {
  called.add(id);
  const { exitCode, signal, stdout, stderr } = await execa(
    'nsenter',
    [`--net=${nodePath}`, process.execPath, ...program],
    {
      reject: false,
      input: JSON.stringify(configuration(config)),
      env: {
        CNI_COMMAND: command,
        CNI_CONTAINERID: id,
        CNI_NETNS: netns,
        CNI_IFNAME: 'eth0',
        CNI_ARGS: `IgnoreUnknown=1;K8S_POD_NAMESPACE=${pod.namespace};K8S_POD_NAME=${pod.pod}`,
        CNI_PATH: plugins,
        ...env,
      },
    },
  );
  return { exitCode, signal, stderr, answer: stdout === '' ? undefined : JSON.parse(stdout) };
}

async function links(...args: string[]): Promise<{ ifname: string; ifalias?: string; flags: string[] }[]> {
  return JSON.parse(await onNode('ip', '-json', 'link', 'show', ...args));
}

async function routes(): Promise<{ dst: string; dev: string; scope: string }[]> {
  return JSON.parse(await onNode('ip', '-json', 'route', 'show', 'table', 'main'));
}

/** All that ADD leaves on a node and in the store, by what it is. */
async function traces() {
  const entries = (where: string) => readdir(join(directory, where)).catch(() => []);
  const lent = await entries(join('addresses', `${unique}pods`));
  return {
    interfaces: (await links()).filter(({ ifname }) => ifname !== 'lo').map(({ ifalias }) => ifalias),
    routes: (await routes()).map(({ dst, dev }) => `${dst} ${dev}`),
    endpoint: await stored(),
    claims: (await entries('claims')).filter((file) => !file.startsWith('.')),
    addresses: lent.filter((file) => file.startsWith('10.')),
  };
}
const none = { interfaces: [], routes: [], endpoint: undefined, claims: [], addresses: [] };

function tracesOf({ id }: Sandbox, address: string) {
  return {
    interfaces: [id],
    routes: [`${address} ${name}`],
    endpoint: { ...endpoint, interfaceName: name, addresses: [`${address}/32`], containerId: id },
    claims: [name],
    addresses: expect.arrayContaining([address]),
  };
}

function addressIn(answer: { ips: { address: string }[] }): string {
  return String(answer.ips[0]?.address).replace(/\/32$/, '');
}

describe.skipIf(reason !== '')(`a runtime's calls${reason}`, () => {
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'routeproof-cni-'));
    await execa('ip', ['netns', 'add', nodeSpace]);
    await onNode('ip', 'link', 'set', 'lo', 'up');
    // The node's own address.
    await onNode('ip', 'address', 'add', '192.0.2.1/32', 'dev', 'lo');
    etcd = startEtcd(join(directory, 'etcd'));
    storeClient = startClient();
    await stored();
  });
  afterAll(async () => {
    storeClient.kill('SIGKILL');
    etcd.kill('SIGKILL');
    await etcd;
    await execa('ip', ['netns', 'delete', nodeSpace]);
    await rm(directory, { recursive: true, force: true });
  });

  let first: Sandbox;
  let second: Sandbox;
  beforeEach(async () => {
    [first, second] = await Promise.all([sandbox(), sandbox()]);
  });
  afterEach(async () => {
    await Promise.all(
      [first, second].map(async (each) => {
        if (called.delete(each.id)) await call('DEL', each);
        await execa('ip', ['netns', 'delete', each.id]);
      }),
    );
    called.clear();
    expect(await traces()).toEqual(none);
  });

  it.each(orders)('connects a pod, finds it well, and disconnects it again, %s', async (order) => {
    const config = { order };
    const { exitCode, answer } = await call('ADD', first, { config });
    expect(exitCode).toBe(0);
    expect(answer).toMatchObject({
      cniVersion: '1.0.0',
      interfaces: [
        { name, mac: 'ee:ee:ee:ee:ee:ee' },
        { name: 'eth0', mac: expect.stringMatching(/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/), sandbox: first.netns },
      ],
      ips: [{ address: expect.stringMatching(/^10\.77\.0\.\d+\/32$/), interface: 1 }],
      routes: [{ dst: '0.0.0.0/0', gw: '169.254.1.1' }],
    });
    const address = addressIn(answer);
    expect(await traces()).toEqual(tracesOf(first, address));
    expect(await routes()).toMatchObject([{ dst: address, dev: name, scope: 'link' }]);
    const [link] = await links('dev', name);
    expect(link?.flags).toContain('UP');
    expect(await readFile(join(directory, 'claims', name), 'utf8')).toBe(first.id);
    expect(await call('CHECK', first, { config: { ...config, prevResult: answer } })).toMatchObject({
      exitCode: 0,
      answer: undefined,
    });
    for (const netns of [first.netns, '']) {
      const deleted = await call('DEL', { ...first, netns }, { config });
      expect(deleted).toMatchObject({ exitCode: 0, answer: undefined });
      expect(await traces()).toEqual(none);
    }
  });

  it('lets the pod talk with the node and with another pod', async () => {
    const address = addressIn((await call('ADD', first)).answer);
    const env = { CNI_ARGS: 'IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=api-0' };
    const other = addressIn((await call('ADD', second, { env })).answer);
    const server = `require('node:net').createServer((socket) => socket.end(socket.remoteAddress)).listen(80, '${address}', () => console.log('up'))`;
    const listening = spawn('nsenter', [`--net=${first.netns}`, process.execPath, '--eval', server]);
    await once(listening.stdout, 'data');
    const client = `require('node:net').connect(80, '${address}').pipe(process.stdout)`;
    const peerSeenFrom = async (netns: string) => {
      const args = [`--net=${netns}`, process.execPath, '--eval', client];
      return (await execa('nsenter', args, { timeout: 5000, reject: false })).stdout;
    };
    const seen = [await peerSeenFrom(nodePath), await peerSeenFrom(second.netns)];
    listening.kill('SIGKILL');
    await call('DEL', second, { env });
    expect(seen).toEqual(['192.0.2.1', other]);
  });

  it('shows the name of the interface to nobody before it carries the id', async () => {
    const monitor = execa('nsenter', [`--net=${nodePath}`, 'ip', '-oneline', '-details', 'monitor', 'link'], {
      reject: false,
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    await call('ADD', first);
    await call('DEL', first);
    await new Promise((resolve) => setTimeout(resolve, 300));
    monitor.kill('SIGKILL');
    const lines = (await monitor).stdout.split('\n');
    expect(lines.some((line) => line.includes(temporaryName(first.id)))).toBe(true);
    // What goes is told without its alias.
    const named = lines.filter((line) => line.includes(name) && !line.startsWith('Deleted'));
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((line) => !line.includes(`alias ${first.id}`))).toEqual([]);
  });

  it.each<[string, string, (address: string) => Promise<unknown>]>([
    ['the route', 'no route', (address) => onNode('ip', 'route', 'delete', `${address}/32`)],
    ['the interface', 'no interface', () => onNode('ip', 'link', 'delete', 'dev', name)],
    ['the link', 'is down', () => onNode('ip', 'link', 'set', 'dev', name, 'down')],
    ['the claim', 'claimed by nobody', () => rm(join(directory, 'claims', name))],
    [
      'the endpoint',
      'the store has no endpoint',
      () => ask('deleterange', { key: Buffer.from(endpointKey(calicoPrefix, endpoint)).toString('base64') }),
    ],
    [
      "the pod's address",
      'does not have the address',
      () => execa('ip', ['-n', first.id, 'address', 'flush', 'dev', 'eth0']),
    ],
    [
      "the pod's default route",
      'no default route',
      () => execa('ip', ['-n', first.id, 'route', 'delete', 'default']),
    ],
  ])('misses %s in CHECK', async (_, said, spoil) => {
    const { answer } = await call('ADD', first);
    await spoil(addressIn(answer));
    expect(await call('CHECK', first, { config: { prevResult: answer } })).toMatchObject({
      exitCode: 1,
      answer: { code: 104, msg: expect.stringContaining(said) },
    });
  });

  it.each(orders.flatMap((order) => addSteps[order].map((step) => [order, step] as const)))(
    'cleans up what an ADD left that crashed, %s, after %s',
    async (order: Order, step) => {
      const config = { order };
      const env = { ROUTEPROOF_CNI_CRASH_AFTER: step };
      const crashed = await call('ADD', first, { config, env });
      expect(crashed).toMatchObject({ signal: 'SIGKILL', answer: undefined });
      const left = await traces();
      const done = addSteps[order].slice(0, addSteps[order].indexOf(step) + 1);
      expect(left.claims).toEqual([name]);
      expect(left.interfaces.length === 1).toBe(done.includes('cni.made.interface'));
      expect(left.routes.length === 1).toBe(done.includes('cni.added.route'));
      expect(left.endpoint !== undefined).toBe(done.includes('cni.wrote.endpoint'));
      expect(await call('DEL', first, { config })).toMatchObject({ exitCode: 0 });
      expect(await traces()).toEqual(none);
    },
  );

  it.each(orders.flatMap((order) => deleteSteps[order].map((step) => [order, step] as const)))(
    'finishes a DEL that crashed, %s, after %s',
    async (order: Order, step) => {
      const config = { order };
      await call('ADD', first, { config });
      const crashed = await call('DEL', first, { config, env: { ROUTEPROOF_CNI_CRASH_AFTER: step } });
      expect(crashed).toMatchObject({ signal: 'SIGKILL' });
      expect((await traces()).claims).toEqual([name]);
      expect(await call('DEL', first, { config })).toMatchObject({ exitCode: 0 });
      expect(await traces()).toEqual(none);
    },
  );

  it('cleans up a pair that never got its name', async () => {
    const half = ['type', 'veth', 'peer', 'name', 'eth0', 'netns', first.netns];
    await onNode('ip', 'link', 'add', temporaryName(first.id), ...half);
    // ADD may be tried again, and DEL may come instead.
    expect(await call('ADD', first)).toMatchObject({ exitCode: 0 });
    await call('DEL', first);
    await onNode('ip', 'link', 'add', temporaryName(first.id), ...half);
    await call('DEL', first);
    expect(await traces()).toEqual(none);
  });

  it('replaces the sandbox of a pod of the same name, whose late DEL takes nothing', async () => {
    const older = addressIn((await call('ADD', first)).answer);
    const { answer } = await call('ADD', second);
    const address = addressIn(answer);
    expect(address).not.toBe(older);
    expect(await traces()).toEqual(tracesOf(second, address));
    expect(await call('DEL', first)).toMatchObject({ exitCode: 0 });
    expect(await traces()).toEqual({ ...tracesOf(second, address), addresses: [address] });
    expect(await call('CHECK', second, { config: { prevResult: answer } })).toMatchObject({ exitCode: 0 });
  });

  it('adds the same sandbox twice with the same outcome', async () => {
    const config = { ipam: undefined, runtimeConfig: { ips: ['10.88.0.1/24'] } };
    await call('ADD', first, { config });
    expect(await call('ADD', first, { config })).toMatchObject({ exitCode: 0 });
    expect(await traces()).toEqual({ ...tracesOf(first, '10.88.0.1'), addresses: [] });
  });

  it('takes no address that has a route over another interface', async () => {
    await onNode('ip', 'route', 'add', '10.88.0.1/32', 'dev', 'lo', 'scope', 'link');
    const config = { ipam: undefined, runtimeConfig: { ips: ['10.88.0.1/32'] } };
    expect(await call('ADD', first, { config })).toMatchObject({ exitCode: 1, answer: { code: 103 } });
    expect(await routes()).toMatchObject([{ dst: '10.88.0.1', dev: 'lo' }]);
    await onNode('ip', 'route', 'delete', '10.88.0.1/32');
    await call('DEL', first);
  });

  it('says what to do if the sandbox is gone', async () => {
    expect(await call('ADD', { ...first, netns: '/run/netns/none' })).toMatchObject({
      exitCode: 1,
      answer: { cniVersion: '1.0.0', code: 3, msg: expect.stringContaining('/run/netns/none') },
    });
    await call('DEL', { ...first, netns: '' });
  });

  it("refuses the node's own network namespace", async () => {
    const own = { ...first, netns: '/proc/self/ns/net' };
    expect(await call('ADD', own)).toMatchObject({
      exitCode: 1,
      answer: { code: 4, msg: expect.stringContaining("CNI_NETNS=/proc/self/ns/net is the node's own") },
    });
    await call('DEL', own);
  });

  it("takes another's interface that is called like an index for no interface of its own", async () => {
    // With their other sides they take forty indexes, and the pair the one after.
    const next = Number(await onNode('sh', '-c', "ip -o link | sed -n 's/:.*//p' | sort -n | tail -1")) + 1;
    const decoys = Array.from({ length: 20 }, (_, number) => `if${next + 35 + number}`);
    for (const decoy of decoys)
      await onNode('ip', 'link', 'add', decoy, 'type', 'veth', 'peer', 'name', `p${decoy}`);
    const { exitCode, answer } = await call('ADD', first);
    expect(exitCode).toBe(0);
    const other = (await links()).filter(({ ifname }) => decoys.includes(ifname));
    expect(other).toHaveLength(decoys.length);
    expect(other.filter(({ ifalias, flags }) => ifalias !== undefined || flags.includes('UP'))).toEqual([]);
    expect(await routes()).toMatchObject([{ dst: addressIn(answer), dev: name }]);
    for (const decoy of decoys) await onNode('ip', 'link', 'delete', 'dev', decoy);
  });

  it('asks to be called again if the store does not answer', async () => {
    const config = { etcd_endpoints: 'http://127.0.0.1:9' };
    expect(await call('DEL', first, { config })).toMatchObject({ exitCode: 1, answer: { code: 11 } });
  });

  it('answers VERSION, as a command of routeproof too', async () => {
    const answer = { cniVersion: '1.0.0', supportedVersions: ['0.3.1', '0.4.0', '1.0.0'] };
    for (const program of [[executable], [main, 'cni']])
      expect(await call('VERSION', first, { program })).toEqual({
        exitCode: 0,
        signal: undefined,
        stderr: '',
        answer,
      });
  });
});
