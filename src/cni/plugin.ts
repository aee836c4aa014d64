/** The CNI plugin: ADD, DEL, CHECK and VERSION of the specification, version 1.0.0 and the two before it. */
import { hostname } from 'node:os';
import { interfaceNameOf } from '../etcd/endpoint-keys.ts';
import { StoreError } from '../etcd/store.ts';
import { AddressPlugin } from './address-plugin.ts';
import type { ClaimHolder } from './claims.ts';
import { CniError, errorCodes } from './cni-error.ts';
import {
  type Call,
  type CniVersion,
  type Configuration,
  decode,
  type ReadResult,
  readCall,
  readConfiguration,
  resultSchema,
  supportedVersions,
} from './configuration.ts';
import type { EndpointRegistry } from './endpoint-registry.ts';
import { gateway, type Pod, type PodInterface, type PodNetwork } from './pod-network.ts';
import { type AddStep, addPod, addSteps, type DeleteStep, deletePod, deleteSteps } from './steps.ts';

/** A call of the plugin by a runtime. */
export interface Invocation {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: string;
}

/** What the plugin does its work with. */
export interface Workshop {
  readonly network: PodNetwork;
  claims(directory: string): ClaimHolder;
  registry(configuration: Configuration): Promise<EndpointRegistry>;
  /** Ends the plugin at once, as a crash would, and never returns. */
  crash(): Promise<never>;
  log(line: string): void;
}

/** What the runtime gets. */
export interface Answer {
  /** JSON, or empty. */
  readonly stdout: string;
  readonly exitCode: 0 | 1;
}

/** A fault for tests: the step after which the plugin crashes. */
const crashVariable = 'ROUTEPROOF_CNI_CRASH_AFTER';

/** The newest version: that of an answer where the configuration names none that is known. */
const newest = '1.0.0' satisfies CniVersion;

type Step = AddStep | DeleteStep;

/** Answers a call. Never throws. */
export async function answer(invocation: Invocation, workshop: Workshop): Promise<Answer> {
  let cniVersion: CniVersion = newest;
  try {
    const command = invocation.env.CNI_COMMAND;
    if (command === 'VERSION') return result(versions(invocation.stdin));
    if (command !== 'ADD' && command !== 'DEL' && command !== 'CHECK')
      throw new CniError(
        errorCodes.invalidEnvironment,
        `CNI_COMMAND is ${command ? `'${command}'` : 'missing'}: a runtime has to set it to ADD, DEL, CHECK or VERSION, and to give the network configuration on standard input.`,
      );
    const decoded = decode(invocation.stdin);
    cniVersion = decoded.cniVersion;
    if (command === 'CHECK' && cniVersion === '0.3.1')
      throw new CniError(
        errorCodes.incompatibleVersion,
        "CNI version 0.3.1 has no CHECK. Set 'cniVersion' in the network configuration to 0.4.0 or 1.0.0.",
      );
    const call = readCall(command, invocation.env);
    const configuration = readConfiguration(decoded.json);
    const registry = await workshop.registry(configuration);
    try {
      const plugin = new Plugin(invocation, configuration, call, registry, workshop);
      if (command === 'ADD') return result(await plugin.add());
      if (command === 'DEL') await plugin.delete();
      else await plugin.check();
      return { stdout: '', exitCode: 0 };
    } finally {
      registry.close();
    }
  } catch (error) {
    const { code, message, details } = cniError(error);
    workshop.log(`error ${code}: ${message}${details === '' ? '' : ` (${details})`}`);
    const told = { cniVersion, code, msg: message, ...(details !== '' && { details }) };
    return { stdout: JSON.stringify(told), exitCode: 1 };
  }
}

/** One call. */
class Plugin {
  readonly #invocation: Invocation;
  readonly #configuration: Configuration;
  readonly #call: Call;
  readonly #registry: EndpointRegistry;
  readonly #workshop: Workshop;
  readonly #claims: ClaimHolder;
  readonly #node: string;
  readonly #addresses: AddressPlugin | undefined;
  readonly #sandbox: { readonly containerId: string; readonly interfaceName: string };

