/**
 * A link that is a cable: each member runs on a host of its own, a network namespace behind a bridge, and what becomes of
 * the link is what becomes of cables and hosts. Needs network and process namespaces of this process's own, and root there.
 *
 * The bridge is a namespace as well. With one veth pair from here to the host, the host's end would take this end along.
 * This process itself reaches a host by a second cable, which no fault of the link touches.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type EtcdCluster, type EtcdProcess, type Home, startEtcd } from './etcd-process.ts';
import type { Link } from './link.ts';
import { type Sandbox, startSandbox } from './sandbox.ts';

const run = promisify(execFile);

// Addresses that are for trials of networks (RFC 2544), so that no pod has them.
const agentAddress = '198.18.0.1';
const sideAddress = '198.18.1.1';
/** The agent's end of its cable. */
const nic = 'store0';
const nicMac = '02:00:c6:12:00:01';

/** Runs `ip` commands, here or in a namespace. */
async function ip(namespace: Sandbox | undefined, ...commands: readonly string[]): Promise<void> {
  for (const command of commands) await within(namespace, 'ip', ...command.split(' '));
}

async function within(namespace: Sandbox | undefined, ...command: readonly string[]): Promise<string> {
  const [first, ...rest] = namespace === undefined ? command : [...entering(namespace), ...command];
  const { stdout } = await run(first as string, rest);
  return stdout;
}

const entering = ({ path }: Sandbox): readonly string[] => ['nsenter', `--net=${path}`];

/** A host, which can be lost and made again. */
class Host implements Home {
  readonly gateway = sideAddress;
  /** On the second cable. */
  readonly address: string;
  /** On the agent's. */
  readonly linked: string;
  readonly #number: number;
  readonly #bridge: Sandbox;
  /** The agent's ports that it is silent to. */
  readonly #silentTo = new Set<string>();
  #inside: Sandbox | undefined;

  constructor(number: number, bridge: Sandbox) {
    this.#number = number;
    this.#bridge = bridge;
    this.linked = `198.18.0.${10 + number}`;
    this.address = `198.18.1.${10 + number}`;
  }

  get others(): readonly string[] {
    return [this.linked];
  }

  command(): readonly string[] {
    return entering(this.inside);
  }

