/**
 * The keys under which Calico's v3 data model keeps workload endpoints in etcd:
 * `<prefix><namespace>/<node>-k8s-<pod>-eth0`, with each dash inside a part of the name doubled.
 */
import { createHash } from 'node:crypto';
import type { Endpoint } from './endpoint.ts';

/** Where Calico keeps them. */
export const calicoPrefix = '/calico/resources/v3/projectcalico.org/workloadendpoints/';

/** What a key says. */
export type EndpointName = Pick<Endpoint, 'namespace' | 'node' | 'pod'>;

// A part of a name with its dashes doubled: a dash alone ends it.
const part = '((?:[^-/]|--)+)';
const pattern = new RegExp(`^([^/]+)/${part}-k8s-${part}-eth0$`, 's');
const heartbeats = 'routeproof-heartbeat/';

/** The name of an endpoint's resource, which is also the last part of its key. */
export function resourceName({ node, pod }: EndpointName): string {
  return `${doubled(node)}-k8s-${doubled(pod)}-eth0`;
}

/** The key of an endpoint. */
export function endpointKey(prefix: string, endpoint: EndpointName): string {
  return `${prefix}${endpoint.namespace}/${resourceName(endpoint)}`;
}

/** What a key says, if it is that of a pod's endpoint. */
export function readKey(prefix: string, key: string): EndpointName | undefined {
  if (!key.startsWith(prefix)) return undefined;
  const [, namespace, node, pod] = pattern.exec(key.slice(prefix.length)) ?? [];
  if (namespace === undefined || node === undefined || pod === undefined) return undefined;
  return { namespace, node: single(node), pod: single(pod) };
}

/** How Calico names the host side of a pod's veth pair. */
export function interfaceNameOf(namespace: string, pod: string): string {
  return `cali${createHash('sha1').update(`${namespace}.${pod}`).digest('hex').slice(0, 11)}`;
}

/** Whether an interface's name is of the kind that {@link interfaceNameOf} gives. Of others no key tells whose they are. */
export function isNamedByRule(interfaceName: string): boolean {
  return /^cali[0-9a-f]{11}$/.test(interfaceName);
}

/** The key that a node writes to hear its own watch. With its dashes doubled it can be no endpoint's. */
export function heartbeatKey(prefix: string, node: string): string {
  return `${prefix}${heartbeats}${doubled(node)}`;
}

/** Whether a key stands for no record. An endpoint in a namespace of that name is one all the same. */
export function isHeartbeat(prefix: string, key: string): boolean {
  return key.startsWith(prefix + heartbeats) && readKey(prefix, key) === undefined;
}

function doubled(text: string): string {
  return text.replaceAll('-', '--');
}

function single(text: string): string {
  return text.replaceAll('--', '-');
}
