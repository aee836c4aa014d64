/**
 * A node to try an agent on: a real etcd behind a link that can break, pods that are made step by step as
 * the CNI plugin makes them, and a kernel, which is the one of this process's network namespace or one in memory.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { pino } from 'pino';
import type { Design } from '../../models/index.ts';
import { Agent } from '../agent/agent.ts';
import type { Line } from '../agent/record.ts';
import { storeOptionsOf } from '../agent/store-options.ts';
import { Claims, readClaim } from '../cni/claims.ts';
import { IprouteNetwork } from '../cni/iproute-pod-network.ts';
import { MemoryPodNetwork } from '../cni/memory-pod-network.ts';
import type { Pod, PodNetwork } from '../cni/pod-network.ts';
import { type AddStep, addPod, type DeleteStep, deletePod, type Order } from '../cni/steps.ts';
import type { Endpoint } from '../etcd/endpoint.ts';
import { calicoPrefix, interfaceNameOf } from '../etcd/endpoint-keys.ts';
import { EtcdStore } from '../etcd/etcd-store.ts';
import { IprouteKernel } from '../kernel/iproute.ts';
import type { Kernel, KernelState } from '../kernel/kernel.ts';
import { MemoryKernel } from '../kernel/memory-kernel.ts';
import type { EtcdProcess } from './etcd-process.ts';
import type { Link } from './link.ts';
import { startProxyLink } from './proxy-link.ts';
import { type Sandbox, startSandbox } from './sandbox.ts';
import { ShortConnections } from './short-connections.ts';
import { startVethLink } from './veth-link.ts';

const run = promisify(execFile);

/** What the routes are in: a kernel in memory, or that of this process's network namespace. */
export type Ground = 'memory' | 'kernel';

/** The node's name. */
const node = 'node-1';

/** A pod of the rig, and how far its ADD or DEL is. */
export interface RigPod {
  readonly pod: Pod;
  /** What is in flight. */
  readonly doing?: AsyncGenerator<AddStep | DeleteStep, unknown>;
}

/** Make it with {@link startRig}. */
export class Rig {
  readonly link: Link;
  readonly kernel: Kernel;
  readonly #ground: Ground;
  readonly #network: PodNetwork;
  readonly #folder: string;
  readonly #claims: Claims;
  readonly #registry: ShortConnections;
  readonly #pods = new Map<number, RigPod>();
  readonly #sandboxes = new Set<Sandbox>();
  #made = 0;
  #backup: readonly string[] = [];
  #agent: Agent | undefined;
  #store: EtcdStore | undefined;

