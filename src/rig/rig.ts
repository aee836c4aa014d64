/**
 * A node to try an agent on: a real etcd behind a link that can break, pods that are made step by step as
 * the CNI plugin makes them, and a kernel, which is the one of this process's network namespace or one in memory.
 */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { pino } from 'pino';
import type { Relation } from '../../models/cni.machine.ts';
import type { Design } from '../../models/index.ts';
import { Agent } from '../agent/agent.ts';
import type { Line } from '../agent/record.ts';
import { storeOptionsOf } from '../agent/store-options.ts';
import { Claims, readClaim } from '../cni/claims.ts';
import { IprouteNetwork } from '../cni/iproute-pod-network.ts';
import { MemoryPodNetwork } from '../cni/memory-pod-network.ts';
import type { Pod, PodNetwork } from '../cni/pod-network.ts';
import { type AddStep, addPod, addSteps, type DeleteStep, deletePod, type Order } from '../cni/steps.ts';
import type { Endpoint } from '../etcd/endpoint.ts';
import { calicoPrefix, interfaceNameOf, readKey } from '../etcd/endpoint-keys.ts';
import { EtcdStore } from '../etcd/etcd-store.ts';
import { IprouteKernel } from '../kernel/iproute.ts';
import type { Kernel, KernelState } from '../kernel/kernel.ts';
import { MemoryKernel } from '../kernel/memory-kernel.ts';
import type { Link } from './link.ts';
import { startProxyLink } from './proxy-link.ts';
import { type Sandbox, startSandbox } from './sandbox.ts';
import { ShortConnections } from './short-connections.ts';
import { StoreHands } from './store-hands.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';
import { startVethLink } from './veth-link.ts';
import { WatchCanceller } from './watch-canceller.ts';

const run = promisify(execFile);

/** What the routes are in: a kernel in memory, or that of this process's network namespace. */
export type Ground = 'memory' | 'kernel';

/** The node's name. */
const node = 'node-1';

/** The name of a place's first pod. */
const firstPod = (place: number): string => `pod-${place}`;

/** A restored store is behind any agent of the rig, for its own revisions begin below this one. */
const firstRevision = 50n;

/** A pod of the rig, and how far its ADD or DEL is. */
export interface RigPod {
  readonly pod: Pod;
  /** What is in flight. */
  readonly doing?: AsyncGenerator<AddStep | DeleteStep, unknown>;
  /** The last step of an ADD in flight: with it the pod runs, as in the model. A DEL has its claim to give up after its last. */
  readonly last?: AddStep | undefined;
  /** The sandbox that the pod had before, if it was made again. */
  readonly earlier?: Pod;
}

/** Makes what takes the lines of one agent's trace. An agent that starts anew has a trace of its own. */
export type NewTrace = () => (line: Line) => void;

/** What {@link Rig.startAgent} starts an agent with. */
interface Launch {
  readonly design: Design;
  readonly refresh: number;
  readonly held: boolean;
  readonly newTrace: NewTrace | undefined;
}

/** Make it with {@link startRig}. */
export class Rig {
  readonly link: Link;
  readonly kernel: Kernel;
  /** Faults take as little time as they can: the agent's timers run meanwhile. */
  hasty = false;
  readonly #ground: Ground;
  readonly #network: PodNetwork;
  readonly #folder: TemporaryFolder;
  readonly #claims: Claims;
  readonly #registry: ShortConnections;
  readonly #pods = new Map<number, RigPod>();
  readonly #sandboxes = new Set<Sandbox>();
  #hands: StoreHands;
  #made = 0;
  #agent: Agent | undefined;
  #store: EtcdStore | undefined;
  #canceller: WatchCanceller | undefined;
  #launch: Launch | undefined;
  /** The revision of the store that was replaced by a restored one. */
  #replaced = 0n;

