/** The kernel that this runs on, by way of iproute2's `ip`. */
import { z } from 'zod';
import { byIndex } from './by-index.ts';
import { Children, type Ending } from './children.ts';
import {
  type Interface,
  type Kernel,
  KernelError,
  type KernelState,
  type Route,
  type RouteMatch,
  type RouteOutcome,
} from './kernel.ts';
import { Monitor } from './monitor.ts';
import { judgeAdd, judgeRemove } from './request.ts';

/** Which kernel it is and how it is spoken to. */
export interface IprouteOptions {
  /** A network namespace that `ip netns` knows by that name; left out: the one that this process is in. */
  readonly namespace?: string;
  /** The command to run; left out: `ip`. */
  readonly command?: string;
}

/** No request takes nearly that long, in ms. */
const timeout = 30_000;
/** How often a list is made anew that the kernel says it changed meanwhile. Then it is taken: what changed is told of. */
const attempts = 5;
/** Who made a route that says nothing of it: `boot`. */
const bootProtocol = 3;

/** What is said where a namespace never had an address or a route. */
const noTable = 'FIB table does not exist';

/**
 * How it is said that a route or an interface is not there, or that the interface is down, on which kernels differ.
 */
const absences = new RegExp(
  [
    'No such process',
    noTable,
    'No such device',
    'Cannot find device',
    'Network is down',
    'nexthop is (?:not up|down)',
  ].join('|'),
  'i',
);

const links = z.array(
  z.object({
    ifindex: z.int(),
    ifname: z.string(),
    flags: z.array(z.string()),
    ifalias: z.string().default(''),
  }),
);

const routes = z.array(
  z.object({
    dst: z.string(),
    /** Left out by a route that has several interfaces, or none. */
    dev: z.string().optional(),
    /** Left out by a unicast route. */
    type: z.string().optional(),
    protocol: z.string().regex(/^\d+$/).transform(Number).default(bootProtocol),
  }),
);

const answers = z.strictObject({ before: links, between: routes, after: links });

/** How the routes are asked for. */
const routeShow = 'route show table main';

/** That a line of a batch failed, and what was said of it. */
interface Failure {
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
}

/** A network namespace's interfaces and routes by way of `ip`, which must be version 5 or later. Changes need root. */
export class IprouteKernel implements Kernel {
  readonly #command: string;
  readonly #inNamespace: readonly string[];
  readonly #children = new Children();
  readonly #monitors = new Set<Monitor>();
  #closed = false;

  constructor({ namespace, command = 'ip' }: IprouteOptions = {}) {
    this.#command = command;
    this.#inNamespace = namespace === undefined ? [] : ['-n', namespace];
  }

  async list(): Promise<KernelState> {
    for (let attempt = 1; ; attempt++) {
      const { state, interrupted } = await this.#list();
      if (!interrupted || attempt === attempts) return state;
    }
  }

