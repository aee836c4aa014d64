/**
 * One agent on a node. The lock is an abstract Unix socket, which the kernel keeps for each network namespace and gives up
 * with the process, however that ends: a crash leaves nothing behind, and no agent of another namespace is in the way.
 */
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** A lock that is held. */
export interface NodeLock {
  /** Resolves if the lock is lost before it is released, with the reason. */
  readonly lost: Promise<string>;
  /** Gives the lock up. @returns when another agent can have it */
  release(): Promise<void>;
}

/** The lock can be neither taken nor said to be another agent's. */
export class NodeLockError extends Error {
  /** Always `NodeLockError`. */
  override name = 'NodeLockError';
}

/** How long it is tried, in ms: the holder of an agent that was killed needs a moment to hear of its end. */
const patience = 1000;
const pause = 50;

/** How often it is asked whether a name is still that of the namespace whose lock is held, in ms. */
const nameCheck = 500;

/** What holds the lock in another namespace. It is run as it was built. */
const holder = fileURLToPath(new URL('./lock-holder.js', import.meta.url));

/** Takes the lock of the network namespace that this process is in. @returns nothing if another agent has it */
export async function lockNode(): Promise<NodeLock | undefined> {
  const end = performance.now() + patience;
  for (;;) {
    const server = await bind();
    if (server !== undefined)
      return {
        lost: new Promise(() => {}),
        release: () => new Promise((resolve) => server.close(() => resolve())),
      };
    if (performance.now() >= end) return undefined;
    await sleep(pause);
  }
}

/**
 * Takes the lock of a network namespace that `ip netns` knows by that name. No thread of Node can enter it, so a process in
 * there holds the lock, and ends with this one.
 *
 * @returns nothing if another agent has it
 * @throws NodeLockError if the namespace cannot be entered
 */
export async function lockNamespace(name: string): Promise<NodeLock | undefined> {
  const child = spawn('ip', ['netns', 'exec', name, process.execPath, holder], {
    // Its own variables could have Node do other things, and what `ip` says is shown as it is.
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
  });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      resolve(
        error.code === 'ENOENT' || error.code === 'EACCES'
          ? 'there is no command ip that may be run: install iproute2'
          : error.message,
      ),
    );
    child.once('exit', (code, signal) => resolve(`the process that holds it ended: ${signal ?? code}`));
  });
  // It may have ended already, which is heard of by its end.
  child.stdin.on('error', () => {});
  const complaint = text(child.stderr).catch(() => '');
  const answer = await new Promise<string>((resolve) => {
    child.stdout.once('data', (data: Buffer) => resolve(data.toString().trim()));
    child.stdout.once('close', () => resolve(''));
  });
  if (answer === 'held') {
    const held = identity(`/proc/${child.pid}/ns/net`);
    let timer: NodeJS.Timeout | undefined;
    // What is asked of a name after it has got another namespace is asked of one whose lock is not held.
    const renamed = new Promise<string>((resolve) => {
      timer = setInterval(() => {
        if (identity(`/var/run/netns/${name}`) !== held) resolve(`${name} is not that namespace any more`);
      }, nameCheck);
    });
    return {
      lost: Promise.race([ended, renamed]),
      release: async () => {
        clearInterval(timer);
        child.stdin.end();
        await ended;
      },
    };
  }
  child.stdin.end();
  const how = await ended;
  if (answer === 'taken') return undefined;
  throw new NodeLockError((await complaint).trim() || how);
}

/** Tells a namespace from all others. @returns nothing if there is none */
function identity(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}

/** Binds the socket. @returns nothing if it is bound already */
function bind(): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen('\0routeproof-agent', () => resolve(server));
    server.unref();
  });
}
