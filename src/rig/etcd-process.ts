/** etcd as processes of ours: one member or several, with their data in a temporary folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Member } from '../etcd/member.ts';
import type { StoreOptions } from '../etcd/options.ts';
import { freePorts } from './free-ports.ts';
import { mortal } from './mortal.ts';
import { PeerNetwork } from './peer-network.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';

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

/** A host on which a member runs. */
export interface Home {
  /** Where this process reaches it. */
  readonly address: string;
  /** Where others reach it besides. */
  readonly others: readonly string[];
  /** Where it reaches this process. */
  readonly gateway: string;
  /** What a command that is to run there begins with. */
  command(): readonly string[];
}

/** This process's own host. */
const here: Home = { address: '127.0.0.1', others: [], gateway: '127.0.0.1', command: () => [] };

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
  /** The members' hosts, if they are not this one. */
  readonly homes?: readonly Home[];
}

/** What a member is started with. */
interface MemberSetting {
  readonly name: string;
  readonly folder: string;
  readonly home: Home;
  readonly clientPort: number;
  readonly peerPort: number;
  /** Its peer URL, as its peers know it. */
  readonly peerUrl: string;
  readonly cluster: string;
  readonly flags: readonly string[];
  readonly tls?: CertificateFiles | undefined;
  /** The HTTP proxy through which it speaks to its peers. */
  readonly proxy?: string;
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
    this.endpoint = `${setting.tls === undefined ? 'http' : 'https'}://${setting.home.address}:${setting.clientPort}`;
    this.#setting = setting;
  }

  /** What it has logged. */
  get output(): string {
    return this.#output;
  }

  /** Its process, while it runs. */
  get id(): number | undefined {
    return this.#child?.pid;
  }

  /** Starts it on the data that it has. It may not answer yet. */
  start(): void {
    if (this.#child !== undefined) throw new Error(`${this.name} is running`);
    const { name, folder, home, clientPort, peerPort, peerUrl, cluster, flags, proxy, tls } = this.#setting;
    const scheme = tls === undefined ? 'http' : 'https';
    const client = [home.address, ...home.others]
      .map((each) => `${scheme}://${each}:${clientPort}`)
      .join(',');
    const args = [
      ...['--name', name, '--data-dir', folder, '--initial-cluster', cluster],
      ...['--listen-client-urls', client, '--advertise-client-urls', this.endpoint],
      ...['--listen-peer-urls', `http://${home.address}:${peerPort}`],
      ...['--initial-advertise-peer-urls', peerUrl],
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
    const [command, ...rest] = mortal([...home.command(), etcdCommand(), ...args]);
    const child = spawn(command, rest, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: process.env.PATH, ...(proxy === undefined ? {} : { HTTP_PROXY: proxy }) },
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

  /**
   * It stands still: its connections stay, and the kernel goes on to acknowledge what they receive.
   *
   * @returns when none of its threads runs any more: until then it may answer
   */
  async stop(): Promise<void> {
    this.#still = true;
    this.#signal('SIGSTOP');
    const threads = `/proc/${this.#child?.pid}/task`;
    const runs = async (thread: string): Promise<boolean> =>
      !/^State:\s*[TZX]/m.test(await readFile(`${threads}/${thread}/status`, 'utf8').catch(() => 'State: X'));
    while ((await Promise.all((await readdir(threads)).map(runs))).includes(true)) await sleep(1);
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
  readonly #folder: TemporaryFolder;
  readonly #peers: PeerNetwork | undefined;
  #isolated: number | undefined;
  #leaderless = false;

  constructor(
    members: readonly [EtcdProcess, ...EtcdProcess[]],
    folder: TemporaryFolder,
    peers: PeerNetwork | undefined,
  ) {
    this.members = members;
    this.#folder = folder;
    this.#peers = peers;
  }

  /** The client URLs of all members; those of isolated ones last. */
  get endpoints(): readonly string[] {
    const others = this.members.filter((each) => !this.#others.includes(each));
    return [...this.#others, ...others].map(({ endpoint }) => endpoint);
  }

  /**
   * Cuts a member off from its peers. Clients still reach it.
   *
   * @returns when the others have a leader, unless the cluster has lost it
   */
  async isolate(index: number): Promise<void> {
    if (this.#peers === undefined) throw new Error('the only member of a cluster has no peers');
    this.#isolated = index;
    await this.#connect();
  }

  /** Ends {@link isolate}. @returns when all have a leader, unless the cluster has lost it */
  async heal(): Promise<void> {
    if (!this.hasIsolated) return;
    this.#isolated = undefined;
    await this.#connect();
  }

  /** Whether a member is isolated. */
  get hasIsolated(): boolean {
    return this.#isolated !== undefined;
  }

  /** Whether it has a leader, for what is done to it here. */
  get hasLeader(): boolean {
    return !this.#leaderless;
  }

  /**
   * No member reaches another, so all of them run and none has a leader. The only member of a cluster is always its leader,
   * so it stands still instead.
   */
  async loseLeader(): Promise<void> {
    this.#leaderless = true;
    if (this.#peers === undefined) await this.members[0].stop();
    else await this.#connect();
  }

  /** Ends {@link loseLeader}. @returns when there is one */
  async electLeader(): Promise<void> {
    if (!this.#leaderless) return;
    this.#leaderless = false;
    if (this.#peers === undefined) this.members[0].cont();
    else await this.#connect();
  }

  /**
   * Kills a member if it runs, and starts it on its data again; what is done to the cluster here stays so.
   *
   * @param meanwhile - is done while it does not run
   */
  async restart(member: EtcdProcess, meanwhile = async (): Promise<void> => undefined): Promise<void> {
    await member.kill();
    await meanwhile();
    member.start();
    if (this.#peers === undefined) {
      await member.ready();
      if (this.#leaderless) await member.stop();
      return;
    }
    // One that reaches no leader opens no port to clients.
    if (!this.#leaderless && this.#others.includes(member)) await member.ready();
  }

  async #connect(): Promise<void> {
    this.#peers?.mend();
    for (const index of this.members.keys())
      if (this.#leaderless || index === this.#isolated) this.#peers?.cut(index);
    if (!this.#leaderless) await Promise.all(this.#others.map((each) => each.ready()));
  }

  /** Ends all of it and removes its data. */
  async close(): Promise<void> {
    await Promise.all(this.members.map((each) => each.kill()));
    await this.#peers?.close();
    await this.#folder.remove();
  }

  /** The members that are not isolated. */
  get #others(): readonly EtcdProcess[] {
    return this.members.filter((_, index) => index !== this.#isolated);
  }
}

/** Starts a cluster, with short times so that little has to be waited for, and waits until all members answer. */
export async function startEtcd({
  size = 1,
  flags = [],
  tls,
  homes,
}: ClusterSetting = {}): Promise<EtcdCluster> {
  const indices = Array.from({ length: size }, (_, index) => index);
  const ports = homes === undefined ? await freePorts(2 * size) : [];
  const places = indices.map((index) => ({
    home: homes?.[index] ?? here,
    // A host of its own has them free.
    clientPort: ports[index] ?? 2379,
    peerPort: ports[size + index] ?? 2380,
  }));
  const folder = await temporaryFolder('routeproof-etcd-');
  const peers =
    size === 1
      ? undefined
      : await PeerNetwork.start(places.map(({ home, peerPort }) => ({ host: home.address, port: peerPort })));
  const peerUrl = (index: number): string =>
    peers?.url(index) ?? `http://${places[index]?.home.address}:${places[index]?.peerPort}`;
  const cluster = indices.map((index) => `m${index}=${peerUrl(index)}`).join(',');
  // Members of one cluster share the machine with each other: an election must not come of a busy processor.
  const [heartbeat, election] = size === 1 ? [10, 100] : [50, 500];
  const members = places.map(
    (place, index) =>
      new EtcdProcess({
        ...place,
        name: `m${index}`,
        folder: join(folder.path, `m${index}`),
        peerUrl: peerUrl(index),
        cluster,
        tls,
        ...(peers === undefined ? {} : { proxy: peers.proxy(index, place.home.gateway) }),
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
  const made = new EtcdCluster([first, ...others], folder, peers);
  try {
    for (const member of members) member.start();
    await Promise.all(members.map((member) => member.ready()));
  } catch (error) {
    await made.close();
    throw error;
  }
  return made;
}
