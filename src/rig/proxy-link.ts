/** A link that is a proxy for each member. It needs no privileges. */
import { type EtcdCluster, startEtcd } from './etcd-process.ts';
import type { Link } from './link.ts';
import { startProxy, type TransportProxy } from './transport-proxy.ts';

class ProxyLink implements Link {
  readonly cluster: EtcdCluster;
  readonly endpoints: readonly string[];
  readonly #proxies: readonly TransportProxy[];

  constructor(cluster: EtcdCluster, proxies: readonly TransportProxy[]) {
    this.cluster = cluster;
    this.#proxies = proxies;
    this.endpoints = proxies.map(({ port }) => `http://127.0.0.1:${port}`);
  }

  async halfOpen(): Promise<void> {
    for (const proxy of this.#proxies) proxy.halfOpen();
  }

  async reset(): Promise<void> {
    for (const proxy of this.#proxies) proxy.reset();
  }

  async stall(): Promise<void> {
    for (const proxy of this.#proxies) proxy.blackhole();
  }

  async resume(): Promise<void> {
    for (const proxy of this.#proxies) proxy.release();
  }

  async refuse(refused: boolean): Promise<void> {
    for (const proxy of this.#proxies) proxy.admission = refused ? 'refuse' : 'pass';
  }

  async close(): Promise<void> {
    await Promise.all(this.#proxies.map((proxy) => proxy.close()));
    await this.cluster.close();
  }
}

/** Starts a cluster on this host, and a link to it. @param size - how many members */
export async function startProxyLink(size: number): Promise<Link> {
  const cluster = await startEtcd({ size });
  return new ProxyLink(cluster, await Promise.all(cluster.members.map(({ port }) => startProxy(port))));
}
