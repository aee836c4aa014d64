/** Reads a trace file. The schema behind it takes a tenth of a second to load, so it is loaded when it is needed. */
import type { Pick } from '../semantics/world.ts';
import type { ItfState } from './itf.ts';

/** What a trace file says. */
export interface RecordedRun {
  /** The file's `#meta`. */
  readonly meta: Readonly<Record<string, unknown>> & {
    /** The id of the system. */
    readonly system: string;
    /** The id of the property that the run violates, or `deadlock` or `time-lock`. */
    readonly property: string;
  };
  /** What was picked, step by step. */
  readonly picks: readonly Pick[];
  /** The parts of each state, as `writeState` writes them. */
  readonly states: readonly ItfState[];
  /** For a run that never ends: the index of the state in which its cycle starts. */
  readonly loop?: number;
}

/** A text that is no trace file. The message says where and why. */
export class TraceFormatError extends Error {
  /** Tells it from other errors. */
  override name = 'TraceFormatError';
}

/**
 * Reads the text of a trace file, and looks over whether it has the shape of one.
 *
 * @throws TraceFormatError
 */
export async function readItf(text: string): Promise<RecordedRun> {
  const { parseItf } = await import('./itf-schema.ts');
  return parseItf(text);
}
