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

/** A failed call, with the member that it failed on. */
export function storeError(member: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const text = error instanceof Error ? error.message.replace(/^\w*Error: /, '') : String(error);
  // gRPC ends with a note on how the name was looked up, also where the note is empty.
  const message = text.replace(/\.? Resolution note: *$/, '');
  const fault = faults.find(([kind]) => error instanceof kind)?.[1] ?? 'other';
  // etcd's answer to a call without a user, where there have to be users. It is an InvalidArgument to gRPC.
  const denied = fault === 'other' && message.includes('etcdserver: user name is empty');
  return new StoreError(denied ? 'denied' : fault, `${member}: ${message}`);
}