  constructor(ground: Ground, link: Link, folder: string) {
    this.#ground = ground;
    this.link = link;
    this.#folder = folder;
    this.#claims = new Claims(folder);
    if (ground === 'kernel') {
      this.kernel = new IprouteKernel();
      this.#network = new IprouteNetwork();
    } else {
      const memory = new MemoryKernel();
      this.kernel = memory;
      this.#network = new MemoryPodNetwork(memory);
    }
    this.#registry = new ShortConnections(() => ({
      endpoints: link.cluster.endpoints,
      prefix: calicoPrefix,
      ...{ dialTimeout: 2000, callTimeout: 5000, requireLeader: false },
    }));
  }

  /** The agent that runs. */
  get agent(): Agent {
    if (this.#agent === undefined) throw new Error('no agent was started on this rig');
    return this.#agent;
  }

  /**
   * Starts an agent.
   *
   * @param design - its numbers are seconds
   * @param refresh - seconds between applies that nothing causes
   * @param held - whether its steps wait to be released
   */
  startAgent(design: Design, refresh: number, held: boolean, trace?: (line: Line) => void): void {
    const store = new EtcdStore({
      endpoints: this.link.endpoints,
      ...{ prefix: calicoPrefix, node, dialTimeout: 2000 },
      ...storeOptionsOf(design),
    });
    this.#store = store;
    this.#agent = new Agent({
      ...{ design, store, kernel: this.kernel, node, refresh, resync: refresh * 9, held },
      owns: (name) => name.startsWith('cali'),
      claimOf: (name) => readClaim(this.#folder, name),
      log: pino({ level: process.env.ROUTEPROOF_RIG_LOG ?? 'silent' }),
      counts: { deleted: () => {}, repaired: () => {}, fenced: () => {} },
      ...(trace === undefined ? {} : { trace }),
    });
  }

  /** Ends the agent; its routes stay. */
  async stopAgent(): Promise<void> {
    await this.#agent?.stop();
    this.#store?.close();
    this.#agent = undefined;
  }

  /** The interface of a place's pods. */
  interfaceName(place: number): string {
    return interfaceNameOf('default', `pod-${place}`);
  }

  /** The pod of a place. */
  pod(place: number): RigPod | undefined {
    return this.#pods.get(place);
  }

  /** Begins the ADD of a new pod in a place. @param address - that of the pod before, or another */
  async createPod(place: number, order: Order, address: 'same' | 'other'): Promise<void> {
    this.#made += 1;
    const before = this.#pods.get(place)?.pod.address;
    const sandbox = this.#ground === 'kernel' ? await startSandbox() : undefined;
    if (sandbox !== undefined) this.#sandboxes.add(sandbox);
    const pod: Pod = {
      ...{ namespace: 'default', pod: `pod-${place}`, ifName: 'eth0' },
      interfaceName: this.interfaceName(place),
      containerId: `container-${this.#made}`,
      netns: sandbox?.path ?? '',
      address: address === 'same' && before !== undefined ? before : `10.77.${this.#made % 256}.${place}/32`,
    };
    this.#pods.set(place, { pod, doing: addPod(order, node, pod, this.#surroundings()) });
  }

  /** Begins the DEL of a place's pod. */
  deletePod(place: number, order: Order): void {
    const { pod } = this.#require(place);
    const name = { namespace: pod.namespace, node, pod: pod.pod };
    this.#pods.set(place, { pod, doing: deletePod(order, name, pod, this.#surroundings()) });
  }

  /** Makes the next step of what is in flight in a place. @returns its name; nothing if that has come to its end */
  async nextStep(place: number): Promise<AddStep | DeleteStep | undefined> {
    const { pod, doing } = this.#require(place);
    const step = await doing?.next();
    if (step?.done !== false) {
      this.#pods.set(place, { pod });
      return undefined;
    }
    return step.value;
  }

  /** What is in flight in a place stops where it is. */
  crash(place: number): void {
    this.#pods.set(place, { pod: this.#require(place).pod });
  }

  /** Lets what is in flight in a place come to its end. */
  async finish(place: number): Promise<void> {
    while ((await this.nextStep(place)) !== undefined);
  }

  /** Whether the store has the endpoint of a place's pod. */
  async committed(place: number): Promise<boolean> {
    const found = this.#pods.get(place);
    return found !== undefined && (await this.endpoint(place))?.containerId === found.pod.containerId;
  }

  /** What the store has under the name of a place's pods, be it of an earlier one. */
  async endpoint(place: number): Promise<Endpoint | undefined> {
    const read = await this.#registry.read({ namespace: 'default', node, pod: `pod-${place}` });
    return read !== undefined && 'endpoint' in read.record ? read.record.endpoint : undefined;
  }

  /** Whether a place's pod has its route, over its own interface. */
  async routed(place: number, state?: KernelState): Promise<boolean> {
    const found = this.#pods.get(place);
    if (found === undefined) return false;
    const { interfaces, routes } = state ?? (await this.kernel.list());
    const own = interfaces.find(
      ({ name, alias }) => name === found.pod.interfaceName && alias === found.pod.containerId,
    );
    return routes.some(({ destination, index }) => destination === found.pod.address && index === own?.index);
  }

  /** Adds what an older plugin has left behind: an interface that nobody claims, and a route over it. */
  async addOrphan(number: number): Promise<void> {
    const name = `caliorphan${number}`;
    if (this.kernel instanceof MemoryKernel) this.kernel.createInterface({ name, alias: '', up: true });
    else {
      await run('ip', ['link', 'add', name, 'type', 'veth', 'peer', 'name', `orphan${number}`]);
      for (const each of [name, `orphan${number}`]) await run('ip', ['link', 'set', 'dev', each, 'up']);
    }
    const index = (await this.kernel.list()).interfaces.find((each) => each.name === name)?.index;
    await this.kernel.add([{ destination: `10.78.0.${number}/32`, index: index ?? 0, protocol: 3 }]);
  }

  /** Whether reads of the store can be answered now. */
  get storeAnswers(): boolean {
    return this.link.cluster.members.every(({ runs }) => runs);
  }

  /** Sets the interface of a place's pod up or down. */
  async setInterface(place: number, up: boolean): Promise<void> {
    const name = this.interfaceName(place);
    if (this.kernel instanceof MemoryKernel) this.kernel.setUp(name, up);
    else await run('ip', ['link', 'set', 'dev', name, up ? 'up' : 'down']);
  }

  /** Discards the store's history up to now. */
  async compact(): Promise<void> {
    await this.link.cluster.compact();
  }

  /** The peers of the agent's connections vanish. What it asked for before is answered first, as in the model. */
  async halfOpen(): Promise<void> {
    const end = performance.now() + 3000;
    while (this.#agent?.asking === true && performance.now() < end) await sleep(5);
    await this.link.halfOpen();
  }

  /** Cuts the member that the agent is connected to off from its peers. */
  async isolate(): Promise<void> {
    const { member } = this.agent;
    const index = this.link.endpoints.indexOf(`http://${member}`);
    if (index < 0) throw new Error('the agent is connected to no member that could be isolated');
    await this.link.cluster.isolate(index);
  }

  /** All members stand still. */
  stopStore(): void {
    for (const member of this.link.cluster.members) member.stop();
  }

  /** Ends {@link stopStore}. */
  continueStore(): void {
    for (const member of this.link.cluster.members) member.cont();
  }

  /** Keeps a backup of the store, which {@link restore} brings back. */
  async backUp(): Promise<void> {
    await this.#meanwhile(async (members) => {
      this.#backup = await Promise.all(members.map((member) => member.snapshot()));
    });
  }

  /** Brings the backup back, or an empty store if there is none. */
  async restore(): Promise<void> {
    await this.#meanwhile(async (members) => {
      await Promise.all(members.map((member, index) => member.restore(this.#backup[index])));
    });
  }

  /** Ends all of it, and leaves nothing. */
  async close(): Promise<void> {
    await this.stopAgent();
    if (this.#ground === 'kernel') await this.#removeInterfaces();
    for (const sandbox of this.#sandboxes) await sandbox.end();
    await this.kernel.close();
    await this.link.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** The namespace may be used by another rig after this one. */
  async #removeInterfaces(): Promise<void> {
    const { interfaces } = await this.kernel.list();
    for (const { name } of interfaces)
      if (name.startsWith('cali')) await run('ip', ['link', 'del', 'dev', name]);
  }

  /** Does something while no member runs. */
  async #meanwhile(act: (members: readonly EtcdProcess[]) => Promise<void>): Promise<void> {
    const { members } = this.link.cluster;
    await Promise.all(members.map((member) => member.kill()));
    await act(members);
    for (const member of members) member.start();
    await Promise.all(members.map((member) => member.ready()));
  }

  #surroundings() {
    return { network: this.#network, registry: this.#registry, claims: this.#claims };
  }

  #require(place: number): RigPod {
    const found = this.#pods.get(place);
    if (found === undefined) throw new Error(`there is no pod in place ${place}`);
    return found;
  }
}

/** Starts a rig. @param size - how many members its store has */
export async function startRig(ground: Ground, size = 1): Promise<Rig> {
  const link = await (ground === 'kernel' ? startVethLink(size) : startProxyLink(size));
  return new Rig(ground, link, await mkdtemp(join(tmpdir(), 'routeproof-claims-')));
}