  async add(routes: readonly Route[]): Promise<RouteOutcome[]> {
    return this.#batch(
      routes,
      judgeAdd,
      ({ destination, index, protocol }) =>
        `route add unicast ${destination} proto ${protocol} scope link dev ${byIndex(index)}`,
    );
  }

  async remove(routes: readonly RouteMatch[]): Promise<RouteOutcome[]> {
    return this.#batch(routes, judgeRemove, ({ destination, index, protocol }) =>
      [
        `route del unicast ${destination}`,
        ...(protocol === undefined ? [] : [`proto ${protocol}`]),
        ...(index === undefined ? [] : [`dev ${byIndex(index)}`]),
      ].join(' '),
    );
  }

  watch(changed: () => void): () => void {
    this.#assertOpen();
    const parameters = [
      ...this.#inNamespace,
      '-4',
      '-rcvbuf',
      String(32 * 2 ** 20),
      'monitor',
      'link',
      'route',
    ];
    const monitor = new Monitor(this.#children, this.#command, parameters, changed);
    this.#monitors.add(monitor);
    return () => {
      monitor.stop();
      this.#monitors.delete(monitor);
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const each of this.#monitors) each.stop();
    this.#monitors.clear();
    await this.#children.end();
  }

  /**
   * Routes name their interface, and a name may go over to another one between two lists. So interfaces are listed before
   * and after, and what is not the same both times is left out.
   */
  async #list(): Promise<{ readonly state: KernelState; readonly interrupted: boolean }> {
    const parameters = ['-4', '-j', '-N', '-force', '-batch', '-'];
    const { stdout, stderr, failures } = await this.#do(parameters, ['link show', routeShow, 'link show']);
    for (const { line, text } of failures) {
      // Some versions of the command take it for an error that there is no main table yet.
      if (line !== 2 || !text.includes(noTable))
        throw new KernelError(`${this.#spell(parameters)} failed in line ${line}: ${text}`);
    }
    const { before, between, after } = this.#read(stdout, parameters);
    const indexBefore = new Map(before.map((each) => [each.ifname, each.ifindex]));
    const interfaces = after
      .filter((each) => indexBefore.get(each.ifname) === each.ifindex)
      .map(
        ({ ifname, ifindex, flags, ifalias }): Interface => ({
          name: ifname,
          index: ifindex,
          up: flags.includes('UP'),
          alias: ifalias,
        }),
      );
    const indexes = new Map(interfaces.map(({ name, index }) => [name, index]));
    const found = between.flatMap(({ dst, dev, type, protocol }): Route[] => {
      const index = dev === undefined || type !== undefined ? undefined : indexes.get(dev);
      return index === undefined ? [] : [{ destination: toCidr(dst), index, protocol }];
    });
    return { state: { interfaces, routes: found }, interrupted: stderr.includes('Dump was interrupted') };
  }

  /** Reads three answers, a line each. Where there are no routes, some versions of the command write nothing. */
  #read(stdout: string, parameters: readonly string[]): z.output<typeof answers> {
    try {
      const said = stdout.split('\n').filter((line) => line.trim() !== '');
      if (said.length === 2) said.splice(1, 0, '[]');
      const [before, between, after, ...more] = said.map(readJson);
      return answers.parse({ before, between, after, ...(more.length > 0 && { more }) });
    } catch (error) {
      const why = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
      throw new KernelError(`${this.#spell(parameters)} said something that is not understood: ${why}`);
    }
  }

  /** Tells apart what became of each by the line that it was on. */
  async #batch<Request>(
    requests: readonly Request[],
    judge: (request: Request) => RouteOutcome | undefined,
    spell: (request: Request) => string,
  ): Promise<RouteOutcome[]> {
    this.#assertOpen();
    const outcomes = requests.map((each) => judge(each) ?? ('done' as const));
    const asked = requests.flatMap((each, place) => (judge(each) === undefined ? [place] : []));
    if (asked.length === 0) return outcomes;
    const parameters = ['-force', '-batch', '-'];
    const { failures } = await this.#do(
      parameters,
      asked.map((place) => spell(requests[place] as Request)),
    );
    for (const { line, text } of failures) {
      const place = asked[line - 1];
      if (place === undefined)
        throw new KernelError(`${this.#spell(parameters)} says that line ${line} failed: ${text}`);
      outcomes[place] = toOutcome(text);
    }
    return outcomes;
  }

  /** Has one process do all that the lines say: starting one takes longer than what it does. */
  async #do(
    parameters: readonly string[],
    lines: readonly string[],
  ): Promise<Ending & { readonly failures: readonly Failure[] }> {
    const ending = await this.#run(parameters, lines.map((line) => `${line}\n`).join(''));
    const { code, stderr } = ending;
    const failures = readFailures(stderr);
    // 1 is what it ends with where a line failed; then it went on. Other codes are of a process that did not.
    if (code !== 0 && !(code === 1 && failures.length > 0)) {
      throw new KernelError(`${this.#spell(parameters)} failed: ${stderr.trim() || `code ${code}`}`);
    }
    return { ...ending, failures };
  }

  async #run(parameters: readonly string[], stdin: string): Promise<Ending> {
    this.#assertOpen();
    const child = this.#children.start(this.#command, [...this.#inNamespace, ...parameters], {
      timeout,
      stdin,
    });
    const ending = await child.ended;
    // It is the second one where the PATH has a directory that this user may not look into.
    if (ending.error?.code === 'ENOENT' || ending.error?.code === 'EACCES') {
      throw new KernelError(`there is no command ${this.#command} that may be run: install iproute2`);
    }
    if (ending.error !== undefined) {
      throw new KernelError(`${this.#spell(parameters)} cannot be run: ${ending.error.message}`);
    }
    this.#assertOpen();
    return ending;
  }

  #spell(parameters: readonly string[]): string {
    return [this.#command, ...this.#inNamespace, ...parameters].join(' ');
  }

  #assertOpen(): void {
    if (this.#closed) throw new KernelError('the kernel is closed');
  }
}

function toCidr(shown: string): string {
  if (shown === 'default') return '0.0.0.0/0';
  return shown.includes('/') ? shown : `${shown}/32`;
}

/** Reads what `ip -j` writes: most control characters in an alias as they are. */
function readJson(text: string): unknown {
  return JSON.parse(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, (found) => {
      return `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`;
    }),
  );
}

/** What is said of a line comes before that it failed. */
function readFailures(stderr: string): Failure[] {
  let said: string[] = [];
  return stderr.split('\n').flatMap((each) => {
    const line = /^Command failed -:(\d+)$/.exec(each)?.[1];
    if (line === undefined) {
      said.push(each);
      return [];
    }
    const text = said.join(' ').trim();
    said = [];
    return [{ line: Number(line), text }];
  });
}

function toOutcome(text: string): RouteOutcome {
  if (/File exists/.test(text)) return 'exists';
  return absences.test(text) ? 'absent' : { failed: text };
}