  constructor(
    invocation: Invocation,
    configuration: Configuration,
    call: Call,
    registry: EndpointRegistry,
    workshop: Workshop,
  ) {
    this.#invocation = invocation;
    this.#configuration = configuration;
    this.#call = call;
    this.#registry = registry;
    this.#workshop = workshop;
    this.#claims = workshop.claims(configuration.claims_dir);
    this.#node = configuration.nodename ?? hostname();
    const type = configuration.ipam?.type;
    this.#addresses =
      type === undefined ? undefined : new AddressPlugin(type, call.path, invocation.env, invocation.stdin);
    this.#sandbox = {
      containerId: call.containerId,
      interfaceName: interfaceNameOf(call.namespace, call.pod),
    };
  }

  async add(): Promise<object> {
    const crashAfter = this.#crashAfter();
    const { address, dns } = await this.#assign();
    const pod = this.#pod(address);
    const steps = addPod(this.#configuration.order, this.#node, pod, this.#surroundings());
    return this.#result(pod, await this.#walk(steps, crashAfter), dns);
  }

  async delete(): Promise<void> {
    const { namespace, pod } = this.#call;
    const endpoint = { namespace, pod, node: this.#node };
    const steps = deletePod(this.#configuration.order, endpoint, this.#sandbox, this.#surroundings());
    await this.#walk(steps, this.#crashAfter());
    // Last: an address that is given back may be another pod's at once.
    await this.#addresses?.delete();
  }

  async check(): Promise<void> {
    const { interfaces, ips } = this.#previous();
    await this.#addresses?.check();
    const { containerId, interfaceName } = this.#sandbox;
    const own = ips.find(
      (ip) => ip.interface === undefined || interfaces[ip.interface]?.name === this.#call.ifName,
    );
    if (own === undefined || !interfaces.some(({ name }) => name === interfaceName))
      throw new CniError(
        errorCodes.invalidConfiguration,
        `'prevResult' is not that of an ADD of this pod: it has no ${interfaceName} or no address of ${this.#call.ifName}. Delete the sandbox and create it anew.`,
      );
    const pod = this.#pod(own.address);
    const faults = await this.#workshop.network.faults(pod);
    const holder = await this.#claims.holder(interfaceName);
    if (holder !== containerId)
      faults.push(
        `${interfaceName} is claimed by ${holder === undefined ? 'nobody' : `container ${holder}`}`,
      );
    faults.push(...(await this.#recordFaults(pod)));
    if (faults.length === 0) return;
    throw new CniError(
      errorCodes.notAsAdded,
      `${pod.namespace}/${pod.pod} is not as ADD left it: ${faults.join('; ')}. Mend it, or delete the sandbox and create it anew.`,
    );
  }

  /** What ADD answered, as the runtime has kept it. */
  #previous(): ReadResult {
    const { prevResult } = this.#configuration;
    const parsed = resultSchema.safeParse(prevResult);
    if (parsed.success) return parsed.data;
    const place = ['prevResult', ...(parsed.error.issues[0]?.path ?? [])].join('.');
    const fault =
      prevResult === undefined ? 'it is missing' : `'${place}' is missing or is not what ADD writes there`;
    throw new CniError(
      errorCodes.invalidConfiguration,
      `CHECK needs the result of ADD as 'prevResult' in the network configuration: ${fault}. The runtime has to keep what ADD answered, and to give it there unchanged.`,
    );
  }

  async #recordFaults(pod: Pod): Promise<string[]> {
    const found = await this.#registry.read({ namespace: pod.namespace, pod: pod.pod, node: this.#node });
    if (found === undefined) return ['the store has no endpoint of it'];
    if ('unreadable' in found.record) return [`its endpoint ${found.record.key} is unreadable`];
    const { endpoint } = found.record;
    const faults: string[] = [];
    if (endpoint.containerId !== pod.containerId)
      faults.push(`its endpoint is of container ${endpoint.containerId || 'none'}`);
    if (!endpoint.addresses.includes(pod.address))
      faults.push(`its endpoint has not the address ${pod.address}`);
    if (endpoint.interfaceName !== pod.interfaceName)
      faults.push(`its endpoint has the interface ${endpoint.interfaceName}`);
    return faults;
  }

  /** The address of the sandbox: by the plugin for addresses, else the one that the runtime asks for. */
  async #assign(): Promise<{ address: string; dns: object }> {
    const { dns = {}, runtimeConfig } = this.#configuration;
    if (this.#addresses !== undefined) {
      const assigned = await this.#addresses.add();
      const [ip, more] = assigned.ips;
      if (ip !== undefined && more === undefined) return { address: ip.address, dns: assigned.dns ?? dns };
      await this.#addresses.delete();
      throw new CniError(
        errorCodes.invalidConfiguration,
        `'ipam' assigns ${assigned.ips.length} addresses, and the plugin gives a pod one. Leave one range in 'ipam'.`,
      );
    }
    const address = runtimeConfig?.ips?.[0] ?? this.#call.address;
    if (address !== undefined) return { address, dns };
    throw new CniError(
      errorCodes.invalidConfiguration,
      "There is no address for the pod. Set 'ipam.type' in the network configuration to a plugin that assigns some, such as host-local; or have the runtime give one, by runtimeConfig.ips or by IP= in CNI_ARGS.",
    );
  }

  #pod(address: string): Pod {
    const { namespace, pod, netns, ifName } = this.#call;
    return { ...this.#sandbox, namespace, pod, netns, ifName, address };
  }

  #surroundings() {
    return { network: this.#workshop.network, registry: this.#registry, claims: this.#claims };
  }

  /** Does one step after the other. */
  async #walk<T>(steps: AsyncGenerator<Step, T>, crashAfter: Step | undefined): Promise<T> {
    for (;;) {
      const next = await steps.next();
      if (next.done === true) return next.value;
      this.#workshop.log(`${this.#sandbox.interfaceName} ${this.#sandbox.containerId}: ${next.value}`);
      if (next.value === crashAfter) await this.#workshop.crash();
    }
  }

  #crashAfter(): Step | undefined {
    const given = this.#invocation.env[crashVariable];
    if (given === undefined || given === '') return undefined;
    const { order } = this.#configuration;
    const all = [...addSteps[order], ...deleteSteps[order]];
    const step = all.find((step) => step === given);
    if (step !== undefined) return step;
    throw new CniError(
      errorCodes.invalidEnvironment,
      `${crashVariable} is '${given}', which is no step. Unset it: it is a fault for tests. There are ${all.join(', ')}.`,
    );
  }

  #result(pod: Pod, made: PodInterface, dns: object): object {
    const { cniVersion } = this.#configuration;
    return {
      cniVersion,
      interfaces: [
        { name: made.name, ...(made.mac !== undefined && { mac: made.mac }) },
        { name: pod.ifName, ...(made.peerMac !== undefined && { mac: made.peerMac }), sandbox: pod.netns },
      ],
      // The version of an address went with 1.0.0.
      ips: [{ ...(cniVersion !== '1.0.0' && { version: '4' }), address: pod.address, interface: 1 }],
      routes: [{ dst: '0.0.0.0/0', gw: gateway }],
      dns,
    };
  }
}

