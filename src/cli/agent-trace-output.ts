/** The file that an agent's trace goes to. */
import type { Design } from '../../models/index.ts';
import { TraceFile } from '../agent/trace-file.ts';
import { reasonOf } from '../reason-of.ts';
import { UsageError } from './usage-error.ts';

/**
 * Begins the trace of an agent.
 *
 * @throws UsageError if the file cannot be written
 */
export function openTrace(path: string, design: Design, node: string): TraceFile {
  try {
    return new TraceFile(path, design, node);
  } catch (error) {
    throw new UsageError(
      `--trace ${path}: it cannot be written (${reasonOf(error)}). Name a file in a folder that there is.`,
    );
  }
}
