import type { Endpoint } from '../../src/etcd/endpoint.ts';
import { interfaceNameOf } from '../../src/etcd/endpoint-keys.ts';

/** The endpoint of a pod. */
export const pod = (name: string): Endpoint => ({
  node: 'node-1',
  interfaceName: interfaceNameOf('default', name),
  addresses: ['10.0.0.1/32'],
  containerId: `container-of-${name}`,
  namespace: 'default',
  pod: name,
});
