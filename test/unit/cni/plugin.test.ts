import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { errorCodes } from '../../../src/cni/cni-error.ts';
import { answer, type Workshop } from '../../../src/cni/plugin.ts';
import { orders } from '../../../src/cni/steps.ts';
import { interfaceNameOf } from '../../../src/etcd/endpoint-keys.ts';
import { StoreError } from '../../../src/etcd/store.ts';
import { Node, noTraces } from './surroundings.ts';

const interfaceName = interfaceNameOf('default', 'web');
const environment = {
  CNI_CONTAINERID: 'first',
  CNI_NETNS: '/run/netns/web',
  CNI_IFNAME: 'eth0',
  CNI_ARGS: 'IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=web;IP=10.0.0.1',
  CNI_PATH: '/nowhere',
};
const configuration = {
  cniVersion: '1.0.0',
  name: 'pods',
  type: 'routeproof-cni',
  nodename: 'node-a',
  etcd_endpoints: 'http://127.0.0.1:2379',
};
const result = {
  cniVersion: '1.0.0',
  interfaces: [{ name: interfaceName }, { name: 'eth0', sandbox: '/run/netns/web' }],
  ips: [{ address: '10.0.0.1/32', interface: 1 }],
  routes: [{ dst: '0.0.0.0/0', gw: '169.254.1.1' }],
  dns: {},
};

let on: Node;
let log: string[];

beforeEach(() => {
  on = new Node();
  log = [];
});

class Crash extends Error {}

async function call(command: string, overrides: { env?: object; config?: object; stdin?: string } = {}) {
  const workshop: Workshop = {
    network: on.network,
    claims: () => on.claims,
    registry: async () => on.registry,
    // Nobody here can be killed, so it is told by a message that no other failure has.
    crash: () => Promise.reject(new Crash('crashed')),
    log: (line) => log.push(line),
  };
  const stdin = overrides.stdin ?? JSON.stringify({ ...configuration, ...overrides.config });
  const env = { CNI_COMMAND: command, ...environment, ...overrides.env };
  const { stdout, exitCode } = await answer({ env, stdin }, workshop);
  return { exitCode, answer: stdout === '' ? undefined : JSON.parse(stdout) };
}

describe('ADD and DEL', () => {
  it.each(orders)('connect a pod and disconnect it again, %s', async (order) => {
    expect(await call('ADD', { config: { order } })).toEqual({ exitCode: 0, answer: result });
    expect(await on.traces()).toEqual({
      claims: ['first'],
      endpoints: ['first'],
      interfaces: ['first'],
      routes: ['10.0.0.1/32 first'],
    });
    for (const _ of ['once', 'again']) {
      expect(await call('DEL', { config: { order } })).toEqual({ exitCode: 0, answer: undefined });
      expect(await on.traces()).toEqual(noTraces);
    }
    expect(on.registry.closed).toBe(3);
  });

  it('takes the steps in the order of the configuration, endpoint-first if it has none', async () => {
    const steps = () => log.splice(0).map((line) => line.replace(/^.*: /, ''));
    await call('ADD');
    await call('DEL');
    expect(steps()).toEqual([
      'cni.wrote.endpoint',
      'cni.made.interface',
      'cni.added.route',
      'cni.removed.interface',
      'cni.erased.endpoint',
    ]);
    await call('ADD', { config: { order: 'route-first' } });
    await call('DEL', { config: { order: 'route-first' } });
    expect(steps()).toEqual([
      'cni.made.interface',
      'cni.added.route',
      'cni.wrote.endpoint',
      'cni.erased.endpoint',
      'cni.removed.interface',
    ]);
  });

  it.each(['0.3.1', '0.4.0'])('answer in version %s', async (cniVersion) => {
    const ips = [{ version: '4', address: '10.0.0.1/32', interface: 1 }];
    expect((await call('ADD', { config: { cniVersion } })).answer).toEqual({ ...result, cniVersion, ips });
  });

  it('lets DEL go without a namespace, and not ADD', async () => {
    await call('ADD');
    expect(await call('DEL', { env: { CNI_NETNS: '' } })).toMatchObject({ exitCode: 0 });
    expect(await on.traces()).toEqual(noTraces);
    expect(await call('ADD', { env: { CNI_NETNS: '' } })).toMatchObject({ answer: { code: 4 } });
  });

  it('leaves all that a failed ADD did to DEL', async () => {
    on.registry.failure = new StoreError('unavailable', 'no member');
    const failed = await call('ADD', { config: { order: 'route-first' } });
    expect(failed).toMatchObject({ exitCode: 1, answer: { code: 11, details: 'no member' } });
    expect(await on.traces()).toMatchObject({
      claims: ['first'],
      routes: ['10.0.0.1/32 first'],
      endpoints: [],
    });
    await call('DEL', { config: { order: 'route-first' } });
    expect(await on.traces()).toEqual(noTraces);
  });

  it('keeps the claim in a DEL that cannot erase the endpoint', async () => {
    await call('ADD');
    on.registry.failure = new StoreError('deadline', 'no answer');
    expect(await call('DEL')).toMatchObject({ exitCode: 1, answer: { code: 11 } });
    expect(await on.traces()).toEqual({ ...noTraces, claims: ['first'], endpoints: ['first'] });
  });

  it('crashes after the step that is asked for, and at no other', async () => {
    const env = { ROUTEPROOF_CNI_CRASH_AFTER: 'cni.made.interface' };
    const crashed = await call('ADD', { env });
    expect(crashed.answer.details).toContain('crashed');
    expect(await on.traces()).toMatchObject({ endpoints: ['first'], interfaces: ['first'], routes: [] });
    expect(await call('DEL', { env })).toMatchObject({ exitCode: 0 });
    expect(await call('DEL', { env: { ROUTEPROOF_CNI_CRASH_AFTER: 'made' } })).toMatchObject({
      answer: { code: errorCodes.invalidEnvironment, msg: expect.stringContaining('cni.made.interface') },
    });
  });

  it('prefers the address of runtimeConfig to that of CNI_ARGS, and gives any a length of 32', async () => {
    const config = { runtimeConfig: { ips: ['10.0.0.9/24'] } };
    expect((await call('ADD', { config })).answer.ips).toEqual([{ address: '10.0.0.9/32', interface: 1 }]);
  });
});

