/**
 * A network of one's own: a command runs itself again in new network and process namespaces, so that what it does to
 * interfaces and routes touches nothing else, and all of it, its children included, is gone when it ends, however that is.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

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
    : `this user may make no network namespace (${tried.stderr.trim()}); ${remedy()}`;
}

/** Kernel settings that keep users other than root from namespaces, with the value that does, and one that does not. */
const settings = [
  ['user.max_user_namespaces', '0', '10000'],
  ['user.max_net_namespaces', '0', '10000'],
  // Of Debian's kernels, and of Ubuntu's.
  ['kernel.unprivileged_userns_clone', '0', '1'],
  ['kernel.apparmor_restrict_unprivileged_userns', '1', '0'],
] as const;

/** What to do about it. */
function remedy(): string {
  const found = settings.filter(([name, forbids]) => readSetting(name) === forbids);
  if (found.length === 0)
    return process.getuid?.() === 0
      ? 'this root may not: give its container CAP_SYS_ADMIN'
      : 'be root, or allow user namespaces: no known sysctl forbids them, so a container or a policy does';
  return `be root, or have root run 'sysctl -w ${found.map(([name, , allows]) => `${name}=${allows}`).join(' ')}'`;
}

function readSetting(setting: string): string | undefined {
  try {
    return readFileSync(`/proc/sys/${setting.replaceAll('.', '/')}`, 'utf8').trim();
  } catch {
    // This kernel has no such setting.
    return undefined;
  }
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
