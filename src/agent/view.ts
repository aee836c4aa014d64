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
    return [...this.#records.values()].flatMap((record) => ('unreadable' in record ? record.key : []));
  }

  /** Whether a record is this node's, or may be. */
  ours(record: EndpointRecord): boolean {
    const node = 'endpoint' in record ? record.endpoint.node : record.node;
    return node === undefined || node === this.#node;
  }

  /** Takes a list for the whole truth. @returns the interfaces that it has or had endpoints for */
  replace(records: readonly EndpointRecord[]): Set<string> {
    const touched = this.interfaces();
    this.#records.clear();
    for (const record of records) if (this.ours(record)) this.#records.set(record.key, record);
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
    if (now === undefined) this.#records.delete(key);
    else this.#records.set(key, now);
    if ([before, now].some((record) => record !== undefined && 'unreadable' in record)) return 'every';
    return new Set([...interfacesOf(before), ...interfacesOf(now)]);
  }

  /** The interfaces that have endpoints. */
  interfaces(): Set<string> {
    return new Set([...this.#records.values()].flatMap((record) => [...interfacesOf(record)]));
  }

  /** The addresses that an interface's own pod has, by the name and the alias of the interface. */
  addressesOf(interfaceName: string, alias: string): readonly string[] {
    return [...this.#records.values()].flatMap((record) =>
      'endpoint' in record && record.endpoint.interfaceName === interfaceName && isOf(record.endpoint, alias)
        ? record.endpoint.addresses
        : [],
    );
  }

  /** What is expected over an interface. */
  expected(interfaceName: string): Expected {
    const addresses: string[] = [];
    for (const record of this.#records.values()) {
      if ('unreadable' in record) {
        if (mayBeOf(record, interfaceName)) return 'anything';
      } else if (record.endpoint.interfaceName === interfaceName)
        addresses.push(...record.endpoint.addresses);
    }
    return addresses.length === 0 ? 'nothing' : addresses;
  }
}

/**
 * Whether a record that cannot be read may be about an interface. Its key tells the name that its interface has by the rule;
 * one that is named otherwise stands in the value, and so may be any that is named otherwise.
 */
const mayBeOf = (
  { interfaceName: byRule }: Extract<EndpointRecord, { unreadable: string }>,
  interfaceName: string,
): boolean => byRule === undefined || byRule === interfaceName || !isNamedByRule(interfaceName);

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
