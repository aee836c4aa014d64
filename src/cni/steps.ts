/**
 * ADD and DEL as the steps that the model has, in either of its orders. They are generators: each step is done when it is
 * asked for, so whoever runs them can stop, stall or give up between any two.
 */
import type { EndpointName } from '../etcd/endpoint-keys.ts';
import type { ClaimHolder } from './claims.ts';
import { CniError, errorCodes } from './cni-error.ts';
import type { EndpointRegistry } from './endpoint-registry.ts';
import type { Pod, PodInterface, PodNetwork, Sandbox } from './pod-network.ts';

/** Which of the two comes first into the world, and goes last out of it. */
export const orders = ['route-first', 'endpoint-first'] as const;

/** An order of steps: `endpoint-first` is the model's `writesEndpointFirst` and `erasesEndpointLast`. */
export type Order = (typeof orders)[number];

/** The steps of ADD, in no order. */
export type AddStep = 'cni.made.interface' | 'cni.added.route' | 'cni.wrote.endpoint';

/** The steps of DEL, in no order. */
export type DeleteStep = 'cni.erased.endpoint' | 'cni.removed.interface';

/** The order of ADD. */
export const addSteps: Readonly<Record<Order, readonly AddStep[]>> = {
  'route-first': ['cni.made.interface', 'cni.added.route', 'cni.wrote.endpoint'],
  'endpoint-first': ['cni.wrote.endpoint', 'cni.made.interface', 'cni.added.route'],
};

/** The order of DEL, which is ADD's turned round. */
export const deleteSteps: Readonly<Record<Order, readonly DeleteStep[]>> = {
  'route-first': ['cni.erased.endpoint', 'cni.removed.interface'],
  'endpoint-first': ['cni.removed.interface', 'cni.erased.endpoint'],
};

/** What the steps are done to. */
export interface Surroundings {
  readonly network: PodNetwork;
  readonly registry: Pick<EndpointRegistry, 'write' | 'erase'>;
  readonly claims: ClaimHolder;
}

/**
 * Connects a sandbox. The claim is taken together with the first step, before it. An ADD whose claim another one has
 * taken over goes no further.
 *
 * @returns the interface, after the last step
 * @throws CniError or StoreError, and then all that was done stays until DEL
 */
export async function* addPod(
  order: Order,
  node: string,
  pod: Pod,
  { network, registry, claims }: Surroundings,
): AsyncGenerator<AddStep, PodInterface> {
  await claims.take(pod.interfaceName, pod.containerId);
  let made: PodInterface | undefined;
  for (const step of addSteps[order]) {
    if ((await claims.holder(pod.interfaceName)) !== pod.containerId)
      throw new CniError(
        errorCodes.superseded,
        `Another sandbox of ${pod.namespace}/${pod.pod} has taken ${pod.interfaceName} over from container ${pod.containerId}, or a DEL came. Delete this sandbox.`,
      );
    switch (step) {
      case 'cni.made.interface':
        made = await network.createInterface(pod);
        break;
      case 'cni.added.route':
        await network.addRoute(pod);
        break;
      case 'cni.wrote.endpoint':
        await registry.write({
          node,
          interfaceName: pod.interfaceName,
          addresses: [pod.address],
          containerId: pod.containerId,
          namespace: pod.namespace,
          pod: pod.pod,
        });
        break;
    }
    yield step;
  }
  if (made === undefined) throw new Error('An order of ADD makes no interface.');
  return made;
}

/**
 * Disconnects a sandbox, in whatever state it is, and touches nothing that is another's. The claim is given up when
 * the last step is done and has been told.
 *
 * @throws CniError or StoreError, and then what was not done is done by the next DEL
 */
export async function* deletePod(
  order: Order,
  endpoint: EndpointName,
  sandbox: Sandbox,
  { network, registry, claims }: Surroundings,
): AsyncGenerator<DeleteStep, void> {
  for (const step of deleteSteps[order]) {
    switch (step) {
      case 'cni.erased.endpoint':
        await registry.erase(endpoint, sandbox.containerId);
        break;
      case 'cni.removed.interface':
        await network.removeInterface(sandbox);
        break;
    }
    yield step;
  }
  await claims.release(sandbox.interfaceName, sandbox.containerId);
}
