/** The agent where etcd asks who is there: for a certificate, or for a user and its password. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Etcd3 } from 'etcd3';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { calicoPrefix } from '../../src/etcd/endpoint-keys.ts';
import { EndpointWriter } from '../../src/etcd/endpoint-writer.ts';
import type { StoreOptions } from '../../src/etcd/options.ts';
import { type EtcdCluster, startEtcd } from '../../src/rig/etcd-process.ts';
import { freePorts } from '../../src/rig/free-ports.ts';
import { missingCommands } from '../cross/missing-commands.ts';
import { allowedRun } from './allowed-run.ts';
import { makeCertificates } from './certificates.ts';
import { main } from './command.ts';
import { enableUsers } from './etcd-users.ts';
import { missingEtcd } from './missing-etcd.ts';
import { canMakeNamespaces, makeNamespace, type Namespace } from './namespace.ts';

const reason = missingEtcd === '' ? await canMakeNamespaces() : missingEtcd;
const noTls = await missingCommands(['openssl']);

type Environment = Readonly<Record<string, string>>;
const start = (args: readonly string[], env: Environment) =>
  execa(process.execPath, args, { reject: false, env });

let node: Namespace;
let folder: string;
let port: number;
const running: { readonly child: ReturnType<typeof start>; readonly trace: string }[] = [];

const agent = (args: readonly string[], env: Environment = {}) => {
  const trace = join(folder, `agent-${running.length}.trace`);
  const child = start(
    [
      ...[main, 'agent', '--node', 'n1', '--netns', node.name, '--time-scale', '0.02', '-p', 'retryDelay=10'],
      ...['--claims', folder, '--listen', `127.0.0.1:${port}`, '--log-format', 'json', '--trace', trace],
      ...args,
    ],
    env,
  );
  running.push({ child, trace });
  return child;
};
const readiness = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
const eventually = (look: () => Promise<void>) => vi.waitFor(look, { timeout: 15_000, interval: 50 });
const routes = () => node.ip('-4', 'route', 'show');

/** It is not ready, and what it would delete if it were stays. @returns what it logged until its end */
async function keepsAll(child: ReturnType<typeof start>): Promise<string> {
  await eventually(async () => expect(await readiness()).toBe(503));
  // Long enough for several applies, fences and graces of the scaled design.
  await sleep(1500);
  expect(await readiness()).toBe(503);
  expect(await routes()).toContain('10.0.0.9 dev caliorphan');
  child.kill('SIGTERM');
  return (await child).stdout;
}

/** It is ready, repairs a route, and deletes another one. */
async function works(writer: EndpointWriter): Promise<void> {
  await eventually(async () => expect(await readiness()).toBe(200));
  await writer.write({
    ...{ node: 'n1', namespace: 'default', pod: 'a', containerId: 'c-a' },
    ...{ interfaceName: 'calia', addresses: ['10.0.0.1/32'] },
  });
  await eventually(async () => {
    const now = await routes();
    expect(now).toContain('10.0.0.1 dev calia');
    expect(now).not.toContain('10.0.0.9');
  });
}

beforeEach(async () => {
  if (reason !== '') return;
  node = await makeNamespace();
  folder = await mkdtemp(join(tmpdir(), 'routeproof-agent-'));
  await node.createInterface('calia', 'c-a');
  await node.createInterface('caliorphan');
  await node.ip('route', 'add', '10.0.0.9/32', 'dev', 'caliorphan', 'scope', 'link');
  port = (await freePorts(1))[0] as number;
});
afterEach(async () => {
  const runs = running.splice(0);
  for (const { child } of runs) {
    child.kill('SIGTERM');
    await child;
  }
  await node?.remove();
  try {
    for (const { trace } of runs) allowedRun(trace);
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
});

const withTls = reason || noTls;

describe.skipIf(withTls !== '')(`routeproof agent on an etcd that asks for certificates${withTls}`, () => {
  let certificates: string;
  let etcd: EtcdCluster;
  let writer: EndpointWriter;
  const file = (name: string) => join(certificates, name);
  const hosts = () => ['--etcd-endpoints', etcd.endpoints.join()];
  beforeAll(async () => {
    certificates = await mkdtemp(join(tmpdir(), 'routeproof-tls-'));
    await makeCertificates(certificates);
    etcd = await startEtcd({ tls: { ca: file('ca.crt'), cert: file('m.crt'), key: file('m.key') } });
    const [ca, cert, key] = await Promise.all(
      ['ca.crt', 'm.crt', 'm.key'].map((name) => readFile(file(name))),
    );
    writer = new EndpointWriter({
      endpoints: etcd.endpoints,
      prefix: calicoPrefix,
      tls: { ca, cert, key } as NonNullable<StoreOptions['tls']>,
      ...{ dialTimeout: 1000, callTimeout: 3000, requireLeader: false },
    });
  });
  afterAll(async () => {
    writer?.close();
    await etcd?.close();
    await rm(certificates, { recursive: true, force: true });
  });

  it('works by the files that its options name', async () => {
    agent([
      ...[...hosts(), '--etcd-ca-cert-file', file('ca.crt')],
      ...['--etcd-cert-file', file('m.crt'), '--etcd-key-file', file('m.key')],
    ]);
    await works(writer);
  });

  it('works by the files that its environment names', async () => {
    agent([], {
      ETCD_ENDPOINTS: etcd.endpoints.join(),
      ETCD_CA_CERT_FILE: file('ca.crt'),
      ETCD_CERT_FILE: file('m.crt'),
      ETCD_KEY_FILE: file('m.key'),
    });
    await works(writer);
  });

  it('believes no etcd of another authority: it says why, and deletes nothing', async () => {
    const child = agent([
      ...[...hosts(), '--etcd-ca-cert-file', file('other.crt')],
      ...['--etcd-cert-file', file('m.crt'), '--etcd-key-file', file('m.key')],
    ]);
    const log = await keepsAll(child);
    expect(log).toMatch(/certificate/);
  });

  it('is believed by no etcd without a certificate of its own: it says why, and deletes nothing', async () => {
    const log = await keepsAll(agent([...hosts(), '--etcd-ca-cert-file', file('ca.crt')]));
    expect(log).toMatch(/certificate/);
  });
});

describe.skipIf(reason !== '')(`routeproof agent on an etcd that asks for users${reason}`, () => {
  let etcd: EtcdCluster;
  let writer: EndpointWriter;
  const user = { username: 'agent', password: 'password of agent' };
  beforeAll(async () => {
    etcd = await startEtcd();
    const client = new Etcd3({ hosts: [...etcd.endpoints] });
    await enableUsers(client, calicoPrefix);
    client.close();
    writer = new EndpointWriter({
      ...{ endpoints: etcd.endpoints, prefix: calicoPrefix, ...user },
      ...{ dialTimeout: 1000, callTimeout: 3000, requireLeader: false },
    });
  });
  afterAll(async () => {
    writer?.close();
    await etcd?.close();
  });

  it('works by the user and the password that its environment names', async () => {
    agent(['--etcd-endpoints', etcd.endpoints.join()], {
      ETCD_USERNAME: user.username,
      ETCD_PASSWORD: user.password,
    });
    await works(writer);
  });

  it('says that the store refuses it without them, and deletes nothing', async () => {
    const log = await keepsAll(agent(['--etcd-endpoints', etcd.endpoints.join()]));
    expect(log).toMatch(/user name is empty/);
  });
});
