/** What ADD, DEL and CHECK ask of the store. */
import type { Endpoint, EndpointRecord } from '../etcd/endpoint.ts';
import type { EndpointName } from '../etcd/endpoint-keys.ts';

/** Where endpoints are written. Calls throw a `StoreError`. */
export interface EndpointRegistry {
  /** Writes an endpoint, in place of what is there under its name. */
  write(endpoint: Endpoint): Promise<unknown>;
  /** Erases an endpoint, if it is of this container. @returns whether it was */
  erase(endpoint: EndpointName, containerId: string): Promise<boolean>;
  /** What is there under a name. */
  read(endpoint: EndpointName): Promise<{ readonly record: EndpointRecord } | undefined>;
  /** Ends what runs on the registry's behalf. */
  close(): void;
}