  constructor(ground: Ground, link: Link, hands: StoreHands, folder: TemporaryFolder) {
    this.#ground = ground;
    this.link = link;
    this.#folder = folder;
    this.#claims = new Claims(folder.path);
    if (ground === 'kernel') {
      this.kernel = new IprouteKernel();
      this.#network = new IprouteNetwork();
    } else {
      const memory = new MemoryKernel();
      this.kernel = memory;
      this.#network = new MemoryPodNetwork(memory);
    }
    this.#hands = hands;
    this.#registry = new ShortConnections(() => this.#hands.options);
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
  startAgent(design: Design, refresh: number, held: boolean, newTrace?: NewTrace): void {
    this.#launch = { design, refresh, held, newTrace };
    const canceller = new WatchCanceller();
    this.#canceller = canceller;
    const store = new EtcdStore({
      endpoints: this.link.endpoints,
      ...{ prefix: calicoPrefix, node, dialTimeout: 2000 },
      ...storeOptionsOf(design),
      streamInterceptors: [canceller.interceptor],
    });
    this.#store = store;
    this.#agent = new Agent({
      ...{ design, store, kernel: this.kernel, node, refresh, resync: refresh * 9, held },
      owns: (name) => name.startsWith('cali'),
      claimOf: (name) => readClaim(this.#folder.path, name),
      log: pino({ level: process.env.ROUTEPROOF_RIG_LOG ?? 'silent' }),
      counts: { deleted: () => {}, repaired: () => {}, fenced: () => {} },
      ...(newTrace === undefined ? {} : { trace: newTrace() }),
    });
  }

  /** Ends the agent; its routes stay. */
  async stopAgent(): Promise<void> {
    await this.#agent?.stop();
    this.#store?.close();
    this.#agent = undefined;
  }

  /** Ends the agent, and starts one anew that has forgotten everything. */
  async restartAgent(): Promise<void> {
    const launch = this.#launch;
    await this.stopAgent();
    if (launch === undefined) throw new Error('no agent was started on this rig');
    this.startAgent(launch.design, launch.refresh, launch.held, launch.newTrace);
  }

  /** Ends a pause of the agent. One whose steps are held waits for them to be released as before. */
  resumeAgent(): void {
    if (this.#launch?.held === false) this.agent.steps.free();
  }

  /** The interface of a place's newest pod. */
  interfaceName(place: number): string {
    return this.#pods.get(place)?.pod.interfaceName ?? interfaceNameOf('default', firstPod(place));
  }

  /** The pod of a place. */
  pod(place: number): RigPod | undefined {
    return this.#pods.get(place);
  }

  /** Begins the ADD of a new pod in a place. @param relation - how it is akin to the pod before it */
  async createPod(place: number, order: Order, relation: Relation): Promise<void> {
    this.#made += 1;
    const before = this.#pods.get(place)?.pod;
    const sandbox = this.#ground === 'kernel' ? await startSandbox() : undefined;
    if (sandbox !== undefined) this.#sandboxes.add(sandbox);
    const keepsName = relation === 'same' || relation === 'renumbered';
    const keepsAddress = relation === 'same' || relation === 'readdressed';
    const name =
      before === undefined ? firstPod(place) : keepsName ? before.pod : `${firstPod(place)}-${this.#made}`;
    const pod: Pod = {
      ...{ namespace: 'default', pod: name, ifName: 'eth0' },
      interfaceName: interfaceNameOf('default', name),
      containerId: `container-${this.#made}`,
      netns: sandbox?.path ?? '',
      address:
        keepsAddress && before !== undefined ? before.address : `10.77.${this.#made % 256}.${place}/32`,
    };
    // The model's ADD has its claim as soon as it has begun.
    await this.#claims.take(pod.interfaceName, pod.containerId);
    this.#pods.set(place, {
      pod,
      doing: addPod(order, node, pod, this.#surroundings()),
      last: addSteps[order].at(-1),
      ...(before?.pod === name ? { earlier: before } : {}),
    });
  }

  /** Begins the DEL of a place's pod. */
  deletePod(place: number, order: Order): void {
    const found = this.#require(place);
    this.#pods.set(place, { ...found, doing: this.#deletion(found.pod, order), last: undefined });
  }

