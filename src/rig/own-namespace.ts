/**
 * A network of one's own: a command runs itself again in new network and process namespaces, so that what it does to
 * interfaces and routes touches nothing else, and all of it, its children included, is gone when it ends, however that is.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mortal } from './mortal.ts';
import { temporaryFolder } from './temporary-folder.ts';

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

/** Signals that ask for an end, and what a shell says of a command that they ended. */
const ends = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Runs a Node program in namespaces of its own. It ends when this process is asked to end, or is killed.
 *
 * @param args - the program and its arguments
 * @returns its exit code
 */
export async function inOwnNamespace(args: readonly string[]): Promise<number> {
  const script = 'ip link set lo up && exec "$@"';
  const temporary = await temporaryFolder('routeproof-');
  const inside = [...all, 'sh', '-c', script, 'sh', process.execPath, ...args];
  const [command, ...rest] = mortal(['unshare', ...inside]);
  const child = spawn(command, rest, {
    stdio: 'inherit',
    // What removes temporary folders is killed in there with everything else.
    env: { ...process.env, [marker]: '1', TMPDIR: temporary.path },
  });
  let ended: number | undefined;
  // The first process of a namespace takes no other signal from outside.
  const end = (signal: keyof typeof ends) => (): void => {
    ended = ends[signal];
    child.kill('SIGKILL');
  };
  const [onInt, onTerm] = [end('SIGINT'), end('SIGTERM')];
  process.on('SIGINT', onInt).on('SIGTERM', onTerm);
  const [code] = (await once(child, 'exit')) as [number | null];
  process.off('SIGINT', onInt).off('SIGTERM', onTerm);
  await temporary.remove();
  return ended ?? code ?? 1;
}