describe('CHECK', () => {
  const config = { prevResult: result };

  it('finds nothing wrong with what ADD made', async () => {
    await call('ADD');
    expect(await call('CHECK', { config })).toEqual({ exitCode: 0, answer: undefined });
  });

  it.each([
    ['the interface', 'no interface', () => on.kernel.removeInterface(interfaceName)],
    ['the route', 'no route', () => on.kernel.remove([{ destination: '10.0.0.1/32' }])],
    ['the link', 'is down', () => on.kernel.setUp(interfaceName, false)],
    ['the claim', 'claimed by nobody', () => on.claims.claims.clear()],
    ['its claim', 'claimed by container x', () => on.claims.claims.set(interfaceName, 'x')],
    ['the endpoint', 'the store has no endpoint', () => on.registry.endpoints.clear()],
  ])('misses %s', async (_, said, spoil) => {
    await call('ADD');
    await spoil();
    expect(await call('CHECK', { config })).toMatchObject({
      exitCode: 1,
      answer: { code: errorCodes.notAsAdded, msg: expect.stringContaining(said) },
    });
  });

  it.each([
    [{ containerId: 'x' }, 'of container x'],
    [{ addresses: [] }, 'not the address'],
    [{ interfaceName: 'cali9' }, 'the interface cali9'],
  ])('sees an endpoint that has %o', async (wrong, said) => {
    await call('ADD');
    for (const [key, endpoint] of on.registry.endpoints)
      on.registry.endpoints.set(key, { ...endpoint, ...wrong });
    expect((await call('CHECK', { config })).answer.msg).toContain(said);
  });

  it('needs the result of this ADD', async () => {
    await call('ADD');
    const other = { ...result, interfaces: [{ name: 'cali9' }, { name: 'eth0' }] };
    expect(await call('CHECK', { config: { prevResult: other } })).toMatchObject({ answer: { code: 7 } });
  });

  it.each([
    [undefined, 'it is missing'],
    [null, "'prevResult' is missing or is not what ADD writes there"],
    ['text', "'prevResult' is missing or is not what ADD writes there"],
    [{}, "'prevResult.ips' is missing or is not what ADD writes there"],
    [{ ips: [{ address: 'fe80::1' }] }, "'prevResult.ips.0.address' is missing or is not"],
    [{ ...result, interfaces: 1 }, "'prevResult.interfaces' is missing or is not"],
  ])('says in its own words what is wrong with prevResult %j', async (prevResult, said) => {
    const { exitCode, answer } = await call('CHECK', { config: { prevResult } });
    expect(exitCode).toBe(1);
    expect(answer).toEqual({ cniVersion: '1.0.0', code: 7, msg: answer.msg });
    expect(answer.msg).toContain(said);
    expect(answer.msg).toContain('The runtime has to keep what ADD answered');
    expect(answer.msg).not.toMatch(/invalid|expected|received/i);
  });

  it('is not in 0.3.1', async () => {
    const older = { ...config, cniVersion: '0.3.1' };
    expect(await call('CHECK', { config: older })).toMatchObject({
      answer: { cniVersion: '0.3.1', code: 1 },
    });
  });
});

