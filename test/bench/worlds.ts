/** The worlds that are measured. */
import { type FaultId, findDesign, nodeSystem } from '../../models/index.ts';
import type { System } from '../../src/system.ts';

/** The faults of the flagship world: some of each kind. */
export const flagshipFaults: readonly FaultId[] = [
  'half-open',
  'isolated-member',
  'cni-crashed',
  'pod-recreated',
  'process-paused',
];

/** A node of a design. */
export function nodeOf(design: string, endpoints: number, faults?: readonly FaultId[]): System {
  const found = findDesign(design);
  if (found === undefined) throw new Error(`no design ${design}`);
  return nodeSystem(found, { endpoints, ...(faults === undefined ? {} : { faults }) });
}

/** The world that checkers are compared on: the recommended design, two endpoints, 30,443,715 states. */
export const flagship = (): System => nodeOf('fenced', 2, flagshipFaults);
