/** The agent as a user runs it: the built command, a real etcd, a network namespace. */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createWebServer } from 'node:http';
import { createServer as createWeb2Server } from 'node:http2';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Etcd3 } from 'etcd3';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { designs } from '../../models/index.ts';
import type { Endpoint } from '../../src/etcd/endpoint.ts';
import { calicoPrefix, endpointKey } from '../../src/etcd/endpoint-keys.ts';
import { EndpointWriter } from '../../src/etcd/endpoint-writer.ts';
import { Member } from '../../src/etcd/member.ts';
import { type EtcdCluster, startEtcd } from '../../src/rig/etcd-process.ts';
import { freePorts } from '../../src/rig/free-ports.ts';
import { readAgentTrace } from '../../src/validate/agent-trace.ts';
import { allowedRun, validatorOf } from './allowed-run.ts';
import { main } from './command.ts';
import { missingEtcd } from './missing-etcd.ts';
import { canMakeNamespaces, makeNamespace, type Namespace } from './namespace.ts';
import { quick } from './quick.ts';

const reason = missingEtcd === '' ? await canMakeNamespaces() : missingEtcd;

const start = (command: readonly string[], env: Record<string, string> = {}) =>
  execa(command[0] as string, command.slice(1), { reject: false, env });

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
  const launch = (before: readonly string[], args: readonly string[], env?: Record<string, string>) => {
    const trace = join(folder, `agent-${running.length}.trace`);
    const command = [
      ...[...before, process.execPath, main, 'agent', '--time-scale', '0.02'],
      ...['-p', 'retryDelay=10', '--etcd-endpoints', etcd.endpoints.join(), '--claims', folder],
      ...['--log-format', 'json', '--trace', trace, ...args],
    ];
    const child = start(command, { NODENAME: 'n1', ...env });
    running.push({ child, trace });
    return child;
  };
  /** In the namespace of the test, and to be asked how it is. */
  const reachable = () => ['--netns', node.name, '--listen', `127.0.0.1:${port}`];
  const agent = (...args: string[]) => launch([], [...reachable(), ...args]);
  /** What an agent has logged from now on. */
  const logOf = (child: ReturnType<typeof start>): (() => string) => {
    let log = '';
    child.stdout?.on('data', (piece: Buffer) => {
      log += String(piece);
    });
    return () => log;
  };
  /** One that is in the namespace itself, where it reaches no store. */
  const agentInside = () => launch(['ip', 'netns', 'exec', node.name], []);
  const processesInside = async () =>
    (await execa('ip', ['netns', 'pids', node.name])).stdout.split('\n').filter((id) => id !== '');
  const isHolder = (id: string) => {
    try {
      return readFileSync(`/proc/${id}/cmdline`, 'utf8').includes('lock-holder');
    } catch {
      // It has ended meanwhile.
      return false;
    }
  };
  const lockHolders = async () => (await processesInside()).filter(isHolder);
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
    port = (await freePorts(1))[0] as number;
  });
  afterEach(async () => {
    const runs = running.splice(0);
    for (const { child } of runs) {
      child.kill('SIGTERM');
      child.kill('SIGCONT');
      await child;
    }
    // A test that failed while etcd was away does not take it from the next.
    if (!etcd.members[0].runs) await etcd.restart(etcd.members[0]);
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
        if (existsSync(trace)) allowedRun(trace);
        else expect((await child).exitCode).toBe(2);
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
    await eventually(async () => {
      const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      expect(metrics).toContain('routeproof_route_deletes_total{reason="unexpected",outcome="done"} 1');
      expect(metrics).toMatch(/routeproof_fences_total\{answer="unexpected"\} [1-9]/);
      expect(metrics).toMatch(/routeproof_view_proof_age_seconds \d/);
      expect(metrics).toContain('routeproof_watch_state{state="connected"} 1');
    });
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
    // Nor is a trace in which timers are over ten times too soon.
    const hurried = read.lines.map((line) => ({ ...line, at: Math.round(line.at / 10) }));
    const early = validator.validate({ ...read, lines: hurried }).refusal;
    expect(early).toMatchObject({
      told: { step: 'timer' },
      allowed: [expect.stringMatching(/no sooner than/)],
    });
    // The command's own default, of which the model has to know.
    expect(read.head.parameters.retryDelayMax).toBeCloseTo(16 * read.head.parameters.retryDelay);
    expect(quick(design).parameters.grace).toBeCloseTo(read.head.parameters.grace);
  });

  it.each([1, 2])(
    'touches no route if %i signals come while the store is asked about it',
    async (signals) => {
      // Slow enough that the answer is waited for until the end.
      const child = agent('--time-scale', '1');
      await ready();
      await etcd.members[0].stop();
      try {
        await node.createInterface('caliorphan');
        await addRoute('10.0.0.9/32', 'caliorphan');
        await eventually(async () =>
          expect(readFileSync(join(folder, 'agent-0.trace'), 'utf8')).toContain('"decision":"fencing"'),
        );
        for (let sent = 0; sent < signals; sent++) child.kill('SIGTERM');
        await child;
      } finally {
        etcd.members[0].cont();
      }
      expect(await routes()).toContain('10.0.0.9 dev caliorphan');
    },
  );

  it('deletes nothing while the store cannot be reached, tries again, and then comes into sync', async () => {
    await node.createInterface('calia', 'c-a');
    await addRoute('10.0.0.1/32', 'calia');
    await writer.write(endpoint('a', '10.0.0.1/32'));
    await etcd.members[0].kill();
    const child = agent();
    await eventually(async () => expect((await status()).code).toBe(503));
    await aWhile();
    expect(await routes()).toContain('10.0.0.1 dev calia');
    etcd.members[0].start();
    await etcd.members[0].ready();
    await ready();
    await aWhile();
    expect(await routes()).toContain('10.0.0.1 dev calia');
    child.kill('SIGTERM');
    const [warned = '{}'] = (await child).stdout
      .split('\n')
      .filter((line) => line.includes('does not answer'));
    const { reason: why } = JSON.parse(warned);
    // Why, and where to look; not how gRPC looks names up.
    expect(why).toMatch(/ECONNREFUSED 127\.0\.0\.1:\d+ \(see --etcd-endpoints http:\/\/127\.0\.0\.1:\d+\)$/);
    expect(why).not.toContain('Resolution note');
  });

  it('waits twice as long after each failed dial, deletes nothing, and waits as at first once it was in sync', async () => {
    await node.createInterface('calia', 'c-a');
    await addRoute('10.0.0.1/32', 'calia');
    await writer.write(endpoint('a', '10.0.0.1/32'));
    await etcd.members[0].kill();
    agent();
    /** Milliseconds between each failed dial and the next dial. */
    const waits = (): number[] => {
      const { lines } = readAgentTrace(readFileSync(join(folder, 'agent-0.trace'), 'utf8'));
      const failed = lines.filter(({ step }) => step === 'dial.failed');
      const ended = lines.filter((line) => line.step === 'timer' && line.timer.includes('retryDelay'));
      return ended.map(({ at }, place) => at - (failed[place]?.at ?? Number.NaN));
    };
    // The first is 10 s, the longest 16 times as long, and a fiftieth of that here.
    await eventually(async () => expect(waits().length).toBeGreaterThanOrEqual(4));
    for (const [place, expected] of [200, 400, 800, 1600].entries()) {
      expect(waits()[place]).toBeGreaterThan(0.95 * expected);
      expect(waits()[place]).toBeLessThan(4 * expected);
    }
    expect(await routes()).toContain('10.0.0.1 dev calia');
    etcd.members[0].start();
    await etcd.members[0].ready();
    await ready();
    const failedBefore = waits().length;
    await etcd.members[0].kill();
    await eventually(async () => expect(waits().length).toBeGreaterThan(failedBefore));
    expect(waits()[failedBefore]).toBeLessThan(1600);
    etcd.members[0].start();
    await etcd.members[0].ready();
    await ready();
    expect(await routes()).toContain('10.0.0.1 dev calia');
  });

  it('warns once that there is no folder of claims, if its design reads claims, and goes on', async () => {
    await writer.write(endpoint('a', '10.0.0.1/32'));
    await node.createInterface('calia', 'c-a');
    const none = join(folder, 'none');
    const warnings = async (...args: string[]): Promise<string[]> => {
      const child = agent(...args);
      await ready();
      await eventually(async () => expect(await routes()).toContain('10.0.0.1 dev calia'));
      child.kill('SIGTERM');
      const { exitCode, stdout } = await child;
      expect(exitCode).toBe(0);
      return stdout.split('\n').filter((line) => line.includes('--claims'));
    };
    const warned = await warnings('--claims', none);
    expect(warned).toHaveLength(1);
    expect(JSON.parse(warned[0] as string)).toMatchObject({ level: 40, claims: none });
    expect(await warnings('--claims', '/dev/null')).toHaveLength(1);
    expect(await warnings('--claims', folder)).toEqual([]);
    expect(await warnings('--claims', none, '--design', 'linearizable-fence')).toEqual([]);
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

  it('keeps the route of a pod whose record gets unreadable, where its interface is not named by the rule', async () => {
    await writer.write(endpoint('a', '10.0.0.1/32'));
    await node.createInterface('calia', 'c-a');
    agent();
    await ready();
    await eventually(async () => expect(await routes()).toContain('10.0.0.1 dev calia'));
    const member = new Member(etcd.endpoints[0] as string, options());
    const key = Buffer.from(endpointKey(calicoPrefix, endpoint('a', '10.0.0.1/32')));
    await member.call(Date.now() + 3000, (client, each) =>
      client.kv.put({ key, value: Buffer.from('{"kind":"WorkloadEnd') }, each),
    );
    member.close();
    await eventually(async () => expect((await status()).body.unreadable).toEqual([key.toString()]));
    await aWhile();
    expect(await routes()).toContain('10.0.0.1 dev calia');
  });

  it('looks after routes, answers and ends although its log and its trace cannot be written', async () => {
    await writer.write(endpoint('a', '10.0.0.1/32'));
    await node.createInterface('calia', 'c-a');
    await execa('mount', ['-t', 'tmpfs', '-o', 'size=4k', 'tmpfs', folder]);
    const trace = join(folder, 'agent-0.trace');
    let written = '';
    try {
      const child = launch(['sh', '-c', 'exec "$0" "$@" > /dev/full'], reachable());
      await ready();
      await eventually(async () => expect(await routes()).toContain('10.0.0.1 dev calia'));
      await addRoute('10.0.0.9/32', 'calia');
      await eventually(async () => expect(await routes()).not.toContain('10.0.0.9'));
      await eventually(async () => expect(readFileSync(trace)).toHaveLength(4096));
      await node.ip('route', 'delete', '10.0.0.1');
      await eventually(async () => expect(await routes()).toContain('10.0.0.1 dev calia'));
      child.kill('SIGTERM');
      expect((await child).exitCode).toBe(0);
      written = readFileSync(trace, 'utf8');
    } finally {
      await execa('umount', [folder]);
    }
    expect(readAgentTrace(written).cut).toBe(true);
    // What was written before the disk was full is a story that the model has to allow.
    writeFileSync(trace, written);
  });

  it('refuses a prefix that ends within a name', async () => {
    for (const prefix of ['', '/calico']) {
      const refused = await agent('--prefix', prefix);
      expect(refused.exitCode).toBe(2);
      expect(refused.stderr).toContain(`error: --prefix '${prefix}': expected a prefix that ends with '/'`);
    }
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

  it('looks after one namespace beside an agent that looks after another', async () => {
    const other = await makeNamespace();
    try {
      await writer.write(endpoint('a', '10.0.0.1/32'));
      await node.createInterface('calia', 'c-a');
      await other.createInterface('calia', 'c-a');
      agent();
      const second = agent('--netns', other.name, '--listen', '127.0.0.1:0');
      await eventually(async () => expect(await routes()).toContain('10.0.0.1 dev calia'));
      await eventually(async () => {
        expect(await other.ip('-4', 'route', 'show')).toContain('10.0.0.1 dev calia');
      });
      second.kill('SIGTERM');
      expect((await second).exitCode).toBe(0);
    } finally {
      await other.remove();
    }
  });

  it('refuses beside one that is in the namespace itself, and the other way round', async () => {
    const inside = agentInside();
    await once(inside.stdout, 'data');
    const outside = await agent();
    expect(outside.exitCode).toBe(2);
    expect(outside.stderr).toContain('another agent');
    inside.kill('SIGTERM');
    expect((await inside).exitCode).toBe(0);
    agent();
    await ready();
    const late = await agentInside();
    expect(late.exitCode).toBe(2);
    expect(late.stderr).toContain('another agent');
  });

  it('ends when the lock of the namespace is lost, and leaves no process there when it ends', async () => {
    await node.createInterface('calia', 'c-a');
    await writer.write(endpoint('a', '10.0.0.1/32'));
    const child = agent();
    await ready();
    await eventually(async () => expect(await routes()).toContain('10.0.0.1 dev calia'));
    // What the agent is told to end by goes to its group, and must not take the lock first.
    const holder = Number((await lockHolders())[0]);
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.kill(holder, signal);
    await aWhile();
    expect((await status()).code).toBe(200);
    process.kill(holder, 'SIGKILL');
    const { exitCode, stdout } = await child;
    expect(exitCode).toBe(2);
    expect(stdout).toMatch(/"level":50,.*"reason":".*SIGKILL".*the lock of the network namespace is lost/);
    expect(await routes()).toContain('10.0.0.1 dev calia');
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const next = agent();
      await ready();
      expect(await lockHolders()).toHaveLength(1);
      next.kill(signal);
      await next;
      if (signal === 'SIGTERM') expect(await processesInside()).toEqual([]);
      await eventually(async () => expect(await lockHolders()).toEqual([]));
    }
  });

  it('ends when its namespace has gone, although another has its name', async () => {
    const child = agent();
    await ready();
    await execa('ip', ['netns', 'delete', node.name]);
    await execa('ip', ['netns', 'add', node.name]);
    const { exitCode, stdout } = await child;
    expect(exitCode).toBe(2);
    expect(stdout).toMatch(
      /"reason":"\S+ is not that namespace any more".*the lock of the network namespace is lost/,
    );
  });

  it('is not ready while the kernel cannot be listed', async () => {
    const ip = join(folder, 'ip');
    const real = `exec env PATH='${process.env.PATH}' ip "$@"`;
    await writeFile(ip, `#!/bin/sh\ntest -e '${ip}.broken' && exit 1\n${real}\n`, { mode: 0o755 });
    launch([], reachable(), { PATH: `${folder}:${process.env.PATH}` });
    await ready();
    await writeFile(`${ip}.broken`, '');
    await eventually(async () => expect((await status()).code).toBe(503));
    await rm(`${ip}.broken`);
    await ready();
  });

  it('is not ready while its view is stale, keeps every route then, and recovers', async () => {
    await writer.write(endpoint('a', '10.0.0.1/32'));
    await node.createInterface('calia', 'c-a');
    await node.createInterface('caliorphan');
    agent();
    await ready();
    await eventually(async () => expect(await routes()).toContain('10.0.0.1 dev calia'));
    await etcd.members[0].stop();
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

  it('asks a store that does not answer about one route, and puts the others off with it', async () => {
    const names = ['cali1', 'cali2', 'cali3', 'cali4'];
    for (const name of names) await node.createInterface(name);
    const child = agent();
    await ready();
    await etcd.members[0].stop();
    try {
      for (const [place, name] of names.entries()) await addRoute(`10.0.0.${place + 1}`, name);
      const failed = (log: string) =>
        log
          .split('\n')
          .filter((line) => line.includes('the store cannot be read'))
          .map((line) => (JSON.parse(line) as { interfaces: string[] }).interfaces.sort());
      const log = logOf(child);
      await eventually(async () => expect(failed(log())).toContainEqual(names));
      expect((await routes()).split('\n').filter((line) => line.includes('10.0.0.')).length).toBe(4);
    } finally {
      etcd.members[0].cont();
    }
    await eventually(async () => expect(await routes()).not.toContain('10.0.0.'));
  });

  it('hears of its view going stale while the store does not answer what it was asked about a route', async () => {
    await node.createInterface('cali1');
    const child = agent('-p', 'callDeadline=100');
    const log = logOf(child);
    await ready();
    await etcd.members[0].stop();
    try {
      await addRoute('10.0.0.1', 'cali1');
      await eventually(async () => expect((await status()).code).toBe(503));
      expect(log()).not.toContain('the store cannot be read');
      expect(await routes()).toContain('10.0.0.1');
    } finally {
      etcd.members[0].cont();
    }
    await eventually(async () => expect(await routes()).not.toContain('10.0.0.1'));
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
    const log = logOf(child);
    const refusal = /\(see --etcd-username, .*the store refuses this user/;
    await eventually(async () => expect(log()).toMatch(refusal));
    await aWhile();
    expect((await status()).code).toBe(503);
    expect(await routes()).toContain('10.0.0.1 dev calia');
    child.kill('SIGTERM');
    await child;
    agent(...user, 'right');
    await ready();
    await guarded.close();
  });

  it.each([
    ['info is the default', [], [30, 40]],
    ['debug', ['--log-level', 'debug'], [20, 30, 40]],
    ['warn', ['--log-level', 'warn'], [40]],
    ['error', ['--log-level', 'error'], []],
  ])('logs no less and no more than it is asked for: %s', async (_, asked, levels) => {
    const child = agent('--claims', join(folder, 'none'), ...asked);
    await ready();
    child.kill('SIGTERM');
    const lines = (await child).stdout.split('\n').filter((line) => line !== '');
    const told = lines.map((line) => (JSON.parse(line) as { level: number }).level);
    expect([...new Set(told)].sort()).toEqual(levels);
  });

  it('logs for people if it is asked to', async () => {
    const child = agent('--claims', join(folder, 'none'), '--log-format', 'pretty');
    await ready();
    child.kill('SIGTERM');
    const { stdout } = await child;
    for (const line of [
      /^\[[\d:.]+\] WARN \(\d+\): --claims /m,
      /^\[[\d:.]+\] INFO \(\d+\): in sync\n {4}revision: "/m,
    ])
      expect(stdout).toMatch(line);
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

  it('looks after the interfaces, and the endpoints of the node, that its environment names', async () => {
    for (const name of ['tapa', 'tapb', 'calib']) await node.createInterface(name, `c-${name}`);
    await addRoute('10.0.0.2/32', 'tapb');
    await addRoute('10.0.0.3/32', 'calib');
    const elsewhere = new EndpointWriter({ ...options(), prefix: '/elsewhere/' });
    await elsewhere.write({
      ...endpoint('a', '10.0.0.1/32'),
      ...{ node: 'n2', containerId: 'c-tapa', interfaceName: 'tapa' },
    });
    elsewhere.close();
    launch([], reachable(), {
      NODENAME: 'n2',
      ROUTEPROOF_PREFIX: '/elsewhere/',
      ROUTEPROOF_INTERFACES: 'tap*',
    });
    await eventually(async () => {
      const now = await routes();
      expect(now).toContain('10.0.0.1 dev tapa');
      expect(now).not.toContain('10.0.0.2');
    });
    await aWhile();
    expect(await routes()).toContain('10.0.0.3 dev calib');
  });

  describe('bad input is told in one line, with its place and the way out, and ends with 2', () => {
    let taken: Server;
    let certificate: string;
    beforeEach(async () => {
      taken = createServer().listen(0, '127.0.0.1');
      await once(taken, 'listening');
      certificate = join(folder, 'own.crt');
      const subject = ['-subj', '/CN=own', '-newkey', 'rsa:2048', '-nodes'];
      await execa('openssl', ['req', '-x509', ...subject, '-keyout', '/dev/null', '-out', certificate]);
      writeFileSync(join(folder, 'text'), 'this is no certificate');
      writeFileSync(
        join(folder, 'broken.crt'),
        '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
      );
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      writeFileSync(join(folder, 'other.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
    });
    afterEach(() => void taken.close());

    type Given = { readonly folder: string; readonly certificate: string; readonly taken: number };
    const pair = ({ certificate: file }: Given, key: string) => [
      ...['--etcd-ca-cert-file', file, '--etcd-cert-file', file, '--etcd-key-file', key],
    ];
    const rows: [string, (given: Given) => string[], RegExp][] = [
      [
        'a trace in a folder that is not there',
        (given) => ['--trace', join(given.folder, 'missing/file')],
        /--trace \S+missing\/file: it cannot be written \(ENOENT.*\)\. Name a file in a folder/,
      ],
      [
        'a trace that is a folder',
        (given) => ['--trace', given.folder],
        /--trace \S+: it cannot be written \(EISDIR/,
      ],
      [
        'a port in use',
        (given) => ['--listen', `127.0.0.1:${given.taken}`],
        /--listen 127\.0\.0\.1:\d+: nothing can be served there \(.*EADDRINUSE.*\)\. Name .* a free port/,
      ],
      [
        'an address of another host',
        () => ['--listen', '192.0.2.1:9099'],
        /--listen 192\.0\.2\.1:9099: .*EADDRNOTAVAIL/,
      ],
      ['no address', () => ['--listen', '9099'], /--listen 9099: expected host:port/],
      [
        'an unknown namespace',
        () => ['--netns', 'routeproof-none'],
        /--netns routeproof-none: it cannot be entered \(.*No such file.*\)\. Name one that 'ip netns list' shows/,
      ],
      ['a namespace that is an option', () => ['--netns=-all'], /--netns '-all': expected a name/],
      ['a namespace that is a path', () => ['--netns', '../net'], /--netns '\.\.\/net': expected a name/],
      [
        'an etcd with a path',
        () => ['--etcd-endpoints', 'http://127.0.0.1:2379/v3'],
        /--etcd-endpoints: 'http:\/\/127\.0\.0\.1:2379\/v3' has '\/v3' after .* Write http:\/\/host:port/,
      ],
      [
        'an etcd with a query, after a good one',
        () => ['--etcd-endpoints', 'http://127.0.0.1:2379,http://[::1]:2379?a=b'],
        /--etcd-endpoints: 'http:\/\/\[::1\]:2379\?a=b' has '\?a=b' after/,
      ],
      [
        'an etcd with a password, which is not shown',
        () => ['--etcd-endpoints', 'http://root:secret@127.0.0.1:2379'],
        /^(?!.*secret).*'http:\/\/…@127\.0\.0\.1:2379' has a user or a password in it.*--etcd-username/,
      ],
      [
        'an etcd without a port',
        () => ['--etcd-endpoints', 'http://etcd'],
        /'http:\/\/etcd' has no port.*2379/,
      ],
      ['an etcd that is no URL', () => ['--etcd-endpoints', '127.0.0.1:2379'], /is no URL\. Write http/],
      [
        'an etcd of nothing',
        () => ['--etcd-endpoints', 'http://127.0.0.1:2379,'],
        /'' is no URL\. Write http/,
      ],
      [
        'a CA that is not there',
        (given) => ['--etcd-ca-cert-file', join(given.folder, 'none.crt')],
        /--etcd-ca-cert-file \S+none\.crt: it cannot be read \(ENOENT.*\)\. Name a file in PEM/,
      ],
      [
        'a CA that is no PEM',
        (given) => ['--etcd-ca-cert-file', join(given.folder, 'text')],
        /--etcd-ca-cert-file \S+text: it is no certificate \(there is no .*BEGIN.*\)\. Give one in PEM/,
      ],
      [
        'a CA that is broken',
        (given) => ['--etcd-ca-cert-file', join(given.folder, 'broken.crt')],
        /--etcd-ca-cert-file \S+broken\.crt: it is no certificate \(.+\)\. Give one in PEM/,
      ],
      [
        'a CA for an etcd that is spoken to in plain text',
        ({ certificate }) => ['--etcd-ca-cert-file', certificate],
        /--etcd-endpoints: 'http:\/\/\S+' is spoken to in plain text.*Write https/,
      ],
      [
        'a key that is none',
        (given) => pair(given, join(given.folder, 'text')),
        /--etcd-key-file \S+text: it is no private key \(.+\)\. Give one in PEM/,
      ],
      [
        "a key that is another certificate's",
        (given) => pair(given, join(given.folder, 'other.key')),
        /--etcd-key-file \S+other\.key: it is not the key of the certificate in \S+own\.crt/,
      ],
      ['no time', () => ['--refresh', '0'], /--refresh 0: expected a number above 0/],
      ['a negative time', () => ['--resync', '-1'], /--resync -1: expected a number above 0/],
      [
        'a time that is none',
        () => ['--dial-timeout', 'soon'],
        /--dial-timeout soon: expected a number above 0/,
      ],
      ['a negative scale', () => ['--time-scale=-1'], /--time-scale -1: expected a number above 0/],
      [
        'a number of the design that is none',
        () => ['-p', 'grace=0'],
        /--param grace=0: expected .* from 1 to/,
      ],
      [
        'a time that no timer can wait',
        () => ['--refresh', '1e9'],
        /--refresh: .* is 20000000 seconds\. Make it/,
      ],
      ['a node without a name', () => ['--node', ''], /--node: the name is empty\. Name the node/],
    ];
    it.each(rows)('%s', async (_, args, message) => {
      const { port: used } = taken.address() as AddressInfo;
      await expectRefusal(agent(...args({ folder, certificate, taken: used })), message);
    });

    it('no iproute2, in the own namespace and in another', async () => {
      const noIp = { PATH: folder };
      const began = performance.now();
      await expectRefusal(launch([], ['--netns', node.name], noIp), /no command ip .* install iproute2/);
      await expectRefusal(
        launch([], [], noIp),
        /^error: the kernel's routes cannot be read: .*no command ip .* install iproute2/,
      );
      // What could not be started must not be waited for.
      expect(performance.now() - began).toBeLessThan(20_000);
    });

    const expectRefusal = async (child: ReturnType<typeof launch>, message: RegExp) => {
      const { exitCode, stderr } = await child;
      expect(stderr).toMatch(message);
      expect(stderr).toMatch(/^error: .*\.$/);
      expect(exitCode).toBe(2);
      expect(await processesInside()).toEqual([]);
    };
  });

  it.each<[string, () => Server]>([
    ['a web server', () => createWebServer((_, response) => response.end('<p>hello</p>'))],
    [
      'a web server of HTTP/2',
      () =>
        createWeb2Server((_, response) => {
          response.setHeader('content-type', 'text/html');
          response.end('<p>hello</p>');
        }),
    ],
    [
      'a gRPC server that answers with nothing',
      () => {
        const server = createWeb2Server();
        server.on('stream', (stream) => {
          stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
          stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
          // A message of no bytes: each of its fields has its default.
          stream.end(Buffer.alloc(5));
        });
        return server;
      },
    ],
    [
      'noise',
      () =>
        createServer((socket) => socket.on('error', () => {}).end(Buffer.from('\0\xff no etcd', 'latin1'))),
    ],
  ])(
    'takes %s for a store that does not answer: tries again, says so, and deletes nothing',
    async (_, make) => {
      let connections = 0;
      const server = make().on('connection', () => {
        connections += 1;
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      try {
        await node.createInterface('calia', 'c-a');
        await addRoute('10.0.0.1/32', 'calia');
        const child = agent('--etcd-endpoints', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
        await eventually(async () => expect((await status()).code).toBe(503));
        await eventually(async () => expect(connections).toBeGreaterThan(2));
        await aWhile();
        expect((await status()).code).toBe(503);
        expect(await routes()).toContain('10.0.0.1 dev calia');
        // It waits before it tries again: retryDelay is 0.2 s, and an attempt has a connection or two.
        const before = connections;
        await sleep(1000);
        expect(connections - before).toBeLessThanOrEqual(12);
        child.kill('SIGTERM');
        const { exitCode, stdout } = await child;
        expect(exitCode).toBe(0);
        expect(stdout).toMatch(/the store does not answer|the list failed/);
      } finally {
        server.close();
      }
    },
  );
});