describe('VERSION', () => {
  const supportedVersions = ['0.3.1', '0.4.0', '1.0.0'];

  it.each([
    ['{"cniVersion":"0.4.0"}', '0.4.0'],
    ['{"cniVersion":"1.1.0"}', '1.1.0'],
    ['', '1.0.0'],
  ])('answers %s', async (stdin, cniVersion) => {
    expect(await call('VERSION', { stdin })).toEqual({
      exitCode: 0,
      answer: { cniVersion, supportedVersions },
    });
  });

  it('does not take what is not JSON', async () => {
    expect(await call('VERSION', { stdin: '{' })).toMatchObject({ exitCode: 1, answer: { code: 6 } });
  });
});

describe('errors', () => {
  it.each<[string, Parameters<typeof call>[1], number, string]>([
    ['no JSON', { stdin: '{' }, 6, 'not JSON'],
    ['no object', { stdin: '[]' }, 6, 'no JSON object'],
    ['no version', { stdin: '{}' }, 1, '0.1.0'],
    ['a version to come', { config: { cniVersion: '1.1.0' } }, 1, "Set 'cniVersion'"],
    ['an unknown field', { config: { etcd_endpoint: 'x' } }, 2, "'etcd_endpoint'"],
    ['a member that is no URL', { config: { etcd_endpoints: 'http://a:1,b:2' } }, 7, "'etcd_endpoints.1'"],
    ['no member', { config: { etcd_endpoints: undefined } }, 7, "'etcd_endpoints'"],
    ['an order that is none', { config: { order: 'any' } }, 7, "'order'"],
    ['a certificate alone', { config: { etcd_cert_file: '/a' } }, 7, 'go together'],
    ['a user alone', { config: { etcd_username: 'a' } }, 7, 'go together'],
    ['masquerading', { config: { ipMasq: true } }, 7, "'ipMasq'"],
    ['a path as a plugin', { config: { ipam: { type: '../x' } } }, 7, "'ipam.type'"],
    ['a plugin that is not there', { config: { ipam: { type: 'x' } } }, 7, "'ipam.type'"],
    ['no container', { env: { CNI_CONTAINERID: '' } }, 4, 'CNI_CONTAINERID'],
    ['a container that is a path', { env: { CNI_CONTAINERID: '../a' } }, 4, 'CNI_CONTAINERID'],
    ['a long interface', { env: { CNI_IFNAME: 'a234567890123456' } }, 4, 'CNI_IFNAME'],
    ['no pod', { env: { CNI_ARGS: '' } }, 4, 'K8S_POD_NAMESPACE'],
    ['a pod with a slash', { env: { CNI_ARGS: 'K8S_POD_NAMESPACE=a;K8S_POD_NAME=a/b' } }, 4, 'K8S_POD_NAME'],
    ['no address', { env: { CNI_ARGS: 'K8S_POD_NAMESPACE=a;K8S_POD_NAME=b' } }, 7, "'ipam.type'"],
    ['two words', { env: { CNI_ARGS: `${environment.CNI_ARGS};x` } }, 4, 'CNI_ARGS'],
    ['no pod’s address', { env: { CNI_ARGS: `${environment.CNI_ARGS};IP=0.0.0.0` } }, 4, 'IP=0.0.0.0'],
    ['an address of IPv6', { env: { CNI_ARGS: `${environment.CNI_ARGS};IP=fd00::1` } }, 4, 'IP=fd00::1'],
    ['no command', { env: { CNI_COMMAND: '' } }, 4, 'CNI_COMMAND'],
    ['a command to come', { env: { CNI_COMMAND: 'GC' } }, 4, "'GC'"],
  ])('%s', async (_, overrides, code, said) => {
    const { exitCode, answer } = await call('ADD', overrides);
    expect(exitCode).toBe(1);
    expect(answer).toMatchObject({ cniVersion: '1.0.0', code });
    expect(answer.msg).toContain(said);
    expect(await on.traces()).toEqual(noTraces);
  });

  it('lets runtimes add what is reserved for them', async () => {
    const config = { 'cni.dev/valid-attachments': [], args: {}, capabilities: { ips: true } };
    expect(await call('ADD', { config })).toMatchObject({ exitCode: 0 });
  });

  it('tells a refusal of the store from an absence', async () => {
    on.registry.failure = new StoreError('denied', 'permission denied');
    expect(await call('ADD')).toMatchObject({ answer: { code: 7, details: 'permission denied' } });
  });

  it('owns up to a defect', async () => {
    on.registry.failure = new TypeError('x is not a function');
    expect(await call('ADD')).toMatchObject({
      answer: { code: 100, details: expect.stringContaining('x is not') },
    });
  });
});

