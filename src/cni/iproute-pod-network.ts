/** The network of a pod by iproute2, in the network namespace that the plugin runs in. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import { byIndex } from '../kernel/by-index.ts';
import { reasonOf } from '../reason-of.ts';
import { CniError, errorCodes } from './cni-error.ts';
import {
  gateway,
  interfaceFaults,
  type Pod,
  type PodInterface,
  type PodNetwork,
  type Sandbox,
} from './pod-network.ts';

const run = promisify(execFile);

/** The address of the host side of each pair. */
const hostMac = 'ee:ee:ee:ee:ee:ee';

const links = z.array(
  z.looseObject({
    ifindex: z.number(),
    /** Of the other side of a pair that is in another namespace. */
    link_index: z.number().optional(),
    ifname: z.string(),
    flags: z.array(z.string()),
    ifalias: z.string().optional(),
    address: z.string().optional(),
  }),
);
const addresses = z.array(
  z.looseObject({
    flags: z.array(z.string()).optional(),
    addr_info: z.array(z.looseObject({ local: z.string().optional(), prefixlen: z.number().optional() })),
  }),
);
const routes = z.array(z.looseObject({ gateway: z.string().optional(), dev: z.string().optional() }));

/** What the host side is called until it carries its alias. No pattern of an agent's matches it. */
export function temporaryName(containerId: string): string {
  return `rpx${createHash('sha1').update(containerId).digest('hex').slice(0, 12)}`;
}

/** Changes the kernel that it runs on. Needs root, or CAP_NET_ADMIN and CAP_SYS_ADMIN. */
export class IprouteNetwork implements PodNetwork {
  async createInterface(pod: Pod): Promise<PodInterface> {
    await requireNamespace(pod.netns);
    const temporary = temporaryName(pod.containerId);
    await Promise.all([temporary, pod.interfaceName].map((name) => this.#removeNamed(name)));
    const peer = ['peer', 'name', pod.ifName, 'netns', pod.netns];
    await ip(['link', 'add', temporary, 'address', hostMac, 'type', 'veth', ...peer], (stderr) =>
      stderr.includes('File exists')
        ? `the sandbox ${pod.netns} has an interface ${pod.ifName} already. Delete the sandbox and create it anew.`
        : undefined,
    );
    const pair = await show(temporary);
    if (pair?.link_index === undefined)
      throw new CniError(
        errorCodes.network,
        `The interface ${temporary} went as soon as it was made: another process deletes interfaces. Find it and try again.`,
      );
    const peerMac = await setUpInside(pod, pair.link_index);
    await forward(temporary);
    const host = `link set dev ${byIndex(pair.ifindex)}`;
    await batch([`${host} alias ${pod.containerId}`, `${host} name ${pod.interfaceName}`, `${host} up`]);
    const made = await this.#own(pod);
    if (made === undefined) throw gone(pod);
    return { ...made, ...(peerMac !== undefined && { peerMac }) };
  }

  async addRoute(pod: Pod): Promise<void> {
    const own = await this.#own(pod);
    if (own === undefined) throw gone(pod);
    const over = ['dev', byIndex(own.index)];
    try {
      await ip(['route', 'add', pod.address, ...over, 'scope', 'link', 'proto', 'boot']);
    } catch (error) {
      if (!(error instanceof CniError && error.details.includes('File exists'))) throw error;
      if (!(await hasRoute(pod, own)))
        throw new CniError(
          errorCodes.routeElsewhere,
          `There is a route to ${pod.address} already, and not over ${pod.interfaceName}. Find out whose address it is ('ip route show ${pod.address}'); delete that route if it is nobody's.`,
        );
    }
  }

  async removeInterface(sandbox: Sandbox): Promise<boolean> {
    // What a crashed ADD left has its temporary name, and then it may not have its alias.
    const unnamed = await this.#removeNamed(temporaryName(sandbox.containerId));
    const own = await this.#own(sandbox);
    return own === undefined ? unnamed : (await remove(own.index)) || unnamed;
  }

  async find(interfaceName: string): Promise<PodInterface | undefined> {
    const link = await show(interfaceName);
    if (link === undefined) return undefined;
    return {
      name: link.ifname,
      index: link.ifindex,
      up: link.flags.includes('UP'),
      alias: link.ifalias ?? '',
      ...(link.address !== undefined && { mac: link.address }),
    };
  }

  async faults(pod: Pod): Promise<string[]> {
    const found = await this.find(pod.interfaceName);
    const faults = interfaceFaults(pod, found);
    if (found !== undefined && !(await hasRoute(pod, found)))
      faults.push(`the node has no route to ${pod.address} over ${pod.interfaceName}`);
    await requireNamespace(pod.netns);
    const inside = await inNamespace(pod, ['-json', 'address', 'show', 'dev', pod.ifName], absent);
    const [link] = read(addresses, inside ?? '[]', 'ip -json address show');
    if (link === undefined) return [...faults, `the pod has no interface ${pod.ifName}`];
    if (!link.addr_info.some(({ local, prefixlen }) => `${local}/${prefixlen}` === pod.address))
      faults.push(`the pod's ${pod.ifName} does not have the address ${pod.address}`);
    const shown = await inNamespace(pod, ['-json', 'route', 'show', 'default']);
    const defaults = read(routes, shown, 'ip -json route show default');
    if (!defaults.some((route) => route.gateway === gateway && route.dev === pod.ifName))
      faults.push(`the pod has no default route by ${gateway} over ${pod.ifName}`);
    return faults;
  }

  async #own({ interfaceName, containerId }: Sandbox): Promise<PodInterface | undefined> {
    const found = await this.find(interfaceName);
    return found?.alias === containerId ? found : undefined;
  }

  async #removeNamed(name: string): Promise<boolean> {
    const found = await this.find(name);
    return found !== undefined && (await remove(found.index));
  }
}

