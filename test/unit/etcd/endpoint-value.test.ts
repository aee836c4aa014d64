import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../../src/etcd/endpoint.ts';
import { endpointKey, interfaceNameOf } from '../../../src/etcd/endpoint-keys.ts';
import { readRecord, writeValue } from '../../../src/etcd/endpoint-value.ts';
import { unfitForPod } from '../../../src/etcd/pod-address.ts';

const web: Endpoint = {
  node: 'node-1',
  interfaceName: 'cali123',
  addresses: ['10.0.0.1/32'],
  containerId: 'c1',
  namespace: 'default',
  pod: 'web-0',
};
const key = endpointKey('/p/', web);

/** The value of `web` with another `spec`. */
function withSpec(spec: object): string {
  const value = JSON.parse(writeValue(web));
  return JSON.stringify({ ...value, spec: { ...value.spec, ...spec } });
}

describe('values of endpoints', () => {
  it('are read as what was written', () => {
    const name = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/);
    const address = fc
      .ipV4()
      .filter((each) => unfitForPod(each) === undefined)
      .map((each) => `${each}/32`);
    const endpoint = fc.record({
      node: name,
      interfaceName: name,
      addresses: fc.uniqueArray(address, { maxLength: 3 }),
      containerId: fc.string(),
      namespace: name,
      pod: name,
    });
    fc.assert(
      fc.property(endpoint, (each) => {
        const at = endpointKey('/p/', each);
        expect(readRecord('/p/', at, Buffer.from(writeValue(each)))).toEqual({ key: at, endpoint: each });
      }),
    );
  });

  it('are Calico’s WorkloadEndpoint', () => {
    expect(JSON.parse(writeValue(web))).toMatchObject({
      kind: 'WorkloadEndpoint',
      apiVersion: 'projectcalico.org/v3',
      metadata: { name: 'node--1-k8s-web--0-eth0', namespace: 'default' },
      spec: {
        orchestrator: 'k8s',
        node: 'node-1',
        pod: 'web-0',
        containerID: 'c1',
        endpoint: 'eth0',
        ipNetworks: ['10.0.0.1/32'],
        interfaceName: 'cali123',
      },
    });
  });

  it.each([
    ['has fields that are not known', { mac: 'aa:bb', ports: [{ name: 'x' }] }, web.addresses],
    ['has IPv6 too', { ipNetworks: ['fd00::1/128', '10.0.0.2/32', 'fd00::2'] }, ['10.0.0.2/32']],
    ['has IPv6 only', { ipNetworks: ['fd00::1/128'] }, []],
    ['has no networks', { ipNetworks: null }, []],
    ['has an address without a length', { ipNetworks: ['10.0.0.3'] }, ['10.0.0.3/32']],
    ['has an address twice', { ipNetworks: ['10.0.0.3', '10.0.0.3/32'] }, ['10.0.0.3/32']],
  ])('are read when one %s', (_, spec, addresses) => {
    expect(readRecord('/p/', key, withSpec(spec))).toEqual({ key, endpoint: { ...web, addresses } });
  });

  it.each([
    ['it is empty', '', 'its value is not JSON'],
    ['it was cut off', writeValue(web).slice(0, -5), 'its value is not JSON'],
    ['it is null', 'null', 'its value: '],
    ['it is of another kind', '{"kind":"Node","spec":{}}', 'kind: '],
    ['it has no interface', withSpec({ interfaceName: undefined }), 'spec.interfaceName: '],
    ['an address is none', withSpec({ ipNetworks: ['10.0.0.1/32', '10.0.0'] }), 'spec.ipNetworks.1: '],
    ['a network is of many addresses', withSpec({ ipNetworks: ['10.0.0.0/8'] }), 'spec.ipNetworks.0: '],
    ...['0.0.0.0', '127.0.0.1/32', '224.0.0.251', '255.255.255.255/32'].map((address) => [
      `${address} is to be a pod's`,
      withSpec({ ipNetworks: [address] }),
      `spec.ipNetworks.0: .* expected an address of a pod, received ${address.replace('/32', '')}, `,
    ]),
    [
      'it is on another node',
      withSpec({ node: 'other' }),
      "spec.node: it is 'other', and 'node-1' in its key",
    ],
  ])('are unreadable if %s, and say whose they are', (_, value, reason) => {
    expect(readRecord('/p/', key, value)).toEqual({
      key,
      unreadable: expect.stringMatching(new RegExp(`^${reason}`)),
      node: 'node-1',
      interfaceName: interfaceNameOf('default', 'web-0'),
    });
  });

  it('say less if the key cannot be read either', () => {
    expect(Object.keys(readRecord('/p/', '/p/x', 'y'))).toEqual(['key', 'unreadable']);
  });

  it('are read under a key that cannot be', () => {
    expect(readRecord('/p/', '/p/x', writeValue(web))).toEqual({ key: '/p/x', endpoint: web });
  });
});
