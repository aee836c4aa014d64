import { castGrpcError } from 'etcd3';
import { expect, it } from 'vitest';
import { StoreError } from '../../../src/etcd/store.ts';
import { storeError } from '../../../src/etcd/store-fault.ts';

/** As gRPC's client makes it. */
const answer = (code: number, message: string) => castGrpcError(Object.assign(new Error(message), { code }));

it.each([
  [4, '4 DEADLINE_EXCEEDED: Deadline exceeded after 0.5s', 'deadline'],
  [2, '2 UNKNOWN: context deadline exceeded', 'deadline'],
  [2, '2 UNKNOWN: context canceled', 'unavailable'],
  [14, '14 UNAVAILABLE: etcdserver: no leader', 'unavailable'],
  [3, '3 INVALID_ARGUMENT: etcdserver: user name is empty', 'denied'],
  [2, '2 UNKNOWN: something else', 'other'],
])('gRPC code %i, "%s": %s', (code, message, fault) => {
  expect(storeError('m1', answer(code, message))).toMatchObject({ fault, message: `m1: ${message}` });
});

it('takes a fault that has a name as it is', () => {
  const known = new StoreError('denied', 'm1: no');
  expect(storeError('m2', known)).toBe(known);
});