/** Says that another process has taken the interface away. */
function gone(pod: Pod): CniError {
  return new CniError(
    errorCodes.superseded,
    `The interface ${pod.interfaceName} is not that of container ${pod.containerId} any more: a newer ADD or a DEL came. Delete this sandbox.`,
  );
}

async function requireNamespace(path: string): Promise<void> {
  const [sandbox, own] = await Promise.all(
    [path, '/proc/self/ns/net'].map((each) => stat(each).catch(() => undefined)),
  );
  if (sandbox === undefined)
    throw new CniError(
      errorCodes.unknownContainer,
      `There is no network namespace ${path} (CNI_NETNS): the sandbox is gone. Delete it and create it anew.`,
    );
  if (sandbox.ino === own?.ino && sandbox.dev === own.dev)
    throw new CniError(
      errorCodes.invalidEnvironment,
      `CNI_NETNS=${path} is the node's own network namespace. The runtime has to name that of a sandbox.`,
    );
}

/** An interface by its name, on the node. */
async function show(name: string): Promise<z.output<typeof links>[number] | undefined> {
  const stdout = await ip(['-json', 'link', 'show', 'dev', name], absent);
  // It may have been found by another name that it has.
  return read(links, stdout ?? '[]', 'ip -json link show').find(({ ifname }) => ifname === name);
}

/** The addresses and the routes of the pod: all that it sends goes to the node. @returns the address of its interface */
async function setUpInside(pod: Pod, index: number): Promise<string | undefined> {
  const device = `dev ${byIndex(index)}`;
  const shown = await batch(
    [
      'link set dev lo up',
      `link set ${device} up`,
      `address add ${pod.address} ${device}`,
      `neighbour replace ${gateway} lladdr ${hostMac} ${device} nud permanent`,
      `route add ${gateway} ${device} scope link`,
      `route add default via ${gateway} ${device}`,
      'link show',
    ],
    pod,
  );
  return read(links, shown, 'ip -json link show').find(({ ifindex }) => ifindex === index)?.address;
}

/** Lets the node forward what the pod sends. */
async function forward(interfaceName: string): Promise<void> {
  const setting = `/proc/sys/net/ipv4/conf/${interfaceName}/forwarding`;
  try {
    if ((await readFile(setting, 'utf8')).trim() !== '1') await writeFile(setting, '1');
  } catch (error) {
    throw new CniError(
      errorCodes.network,
      `The node would not forward what the pod sends: ${setting} cannot be set to 1. Set net.ipv4.conf.default.forwarding to 1, or let the plugin write to /proc/sys.`,
      reasonOf(error),
    );
  }
}

