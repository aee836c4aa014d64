/** Runs an agent until it is told to end. Loaded by those who run one: gRPC and its like take their time. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { pino } from 'pino';
import pretty from 'pino-pretty';
import type { Design } from '../../models/index.ts';
import { Agent } from '../agent/agent.ts';
import { HealthServer } from '../agent/health.ts';
import { interfacePattern, PatternError } from '../agent/interface-pattern.ts';
import { Metrics } from '../agent/metrics.ts';
import { lockNode } from '../agent/node-lock.ts';
import { scaled, storeOptionsOf } from '../agent/store-options.ts';
import { TraceFile } from '../agent/trace-file.ts';
import { defaultClaimsDirectory, readClaim } from '../cni/claims.ts';
import { calicoPrefix } from '../etcd/endpoint-keys.ts';
import { EtcdStore } from '../etcd/etcd-store.ts';
import type { StoreOptions } from '../etcd/options.ts';
import { IprouteKernel } from '../kernel/iproute.ts';
import type { AgentCommandOptions } from './agent.ts';
import { designOf } from './instance.ts';
import { UsageError } from './usage-error.ts';

/** Runs the command. */
export async function runAgent(options: AgentCommandOptions): Promise<void> {
  const chosen = designOf(options.design);
  const parameters = { ...chosen.parameters, ...options.param };
  const design = scaled({ ...chosen, parameters }, options.timeScale);
  const owns = ownership(options.interfaces);
  const node = options.node ?? hostname();
  const listen = options.listen === undefined ? undefined : addressOf(options.listen);
  const reachedBy = storeOptions(options, design, node);
  const unlock = await lockNode();
  if (unlock === undefined)
    throw new UsageError(
      'another agent looks after the routes of this network namespace. End it first: two would undo each other’s work.',
    );
  const level = options.logLevel;
  const log = options.logFormat === 'json' ? pino({ level }) : pino({ level }, pretty({ sync: true }));
  const kernel = new IprouteKernel(options.netns === undefined ? {} : { namespace: options.netns });
  await kernel.list();
  const trace = options.trace === undefined ? undefined : new TraceFile(options.trace, design, node);
  const store = new EtcdStore(reachedBy);
  let agent: Agent | undefined;
  const status = () => agent?.status();
  const metrics = new Metrics(status);
  const health = new HealthServer(status, metrics);
  if (listen !== undefined) log.info({ port: await health.listen(listen.host, listen.port) }, 'listening');
  const claims = options.claims ?? defaultClaimsDirectory;
  agent = new Agent({
    ...{ design, store, kernel, node, owns, log },
    claimOf: (name) => readClaim(claims, name),
    refresh: options.refresh * options.timeScale,
    resync: options.resync * options.timeScale,
    counts: metrics.counts,
    ...(trace === undefined ? {} : { trace: (line) => trace.write(line) }),
  });
  log.info({ design: design.id, node, interfaces: options.interfaces }, 'the agent runs');
  const signal = await ended();
  log.info({ signal }, 'the agent ends; routes stay as they are');
  await agent.stop();
  store.close();
  await kernel.close();
  health.close();
  trace?.close();
  unlock();
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

function addressOf(text: string): { readonly host: string; readonly port: number } {
  const [, host, port] = /^(.+):(\d+)$/.exec(text) ?? [];
  if (host === undefined || Number(port) > 65_535)
    throw new UsageError(`--listen ${text}: expected host:port, such as 127.0.0.1:9099.`);
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
}

function storeOptions(options: AgentCommandOptions, design: Design, node: string): StoreOptions {
  const endpoints = options.etcdEndpoints.split(',').map((each) => each.trim());
  for (const endpoint of endpoints) {
    if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol))
      throw new UsageError(`--etcd-endpoints: '${endpoint}' is no URL. Write http://host:port, or https://.`);
  }
  const { etcdCaCertFile: ca, etcdCertFile: cert, etcdKeyFile: key } = options;
  if ((cert === undefined) !== (key === undefined))
    throw new UsageError('--etcd-cert-file and --etcd-key-file go together. Give both, or none.');
  if (cert !== undefined && ca === undefined)
    throw new UsageError(
      '--etcd-cert-file needs --etcd-ca-cert-file, the certificate that etcd is known by.',
    );
  const { etcdUsername: username, etcdPassword: password } = options;
  if ((username === undefined) !== (password === undefined))
    throw new UsageError('--etcd-username and --etcd-password go together. Give both, or none.');
  return {
    ...{ endpoints, node, prefix: options.prefix ?? calicoPrefix },
    ...(ca === undefined
      ? {}
      : {
          tls: {
            ca: pem('--etcd-ca-cert-file', ca),
            ...(cert === undefined || key === undefined
              ? {}
              : { cert: pem('--etcd-cert-file', cert), key: pem('--etcd-key-file', key) }),
          },
        }),
    ...(username === undefined || password === undefined ? {} : { username, password }),
    dialTimeout: options.dialTimeout * options.timeScale * 1000,
    ...storeOptionsOf(design),
  };
}

function pem(option: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new UsageError(
      `${option} ${file}: it cannot be read (${error instanceof Error ? error.message : error}).`,
    );
  }
}
