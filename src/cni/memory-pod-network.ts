/** The network of pods on a kernel in memory: what stands for iproute2 where time is simulated. */
import type { Interface, Kernel } from '../kernel/kernel.ts';
import { CniError, errorCodes } from './cni-error.ts';
import {
  interfaceFaults,
  type Pod,
  type PodInterface,
  type PodNetwork,
  type Sandbox,
} from './pod-network.ts';

/** The protocol number of `boot`, which the plugin's routes have. */
const boot = 3;

/** A kernel whose interfaces can be made and removed. */
export interface InterfaceKernel extends Pick<Kernel, 'list' | 'add'> {
  createInterface(made: { name: string; alias: string; up?: boolean }): unknown;
  removeInterface(name: string): unknown;
}

/** Only the node's side is there: the kernel has no other namespaces. */
export class MemoryPodNetwork implements PodNetwork {
  readonly #kernel: InterfaceKernel;

  constructor(kernel: InterfaceKernel) {
    this.#kernel = kernel;
  }

  async createInterface(pod: Pod): Promise<PodInterface> {
    if ((await this.find(pod.interfaceName)) !== undefined)
      await this.#kernel.removeInterface(pod.interfaceName);
    await this.#kernel.createInterface({ name: pod.interfaceName, alias: pod.containerId, up: true });
    return this.#require(pod);
  }

  async addRoute(pod: Pod): Promise<void> {
    const { index } = await this.#require(pod);
    const [outcome] = await this.#kernel.add([{ destination: pod.address, index, protocol: boot }]);
    if (outcome === 'done' || (outcome === 'exists' && (await this.#hasRoute(pod, index)))) return;
    if (outcome === 'exists')
      throw new CniError(
        errorCodes.routeElsewhere,
        `There is a route to ${pod.address} already, and not over ${pod.interfaceName}. Find out whose address it is; delete that route if it is nobody's.`,
      );
    throw new CniError(
      errorCodes.network,
      `The kernel refused the route to ${pod.address} over ${pod.interfaceName}. See the details, then try again.`,
      typeof outcome === 'object' ? outcome.failed : 'the interface is absent or down',
    );
  }

  async removeInterface({ interfaceName, containerId }: Sandbox): Promise<boolean> {
    if ((await this.find(interfaceName))?.alias !== containerId) return false;
    await this.#kernel.removeInterface(interfaceName);
    return true;
  }

  async find(interfaceName: string): Promise<Interface | undefined> {
    const { interfaces } = await this.#kernel.list();
    return interfaces.find(({ name }) => name === interfaceName);
  }

  async faults(pod: Pod): Promise<string[]> {
    const found = await this.find(pod.interfaceName);
    const faults = interfaceFaults(pod, found);
    if (found !== undefined && !(await this.#hasRoute(pod, found.index)))
      faults.push(`the node has no route to ${pod.address} over ${pod.interfaceName}`);
    return faults;
  }

  async #require(pod: Pod): Promise<Interface> {
    const found = await this.find(pod.interfaceName);
    if (found?.alias === pod.containerId) return found;
    throw new CniError(
      errorCodes.superseded,
      `The interface ${pod.interfaceName} is not that of container ${pod.containerId} any more: a newer ADD or a DEL came. Delete this sandbox.`,
    );
  }

  async #hasRoute(pod: Pod, over: number): Promise<boolean> {
    const { routes } = await this.#kernel.list();
    return routes.some(({ destination, index }) => destination === pod.address && index === over);
  }
}
