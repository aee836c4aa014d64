/** A gRPC channel that ends when it is told to, and only then. */
import type { Socket } from 'node:net';
import { Channel, ChannelCredentials, type ChannelOptions, connectivityState } from '@grpc/grpc-js';

type Connecting = Parameters<ChannelCredentials['_createSecureConnector']>;
type Connector = ReturnType<ChannelCredentials['_createSecureConnector']>;

/** Credentials that know the sockets they were used on. */
class KnownSockets extends ChannelCredentials {
  readonly #credentials: ChannelCredentials;
  readonly #sockets = new Set<Socket>();
  #closed = false;

  constructor(credentials: ChannelCredentials) {
    super();
    this.#credentials = credentials;
  }

  override _isSecure(): boolean {
    return this.#credentials._isSecure();
  }

  override _equals(other: ChannelCredentials): boolean {
    return other === this;
  }

  override _createSecureConnector(...connecting: Connecting): Connector {
    const connector = this.#credentials._createSecureConnector(...connecting);
    return {
      connect: (socket) => {
        this.#sockets.add(socket);
        socket.once('close', () => this.#sockets.delete(socket));
        if (this.#closed) socket.destroy();
        return connector.connect(socket);
      },
      waitForReady: () => connector.waitForReady(),
      getCallCredentials: () => connector.getCallCredentials(),
      destroy: () => connector.destroy(),
    };
  }

  /** When the newest that there is now is closed; at once if there is none. */
  async newestClosed(): Promise<void> {
    const newest = [...this.#sockets].at(-1);
    if (newest !== undefined) await new Promise<void>((resolve) => newest.once('close', () => resolve()));
  }

  /** Ends them all, and those to come. */
  close(): void {
    this.#closed = true;
    for (const socket of this.#sockets) socket.destroy();
  }
}

/**
 * A channel to be shared by etcd3's clients of one member.
 *
 * etcd3 closes the clients of a host after most errors, also after one that concerned a single call, and wakes up channels
 * that were connecting in order to close them; so it cannot close this one, and is never told that it is connecting.
 * grpc-js in turn closes its sockets only after the peer has said something, which one that stands still never does: each
 * attempt to reach it would leave a socket behind. So {@link destroy} closes them itself.
 */
export class OwnChannel extends Channel {
  readonly #sockets: KnownSockets;

  constructor(target: string, credentials: ChannelCredentials, options: ChannelOptions) {
    const sockets = new KnownSockets(credentials);
    super(target, sockets, options);
    this.#sockets = sockets;
  }

  override close(): void {}

  override getConnectivityState(): connectivityState {
    return connectivityState.READY;
  }

  /** When the connection that it has now has ended, also if nothing is asked over it; at once if it has none. */
  ended(): Promise<void> {
    return this.#sockets.newestClosed();
  }

  /** Closes it and its connection. */
  destroy(): void {
    super.close();
    this.#sockets.close();
  }
}
