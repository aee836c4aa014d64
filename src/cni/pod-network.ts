/** What the plugin makes of a pod on its node, and how. */

/** The gateway of each pod: an address that nobody has, and whose neighbour entry is permanent. */
export const gateway = '169.254.1.1';

/** The sandbox of a pod, as far as DEL knows it. */
export interface Sandbox {
  readonly containerId: string;
  /** The host side of its veth pair, which is named by the pod. */
  readonly interfaceName: string;
}

/** A sandbox to be connected. */
export interface Pod extends Sandbox {
  readonly namespace: string;
  readonly pod: string;
  /** Its network namespace: a path. */
  readonly netns: string;
  /** What its interface is called inside. */
  readonly ifName: string;
  /** A CIDR: `10.0.0.1/32`. */
  readonly address: string;
}

/** The host side of a pod's veth pair. */
export interface PodInterface {
  readonly name: string;
  readonly index: number;
  readonly up: boolean;
  /** The container's id. */
  readonly alias: string;
  readonly mac?: string;
  /** That of the other side. */
  readonly peerMac?: string;
}

/** A pod's interface and route. All that is done twice is done once. */
export interface PodNetwork {
  /**
   * Makes the pair, in place of one that an older ADD left under the name. The host side carries the container's id before
   * it carries its name, so nobody sees the name without the id.
   *
   * @throws CniError
   */
  createInterface(pod: Pod): Promise<PodInterface>;
  /**
   * Adds the host's route to the pod over its interface. One that is there already is accepted if it goes over this very
   * interface, and is never replaced.
   *
   * @throws CniError
   */
  addRoute(pod: Pod): Promise<void>;
  /** Removes this sandbox's interface and no other's. @returns whether there was one */
  removeInterface(sandbox: Sandbox): Promise<boolean>;
  /** The interface of a name, whoever's it is. */
  find(interfaceName: string): Promise<PodInterface | undefined>;
  /** What is not as {@link createInterface} and {@link addRoute} leave it, each as a clause. */
  faults(pod: Pod): Promise<string[]>;
}

/** The faults of an interface that do not depend on the kind of network. */
export function interfaceFaults(pod: Pod, found: PodInterface | undefined): string[] {
  if (found === undefined) return [`there is no interface ${pod.interfaceName}`];
  const faults: string[] = [];
  if (found.alias !== pod.containerId)
    faults.push(
      `the interface ${pod.interfaceName} is of ${found.alias === '' ? 'no container' : `container ${found.alias}`}`,
    );
  if (!found.up) faults.push(`the interface ${pod.interfaceName} is down`);
  return faults;
}
