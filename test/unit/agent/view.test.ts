import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { View } from '../../../src/agent/view.ts';
import type { EndpointRecord } from '../../../src/etcd/endpoint.ts';
import { interfaceNameOf } from '../../../src/etcd/endpoint-keys.ts';
import type { Change } from '../../../src/etcd/store.ts';

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

it('has the same after changes, one by one, as after a list of what they came to', () => {
  const key = fc.constantFrom('k1', 'k2', 'k3', 'k4');
  const name = fc.constantFrom('cali1', 'cali2', 'other1');
  const record: fc.Arbitrary<EndpointRecord> = fc.oneof(
    fc
      .record({
        key,
        name,
        node: fc.constantFrom('n1', 'n2'),
        address: fc.constantFrom('10.0.0.1/32', '10.0.0.2/32'),
      })
      .map(({ key, name, node, address }) => ({
        key,
        endpoint: {
          ...{ node, interfaceName: name, addresses: [address], containerId: '' },
          ...{ namespace: 'default', pod: key },
        },
      })),
    fc.record(
      { key, unreadable: fc.constant('no JSON'), interfaceName: name },
      { requiredKeys: ['key', 'unreadable'] },
    ),
  );
  const change: fc.Arbitrary<Change> = fc.oneof(
    record.map((each): Change => ({ kind: 'put', revision: 1n, record: each })),
    key.map((each): Change => ({ kind: 'delete', revision: 1n, key: each })),
  );
  fc.assert(
    fc.property(
      fc.uniqueArray(record, { maxLength: 3, selector: (each) => each.key }),
      fc.array(change),
      (first, changes) => {
        const [changed, listed] = [new View('n1'), new View('n1')];
        const records = new Map<string, EndpointRecord>();
        changed.replace(first);
        for (const each of first) records.set(each.key, each);
        for (const each of changes) {
          changed.change(each);
          if (each.kind === 'put') records.set(each.record.key, each.record);
          else records.delete(each.key);
        }
        listed.replace([...records.values()]);
        const seen = (view: View) => ({
          size: view.size,
          unreadable: [...view.unreadable()].sort(),
          interfaces: [...view.interfaces()].sort(),
          expected: ['cali1', 'cali2', 'other1'].map((each) => {
            const expected = view.expected(each);
            return typeof expected === 'string' ? expected : [...expected].sort();
          }),
          addresses: ['cali1', 'other1'].map((each) => [...view.addressesOf(each, '')].sort()),
        });
        expect(seen(changed)).toEqual(seen(listed));
      },
    ),
  );
});