/** The answer to VERSION. The configuration need not be complete for it. */
function versions(stdin: string): object {
  let cniVersion: unknown = newest;
  if (stdin.trim() !== '') {
    try {
      cniVersion = (JSON.parse(stdin) as { cniVersion?: unknown } | null)?.cniVersion ?? newest;
    } catch (error) {
      throw new CniError(
        errorCodes.undecodable,
        `What is on standard input is not JSON. A runtime has to write {"cniVersion": "${newest}"} there.`,
        String(error),
      );
    }
  }
  return { cniVersion, supportedVersions };
}

function result(value: object): Answer {
  return { stdout: JSON.stringify(value), exitCode: 0 };
}

function cniError(error: unknown): CniError {
  if (error instanceof CniError) return error;
  if (error instanceof StoreError) {
    if (error.fault === 'denied')
      return new CniError(
        errorCodes.invalidConfiguration,
        "The store refused the plugin. Mend 'etcd_username' and 'etcd_password', or the certificate, in the network configuration, or what they may do in the store.",
        error.message,
      );
    return new CniError(
      errorCodes.tryAgainLater,
      "The store did not answer as it should. Try again; if it goes on, see whether the members in 'etcd_endpoints' run and have a leader.",
      error.message,
    );
  }
  return new CniError(
    errorCodes.unexpected,
    'The plugin has a defect. Report it together with the details.',
    error instanceof Error ? (error.stack ?? error.message) : String(error),
  );
}
