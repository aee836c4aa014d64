import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  calicoPrefix,
  endpointKey,
  heartbeatKey,
  interfaceNameOf,
  isHeartbeat,
  readKey,
} from '../../../src/etcd/endpoint-keys.ts';

// Names with many dashes, and with the words that keys are made of.
const name = fc
  .array(fc.constantFrom('-', 'a', 'k8s', 'eth0', '.', 'node', '-k8s-', '-eth0'), {
    minLength: 1,
    maxLength: 8,
  })
  .map((pieces) => pieces.join(''));
const endpoint = fc.record({ namespace: name, node: name, pod: name });

describe('the keys of endpoints', () => {
  it('are those of Calico', () => {
    expect(endpointKey(calicoPrefix, { namespace: 'kube-system', node: 'node-1', pod: 'dns-x' })).toBe(
      '/calico/resources/v3/projectcalico.org/workloadendpoints/kube-system/node--1-k8s-dns--x-eth0',
    );
  });

  it('are read as what was written, whatever dashes are in the names', () => {
    fc.assert(
      fc.property(endpoint, (each) => {
        expect(readKey('/p/', endpointKey('/p/', each))).toEqual(each);
      }),
    );
  });

  it('are different for different endpoints', () => {
    fc.assert(
      fc.property(endpoint, endpoint, (one, other) => {
        const same = JSON.stringify(one) === JSON.stringify(other);
        expect(endpointKey('/p/', one) === endpointKey('/p/', other)).toBe(same);
      }),
    );
  });

  it.each([
    '/q/default/a-k8s-b-eth0',
    '/p/default/a-libnetwork-libnetwork-b',
    '/p/default/a-k8s-b-eth1',
    '/p/default/a-b-k8s-c-eth0',
    '/p/default/-k8s-b-eth0',
    '/p/a-k8s-b-eth0',
    '/p/default/x/a-k8s-b-eth0',
  ])('are not %s', (key) => {
    expect(readKey('/p/', key)).toBeUndefined();
  });
});

describe('the key of a heartbeat', () => {
  it('is none of an endpoint, and no endpoint is taken for one', () => {
    fc.assert(
      fc.property(name, endpoint, (node, each) => {
        expect(isHeartbeat('/p/', heartbeatKey('/p/', node))).toBe(true);
        const key = endpointKey('/p/', { ...each, namespace: 'routeproof-heartbeat' });
        expect(isHeartbeat('/p/', key)).toBe(false);
      }),
    );
  });

  it('is one under its own prefix only', () => {
    expect(isHeartbeat('/p/', heartbeatKey('/q/', 'a'))).toBe(false);
  });
});

describe('interfaceNameOf', () => {
  it('is "cali" and 11 digits of the SHA-1 of the namespace and the pod', () => {
    // printf default.web-0 | sha1sum
    expect(interfaceNameOf('default', 'web-0')).toBe('cali0d7763386da');
  });
});
