/**
 * A network of one's own: a command runs itself again in new network and process namespaces, so that what it does to
 * interfaces and routes touches nothing else, and all of it, its children included, is gone when it ends, however that is.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

const marker = 'ROUTEPROOF_OWN_NAMESPACE';

const flags = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];

/** Root needs no user namespace, in which it would be less than root. */
const all = process.getuid?.() === 0 ? flags : ['--user', '--map-root-user', ...flags];

/** Whether this process is in namespaces of its own. */
export const isInOwnNamespace = (): boolean => process.env[marker] === '1';

/** Why this process cannot have namespaces of its own; nothing if it can. */
export function noOwnNamespace(): string | undefined {
  if (isInOwnNamespace()) return undefined;
  const missing = ['unshare', 'ip'].filter((name) => spawnSync(name, ['--version']).error !== undefined);
  const unneeded = missing.filter((name) => name !== 'ip' || spawnSync('ip', ['-V']).error !== undefined);
  if (unneeded.length > 0)
    return `there is no ${unneeded.join(' and no ')}; Debian's packages util-linux and iproute2 have them`;
  const tried = spawnSync('unshare', [...all, 'ip', 'link', 'set', 'lo', 'up'], { encoding: 'utf8' });
  return tried.status === 0
    ? undefined
    : `this user may make no network namespace (${tried.stderr.trim()}); be root, or allow user namespaces`;
}

/**
 * Runs a Node program in namespaces of its own.
 *
 * @param args - the program and its arguments
 * @returns its exit code
 */
export async function inOwnNamespace(args: readonly string[]): Promise<number> {
  const script = 'ip link set lo up && exec "$@"';
  const child = spawn('unshare', [...all, 'sh', '-c', script, 'sh', process.execPath, ...args], {
    stdio: 'inherit',
    env: { ...process.env, [marker]: '1' },
  });
  // The terminal tells the child as well; it is the one that ends.
  const ignore = (): void => {};
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, ignore);
  const [code] = (await once(child, 'exit')) as [number | null];
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, ignore);
  return code ?? 1;
}
