/** A temporary folder that does not outlive this process, however it ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder, until its end. */
export interface TemporaryFolder {
  readonly path: string;
  /** Removes it, with all that is in it. */
  remove(): Promise<void>;
}

/** Makes one. @param prefix - what its name begins with */
export async function temporaryFolder(prefix: string): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), prefix));
  // Its input ends with this process. What is killed with this process may be writing still.
  const script = 'cat > /dev/null; rm -rf "$1" 2> /dev/null || { sleep 1; rm -rf "$1"; }';
  const remover = spawn('sh', ['-c', script, 'sh', path], {
    stdio: ['pipe', 'ignore', 'inherit'],
    // In a session of its own, so that a terminal's signal does not end it before.
    detached: true,
  });
  remover.unref();
  (remover.stdin as Socket).unref();
  const remove = async (): Promise<void> => {
    if (remover.exitCode !== null) return;
    const exit = once(remover, 'exit');
    remover.ref();
    remover.stdin.end();
    await exit;
  };
  return { path, remove };
}
