/**
 * The plugin's claims: for each interface of a pod a file that holds the id of the container whose ADD made it, or is about
 * to. It is there from before the first step of ADD until after the last of DEL, so that the node itself knows of a pod
 * whatever becomes of the store.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonOf } from '../reason-of.ts';
import { CniError, errorCodes } from './cni-error.ts';

/** Where claims are unless it is said otherwise. It does not outlive the interfaces: both end with the system. */
export const defaultClaimsDirectory = '/run/routeproof/claims';

/**
 * Reads a claim: a route is claimed if and only if the claim of its interface's name holds the interface's alias.
 *
 * @returns the container's id, or nothing if nobody claims the name; an empty file claims nothing
 * @throws if it cannot be told, with the path
 */
export async function readClaim(directory: string, interfaceName: string): Promise<string | undefined> {
  const path = join(directory, interfaceName);
  try {
    const claim = await readFile(path, 'utf8');
    return claim === '' ? undefined : claim;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`${path}: ${reasonOf(error)}`, { cause: error });
  }
}

/** What ADD and DEL ask of claims. */
export interface ClaimHolder {
  /** Claims a name, whoever claimed it before. */
  take(interfaceName: string, containerId: string): Promise<void>;
  holder(interfaceName: string): Promise<string | undefined>;
  /** Gives a claim up, if it is still this container's. @returns whether it was */
  release(interfaceName: string, containerId: string): Promise<boolean>;
}

/** Claims in a directory. */
export class Claims implements ClaimHolder {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async take(interfaceName: string, containerId: string): Promise<void> {
    await this.#locked(async () => {
      const whole = join(this.#directory, interfaceName);
      const part = join(this.#directory, `.${interfaceName}.new`);
      await writeFile(part, containerId);
      await rename(part, whole);
    });
  }

  async holder(interfaceName: string): Promise<string | undefined> {
    try {
      return await readClaim(this.#directory, interfaceName);
    } catch (error) {
      throw this.#failure(error);
    }
  }

  release(interfaceName: string, containerId: string): Promise<boolean> {
    return this.#locked(async () => {
      if ((await readClaim(this.#directory, interfaceName)) !== containerId) return false;
      await rm(join(this.#directory, interfaceName));
      return true;
    });
  }

  /**
   * Does something while no other process changes a claim: else a release could take the claim that was made between
   * its reading and its removing. The lock is on a file that is open here and is locked by a child that shares it, so it
   * ends with this process, however that ends.
   */
  async #locked<T>(change: () => Promise<T>): Promise<T> {
    try {
      await mkdir(this.#directory, { recursive: true });
      const file = await open(join(this.#directory, '.lock'), 'a');
      try {
        const child = spawn('flock', ['--exclusive', '--timeout', '10', '3'], {
          stdio: ['ignore', 'ignore', 'ignore', file.fd],
        });
        const [code] = await once(child, 'exit');
        if (code !== 0) throw new Error('another process has kept .lock for 10 s');
        return await change();
      } finally {
        await file.close();
      }
    } catch (error) {
      throw this.#failure(error);
    }
  }

  #failure(error: unknown): CniError {
    const { code, syscall } = error as NodeJS.ErrnoException;
    const advice =
      code === 'ENOENT' && syscall?.startsWith('spawn')
        ? 'Install util-linux, which has flock.'
        : "Let the plugin write there, or set 'claims_dir' to another directory, the agent's too.";
    return new CniError(
      errorCodes.ioFailure,
      `Claims cannot be read or written in ${this.#directory}. ${advice}`,
      reasonOf(error),
    );
  }
}
