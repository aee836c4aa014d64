/** A process that says whenever something changes, kept running. */
import { accessSync, constants } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Announcer } from './announcer.ts';
import type { Child, Children } from './children.ts';

/** How long after its end the process is started again, in ms. */
const restartDelay = 500;
/** How often it is asked whether the process listens yet, in ms, and how many times at most. */
const pollInterval = 10;
const polls = 300;

/** Runs `ip monitor` until it is stopped, and takes whatever it says, its errors and its end too, as a change. */
export class Monitor {
  readonly #children: Children;
  readonly #command: string;
  readonly #parameters: readonly string[];
  readonly #announcer: Announcer;
  #child: Child | undefined;
  #restart: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(children: Children, command: string, parameters: readonly string[], changed: () => void) {
    this.#children = children;
    const buffer = lineBuffer();
    this.#command = buffer ?? command;
    this.#parameters = buffer === undefined ? parameters : ['-oL', command, ...parameters];
    this.#announcer = new Announcer(changed);
    this.#start();
  }

  /** Nothing is told from now on, and the process ends. */
  stop(): void {
    this.#stopped = true;
    this.#announcer.stop();
    clearTimeout(this.#restart);
    this.#child?.kill();
  }

  #start(): void {
    const child = this.#children.start(this.#command, this.#parameters, {
      wrote: () => this.#announcer.announce(),
    });
    this.#child = child;
    let running = true;
    void child.ended.then(() => {
      running = false;
      if (this.#stopped) return;
      this.#announcer.announce();
      this.#restart = setTimeout(() => this.#start(), restartDelay);
    });
    void this.#announceOnceListening(child.pid, () => running && !this.#stopped);
  }

  /** What changed before the process listened was missed. Where it cannot be seen whether it does, it is given time. */
  async #announceOnceListening(pid: number | undefined, wanted: () => boolean): Promise<void> {
    if (pid === undefined) return;
    for (let poll = 0; poll < polls && wanted() && !(await listens(pid)); poll++) await sleep(pollInterval);
    this.#announcer.announce();
  }
}

/** Whether a process has a netlink socket that is a member of a group. */
async function listens(pid: number): Promise<boolean> {
  try {
    const descriptors = join('/proc', String(pid), 'fd');
    // The network namespace is the process's own, which is not this one's.
    const sockets = (await readFile(join('/proc', String(pid), 'net/netlink'), 'utf8'))
      .trim()
      .split('\n')
      .slice(1);
    const inGroup = sockets
      .map((line) => line.trim().split(/\s+/))
      .filter((columns) => !/^0*$/.test(columns[3] ?? ''));
    const links = await Promise.all(
      (await readdir(descriptors)).map((each) => readlink(join(descriptors, each)).catch(() => '')),
    );
    return inGroup.some((columns) => links.includes(`socket:[${columns.at(-1)}]`));
  } catch {
    return false;
  }
}

/** Where the command is that has another one write each line at once. Some builds of `ip` hold lines back without it. */
function lineBuffer(): string | undefined {
  const places = (process.env.PATH ?? '').split(delimiter).map((each) => join(each, 'stdbuf'));
  return places.find((each) => {
    try {
      accessSync(each, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
