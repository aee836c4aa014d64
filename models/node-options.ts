/** What a node is built from besides its design. */
import type { AnyStateMachine } from 'xstate';
import type { FaultId } from './faults.ts';

/** A part that only listens, such as a stopwatch. */
export interface Observer {
  /** What it is. */
  readonly machine: AnyStateMachine;
  /** The types of the emitted events that it hears. */
  readonly hears: readonly string[];
  /** It adds no states to the shared parts' own, so it is fused with them; otherwise it stands alone. */
  readonly shared?: boolean;
}

/** What a node is built from besides its design. */
export interface NodeOptions {
  /** How many endpoints: 0 or more. */
  readonly endpoints: number;
  /** The faults that may strike; the whole catalogue if left out. */
  readonly faults?: readonly FaultId[];
  /** How many faults may strike in all; any number if left out. */
  readonly strikes?: number;
  /** The agent applies, fences and deletes as soon as it can; otherwise as late as it likes. For measuring costs. */
  readonly promptAgent?: boolean;
  /** Further parts that only listen, by name. */
  readonly observers?: Readonly<Record<string, Observer>>;
}
