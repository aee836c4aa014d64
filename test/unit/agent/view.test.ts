import { describe, expect, it } from 'vitest';
import { View } from '../../../src/agent/view.ts';
import type { EndpointRecord } from '../../../src/etcd/endpoint.ts';
import { interfaceNameOf } from '../../../src/etcd/endpoint-keys.ts';

const key = '/p/default/n1-k8s-a-eth0';
const byRule = interfaceNameOf('default', 'a');
const unreadable: EndpointRecord = { key, unreadable: 'cut off', node: 'n1', interfaceName: byRule };

/** The record while it could be read. */
function readable(interfaceName: string): EndpointRecord {
  const pod = { node: 'n1', containerId: '', namespace: 'default', pod: 'a' };
  return { key, endpoint: { ...pod, interfaceName, addresses: ['10.0.0.1/32'] } };
}

describe('a record that cannot be read', () => {
  it.each([
    ['the interface that its key tells', byRule, 'anything'],
    ['no interface that the key of another pod tells', interfaceNameOf('default', 'b'), 'nothing'],
    ['any whose name no key tells', 'eni1', 'anything'],
    ['any that only begins as the rule has it', 'cali1', 'anything'],
  ])('may be about %s', (_, name, expected) => {
    const view = new View('n1');
    view.replace([unreadable]);
    expect(view.expected(name)).toBe(expected);
  });

  it('may be about every interface when it takes the place of one that could be read, and when it goes', () => {
    const view = new View('n1');
    view.replace([readable('eni1')]);
    expect(view.change({ kind: 'put', revision: 2n, record: unreadable })).toBe('every');
    expect(view.change({ kind: 'delete', revision: 3n, key })).toBe('every');
    expect(view.expected('eni1')).toBe('nothing');
  });

  it('is nothing to a node that its key does not name', () => {
    const view = new View('n2');
    expect(view.change({ kind: 'put', revision: 2n, record: unreadable })).toEqual(new Set());
    expect(view.expected('eni1')).toBe('nothing');
  });
});