/** Asks for exactly this destination over exactly this interface. */
async function hasRoute(pod: Pod, { index }: PodInterface): Promise<boolean> {
  const query = ['-json', 'route', 'show', 'table', 'main', 'exact', pod.address, 'dev', byIndex(index)];
  const stdout = await ip(query, absent);
  return read(routes, stdout ?? '[]', 'ip -json route show').length > 0;
}

/** Removes by index, which is never used again, so it cannot hit the interface that the name is of by now. */
async function remove(index: number): Promise<boolean> {
  return (await ip(['link', 'delete', 'dev', byIndex(index)], absent)) !== undefined;
}

/** What becomes of a failure: nothing is thrown if it says `absent`; a text takes the place of the kernel's. */
type Judge = (stderr: string) => 'absent' | string | undefined;

const failed: Judge = () => undefined;

function absent(stderr: string): 'absent' | undefined {
  return /does not exist|Cannot find device|No such device/.test(stderr) ? 'absent' : undefined;
}

function inNamespace(pod: Pod, args: readonly string[]): Promise<string>;
function inNamespace(pod: Pod, args: readonly string[], judge: Judge): Promise<string | undefined>;
function inNamespace(pod: Pod, args: readonly string[], judge: Judge = failed): Promise<string | undefined> {
  return execute(entering(pod), args, judge);
}

function ip(args: readonly string[]): Promise<string>;
function ip(args: readonly string[], judge: Judge): Promise<string | undefined>;
function ip(args: readonly string[], judge: Judge = failed): Promise<string | undefined> {
  return execute(here, args, judge);
}

/**
 * Has one process do what would be several's, up to the first command that fails: a process takes longer than what it does.
 *
 * @param commands - of `ip`, without what it reads as quotes or as a comment
 * @returns what is shown by that one of them which shows something
 */
async function batch(commands: readonly string[], pod?: Pod): Promise<string> {
  const program = pod === undefined ? here : entering(pod);
  return (await execute(program, ['-json', '-batch', '-'], failed, commands)) ?? '';
}

const here = ['ip'] as const;
const entering = ({ netns }: Pod) => ['nsenter', `--net=${netns}`, 'ip'] as const;
type Program = typeof here | ReturnType<typeof entering>;

async function execute(
  [command, ...before]: Program,
  args: readonly string[],
  judge: Judge,
  commands: readonly string[] = [],
): Promise<string | undefined> {
  // A runtime may run without the system's own directories; and messages are told apart, so they are not translated.
  const env = { ...process.env, PATH: `${process.env.PATH ?? '/usr/bin:/bin'}:/usr/sbin:/sbin`, LC_ALL: 'C' };
  try {
    const running = run(command, [...before, ...args], { env, timeout: 10_000 });
    // Whoever ends before it has read all is judged by how it ended.
    running.child.stdin?.on('error', () => {});
    running.child.stdin?.end(commands.join('\n'));
    return (await running).stdout;
  } catch (error) {
    const {
      code,
      stderr = '',
      killed,
    } = error as NodeJS.ErrnoException & { stderr?: string; killed?: boolean };
    if (code === 'ENOENT')
      throw new CniError(
        errorCodes.network,
        `There is no command '${command}'. Install iproute2 and util-linux on the node.`,
      );
    const judged = judge(stderr);
    if (judged === 'absent') return undefined;
    const line = commands[Number(/^Command failed -:(\d+)$/m.exec(stderr)?.[1]) - 1];
    const whole = [command, ...before, line ?? args.join(' ')].join(' ').replace(/ if0+(?=[1-9])/g, ' if');
    const said = killed === true ? 'no end after 10 s' : stderr.trim() || String(error);
    const advice = /not permitted/i.test(said) ? ' Run the plugin as root.' : '';
    throw new CniError(
      errorCodes.network,
      judged === undefined
        ? `The kernel refused '${whole}'.${advice} See the details, then try again.`
        : capital(judged),
      said,
    );
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function read<T>(schema: z.ZodType<T>, stdout: string, command: string): T {
  try {
    return schema.parse(JSON.parse(stdout === '' ? '[]' : stdout));
  } catch (error) {
    throw new CniError(
      errorCodes.network,
      `The answer of '${command}' cannot be read. Install iproute2 5.0 or newer.`,
      reasonOf(error),
    );
  }
}
