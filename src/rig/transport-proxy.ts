/** A TCP proxy that breaks the connections through it, in the ways in which networks do. It needs no privileges. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** What becomes of connections that are made. */
export type Admission =
  /** They are carried to the target. */
  | 'pass'
  /** They are accepted and reset. */
  | 'refuse'
  /** They are accepted, and nothing is ever answered. */
  | 'swallow';

/** A connection through the proxy. */
interface Pair {
  readonly client: Socket;
  readonly target: Socket;
  /** Whether the client's side is kept, with nobody behind it. */
  orphaned: boolean;
}

/** A proxy for one target on this host. Make it with {@link startProxy}. */
export class TransportProxy {
  /** What becomes of connections that are made from now on. */
  admission: Admission = 'pass';
  /** By how many milliseconds each piece of data is held up, in both directions. */
  delay = 0;
  readonly #target: number;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  readonly #swallowed = new Set<Socket>();
  #held = false;

  /** @param target - the port, on the loopback address */
  constructor(target: number) {
    this.#target = target;
    this.#server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) =>
      this.#accept(client),
    );
  }

  /** The port that it listens on, on the loopback address. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** How many clients are connected to it, those without anybody behind them included. */
  get connections(): number {
    return this.#pairs.size + this.#swallowed.size;
  }

  /** Listens on a free port. */
  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /**
   * The connections there are become half-open: what is behind them has gone without a word. The client's side stays
   * established and is silent for ever, and what it sends is acknowledged. New connections work.
   */
  halfOpen(): void {
    for (const pair of this.#pairs) {
      pair.orphaned = true;
      pair.target.destroy();
      pair.client.resume();
    }
  }

  /** The connections there are end by a reset. */
  reset(): void {
    for (const { client, target } of this.#pairs) {
      client.resetAndDestroy();
      target.destroy();
    }
    this.#pairs.clear();
    for (const client of this.#swallowed) client.resetAndDestroy();
  }

  /** Nothing is carried, and nothing lost: what is sent waits until {@link release}. New connections wait too. */
  blackhole(): void {
    this.#held = true;
    for (const { client, target } of this.#pairs) {
      client.pause();
      target.pause();
    }
  }

  /** Ends {@link blackhole}. */
  release(): void {
    this.#held = false;
    for (const { client, target, orphaned } of this.#pairs) {
      client.resume();
      if (!orphaned) target.resume();
    }
  }

  /** Ends it and all that goes through it. */
  async close(): Promise<void> {
    this.reset();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(client: Socket): void {
    client.on('error', () => {});
    if (this.admission === 'refuse') {
      client.resetAndDestroy();
      return;
    }
    if (this.admission === 'swallow') {
      this.#swallowed.add(client);
      client.on('close', () => this.#swallowed.delete(client));
      client.on('end', () => client.end());
      client.resume();
      return;
    }
    const target = connect({ port: this.#target, host: '127.0.0.1', allowHalfOpen: true });
    const pair: Pair = { client, target, orphaned: false };
    this.#pairs.add(pair);
    client.setNoDelay(true);
    target.setNoDelay(true);
    client.on('close', () => {
      this.#pairs.delete(pair);
      target.destroy();
    });
    target.on('error', () => {});
    target.on('close', () => {
      if (!pair.orphaned) client.destroy();
    });
    this.#carry(pair, client, target);
    this.#carry(pair, target, client);
    if (this.#held) target.pause();
    else client.resume();
  }

  #carry(pair: Pair, from: Socket, to: Socket): void {
    const send = (data: Buffer): void => {
      if (pair.orphaned || to.destroyed || to.write(data)) return;
      from.pause();
      to.once('drain', () => {
        if (!this.#held) from.resume();
      });
    };
    from.on('data', (data: Buffer) => {
      if (pair.orphaned) return;
      if (this.delay > 0) setTimeout(send, this.delay, data);
      else send(data);
    });
    from.on('end', () => {
      if (from === pair.client && pair.orphaned) pair.client.destroy();
      else setTimeout(() => to.end(), this.delay);
    });
  }
}

/** Starts a proxy for a port of this host. */
export async function startProxy(target: number): Promise<TransportProxy> {
  const proxy = new TransportProxy(target);
  await proxy.listen();
  return proxy;
}
