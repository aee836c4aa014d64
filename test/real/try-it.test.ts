/** What docs/try-it.md shows is what its commands print, from its first block to its last. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingCommands } from '../cross/missing-commands.ts';
import { missingEtcd } from './missing-etcd.ts';
import { canMakeNamespaces } from './namespace.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const guide = await readFile(join(root, 'docs/try-it.md'), 'utf8');

/**
 * Namespaces of its own: no address, port or name of the guide can be taken, and whatever a block leaves behind goes with the
 * shell, however it ends.
 */
const confined = ['unshare', '--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc', 'bash'];
const preparation = 'mkdir -p /run/netns && mount -t tmpfs none /run/netns && ip link set lo up';

async function canConfine(): Promise<string> {
  const missing = await missingCommands(['unshare', 'bash', 'etcd', 'etcdctl', 'curl', 'nsenter', 'flock']);
  if (missing !== '') return missing;
  const [command, ...rest] = confined as [string, ...string[]];
  const { exitCode, stderr } = await execa(command, [...rest, '-c', preparation], { reject: false });
  return exitCode === 0 ? '' : ` (skipped: no shell in namespaces of its own: ${stderr})`;
}

const reason = missingEtcd || (await canMakeNamespaces()) || (await canConfine());

/** A block of the guide, and what it says that the block prints. */
interface Block {
  readonly code: string;
  readonly shown: string | undefined;
}

const blocks: readonly Block[] = [
  ...guide.matchAll(/```sh\n([\s\S]*?)```\n(?:\n```text\n([\s\S]*?)```)?/g),
].map(([, code = '', shown]) => ({ code, shown }));

/** One shell for all blocks, which keeps their variables and their processes. */
class Shell {
  readonly #child: ChildProcessWithoutNullStreams;
  #output = '';
  #ended = false;

  constructor(folder: string) {
    const [command, ...rest] = confined as [string, ...string[]];
    this.#child = spawn(command, rest, { cwd: root, env: { ...process.env, TMPDIR: folder } });
    const read = (data: Buffer) => {
      this.#output += data.toString();
    };
    this.#child.stdout.on('data', read);
    this.#child.stderr.on('data', read);
    this.#child.on('exit', () => {
      this.#ended = true;
    });
  }

  /** Runs a block. @returns what it printed */
  async run(code: string): Promise<string> {
    this.#output = '';
    this.#child.stdin.write(`${code}\necho "that was $?" "of the block"\n`);
    const end = /^that was (\d+) of the block$/m;
    const until = Date.now() + 60_000;
    while (!end.test(this.#output)) {
      if (this.#ended || Date.now() > until)
        throw new Error(
          `${this.#ended ? 'The shell ended' : 'No end after 60 s'}:\n${code}\n${this.#output}`,
        );
      await sleep(20);
    }
    return this.#output.replace(end, '').trimEnd();
  }

  async close(): Promise<void> {
    this.#child.kill('SIGKILL');
    while (!this.#ended) await sleep(20);
  }
}

/** What is another in each run: times, ages, process ids, how much was validated, and whether the agent or ADD was quicker. */
const changing =
  /\d+\.\d{5,}|\d\d:\d\d:\d\d\.\d{3}|(?<=INFO \()\d+|[\d,]+(?= steps| comparisons| states)|(?<=repairs_total )\d+/g;

const settled = (line: string): string => line.trimEnd().replace(changing, '#');

/** Matches a line like the one that is shown, in which `…` stands for anything. */
const pattern = (shown: string): RegExp => {
  const parts = settled(shown).split('…');
  return new RegExp(`^${parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*')}$`);
};

const linesOf = (text: string): string[] => text.trim().split('\n').map(settled);

describe.skipIf(reason !== '')(`docs/try-it.md${reason}`, () => {
  let folder: string;
  let shell: Shell;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'routeproof-try-it-'));
    shell = new Shell(folder);
    await shell.run(preparation);
  });
  afterAll(async () => {
    await shell?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('prints what it shows', async () => {
    expect(blocks.length).toBeGreaterThan(10);
    for (const { code, shown } of blocks) {
      const printed = await shell.run(code);
      if (shown === undefined) continue;
      const [is, expected] = [linesOf(printed), linesOf(shown)];
      expect(is.length, `${code}\n${printed}`).toBe(expected.length);
      for (const [place, line] of expected.entries()) expect(is[place], code).toMatch(pattern(line));
    }
  }, 150_000);
});
