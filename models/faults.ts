/** The fault catalogue: what may strike, any number of times, unless it is left out. */

/** The id of a fault. */
export type FaultId =
  | 'half-open'
  | 'isolated-member'
  | 'connection-reset'
  | 'stalled-stream'
  | 'watch-cancelled'
  | 'dial-failed'
  | 'list-failed'
  | 'compaction'
  | 'backup-restored'
  | 'leader-lost'
  | 'process-paused'
  | 'agent-restarted'
  | 'cni-crashed'
  | 'cni-stalled'
  | 'late-del'
  | 'pod-recreated'
  | 'address-reused'
  | 'interface-flapped';

/** A fault of the catalogue. */
export interface Fault {
  /** As on the command line. */
  readonly id: FaultId;
  /** One sentence on what happens. */
  readonly says: string;
}

/** All faults, in the order in which equally short traces prefer them. */
export const faults: readonly Fault[] = [
  { id: 'half-open', says: 'The peer of the watch connection vanishes without a FIN or RST.' },
  {
    id: 'isolated-member',
    says: 'The member at the other end is cut off from its quorum, and still answers pings.',
  },
  { id: 'connection-reset', says: 'The watch connection is closed, and the client is told.' },
  { id: 'stalled-stream', says: 'Events queue up and come late.' },
  { id: 'watch-cancelled', says: 'The server ends the watch, and the client is told.' },
  { id: 'dial-failed', says: 'A new connection cannot be made.' },
  { id: 'list-failed', says: 'A list fails half-way.' },
  { id: 'compaction', says: 'The store discards history that the watch would resume from.' },
  { id: 'backup-restored', says: 'The store is restored from an older backup.' },
  { id: 'leader-lost', says: 'The store has no leader: no writes, no linearizable reads.' },
  { id: 'process-paused', says: 'The agent is frozen for any time.' },
  { id: 'agent-restarted', says: 'The agent starts anew and has forgotten everything.' },
  { id: 'cni-crashed', says: 'ADD or DEL stops after any of its steps.' },
  { id: 'cni-stalled', says: 'A step of ADD takes any time.' },
  { id: 'late-del', says: 'A DEL of an earlier sandbox comes late, or again.' },
  { id: 'pod-recreated', says: 'A pod is made again under the same name, with the same address or another.' },
  { id: 'address-reused', says: 'A pod of another name gets the address.' },
  { id: 'interface-flapped', says: 'The interface goes down and up, and its route is lost.' },
];
