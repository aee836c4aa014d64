/** Runs an agent until it is told to end. Loaded by those who run one: gRPC and its like take their time. */
import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import { type Logger, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import type { Design } from '../../models/index.ts';
import { Agent } from '../agent/agent.ts';
import { HealthServer } from '../agent/health.ts';
import { interfacePattern, PatternError } from '../agent/interface-pattern.ts';
import { Metrics } from '../agent/metrics.ts';
import { lockNamespace, lockNode, type NodeLock, NodeLockError } from '../agent/node-lock.ts';
import { scaled } from '../agent/store-options.ts';
import { defaultClaimsDirectory, readClaim } from '../cni/claims.ts';
import { EtcdStore } from '../etcd/etcd-store.ts';
import { type Connection, type Store, StoreError } from '../etcd/store.ts';
import { IprouteKernel } from '../kernel/iproute.ts';
import { type Kernel, KernelError } from '../kernel/kernel.ts';
import { reasonOf } from '../reason-of.ts';
import type { AgentCommandOptions } from './agent.ts';
import { openTrace } from './agent-trace-output.ts';
import { storeArguments } from './etcd-arguments.ts';
import { designOf } from './instance.ts';
import { logOutput } from './log-output.ts';
import { assertTimes } from './longest-wait.ts';
import { UsageError } from './usage-error.ts';

/** How many times its first wait an agent waits at the most before it dials again, unless it is told otherwise. */
const longestWait = 16;

/** Runs the command. */
export async function runAgent(options: AgentCommandOptions): Promise<void> {
  const opened: (() => unknown)[] = [];
  try {
    await run(options, (close) => opened.push(close));
  } finally {
    await closeAll(opened);
  }
}

/** The last first. One that fails keeps none of the others: a lock that stays held would keep the process. */
async function closeAll(opened: (() => unknown)[]): Promise<void> {
  const close = opened.pop();
  if (close === undefined) return;
  try {
    await close();
  } finally {
    await closeAll(opened);
  }
}

/** @param atEnd - takes what is to be done at the end, however that comes; the last first */
async function run(options: AgentCommandOptions, atEnd: (close: () => unknown) => void): Promise<void> {
  const asked = ended();
  const chosen = designOf(options.design);
  const given = { ...chosen.parameters, ...options.param };
  const parameters = {
    ...given,
    retryDelayMax: options.param?.retryDelayMax ?? given.retryDelay * longestWait,
  };
  const design = scaled({ ...chosen, parameters }, options.timeScale);
  assertTimes(timesOf(options, design), options.timeScale);
  const owns = ownership(options.interfaces);
  const node = nodeOf(options.node);
  const listen = options.listen === undefined ? undefined : addressOf(options.listen);
  const reachedBy = storeArguments(options, design, node);
  const lock = await lockOf(options.netns);
  atEnd(() => lock.release());
  const log = logOf(options);
  const kernel = new IprouteKernel(options.netns === undefined ? {} : { namespace: options.netns });
  atEnd(() => kernel.close());
  await assertAnswers(kernel);
  const store = new EtcdStore(reachedBy);
  atEnd(() => store.close());
  let agent: Agent | undefined;
  const status = () => agent?.status();
  const metrics = new Metrics(status);
  const health = new HealthServer(status, metrics);
  atEnd(() => health.close());
  if (listen !== undefined) log.info({ port: await listenOn(health, listen) }, 'listening');
  // Last, so that one that refuses to start does not overwrite what an earlier one has left there.
  const trace = options.trace === undefined ? undefined : openTrace(options.trace, design, node);
  atEnd(() => trace?.close());
  const claims = options.claims ?? defaultClaimsDirectory;
  if (design.switches.includes('checksClaims')) warnOfMissing(claims, log);
  agent = new Agent({
    ...{ design, kernel, node, owns, log },
    store: namingOptions(store, reachedBy.endpoints),
    claimOf: (name) => readClaim(claims, name),
    refresh: options.refresh * options.timeScale,
    resync: options.resync * options.timeScale,
    counts: metrics.counts,
    ...(trace === undefined ? {} : { trace: (line) => trace.write(line) }),
  });
  const running = agent;
  atEnd(() => running.stop());
  log.info({ design: design.id, node, interfaces: options.interfaces }, 'the agent runs');
  const end = await Promise.race([
    asked.then((signal) => ({ signal })),
    lock.lost.then((reason) => ({ reason })),
  ]);
  if ('signal' in end) {
    log.info(end, 'the agent ends; routes stay as they are');
    return;
  }
  // Another one may look after the routes from now on.
  log.error(end, 'the lock of the network namespace is lost, so the agent ends; routes stay as they are');
  process.exitCode = 2;
}

function logOf({ logLevel: level, logFormat }: AgentCommandOptions): Logger {
  const output = logOutput(process.stdout.fd);
  if (logFormat === 'json') return pino({ level }, output);
  const pretty = prettyFactory({});
  return pino({ level }, { write: (line: string) => output.write(pretty(line)) });
}

/** A store whose failed dials name the options that say how it is reached: the store itself knows of no options. */
function namingOptions(store: Store, endpoints: readonly string[]): Store {
  const place = `--etcd-endpoints ${endpoints.join()}`;
  const dial = async (): Promise<Connection> => {
    try {
      return await store.dial();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const denied = '--etcd-username, --etcd-password, or the certificate';
      const options = error.fault === 'denied' ? denied : place;
      throw new StoreError(error.fault, `${error.message} (see ${options})`);
    }
  };
  return { dial, reads: store.reads, close: () => store.close() };
}

/** It is no error: the plugin makes the folder with its first claim, once it can. */
function warnOfMissing(claims: string, log: Logger): void {
  if (isFolder(claims)) return;
  log.warn(
    { claims },
    `--claims ${claims}: there is no such folder, so no CNI plugin has written a claim there. Without claims the route of a pod that is being added may be deleted: use a plugin that writes them, and name its folder; see docs/real.md`,
  );
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Nothing is there, or what is above it is no folder or shut.
    return false;
  }
}

