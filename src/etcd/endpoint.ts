/** An endpoint as the store has it: which address a pod has, and over which interface it is reached. */

/** What the agent and the CNI plugin know of a workload endpoint. */
export interface Endpoint {
  /** The node that the pod runs on. */
  readonly node: string;
  /** The host side of its veth pair. */
  readonly interfaceName: string;
  /** Its addresses as CIDRs, `10.0.0.1/32`. */
  readonly addresses: readonly string[];
  /** The container's id; empty if the record has none. */
  readonly containerId: string;
  /** The namespace of its pod. */
  readonly namespace: string;
  /** The name of its pod. */
  readonly pod: string;
}

/** A record under the prefix: an endpoint, or a value that is none. */
export type EndpointRecord =
  | {
      /** Its key in the store. */
      readonly key: string;
      /** What its value says. */
      readonly endpoint: Endpoint;
    }
  | {
      /** Its key in the store. */
      readonly key: string;
      /** Why its value is no endpoint. It stands for one all the same: a bad record is not an absent one. */
      readonly unreadable: string;
      /** The node that its key names, if the key can be read. */
      readonly node?: string;
      /** The interface that its pod has by the naming rule, if the key can be read. */
      readonly interfaceName?: string;
    };

/** The interface that a record is about; none if neither its value nor its key tells. */
export const interfaceOf = (record: EndpointRecord): string | undefined =>
  'endpoint' in record ? record.endpoint.interfaceName : record.interfaceName;
