/** The network namespace of a pod of the rig: it lives as long as a process that does nothing. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mortal } from './mortal.ts';

/** A namespace, until its end. */
export interface Sandbox {
  /** Its path, as CNI names it. */
  readonly path: string;
  /** Ends it, unless something else is in it. */
  end(): Promise<void>;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Makes a namespace. Needs root, or a user namespace in which this process is root. */
export async function startSandbox(): Promise<Sandbox> {
  // It says that it is inside, for until then its path is that of this process's own namespace.
  const [command, ...args] = mortal(['unshare', '--net', 'sh', '-c', 'echo in; exec sleep 2147483647']);
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(child);
  child.on('exit', () => running.delete(child));
  await once(child.stdout, 'data');
  const end = async (): Promise<void> => {
    if (!running.has(child)) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  };
  return { path: `/proc/${child.pid}/ns/net`, end };
}