  get inside(): Sandbox {
    if (this.#inside === undefined) throw new Error(`host ${this.#number} is not there`);
    return this.#inside;
  }

  /** Makes it, each time with the same addresses. */
  async make(): Promise<void> {
    const inside = await startSandbox();
    this.#inside = inside;
    const mac = `02:00:c6:12:00:${(10 + this.#number).toString(16).padStart(2, '0')}`;
    const [port, side] = [`host${this.#number}`, `side${this.#number}`];
    await ip(
      undefined,
      `link add eth0 address ${mac} netns ${inside.path} type veth peer name ${port} netns ${this.#bridge.path}`,
      `link add ${side} type veth peer name eth1 netns ${inside.path}`,
      `address add ${sideAddress} peer ${this.address} dev ${side}`,
      `link set ${side} up`,
    );
    await ip(
      inside,
      'link set lo up',
      `address add ${this.linked}/24 dev eth0`,
      'link set eth0 up',
      `address add ${this.address} peer ${sideAddress} dev eth1`,
      'link set eth1 up',
      // It would ask for it now and then, and what waits for the answer would be sent when it is to be silent.
      `neighbour add ${agentAddress} lladdr ${nicMac} dev eth0 nud permanent`,
      ...[...this.#silentTo].map(silence),
    );
    await ip(this.#bridge, `link set ${port} master br0 up`);
  }

  /**
   * From now on says nothing to the connections that the agent has to it, whatever the agent says: no data, no
   * acknowledgement, no RST, not even when it is made anew and knows none of them.
   *
   * @returns the agent's ports of those
   */
  async fallSilent(): Promise<readonly string[]> {
    const those = ['-Htn', 'state', 'established', 'src', agentAddress, 'dst', this.linked];
    const ports = portsIn(await within(undefined, 'ss', ...those), agentAddress);
    const more = ports.filter((port) => !this.#silentTo.has(port));
    for (const port of more) this.#silentTo.add(port);
    await ip(this.inside, ...more.map(silence));
    return more;
  }

  /** Pulls or plugs the agent's cable. */
  async plug(plugged: boolean): Promise<void> {
    await ip(this.#bridge, `link set host${this.#number} ${plugged ? 'up' : 'down'}`);
  }

  /**
   * Turns it off. Its end of the cables goes first: the kernel keeps a namespace for as long as sockets that wait for an
   * answer are in it, and what they repeat would come out.
   */
  async lose(): Promise<void> {
    await ip(this.#bridge, `link delete host${this.#number}`);
    await ip(undefined, `link delete side${this.#number}`);
    await this.#inside?.end();
    this.#inside = undefined;
  }

  /**
   * Aborts connections to it that came over the agent's cable: the agent is told by a reset, unless it is silent to them.
   *
   * @param ports - the agent's ports of those; without, all
   * @returns false if this kernel cannot
   */
  async abort(ports?: readonly string[]): Promise<boolean> {
    const peers = ports?.map((port) => `${agentAddress}:${port}`) ?? [agentAddress];
    // etcd has one from here to here as well, and makes it anew at once.
    const those = ['-Htn', 'state', 'established', 'src', this.linked, 'and', '('];
    those.push(...peers.flatMap((peer) => ['or', 'dst', peer]).slice(1), ')');
    const list = async () => portsIn(await within(this.inside, 'ss', ...those), agentAddress);
    const before = await list();
    await within(this.inside, 'ss', '-K', ...those);
    // The agent may be there with another by now.
    const after = await list();
    return !before.some((port) => after.includes(port));
  }
}

class VethLink implements Link {
  readonly cluster: EtcdCluster;
  readonly endpoints: readonly string[];
  readonly #hosts: readonly Host[];
  readonly #bridge: Sandbox;

  constructor(cluster: EtcdCluster, hosts: readonly Host[], bridge: Sandbox) {
    this.cluster = cluster;
    this.#hosts = hosts;
    this.#bridge = bridge;
    this.endpoints = hosts.map(({ linked }, index) => `http://${linked}:${cluster.members[index]?.port}`);
  }

  /**
   * The hosts that the agent is connected to fall silent; etcd is killed; its host forgets all, and comes up again. That
   * takes a second, and in the model no time: hastily, the host only forgets the connections over its cable.
   */
  async halfOpen(hastily = false): Promise<void> {
    await Promise.all(
      this.#hosts.map(async (host, index) => {
        const ports = await host.fallSilent();
        if (ports.length === 0) return;
        // A kernel without INET_DIAG_DESTROY forgets them with the whole host only.
        if (hastily && (await host.abort(ports))) return;
        await this.cluster.restart(this.cluster.members[index] as EtcdProcess, async () => {
          await host.lose();
          await host.make();
        });
      }),
    );
  }

  async reset(): Promise<void> {
    await Promise.all(
      this.#hosts.map(async (host, index) => {
        if (await host.abort()) return;
        // A kernel without INET_DIAG_DESTROY resets them when the process that has them ends.
        await this.cluster.restart(this.cluster.members[index] as EtcdProcess);
      }),
    );
  }

  async stall(): Promise<void> {
    await Promise.all(this.#hosts.map((host) => host.plug(false)));
  }

  async resume(): Promise<void> {
    await Promise.all(this.#hosts.map((host) => host.plug(true)));
  }

  async refuse(refused: boolean): Promise<void> {
    await (refused ? this.stall() : this.resume());
  }

  async close(): Promise<void> {
    await this.cluster.close();
    await takeDown(this.#hosts, this.#bridge);
  }
}

/** A rule of the host's that keeps all that it would send to a port of the agent's. Linux has it since 4.17. */
const silence = (port: string): string => `rule add to ${agentAddress} ipproto tcp dport ${port} blackhole`;

/** The ports of an address in what `ss -Htn` prints. */
const portsIn = (sockets: string, address: string): string[] =>
  [...sockets.matchAll(/\S+:(\d+)/g)]
    .filter(([socket]) => socket.startsWith(`${address}:`))
    .map(([, port]) => port as string);

async function takeDown(hosts: readonly Host[], bridge: Sandbox): Promise<void> {
  await ip(undefined, `link delete ${nic}`).catch(() => {});
  for (const host of hosts) await host.lose().catch(() => {});
  await bridge.end();
}

/** Starts hosts with a cluster on them, and a link to it. @param size - how many members */
export async function startVethLink(size: number): Promise<Link> {
  const bridge = await startSandbox();
  const hosts = Array.from({ length: size }, (_, index) => new Host(index, bridge));
  try {
    await ip(bridge, 'link add br0 type bridge', 'link set br0 up');
    await ip(
      undefined,
      `link add ${nic} address ${nicMac} type veth peer name agent netns ${bridge.path}`,
      `address add ${agentAddress}/24 dev ${nic}`,
      `link set ${nic} up`,
    );
    await ip(bridge, 'link set agent master br0 up');
    for (const host of hosts) await host.make();
    return new VethLink(await startEtcd({ size, homes: hosts }), hosts, bridge);
  } catch (error) {
    await takeDown(hosts, bridge);
    throw error;
  }
}