  /** A DEL of the sandbox that a place's pod had before, from beginning to end; of one that nobody knows, if it had none. */
  async repeatDelete(place: number, order: Order): Promise<void> {
    const { pod, earlier } = this.#require(place);
    for await (const _ of this.#deletion(earlier ?? { ...pod, containerId: 'container-0' }, order));
  }

  /** Makes the next step of what is in flight in a place. @returns its name; nothing if that has come to its end */
  async nextStep(place: number): Promise<AddStep | DeleteStep | undefined> {
    const { doing, last } = this.#require(place);
    const step = await doing?.next();
    if (step?.done === false && step.value !== last) return step.value;
    this.crash(place);
    return step?.done === false ? step.value : undefined;
  }

  /** What is in flight in a place stops where it is. */
  crash(place: number): void {
    const { doing: _, last: __, ...rest } = this.#require(place);
    this.#pods.set(place, rest);
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

  /** What the store has under the name of a place's pod, be it of an earlier sandbox. */
  async endpoint(place: number): Promise<Endpoint | undefined> {
    const pod = this.#pods.get(place)?.pod.pod ?? firstPod(place);
    const read = await this.#registry.read({ namespace: 'default', node, pod });
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
    return this.link.cluster.hasLeader;
  }

  /** Sets the interface of a place's pod up or down. */
  async setInterface(place: number, up: boolean): Promise<void> {
    const name = this.interfaceName(place);
    if (this.kernel instanceof MemoryKernel) this.kernel.setUp(name, up);
    else await run('ip', ['link', 'set', 'dev', name, up ? 'up' : 'down']);
  }

  /** Discards the store's history up to now. */
  async compact(): Promise<void> {
    await this.#withLeader(() => this.#hands.compact());
  }

  /** The peers of the agent's connections vanish. What it asked for before is answered first, as in the model. */
  async halfOpen(): Promise<void> {
    await this.#answered();
    await this.link.halfOpen(this.hasty);
  }

  /** etcd ends the agent's watch and says so; the connection stays. What the agent asked for before is answered first. */
  async cancelWatch(): Promise<void> {
    await this.#answered();
    this.#canceller?.cancel();
  }

  /** Waits for the answer to a watch that the agent has asked for, but not for ever. */
  async #answered(): Promise<void> {
    const end = performance.now() + 3000;
    while (this.#agent?.asking === true && performance.now() < end) await sleep(5);
  }

  /** Cuts the member that the agent is connected to off from its peers. */
  async isolate(): Promise<void> {
    const { member } = this.agent;
    const index = this.link.endpoints.indexOf(`http://${member}`);
    if (index < 0) throw new Error('the agent is connected to no member that could be isolated');
    await this.link.cluster.isolate(index);
  }

  /**
   * Puts an older backup in place of the store. Its revisions are those of a store that is younger than any agent of the rig.
   *
   * @param knows - whether it knows the pod of a place
   */
  async restore(knows: (place: number) => boolean): Promise<void> {
    await this.#withLeader(() => this.#restore(knows));
  }

  async #restore(knows: (place: number) => boolean): Promise<void> {
    const places = [...this.#pods.keys()].filter(knows);
    const names = new Set(places.map((place) => this.#require(place).pod.pod));
    const { revision, records } = await this.#hands.read(calicoPrefix);
    if (revision > this.#replaced) this.#replaced = revision;
    const { members } = this.link.cluster;
    await Promise.all(members.map((member) => member.kill()));
    await Promise.all(members.map((member) => member.restore()));
    for (const member of members) member.start();
    await Promise.all(members.map((member) => member.ready()));
    this.#hands = new StoreHands(this.link.cluster);
    await this.#hands.write(
      records.filter(({ key }) => names.has(readKey(calicoPrefix, key.toString())?.pod ?? '')),
    );
  }

  /** Writes what concerns nobody, until a restored store is past every revision of the one it has replaced. */
  async overtake(): Promise<void> {
    await this.#withLeader(() => this.#hands.writeUntil(this.#replaced + 1n));
  }

  /** Whether the agent, which has no password, is refused every read and every new watch. */
  async refuseReads(refused: boolean): Promise<void> {
    await this.#withLeader(() => this.#hands.lock(refused));
  }

  /** Ends all of it, and leaves nothing. */
  async close(): Promise<void> {
    await this.stopAgent();
    if (this.#ground === 'kernel') await this.#removeInterfaces();
    for (const sandbox of this.#sandboxes) await sandbox.end();
    await this.kernel.close();
    await this.link.close();
    await this.#folder.remove();
  }

  /** The namespace may be used by another rig after this one. */
  async #removeInterfaces(): Promise<void> {
    const { interfaces } = await this.kernel.list();
    for (const { name } of interfaces)
      if (name.startsWith('cali')) await run('ip', ['link', 'del', 'dev', name]);
  }

  /** Does what needs a leader, and if there was none, then there is none again. */
  async #withLeader(act: () => Promise<void>): Promise<void> {
    const { cluster } = this.link;
    if (cluster.hasLeader) return act();
    await cluster.electLeader();
    await act();
    await cluster.loseLeader();
  }

  #deletion(pod: Pod, order: Order): AsyncGenerator<DeleteStep, void> {
    const name = { namespace: pod.namespace, node, pod: pod.pod };
    return deletePod(order, name, pod, this.#surroundings());
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
  const hands = new StoreHands(link.cluster);
  await hands.writeUntil(firstRevision);
  return new Rig(ground, link, hands, await temporaryFolder('routeproof-claims-'));
}
