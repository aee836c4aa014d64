/** What etcd3's errors mean to those who asked. */
import {
  ClientClosedError,
  EtcdAuthenticationFailedError,
  EtcdPermissionDeniedError,
  GRPCCancelledError,
  GRPCDeadlineExceededError,
  GRPCUnauthenticatedError,
  GRPCUnavailableError,
} from 'etcd3';
import { StoreError, type StoreFault } from './store.ts';

const faults: readonly (readonly [new (message: string) => Error, StoreFault])[] = [
  [GRPCDeadlineExceededError, 'deadline'],
  [GRPCUnavailableError, 'unavailable'],
  [GRPCCancelledError, 'unavailable'],
  [ClientClosedError, 'unavailable'],
  [EtcdAuthenticationFailedError, 'denied'],
  [EtcdPermissionDeniedError, 'denied'],
  [GRPCUnauthenticatedError, 'denied'],
];

/** What etcd says in words only: gRPC has no code for it, or one that means something else. */
const texts: readonly (readonly [string, StoreFault])[] = [
  // A call without a user, where there have to be users.
  ['etcdserver: user name is empty', 'denied'],
  // The server, which knows the deadline of the call, was faster than the client. Seen on a member without a leader.
  ['UNKNOWN: context deadline exceeded', 'deadline'],
  ['UNKNOWN: context canceled', 'unavailable'],
];

/** A failed call, with the member that it failed on. */
export function storeError(member: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const text = error instanceof Error ? error.message.replace(/^\w*Error: /, '') : String(error);
  // gRPC ends with a note on how the name was looked up, also where the note is empty.
  const message = text.replace(/\.? Resolution note: *$/, '');
  const fault =
    faults.find(([kind]) => error instanceof kind)?.[1] ??
    texts.find(([part]) => message.includes(part))?.[1] ??
    'other';
  return new StoreError(fault, `${member}: ${message}`);
}
