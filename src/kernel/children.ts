/** Processes that run on someone's behalf: how each ended, and that none is left. */
import { type ChildProcess, spawn } from 'node:child_process';

/** How a process ended. */
export interface Ending {
  /** Why it could not be started, if so. */
  readonly error?: NodeJS.ErrnoException;
  /** `null` if a signal ended it, or if it never ran. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process that was started. */
export interface Child {
  /** Left out if it could not be started. */
  readonly pid?: number;
  /** Never rejects. */
  readonly ended: Promise<Ending>;
  /** Ends it at once. */
  kill(): void;
}

/** How a process is started. */
export interface StartOptions {
  /** What it reads. */
  readonly stdin?: string;
  /** Told whenever it writes something; then what it writes is not kept. */
  readonly wrote?: () => void;
  /** Ends it after that many ms. */
  readonly timeout?: number;
}

/** Processes of which none outlives the last of them that is wanted. */
export class Children {
  readonly #alive = new Map<ChildProcess, Promise<Ending>>();
  readonly #killAll = () => {
    for (const each of this.#alive.keys()) each.kill('SIGKILL');
  };

  /** Starts a process. What becomes of it, also that it could not be started, is how it ended. */
  start(command: string, parameters: readonly string[], { stdin, wrote, timeout }: StartOptions = {}): Child {
    const child = spawn(command, parameters, {
      // What the command says of errors is read, so it says it in one language.
      env: { ...process.env, LC_ALL: 'C' },
      stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    // Node's own timeout goes on, and keeps this process, where the process could not be started.
    const timer = timeout === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), timeout);
    if (this.#alive.size === 0) process.once('exit', this.#killAll);
    const ended = this.#follow(child, wrote).finally(() => clearTimeout(timer));
    this.#alive.set(child, ended);
    // Whoever ends before it has read all is judged by how it ended, not by what it left.
    child.stdin?.on('error', () => {});
    child.stdin?.end(stdin);
    return {
      ...(child.pid !== undefined && { pid: child.pid }),
      ended,
      kill: () => void child.kill('SIGKILL'),
    };
  }

  /** Ends all. */
  async end(): Promise<void> {
    this.#killAll();
    await Promise.all(this.#alive.values());
  }

  #follow(child: ChildProcess, wrote: (() => void) | undefined): Promise<Ending> {
    const written = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    for (const name of ['stdout', 'stderr'] as const) {
      // There are no streams where the process could not be started for want of file descriptors.
      child[name]?.on('data', wrote ?? ((chunk: Buffer) => void written[name].push(chunk)));
    }
    return new Promise((resolve) => {
      const finish = (code: number | null, error?: NodeJS.ErrnoException) => {
        this.#alive.delete(child);
        if (this.#alive.size === 0) process.removeListener('exit', this.#killAll);
        const stdout = Buffer.concat(written.stdout).toString();
        resolve({ ...(error && { error }), code, stdout, stderr: Buffer.concat(written.stderr).toString() });
      };
      child.on('error', (error) => {
        // Such as a signal that could not be sent: only a process that never ran ends here.
        if (child.pid === undefined) finish(null, error);
      });
      child.on('close', (code) => finish(code));
    });
  }
}
