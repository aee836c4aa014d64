/**
 * The agent, to be run in a process of one's own: a design on a store and a kernel, and the trace that the model is asked
 * about. Here and not in the main module, so that who only checks does not load a client of etcd.
 *
 * ```ts
 * import { Agent } from 'routeproof/agent';
 *
 * const agent = new Agent({ design, store, kernel, node, owns, claimOf, refresh, resync, log, counts });
 * ```
 *
 * Take {@link lockNode} first: two agents of one network namespace undo each other's work.
 *
 * @module
 */

export { defaultClaimsDirectory, readClaim } from '../cni/claims.ts';
export type { Endpoint, EndpointRecord } from '../etcd/endpoint.ts';
export { calicoPrefix } from '../etcd/endpoint-keys.ts';
export { EtcdStore } from '../etcd/etcd-store.ts';
export type { StoreOptions } from '../etcd/options.ts';
export {
  type Change,
  type Connection,
  type Listing,
  type Reads,
  type Store,
  StoreError,
  type StoreFault,
  type WatchHandle,
  type WatchListener,
} from '../etcd/store.ts';
export { IprouteKernel, type IprouteOptions } from '../kernel/iproute.ts';
export {
  type Interface,
  type Kernel,
  KernelError,
  type KernelState,
  type Route,
  type RouteMatch,
  type RouteOutcome,
} from '../kernel/kernel.ts';
export { MemoryKernel } from '../kernel/memory-kernel.ts';
export { type AgentTrace, AgentTraceError, readAgentTrace } from '../validate/agent-trace.ts';
export { TooManyStates } from '../validate/model-graph.ts';
export { type Refusal, type Validation, Validator } from '../validate/validate.ts';
export { Agent, type AgentOptions, type AgentStatus } from './agent.ts';
export type { RouteCounts } from './deciding.ts';
export { interfacePattern, PatternError } from './interface-pattern.ts';
export { lockNamespace, lockNode, type NodeLock, NodeLockError } from './node-lock.ts';
export type { Deed, FoundEndpoint, FoundInterface, Line } from './record.ts';
export { Steps, type Withdraw } from './steps.ts';
export { scaled, storeOptionsOf } from './store-options.ts';
export { TraceFile, type TraceHead } from './trace-file.ts';
