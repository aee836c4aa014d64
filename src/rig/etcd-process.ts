/** etcd as processes of ours: one member or several, with their data in a temporary folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Member } from '../etcd/member.ts';
import type { StoreOptions } from '../etcd/options.ts';

/** Where etcd's command is: `ETCD_BIN`, or `etcd` on the path. */
function etcdCommand(): string {
  return process.env.ETCD_BIN ?? 'etcd';
}

/** The version that there is, such as `3.4.23`; nothing if there is none. */
export async function etcdVersion(): Promise<string | undefined> {
  const child = spawn(etcdCommand(), ['--version'], { stdio: ['ignore', 'pipe', 'ignore'] });
  let text = '';
  child.stdout.on('data', (data: Buffer) => {
    text += data.toString();
  });
  try {
    await once(child, 'close');
  } catch {
    return undefined;
  }
  return /etcd Version: (\S+)/.exec(text)?.[1];
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Files in PEM. The members and their clients have the same certificate. */
interface CertificateFiles {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** What {@link startEtcd} starts. */
export interface ClusterSetting {
  /** How many members; one if left out. */
  readonly size?: number;
  /** More flags for each of them. */
  readonly flags?: readonly string[];
  /** Clients have to have a certificate if this is given. */
  readonly tls?: CertificateFiles;
}

/** What a member is started with. */
interface MemberSetting {
  readonly name: string;
  readonly folder: string;
  readonly clientPort: number;
  readonly peerPort: number;
  readonly cluster: string;
  readonly flags: readonly string[];
  readonly tls?: CertificateFiles | undefined;
}

/** One member, running or not. Its ports and its data stay the same. */
export class EtcdProcess {
  readonly name: string;
  readonly port: number;
  /** The client URL. */
  readonly endpoint: string;
  readonly #setting: MemberSetting;
  #child: ChildProcess | undefined;
  #output = '';
  #still = false;

  constructor(setting: MemberSetting) {
    this.name = setting.name;
    this.port = setting.clientPort;
    this.endpoint = `${setting.tls === undefined ? 'http' : 'https'}://127.0.0.1:${setting.clientPort}`;
    this.#setting = setting;
  }

  /** What it has logged. */
  get output(): string {
    return this.#output;
  }

  /** Starts it on the data that it has. It may not answer yet. */
  start(): void {
    if (this.#child !== undefined) throw new Error(`${this.name} is running`);
    const { name, folder, peerPort, cluster, flags, tls } = this.#setting;
    const peer = `http://127.0.0.1:${peerPort}`;
    const args = [
      ...['--name', name, '--data-dir', folder, '--initial-cluster', cluster],
      ...['--listen-client-urls', this.endpoint, '--advertise-client-urls', this.endpoint],
      ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
      ...['--logger', 'zap', '--log-level', 'warn', '--log-outputs', 'stderr', '--unsafe-no-fsync'],
      ...(tls === undefined
        ? []
        : [
            '--client-cert-auth',
            `--trusted-ca-file=${tls.ca}`,
            `--cert-file=${tls.cert}`,
            `--key-file=${tls.key}`,
          ]),
      ...flags,
    ];
    // Its environment is not ours: etcd takes each of its flags from a variable too.
    const child = spawn(etcdCommand(), args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: process.env.PATH },
    });
    this.#child = child;
    this.#still = false;
    running.add(child);
    child.stderr?.on('data', (data: Buffer) => {
      this.#output = (this.#output + data.toString()).slice(-100_000);
    });
    const gone = (why: string): void => {
      this.#output += `\n${why}\n`;
      running.delete(child);
      if (this.#child === child) this.#child = undefined;
    };
    child.on('error', (error) => gone(error.message));
    child.on('exit', (code, signal) => gone(`${name} ended: ${code ?? signal}`));
  }

  /**
   * Waits until it answers a linearizable read, or says that it needs a user.
   *
   * @throws Error with what it logged, if it ends or takes too long
   */
  async ready(timeout = 20_000): Promise<void> {
    const end = Date.now() + timeout;
    const { tls } = this.#setting;
    const options: StoreOptions = {
      endpoints: [this.endpoint],
      prefix: '/',
      dialTimeout: 500,
      callTimeout: 500,
      requireLeader: false,
      ...(tls && {
        tls: { ca: await readFile(tls.ca), cert: await readFile(tls.cert), key: await readFile(tls.key) },
      }),
    };
    let last: unknown;
    while (Date.now() < end && this.#child !== undefined) {
      const member = new Member(this.endpoint, options);
      try {
        await member.call(Date.now() + 500, (client, each) =>
          client.kv.range({ key: Buffer.from('/') }, each),
        );
        return;
      } catch (error) {
        last = error;
        if (error instanceof Error && 'fault' in error && error.fault === 'denied') return;
      } finally {
        member.close();
      }
      await sleep(20);
    }
    throw new Error(`${this.name} did not answer: ${String(last)}\n${this.#output}`);
  }

  /** Whether it runs, and does not stand still. */
  get runs(): boolean {
    return this.#child !== undefined && !this.#still;
  }

  /** It stands still: its connections stay, and the kernel goes on to acknowledge what they receive. */
  stop(): void {
    this.#still = true;
    this.#signal('SIGSTOP');
  }

  /** It goes on after {@link stop}. */
  cont(): void {
    this.#still = false;
    this.#signal('SIGCONT');
  }

  /** Ends it at once, with no chance to finish anything. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  /** Kills it if it runs, starts it on the same data, and waits until it answers. */
  async restart(): Promise<void> {
    await this.kill();
    this.start();
    await this.ready();
  }

  /** Copies its data. It must not run. @returns what {@link restore} takes */
  async snapshot(): Promise<string> {
    this.#assertStopped();
    const copy = `${this.#setting.folder}.copy-${Date.now()}`;
    await cp(this.#setting.folder, copy, { recursive: true });
    return copy;
  }

  /** Puts data back in place of what it has; without any, it will start empty. It must not run. */
  async restore(copy?: string): Promise<void> {
    this.#assertStopped();
    await rm(this.#setting.folder, { recursive: true, force: true });
    if (copy !== undefined) await cp(copy, this.#setting.folder, { recursive: true });
  }

  #assertStopped(): void {
    if (this.#child !== undefined) throw new Error(`${this.name} is running`);
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#child === undefined) throw new Error(`${this.name} is not running`);
    this.#child.kill(signal);
  }
}

/** The members of one cluster. Make it with {@link startEtcd}. */
export class EtcdCluster {
  readonly members: readonly [EtcdProcess, ...EtcdProcess[]];
  readonly #folder: string;

  constructor(members: readonly [EtcdProcess, ...EtcdProcess[]], folder: string) {
    this.members = members;
    this.#folder = folder;
  }

  get endpoints(): readonly string[] {
    return this.members.map(({ endpoint }) => endpoint);
  }

  /** Discards the history up to now, on the first member that can be asked. */
  async compact(): Promise<void> {
    const [{ endpoint }] = this.members;
    const options = {
      endpoints: [endpoint],
      prefix: '/',
      dialTimeout: 2000,
      callTimeout: 2000,
      requireLeader: false,
    };
    const member = new Member(endpoint, options);
    try {
      await member.call(Date.now() + 2000, async (client, each) => {
        const { header } = await client.kv.range({ key: Buffer.from('/') }, each);
        await client.kv.compact({ revision: header.revision, physical: true }, each);
      });
    } catch (error) {
      // Nothing has been written since the last time.
      if (!(error instanceof Error && error.message.includes('has been compacted'))) throw error;
    } finally {
      member.close();
    }
  }

  /** Ends all of it and removes its data. */
  async close(): Promise<void> {
    await Promise.all(this.members.map((each) => each.kill()));
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Starts a cluster, with short times so that little has to be waited for, and waits until all members answer. */
export async function startEtcd({ size = 1, flags = [], tls }: ClusterSetting = {}): Promise<EtcdCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'routeproof-etcd-'));
  const ports = await freePorts(2 * size);
  const port = (index: number): number => ports[index] as number;
  const indices = Array.from({ length: size }, (_, index) => index);
  const cluster = indices.map((index) => `m${index}=http://127.0.0.1:${port(size + index)}`).join(',');
  // Members of one cluster share the machine with each other: an election must not come of a busy processor.
  const [heartbeat, election] = size === 1 ? [10, 100] : [50, 500];
  const members = indices.map(
    (index) =>
      new EtcdProcess({
        name: `m${index}`,
        folder: join(folder, `m${index}`),
        clientPort: port(index),
        peerPort: port(size + index),
        cluster,
        tls,
        flags: [
          `--heartbeat-interval=${heartbeat}`,
          `--election-timeout=${election}`,
          '--grpc-keepalive-min-time=500ms',
          '--experimental-watch-progress-notify-interval=100ms',
          ...flags,
        ],
      }),
  );
  const [first, ...others] = members;
  if (first === undefined) throw new RangeError('a cluster needs at least one member');
  const made = new EtcdCluster([first, ...others], folder);
  try {
    for (const member of members) member.start();
    await Promise.all(members.map((member) => member.ready()));
  } catch (error) {
    await made.close();
    throw error;
  }
  return made;
}

async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
