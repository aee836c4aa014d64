/** What ADD and DEL are done to where nothing is real, and what they left of it. */
import type { ClaimHolder } from '../../../src/cni/claims.ts';
import type { EndpointRegistry } from '../../../src/cni/endpoint-registry.ts';
import { MemoryPodNetwork } from '../../../src/cni/memory-pod-network.ts';
import type { Pod } from '../../../src/cni/pod-network.ts';
import type { Surroundings } from '../../../src/cni/steps.ts';
import type { Endpoint } from '../../../src/etcd/endpoint.ts';
import type { EndpointName } from '../../../src/etcd/endpoint-keys.ts';
import { MemoryKernel } from '../../../src/kernel/memory-kernel.ts';

export const node = 'node-a';

/** The pod `default/web` in a sandbox. */
export function podOf(containerId: string, address = '10.0.0.1/32'): Pod {
  return {
    containerId,
    interfaceName: 'cali0000000web1',
    namespace: 'default',
    pod: 'web',
    netns: '/run/netns/web',
    ifName: 'eth0',
    address,
  };
}

export const endpointName = { node, namespace: 'default', pod: 'web' };

class MemoryRegistry implements EndpointRegistry {
  readonly endpoints = new Map<string, Endpoint>();
  closed = 0;
  /** Thrown by the next call. */
  failure: Error | undefined;

  async write(endpoint: Endpoint): Promise<void> {
    this.#fail();
    this.endpoints.set(keyOf(endpoint), endpoint);
  }

  async erase(name: EndpointName, containerId: string): Promise<boolean> {
    this.#fail();
    return this.endpoints.get(keyOf(name))?.containerId === containerId && this.endpoints.delete(keyOf(name));
  }

  async read(name: EndpointName) {
    this.#fail();
    const endpoint = this.endpoints.get(keyOf(name));
    return endpoint && { record: { key: keyOf(name), endpoint } };
  }

  close(): void {
    this.closed += 1;
  }

  #fail(): void {
    const { failure } = this;
    this.failure = undefined;
    if (failure !== undefined) throw failure;
  }
}

class MemoryClaims implements ClaimHolder {
  readonly claims = new Map<string, string>();

  async take(interfaceName: string, containerId: string): Promise<void> {
    this.claims.set(interfaceName, containerId);
  }

  async holder(interfaceName: string): Promise<string | undefined> {
    return this.claims.get(interfaceName);
  }

  async release(interfaceName: string, containerId: string): Promise<boolean> {
    return this.claims.get(interfaceName) === containerId && this.claims.delete(interfaceName);
  }
}

/** A node with nothing on it. */
export class Node implements Surroundings {
  readonly kernel = new MemoryKernel();
  readonly network = new MemoryPodNetwork(this.kernel);
  readonly registry = new MemoryRegistry();
  readonly claims = new MemoryClaims();

  /** What is there, by whose it is. */
  async traces() {
    const { interfaces, routes } = await this.kernel.list();
    return {
      claims: [...this.claims.claims.values()],
      endpoints: [...this.registry.endpoints.values()].map(({ containerId }) => containerId),
      interfaces: interfaces.map(({ alias }) => alias),
      routes: routes.map(
        ({ destination, index }) => `${destination} ${interfaces.find((one) => one.index === index)?.alias}`,
      ),
    };
  }
}

/** What {@link Node.traces} says of a node on which only this pod was added. */
export function tracesOf({ containerId, address }: Pod) {
  return {
    claims: [containerId],
    endpoints: [containerId],
    interfaces: [containerId],
    routes: [`${address} ${containerId}`],
  };
}

export const noTraces = { claims: [], endpoints: [], interfaces: [], routes: [] };

/** Takes as many steps, or all. */
export async function take<T>(steps: AsyncGenerator<T, unknown>, count = Number.POSITIVE_INFINITY) {
  const taken: T[] = [];
  while (taken.length < count) {
    const next = await steps.next();
    if (next.done === true) break;
    taken.push(next.value);
  }
  return taken;
}

function keyOf({ node, namespace, pod }: EndpointName): string {
  return `${namespace}/${node}/${pod}`;
}
