/** What is between an agent and its store, and what can become of it. */
import type { EtcdCluster } from './etcd-process.ts';

/** The way of one agent to the members of a cluster, which nobody else takes. */
export interface Link {
  /** The cluster at its other end. */
  readonly cluster: EtcdCluster;
  /** The client URLs for the agent, in the members' order. */
  readonly endpoints: readonly string[];
  /**
   * The peers of the connections there are vanish without a word: each socket of the agent stays established and is silent.
   * New connections work.
   *
   * @param hastily - in as little time as can be: the store's host forgets its connections, and the store is not ended for it
   */
  halfOpen(hastily?: boolean): Promise<void>;
  /** The connections there are end by a reset. */
  reset(): Promise<void>;
  /** Nothing is carried, and nothing lost, until {@link resume}. */
  stall(): Promise<void>;
  /** Ends {@link stall}. */
  resume(): Promise<void>;
  /** New connections fail, or no more. Those that there are stay as they are only if it is a proxy; a cable is pulled. */
  refuse(refused: boolean): Promise<void>;
  /** Ends it, and the cluster. */
  close(): Promise<void>;
}
