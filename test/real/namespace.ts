/** Network namespaces for tests: each has interfaces and routes of its own, and goes away with the test. */
import { execFileSync } from 'node:child_process';
import { execa } from 'execa';
import { missingCommands } from '../cross/missing-commands.ts';

const prefix = 'routeproof';
/** Kinds of interface that need no other part. Not every kernel has each. */
const kinds = ['dummy', 'bridge'];

/** A network namespace of its own. */
export interface Namespace {
  readonly name: string;
  /** Runs `ip` in it. @returns what it wrote */
  ip(...parameters: readonly string[]): Promise<string>;
  /** Makes an interface that needs no other one, and sets it up unless told otherwise. @returns its index */
  createInterface(name: string, alias?: string, up?: boolean): Promise<number>;
  remove(): Promise<void>;
}

/** Empty if network namespaces can be made here; else a reason to show with the tests that are skipped. */
export async function canMakeNamespaces(): Promise<string> {
  const missing = await missingCommands(['ip']);
  if (missing !== '') return missing;
  if (process.getuid?.() !== 0) return ' (skipped: network namespaces are made by root only)';
  await removeLeftovers();
  try {
    const probe = await makeNamespace();
    try {
      await probe.createInterface('probe');
    } finally {
      await probe.remove();
    }
    return '';
  } catch (error) {
    const [why = ''] = (error instanceof Error ? error.message : String(error)).split('\n').slice(-1);
    return ` (skipped: no network namespace can be used here: ${why})`;
  }
}

const made = new Set<string>();
let count = 0;

/** Makes a network namespace. It is removed at the end of the process at the latest. */
export async function makeNamespace(): Promise<Namespace> {
  count++;
  const name = `${prefix}-${process.pid}-${count}`;
  await execa('ip', ['netns', 'add', name]);
  if (made.size === 0) process.once('exit', removeMade);
  made.add(name);
  const ip = async (...parameters: readonly string[]) =>
    (await execa('ip', ['-n', name, ...parameters])).stdout;
  return {
    name,
    ip,
    async createInterface(interfaceName, alias = '', up = true) {
      await createOfSomeKind(ip, interfaceName);
      if (alias !== '') await ip('link', 'set', 'dev', interfaceName, 'alias', alias);
      if (up) await ip('link', 'set', 'dev', interfaceName, 'up');
      return Number.parseInt(await ip('-o', 'link', 'show', 'dev', interfaceName), 10);
    },
    async remove() {
      await execa('ip', ['netns', 'del', name]);
      made.delete(name);
      if (made.size === 0) process.removeListener('exit', removeMade);
    },
  };
}

async function createOfSomeKind(ip: Namespace['ip'], name: string): Promise<void> {
  for (const [place, kind] of kinds.entries()) {
    try {
      await ip('link', 'add', 'name', name, 'type', kind);
      return;
    } catch (error) {
      if (place === kinds.length - 1) throw error;
    }
  }
}

function removeMade(): void {
  for (const name of made) execFileSync('ip', ['netns', 'del', name]);
}

/** Removes what test processes left behind that were ended by force. */
async function removeLeftovers(): Promise<void> {
  const { stdout } = await execa('ip', ['netns', 'list']);
  for (const [name, pid] of stdout.matchAll(new RegExp(`^${prefix}-(\\d+)-\\d+`, 'gm'))) {
    // Another test process may be at the same.
    if (!runs(Number(pid))) await execa('ip', ['netns', 'del', name], { reject: false });
  }
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