/** Waits for a signal to end. */
function ended(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal));
  });
}

function ownership(pattern: string): (name: string) => boolean {
  try {
    return interfacePattern(pattern);
  } catch (error) {
    if (error instanceof PatternError) throw new UsageError(`--interfaces: ${error.message}`);
    throw error;
  }
}

function timesOf(options: AgentCommandOptions, { parameters }: Design): [string, number][] {
  const { timeScale, refresh, resync, dialTimeout } = options;
  return [
    ['--refresh', refresh * timeScale],
    ['--resync', resync * timeScale],
    ['--dial-timeout', dialTimeout * timeScale],
    ...Object.entries(parameters).map(([name, seconds]): [string, number] => [`-p ${name}`, seconds]),
  ];
}

/** A name that nobody has would make every route an unexpected one. */
function nodeOf(name = hostname()): string {
  if (name.trim() === '')
    throw new UsageError("--node: the name is empty. Name the node as the endpoints' spec.node does.");
  return name;
}

/** Takes the lock of the namespace whose routes are looked after. */
async function lockOf(namespace: string | undefined): Promise<NodeLock> {
  if (namespace !== undefined && !/^(?!-|\.{1,2}$)[^/]+$/.test(namespace))
    throw new UsageError(`--netns '${namespace}': expected a name that 'ip netns list' shows.`);
  const lock = await (namespace === undefined ? lockNode() : lockNamespace(namespace)).catch(
    (error: unknown) => {
      if (!(error instanceof NodeLockError)) throw error;
      throw new UsageError(
        `--netns ${namespace}: it cannot be entered (${error.message}). Name one that 'ip netns list' shows, and be root.`,
      );
    },
  );
  if (lock === undefined)
    throw new UsageError(
      'another agent looks after the routes of this network namespace. End it first: two would undo each other’s work.',
    );
  return lock;
}

async function assertAnswers(kernel: Kernel): Promise<void> {
  try {
    await kernel.list();
  } catch (error) {
    if (!(error instanceof KernelError)) throw error;
    throw new UsageError(
      `the kernel's routes cannot be read: ${error.message}. The agent needs iproute2's ip in its PATH, version 5 or later.`,
    );
  }
}

async function listenOn(
  health: HealthServer,
  { host, port, text }: ReturnType<typeof addressOf>,
): Promise<number> {
  try {
    return await health.listen(host, port);
  } catch (error) {
    throw new UsageError(
      `--listen ${text}: nothing can be served there (${reasonOf(error)}). Name an address of this host and a free port.`,
    );
  }
}

function addressOf(text: string): { readonly host: string; readonly port: number; readonly text: string } {
  const [, host, port] = /^(.+):(\d+)$/.exec(text) ?? [];
  if (host === undefined || Number(port) > 65_535)
    throw new UsageError(`--listen ${text}: expected host:port, such as 127.0.0.1:9099.`);
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port), text };
}