describe('the plugin for addresses', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'routeproof-ipam-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  /** Installs a plugin that notes its calls, and calls with it. */
  async function through(command: string, script: string, config: object = {}) {
    const path = join(directory, 'bin');
    await mkdir(path, { recursive: true });
    const file = join(path, 'addresses');
    const note = `echo "$CNI_COMMAND $CNI_CONTAINERID $(cat)" >> ${join(directory, 'calls')}`;
    await writeFile(file, `#!/bin/sh\n${note}\n${script}\n`);
    await chmod(file, 0o755);
    const env = { CNI_PATH: `/nowhere:${path}` };
    return call(command, { env, config: { ipam: { type: 'addresses' }, ...config } });
  }
  async function calls(): Promise<string[]> {
    return (await readFile(join(directory, 'calls'), 'utf8')).trim().split('\n');
  }
  const gives = (...addresses: string[]) =>
    `echo '${JSON.stringify({ cniVersion: '1.0.0', ips: addresses.map((address) => ({ address })), dns: { domain: 'a' } })}'`;
  const given = JSON.stringify({ ...configuration, ipam: { type: 'addresses' } });

  it('gives the address, and is called as this one was', async () => {
    const { answer } = await through('ADD', gives('10.1.2.3/24'));
    expect(answer).toMatchObject({ ips: [{ address: '10.1.2.3/32', interface: 1 }], dns: { domain: 'a' } });
    expect(await calls()).toEqual([`ADD first ${given}`]);
  });

  it('gets the address back when all else is done', async () => {
    await through('ADD', gives('10.1.2.3/24'));
    on.registry.failure = new StoreError('unavailable', 'no member');
    await through('DEL', '');
    expect(await calls()).toEqual([`ADD first ${given}`]);
    expect(await through('DEL', '')).toMatchObject({ exitCode: 0 });
    expect(await calls()).toEqual([`ADD first ${given}`, `DEL first ${given}`]);
  });

  it('is told of a DEL even if that is a late one', async () => {
    await through('DEL', '');
    expect(await calls()).toEqual([`DEL first ${given}`]);
  });

  it('is asked by CHECK, and its error is passed on', async () => {
    await through('ADD', gives('10.1.2.3/24'));
    const failing = `echo '{"code": 42, "msg": "not mine", "details": "d"}'; exit 1`;
    const config = { prevResult: { ...result, ips: [{ address: '10.1.2.3/32', interface: 1 }] } };
    expect(await through('CHECK', '', config)).toMatchObject({ exitCode: 0 });
    expect(await through('CHECK', failing, config)).toMatchObject({
      answer: { code: 42, msg: expect.stringContaining('not mine'), details: 'd' },
    });
  });

  it.each([
    ['fails', `if [ $CNI_COMMAND = ADD ]; then echo '{"code": 11, "msg": "full"}'; exit 1; fi`, 11, 'full'],
    ['fails and says nothing', 'exit 3', 105, 'did not say why'],
    ['answers no JSON', 'echo yes', 105, 'not JSON'],
    ['gives none', gives(), 105, "'ips'"],
    ['gives one of IPv6', gives('fd00::1/64'), 105, 'no IPv6'],
    ['gives the node’s own', gives('127.0.0.1/8'), 105, 'found 127.0.0.1, a loopback address'],
    ['gives two', gives('10.1.2.3/24', '10.1.2.4/24'), 7, '2 addresses'],
  ])('is called with DEL if it %s', async (_, script, code, said) => {
    const { answer } = await through('ADD', script);
    expect(answer).toMatchObject({ code, msg: expect.stringContaining(said) });
    expect(await calls()).toEqual([`ADD first ${given}`, `DEL first ${given}`]);
    expect(await on.traces()).toEqual(noTraces);
  });
});
