/** What etcd's key-value pairs and events are to the agent. */
import { isUtf8 } from 'node:buffer';
import { type IEvent, type IKeyValue, Range } from 'etcd3';
import type { EndpointRecord } from './endpoint.ts';
import { isHeartbeat } from './endpoint-keys.ts';
import { readRecord } from './endpoint-value.ts';
import type { Change } from './store.ts';

/** All keys that begin with a prefix, as etcd's requests have it. */
export function keysUnder(prefix: string): { readonly key: Buffer; readonly range_end: Buffer } {
  const { start, end } = Range.prefix(prefix);
  return { key: start, range_end: end };
}

/** The records among the pairs that were read. */
export function recordsOf(prefix: string, pairs: readonly IKeyValue[]): readonly EndpointRecord[] {
  return pairs
    .map(({ key, value }) => [keyText(key), value] as const)
    .filter(([key]) => !isHeartbeat(prefix, key))
    .map(([key, value]) => readRecord(prefix, key, value));
}

/** The changes of records among events. A heartbeat is an event and none of these. */
export function changesOf(prefix: string, events: readonly IEvent[]): readonly Change[] {
  return events.flatMap(({ type, kv }): Change[] => {
    const key = keyText(kv.key);
    if (isHeartbeat(prefix, key)) return [];
    const revision = BigInt(kv.mod_revision);
    if (type === 'Delete') return [{ kind: 'delete', revision, key }];
    return [{ kind: 'put', revision, record: readRecord(prefix, key, kv.value) }];
  });
}

/** A key as text. What is no UTF-8 is told by its bytes, so that two such keys stay two. */
function keyText(key: Buffer): string {
  if (isUtf8(key)) return key.toString();
  return [...key]
    .map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16)}`))
    .join('');
}
