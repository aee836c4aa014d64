/** What mutants are tried on, in this order: designs, with few faults and with all of them. */
import type { FaultId } from '../../models/index.ts';

/** A design, and the faults that may strike. */
export interface Instance {
  readonly name: string;
  readonly design: string;
  /** The whole catalogue if left out; then the verdicts are recorded. */
  readonly faults?: readonly FaultId[];
  /** How many faults may strike in all; any number if left out. Only with `faults`: no such verdict is recorded. */
  readonly strikes?: number;
}

const whole = (design: string): Instance => ({ name: design, design });

const few = (design: string, ...faults: FaultId[]): Instance => ({
  name: `${design} with ${faults.join(', ') || 'no fault'}`,
  design,
  faults,
});

const once = (design: string, fault: FaultId): Instance => ({
  name: `${design} with ${fault} once`,
  design,
  faults: [fault],
  strikes: 1,
});

/**
 * The recommended design comes first: everything is proved of it, and its space is the smallest. Then come designs with
 * few faults, for two reasons: their spaces are small, and what a design gets right until a worse fault strikes shows
 * only while that fault is left out. Then come all the others with all faults, the largest last. At the end stand small
 * ones for what none of those tells: few mutants ever come to them.
 */
export const instances: readonly Instance[] = [
  whole('fenced'),
  few('felix-3.0.1'),
  few('felix-3.29'),
  few('fresh-grace', 'half-open'),
  few('grpc-keepalive', 'half-open', 'interface-flapped'),
  few('require-leader', 'isolated-member'),
  few('status-gated', 'connection-reset'),
  few('stock-client', 'connection-reset', 'interface-flapped'),
  few('serializable-fence', 'isolated-member'),
  few('linearizable-fence', 'half-open', 'pod-recreated'),
  few('grpc-keepalive', 'backup-restored', 'compaction', 'connection-reset', 'interface-flapped'),
  few('fresh-grace', 'connection-reset', 'compaction', 'backup-restored'),
  few('felix-3.29', 'pod-recreated', 'address-reused'),
  few('felix-3.0.1', 'cni-crashed', 'late-del', 'pod-recreated'),
  few('watchdog', 'half-open', 'stalled-stream'),
  few('heartbeat-writer', 'isolated-member', 'process-paused'),
  few('felix-3.29', 'interface-flapped', 'agent-restarted', 'process-paused'),
  whole('felix-3.0.1'),
  whole('stock-client'),
  whole('felix-3.29'),
  whole('fresh-grace'),
  whole('require-leader'),
  whole('serializable-fence'),
  whole('status-gated'),
  whole('endpoint-first'),
  whole('linearizable-fence'),
  whole('progress-watchdog'),
  whole('grpc-keepalive'),
  whole('heartbeat-writer'),
  whole('watchdog'),
  whole('never-delete'),
  whole('keepalive-long-grace'),
  few('fresh-grace', 'half-open', 'interface-flapped'),
  few('grpc-keepalive', 'list-failed'),
  few('felix-3.29', 'agent-restarted'),
  // Its first reset does no harm, and its second does: so a budget that is not kept shows.
  once('stock-client', 'connection-reset'),
  // After its only strike the store has a quorum again only if a leader is elected.
  once('felix-3.0.1', 'leader-lost'),
];
