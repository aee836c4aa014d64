/**
 * One agent on a node. The lock is an abstract Unix socket, which the kernel keeps for each network namespace and gives up
 * with the process, however that ends: a crash leaves nothing behind, and no agent of another namespace is in the way.
 */
import { createServer } from 'node:net';

/** Gives the lock up. */
export type Unlock = () => void;

/** Takes the lock. @returns nothing if another agent has it */
export function lockNode(): Promise<Unlock | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen('\0routeproof-agent', () => resolve(() => server.close()));
    server.unref();
  });
}
