/**
 * What the agent knows of the store: which address is expected over which interface. A record that cannot be read is not an
 * absent one: whatever goes over its interface is expected.
 */
import { type Endpoint, type EndpointRecord, interfaceOf } from '../etcd/endpoint.ts';
import { isNamedByRule } from '../etcd/endpoint-keys.ts';
import type { Change } from '../etcd/store.ts';

/** What is expected over an interface. */
export type Expected =
  /** No endpoint has it. */
  | 'nothing'
  /** A record that may be its endpoint cannot be read. */
  | 'anything'
  /** These CIDRs. */
  | readonly string[];

/** The records of one node. */
export class View {
  readonly #node: string;
  readonly #records = new Map<string, EndpointRecord>();
  /** The keys of its endpoints, by interface. */
  readonly #keysOf = new Map<string, Set<string>>();
  readonly #unreadable = new Set<string>();

  /** @param node - records of other nodes are left out */
  constructor(node: string) {
    this.#node = node;
  }

  /** How many endpoints it has. */
  get size(): number {
    return this.#records.size;
  }

  /** The keys whose values cannot be read. */
  unreadable(): readonly string[] {
    return [...this.#unreadable];
  }

  /** Whether a record is this node's, or may be. */
  ours(record: EndpointRecord): boolean {
    const node = 'endpoint' in record ? record.endpoint.node : record.node;
    return node === undefined || node === this.#node;
  }

  /** Takes a list for the whole truth. @returns the interfaces that it has or had endpoints for */
  replace(records: readonly EndpointRecord[]): Set<string> {
    const touched = this.interfaces();
    for (const key of [...this.#records.keys()]) this.#forget(key);
    for (const record of records) if (this.ours(record)) this.#note(record);
    return new Set([...touched, ...this.interfaces()]);
  }

  /**
   * Takes a change.
   *
   * @returns the interfaces that it is about; none if it is about another node's, and `every` if the record before or after
   *   it cannot be read, so that it may be that of several
   */
  change(change: Change): ReadonlySet<string> | 'every' {
    const key = change.kind === 'put' ? change.record.key : change.key;
    const before = this.#records.get(key);
    const now = change.kind === 'put' && this.ours(change.record) ? change.record : undefined;
    if (now === undefined) this.#forget(key);
    else this.#note(now);
    if ([before, now].some((record) => record !== undefined && 'unreadable' in record)) return 'every';
    return new Set([...interfacesOf(before), ...interfacesOf(now)]);
  }

  /** The interfaces that have endpoints. */
  interfaces(): Set<string> {
    return new Set([...this.#records.values()].flatMap((record) => [...interfacesOf(record)]));
  }

  /** The addresses that an interface's own pod has, by the name and the alias of the interface. */
  addressesOf(interfaceName: string, alias: string): readonly string[] {
    return this.#endpointsOf(interfaceName).flatMap((endpoint) =>
      isOf(endpoint, alias) ? endpoint.addresses : [],
    );
  }

  /** What is expected over an interface. */
  expected(interfaceName: string): Expected {
    for (const key of this.#unreadable) {
      if (mayBeOf(this.#records.get(key) as Unreadable, interfaceName)) return 'anything';
    }
    const addresses = this.#endpointsOf(interfaceName).flatMap((endpoint) => endpoint.addresses);
    return addresses.length === 0 ? 'nothing' : addresses;
  }

  #endpointsOf(interfaceName: string): Endpoint[] {
    return [...(this.#keysOf.get(interfaceName) ?? [])].flatMap((key) => {
      const record = this.#records.get(key);
      return record !== undefined && 'endpoint' in record ? record.endpoint : [];
    });
  }

  #note(record: EndpointRecord): void {
    const { key } = record;
    this.#forget(key);
    this.#records.set(key, record);
    if ('unreadable' in record) {
      this.#unreadable.add(key);
      return;
    }
    const { interfaceName } = record.endpoint;
    const keys = this.#keysOf.get(interfaceName) ?? new Set();
    this.#keysOf.set(interfaceName, keys.add(key));
  }

  #forget(key: string): void {
    const record = this.#records.get(key);
    this.#records.delete(key);
    this.#unreadable.delete(key);
    if (record === undefined || !('endpoint' in record)) return;
    const { interfaceName } = record.endpoint;
    const keys = this.#keysOf.get(interfaceName);
    keys?.delete(key);
    if (keys?.size === 0) this.#keysOf.delete(interfaceName);
  }
}

type Unreadable = Extract<EndpointRecord, { unreadable: string }>;

/**
 * Whether a record that cannot be read may be about an interface. Its key tells the name that its interface has by the rule;
 * one that is named otherwise stands in the value, and so may be any that is named otherwise.
 */
const mayBeOf = ({ interfaceName: byRule }: Unreadable, interfaceName: string): boolean =>
  byRule === undefined || byRule === interfaceName || !isNamedByRule(interfaceName);

const interfacesOf = (record: EndpointRecord | undefined): Set<string> => {
  const name = record === undefined ? undefined : interfaceOf(record);
  return new Set(name === undefined ? [] : [name]);
};

/**
 * Whether an endpoint is of the pod whose interface this is. A pod made again has its predecessor's interface name, so
 * the name alone would put the predecessor's address on it; the plugin's alias tells them apart, where there is one.
 */
const isOf = (endpoint: Endpoint, alias: string): boolean =>
  alias === '' || endpoint.containerId === '' || endpoint.containerId === alias;

/** Whether a route to this destination is expected. */
export const expects = (expected: Expected, destination: string): boolean =>
  expected === 'anything' || (expected !== 'nothing' && expected.includes(destination));
