/**
 * What the agent and the CNI plugin ask of a kernel's network stack: interfaces and IPv4 routes of the main table. The kernel
 * is the truth and is listed anew before each decision; a change is only a reason to list.
 */

/** An interface. */
export interface Interface {
  /** Such as `cali12ab`. */
  readonly name: string;
  /** Never used again for another interface while the system runs. */
  readonly index: number;
  /** Administratively up. */
  readonly up: boolean;
  /** Free text that the interface carries; the CNI plugin writes the container's id there. Empty if there is none. */
  readonly alias: string;
}

/** A unicast route of the main table over an interface. */
export interface Route {
  /** A CIDR, always with its length: `10.0.0.1/32`. */
  readonly destination: string;
  /** The index of the interface that it goes over. */
  readonly index: number;
  /** Who says that it made the route, as the kernel numbers it: 3 is `boot`. */
  readonly protocol: number;
}

/** Which route a delete means: each attribute that is given must be the route's. */
export interface RouteMatch {
  /** A CIDR. */
  readonly destination: string;
  /** Left out: whichever interface it goes over. */
  readonly index?: number;
  /** Left out: whoever made it. */
  readonly protocol?: number;
}

/** What a kernel holds. */
export interface KernelState {
  /** All interfaces. */
  readonly interfaces: readonly Interface[];
  /** The unicast routes of the main table over one of them. */
  readonly routes: readonly Route[];
}

/** What became of an add or a delete. */
export type RouteOutcome =
  | 'done'
  /** An add: the destination has a route already. */
  | 'exists'
  /** A delete: no route matches. An add: no such interface, or it is down. */
  | 'absent'
  | {
      /** The kernel refused, and says why. */
      readonly failed: string;
    };

/** A kernel's network stack, or the part of it that one network namespace is. */
export interface Kernel {
  /**
   * Lists interfaces and routes as they are now. A route whose interface is not among the interfaces is left out: it came
   * or went while the list was made.
   *
   * @throws KernelError if the kernel cannot be asked
   */
  list(): Promise<KernelState>;
  /** Adds routes, and never replaces one. @returns what became of each, in order */
  add(routes: readonly Route[]): Promise<RouteOutcome[]>;
  /** Deletes routes. @returns what became of each, in order */
  remove(routes: readonly RouteMatch[]): Promise<RouteOutcome[]>;
  /**
   * Calls back whenever interfaces or routes may have changed, also where it cannot tell how: what was missed is a change.
   * It calls back first as soon as it misses nothing any more, so a list that is made then is where a watcher begins.
   *
   * @returns ends it
   */
  watch(changed: () => void): () => void;
  /** Ends what runs on the kernel's behalf. Changes nothing. */
  close(): Promise<void>;
}

/** The kernel cannot be asked, or did not understand. */
export class KernelError extends Error {
  /** Always `KernelError`. */
  override name = 'KernelError';
}
