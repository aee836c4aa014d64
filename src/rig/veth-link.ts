/**
 * A link that is a cable: each member runs on a host of its own, a network namespace behind a bridge, and what becomes of
 * the link is what becomes of cables and hosts. Needs network and process namespaces of this process's own, and root there.
 *
 * The bridge is a namespace as well. With one veth pair from here to the host, the host's end would take this end along.
 * This process itself reaches a host by a second cable, which no fault of the link touches.
 */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
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
      // It would ask for it after its cable was out, and what waits for the answer would then be sent after all.
      `neighbour add ${agentAddress} lladdr ${nicMac} dev eth0 nud permanent`,
    );
    await ip(this.#bridge, `link set ${port} master br0 up`);
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
   * Aborts the connections to it that came over the agent's cable: the agent is told by a reset, unless the cable is out.
   *
   * @returns false if this kernel cannot
   */
  async abort(): Promise<boolean> {
    // etcd has one from here to here as well, and makes it anew at once.
    const those = ['-Htn', 'state', 'established', 'src', this.linked, 'dst', agentAddress];
    const ports = async (): Promise<string[]> =>
      (await within(this.inside, 'ss', ...those)).match(/\d+(?=\s*$)/gm) ?? [];
    const before = await ports();
    await within(this.inside, 'ss', '-K', ...those);
    // The agent may be there with another by now.
    const after = await ports();
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
   * The cable is pulled, so that no FIN or RST leaves; etcd is killed; its host forgets all, and comes up again. That takes a
   * second, and in the model no time: hastily, the host only forgets the connections over its cable.
   */
  async halfOpen(hastily = false): Promise<void> {
    const peers = await agentSockets();
    const struck = this.#hosts.flatMap((host, index) =>
      peers.includes(`${host.linked}:`) ? [{ host, member: this.cluster.members[index] as EtcdProcess }] : [],
    );
    await Promise.all(
      struck.map(async ({ host, member }) => {
        await pullWhenSilent(host);
        // A kernel without INET_DIAG_DESTROY forgets them with the whole host only.
        if (hastily && (await host.abort())) return host.plug(true);
        await this.cluster.restart(member, async () => {
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

/** The established sockets of the agent: `0 <unacknowledged bytes> <own address> <peer>` in each line. */
const agentSockets = (): Promise<string> =>
  within(undefined, 'ss', '-Htn', 'state', 'established', 'src', agentAddress);

/**
 * Pulls a host's cable at a moment at which the agent has said nothing that waits for an acknowledgement: it would say that
 * again to the host that comes up, and be told that it is not known there. A cable that was out for so short is not noticed.
 * An agent that never is silent is cut off all the same.
 */
async function pullWhenSilent(host: Host): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt++) {
    await host.plug(false);
    const waiting = (await agentSockets())
      .split('\n')
      .some((line) => line.includes(`${host.linked}:`) && Number(line.trim().split(/\s+/)[1]) > 0);
    if (!waiting) return;
    await host.plug(true);
    await sleep(20);
  }
  await host.plug(false);
}

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
