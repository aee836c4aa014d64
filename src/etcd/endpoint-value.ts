/** The values of endpoints: Calico's v3 `WorkloadEndpoint` as JSON. */
import { z } from 'zod';
import { reasonOf } from '../reason-of.ts';
import type { Endpoint, EndpointRecord } from './endpoint.ts';
import { interfaceNameOf, readKey, resourceName } from './endpoint-keys.ts';
import { unfitForPod } from './pod-address.ts';

const v4 = z.union([z.cidrv4(), z.ipv4()], { error: 'Invalid input: expected an IPv4 or an IPv6 address' });
const v6 = z.union([z.cidrv6(), z.ipv6()]);

// An address of the pod's as a CIDR, or nothing in place of one that is IPv6.
const network = z.string().transform((text, context) => {
  if (v6.safeParse(text).success) return [];
  const parsed = v4.safeParse(text);
  if (!parsed.success) {
    for (const { message } of parsed.error.issues) context.addIssue({ code: 'custom', message });
    return z.NEVER;
  }
  const [address, length = '32'] = text.split('/');
  if (length !== '32') {
    context.addIssue({
      code: 'custom',
      message: `Invalid input: expected one address, received a /${length}`,
    });
    return z.NEVER;
  }
  const unfit = unfitForPod(address as string);
  if (unfit !== undefined) {
    context.addIssue({
      code: 'custom',
      message: `Invalid input: expected an address of a pod, received ${address}, ${unfit}`,
    });
    return z.NEVER;
  }
  return [`${address}/32`];
});

const schema = z.looseObject({
  kind: z.literal('WorkloadEndpoint'),
  metadata: z.looseObject({ namespace: z.string().optional() }).optional(),
  spec: z.looseObject({
    node: z.string().min(1),
    pod: z.string().optional(),
    containerID: z.string().optional(),
    ipNetworks: z.array(network).nullish(),
    interfaceName: z.string().min(1),
  }),
});

/** The value of an endpoint. */
export function writeValue(endpoint: Endpoint): string {
  const { namespace, node, pod, containerId, addresses, interfaceName } = endpoint;
  return JSON.stringify({
    kind: 'WorkloadEndpoint',
    apiVersion: 'projectcalico.org/v3',
    metadata: {
      name: resourceName(endpoint),
      namespace,
      labels: {
        'projectcalico.org/namespace': namespace,
        'projectcalico.org/orchestrator': 'k8s',
      },
    },
    spec: {
      orchestrator: 'k8s',
      node,
      pod,
      containerID: containerId,
      endpoint: 'eth0',
      ipNetworks: addresses,
      interfaceName,
    },
  });
}

/**
 * Reads a key and its value. Fields that it does not know are let be. Only IPv4 is read: networks of IPv6 are skipped,
 * and an endpoint that has no others is one without addresses. Whatever cannot be trusted to be the endpoint that its key
 * names is unreadable: it is not JSON, or no `WorkloadEndpoint`, or an address is none, or is on a node other than its key's.
 */
export function readRecord(prefix: string, key: string, value: Buffer | string): EndpointRecord {
  const name = readKey(prefix, key);
  const unreadable = (why: string): EndpointRecord => ({
    key,
    unreadable: why,
    ...(name !== undefined && {
      node: name.node,
      interfaceName: interfaceNameOf(name.namespace, name.pod),
    }),
  });
  let json: unknown;
  try {
    json = JSON.parse(value.toString());
  } catch (error) {
    return unreadable(`its value is not JSON: ${reasonOf(error)}`);
  }
  const parsed = schema.safeParse(json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return unreadable(`${issue?.path.join('.') || 'its value'}: ${issue?.message}`);
  }
  const { metadata, spec } = parsed.data;
  if (name !== undefined && name.node !== spec.node) {
    return unreadable(`spec.node: it is '${spec.node}', and '${name.node}' in its key`);
  }
  return {
    key,
    endpoint: {
      node: spec.node,
      interfaceName: spec.interfaceName,
      addresses: [...new Set(spec.ipNetworks?.flat())],
      containerId: spec.containerID ?? '',
      namespace: name?.namespace ?? metadata?.namespace ?? '',
      pod: name?.pod ?? spec.pod ?? '',
    },
  };
}
