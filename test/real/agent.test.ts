/** The agent as a user runs it: the built command, a real etcd, a network namespace. */
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Etcd3 } from 'etcd3';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { designs } from '../../models/index.ts';
import type { Endpoint } from '../../src/etcd/endpoint.ts';
import { calicoPrefix, endpointKey } from '../../src/etcd/endpoint-keys.ts';
import { EndpointWriter } from '../../src/etcd/endpoint-writer.ts';
import { Member } from '../../src/etcd/member.ts';
import { type EtcdCluster, startEtcd } from '../../src/rig/etcd-process.ts';
import { readAgentTrace } from '../../src/validate/agent-trace.ts';
import { allowedRun, validatorOf } from './allowed-run.ts';
import { missingEtcd } from './missing-etcd.ts';
import { canMakeNamespaces, makeNamespace, type Namespace } from './namespace.ts';
import { quick } from './quick.ts';

const main = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));
const reason = missingEtcd === '' ? await canMakeNamespaces() : missingEtcd;

const start = (args: string[]) => execa(process.execPath, args, { reject: false });

describe.skipIf(reason !== '')(`routeproof agent${reason}`, () => {
  let etcd: EtcdCluster;
  let writer: EndpointWriter;
  let node: Namespace;
  let folder: string;
  let port: number;
  const running: { readonly child: ReturnType<typeof start>; readonly trace: string }[] = [];
  const options = () => ({
    endpoints: etcd.endpoints,
    prefix: calicoPrefix,
    ...{ dialTimeout: 1000, callTimeout: 3000, requireLeader: false },
  });
  const endpoint = (pod: string, address: string): Endpoint => ({
    ...{ node: 'n1', namespace: 'default', pod, containerId: `c-${pod}` },
    ...{ interfaceName: `cali${pod}`, addresses: [address] },
  });
  const routes = () => node.ip('-4', 'route', 'show');
  const addRoute = (address: string, name: string) =>
    node.ip('route', 'add', address, 'dev', name, 'scope', 'link');
  /** Whatever is asked of an agent, the model has to allow what it does; see below. */
  const agent = (...args: string[]) => {
    const trace = join(folder, `agent-${running.length}.trace`);
    const child = start([
      ...[main, 'agent', '--node', 'n1', '--netns', node.name, '--time-scale', '0.02', '-p', 'retryDelay=10'],
      ...['--etcd-endpoints', etcd.endpoints.join(), '--claims', folder, '--listen', `127.0.0.1:${port}`],
      ...['--log-format', 'json', '--trace', trace, ...args],
    ]);
    running.push({ child, trace });
    return child;
  };
  const status = async (): Promise<{ code: number; body: Record<string, unknown> }> => {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`);
    return { code: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const ready = () => vi.waitFor(async () => expect((await status()).code).toBe(200), { timeout: 15_000 });
  const eventually = (look: () => Promise<void>) => vi.waitFor(look, { timeout: 10_000, interval: 50 });
  /** Long enough for several applies, fences and graces of the scaled designs. */
  const aWhile = () => sleep(1500);

  beforeAll(async () => {
    etcd = await startEtcd();
  });
  afterAll(() => etcd?.close());
  beforeEach(async () => {
    node = await makeNamespace();
    folder = await mkdtemp(join(tmpdir(), 'routeproof-agent-'));
    writer = new EndpointWriter(options());
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as { port: number }).port;
    server.close();
  });
  afterEach(async () => {
    const runs = running.splice(0);
    for (const { child } of runs) {
      child.kill('SIGTERM');
      child.kill('SIGCONT');
      await child;
    }
    const member = new Member(etcd.endpoints[0] as string, options());
    await member.call(Date.now() + 3000, (client, each) =>
      client.kv.deleteRange({ key: Buffer.from('/'), range_end: Buffer.from('0') }, each),
    );
    member.close();
    writer.close();
    await node.remove();
    try {
      for (const { child, trace } of runs) {
        // One that refuses to start has done nothing, and leaves no trace.
        if ((await child).exitCode === 2) expect(existsSync(trace)).toBe(false);
        else allowedRun(trace);
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('repairs, fences and removes, is ready, and ends without touching a route', async () => {
    const child = agent();
    const trace = join(folder, 'agent-0.trace');
    await ready();
    await writer.write(endpoint('a', '10.0.0.1/32'));
    await node.createInterface('calia', 'c-a');
    await eventually(async () => expect(await routes()).toContain('10.0.0.1 dev calia'));
    await node.createInterface('caliorphan');
    await addRoute('10.0.0.9/32', 'caliorphan');
    await addRoute('10.0.0.8/32', 'lo').catch(() => {});
    await eventually(async () => expect(await routes()).not.toContain('10.0.0.9'));
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(metrics).toContain('routeproof_route_deletes_total{reason="unexpected",outcome="done"} 1');
    expect(metrics).toMatch(/routeproof_view_proof_age_seconds \d/);
    expect(metrics).toContain('routeproof_watch_state{state="connected"} 1');
    const before = await routes();
    child.kill('SIGTERM');
    const { exitCode } = await child;
    expect(exitCode).toBe(0);
    expect(await routes()).toBe(before);
    const read = readAgentTrace(readFileSync(trace, 'utf8'));
    expect(read.lines.map(({ step }) => step)).toContain('delete.executed');
    const design = designs.find(({ id }) => id === 'fenced');
    if (design === undefined) throw new Error('there is no fenced');
    const validator = validatorOf(read.head);
    // The same trace without what the store was asked before the delete is not allowed, and the first such step is named.
    const unasked = read.lines.filter(({ step }) => step !== 'fence.polled');
    const { refusal } = validator.validate({ lines: unasked });
    expect(refusal?.interface).toBe('caliorphan');
    expect(unasked[refusal?.line ?? 0]).toBe(refusal?.told);
    expect(quick(design).parameters.grace).toBeCloseTo(read.head.parameters.grace);
  });

  it('deletes nothing while the store cannot be reached, tries again, and then comes into sync', async () => {
    await node.createInterface('calia', 'c-a');
    await addRoute('10.0.0.1/32', 'calia');
    await writer.write(endpoint('a', '10.0.0.1/32'));
    await etcd.members[0].kill();
    agent();
    await eventually(async () => expect((await status()).code).toBe(503));
    await aWhile();
    expect(await routes()).toContain('10.0.0.1 dev calia');
    etcd.members[0].start();
    await etcd.members[0].ready();
    await ready();
    await aWhile();
    expect(await routes()).toContain('10.0.0.1 dev calia');
  });

  it('a record that cannot be read neither stops the others nor counts as absent', async () => {
    await node.createInterface('calia', 'c-a');
    await addRoute('10.0.0.1/32', 'calia');
    const bad = endpoint('bad', '10.0.0.1/32');
    const member = new Member(etcd.endpoints[0] as string, options());
    const put = (value: string) =>
      member.call(Date.now() + 3000, (client, each) =>
        client.kv.put({ key: Buffer.from(`${calicoPrefix}odd-key`), value: Buffer.from(value) }, each),
      );
    await put('{ this is no endpoint');
    await writer.write(endpoint('b', '10.0.0.2/32'));
    agent();
    await ready();
    await node.createInterface('calib', 'c-b');
    await eventually(async () => expect(await routes()).toContain('10.0.0.2 dev calib'));
    await aWhile();
    // Whose the record is cannot be told from its key, so it may be that of calia.
    expect(await routes()).toContain('10.0.0.1 dev calia');
    expect((await status()).body.unreadable).toEqual([`${calicoPrefix}odd-key`]);
    await member.call(Date.now() + 3000, (client, each) =>
      client.kv.deleteRange({ key: Buffer.from(`${calicoPrefix}odd-key`) }, each),
    );
    member.close();
    await eventually(async () => expect(await routes()).not.toContain('10.0.0.1 '));
    expect(endpointKey(calicoPrefix, bad)).toContain('n1-k8s-bad-eth0');
  });

  it('a second agent on the node refuses, and so does one that would own every interface', async () => {
    agent();
    await ready();
    const second = await agent('--listen', '127.0.0.1:0');
    expect(second.exitCode).toBe(2);
    expect(second.stderr).toContain('another agent');
    for (const pattern of ['', '*', 'cali*,']) {
      const refused = await agent('--interfaces', pattern);
      expect(refused.exitCode).toBe(2);
      expect(refused.stderr).toContain('would own every interface');
    }
  });

  it('is not ready while its view is stale, keeps every route then, and recovers', async () => {
    await writer.write(endpoint('a', '10.0.0.1/32'));
    await node.createInterface('calia', 'c-a');
    await node.createInterface('caliorphan');
    agent();
    await ready();
    await eventually(async () => expect(await routes()).toContain('10.0.0.1 dev calia'));
    etcd.members[0].stop();
    try {
      await eventually(async () => expect((await status()).code).toBe(503));
      await addRoute('10.0.0.9/32', 'caliorphan');
      await aWhile();
      expect(await routes()).toContain('10.0.0.9 dev caliorphan');
      expect(await routes()).toContain('10.0.0.1 dev calia');
    } finally {
      etcd.members[0].cont();
    }
    await ready();
    await eventually(async () => expect(await routes()).not.toContain('10.0.0.9'));
    expect(await routes()).toContain('10.0.0.1 dev calia');
  });

  it('a frozen process deletes nothing of a pod that came meanwhile', async () => {
    const child = agent();
    await ready();
    child.kill('SIGSTOP');
    await node.createInterface('calia', 'c-a');
    await addRoute('10.0.0.1/32', 'calia');
    await writer.write(endpoint('a', '10.0.0.1/32'));
    await aWhile();
    child.kill('SIGCONT');
    await aWhile();
    expect(await routes()).toContain('10.0.0.1 dev calia');
  });

  it('leaves a trace that can be read up to its last whole line when it is killed', async () => {
    const child = agent();
    await ready();
    await writer.write(endpoint('a', '10.0.0.1/32'));
    await node.createInterface('calia', 'c-a');
    await eventually(async () => expect(await routes()).toContain('10.0.0.1 dev calia'));
    child.kill('SIGKILL');
    await child;
    const file = join(folder, 'agent-0.trace');
    const text = readFileSync(file, 'utf8');
    const whole = readAgentTrace(text);
    expect(whole.cut).toBe(false);
    // Such as a full disk leaves it.
    writeFileSync(file, text.slice(0, -5));
    const { lines, cut } = readAgentTrace(readFileSync(file, 'utf8'));
    expect({ lines, cut }).toEqual({ lines: whole.lines.slice(0, -1), cut: true });
    // Even its lock is gone.
    agent();
    await ready();
    expect(await routes()).toContain('10.0.0.1 dev calia');
  });

  it('says that the store refuses a wrong password, and deletes nothing', async () => {
    await node.createInterface('calia', 'c-a');
    await addRoute('10.0.0.1/32', 'calia');
    const guarded = await startEtcd();
    const client = new Etcd3({ hosts: [...guarded.endpoints] });
    await client.auth.userAdd({ name: 'root', password: 'right' });
    await client.auth.userGrantRole({ user: 'root', role: 'root' });
    await client.auth.authEnable();
    client.close();
    const user = ['--etcd-endpoints', guarded.endpoints.join(), '--etcd-username', 'root', '--etcd-password'];
    const child = agent(...user, 'wrong');
    await eventually(async () => expect((await status()).code).toBe(503));
    await aWhile();
    expect((await status()).code).toBe(503);
    expect(await routes()).toContain('10.0.0.1 dev calia');
    child.kill('SIGTERM');
    expect((await child).stdout).toMatch(/the store does not answer/);
    agent(...user, 'right');
    await ready();
    await guarded.close();
  });

  it('a prefix that matches nothing is an empty store: what is unexpected goes, nothing else', async () => {
    await node.createInterface('calia', 'c-a');
    await node.createInterface('other0');
    await addRoute('10.0.0.1/32', 'calia');
    await addRoute('10.0.0.2/32', 'other0');
    writeFileSync(join(folder, 'calia'), 'c-a');
    agent('--prefix', '/nothing/here/');
    await ready();
    await aWhile();
    // The plugin claims the one, and the other is not the agent's.
    expect(await routes()).toContain('10.0.0.1 dev calia');
    expect(await routes()).toContain('10.0.0.2 dev other0');
  });
});
