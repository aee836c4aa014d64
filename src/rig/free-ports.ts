/** Ports of the loopback address that nobody listens on. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Finds so many ports, no two of them equal. They are free until somebody else takes them. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
