/** Where the store is and how it is spoken to. */
import type { Interceptor } from '@grpc/grpc-js';

/** All times are milliseconds. */
export interface StoreOptions {
  /** The members' client URLs, `https://10.0.0.1:2379`. At least one. */
  readonly endpoints: readonly string[];
  /** What the keys of endpoints begin with; {@link calicoPrefix} on Calico's etcd. */
  readonly prefix: string;
  /** What the heartbeat's key is named by; the host's name if left out. */
  readonly node?: string;
  /** PEM. A certificate and its key go together. */
  readonly tls?: {
    /** The authority that the members' certificates are of. */
    readonly ca: Buffer;
    /** The client's own certificate, for members that ask for one. */
    readonly cert?: Buffer;
    /** Its key. */
    readonly key?: Buffer;
  };
  /** A user of etcd. It goes together with its password. */
  readonly username?: string;
  /** The user's password. */
  readonly password?: string;
  /** How long a member may take to be connected to and to answer one read. */
  readonly dialTimeout: number;
  /** How long a read or a write may take, over all the members that are tried for it. */
  readonly callTimeout: number;
  /** HTTP/2 pings on a connection that carries a watch. etcd ends a connection that pings more often than each 5 s. */
  readonly keepalive?: {
    /** How long nothing was heard when a ping is sent. */
    readonly time: number;
    /** How long its answer may take. */
    readonly timeout: number;
  };
  /** Whether a member that knows no leader has to end the watches on it. */
  readonly requireLeader: boolean;
  /** Whether to watch by etcd3's own `Watcher`, which loses changes. Only to show that it does. */
  readonly stock?: boolean;
  /** See and change what streams, that is watches, send and receive. */
  readonly streamInterceptors?: readonly Interceptor[];
}
