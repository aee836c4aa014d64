/** Writes a text that comes in pieces, to a file or to standard output, without ever holding all of it. */
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isWrittenInto, temporaryName, writeError } from './trace-files.ts';

/**
 * Writes the pieces. A file is written under another name first, so that no reader ever sees half of it.
 *
 * @param file - standard output if left out
 * @param signal - stops the writing
 * @throws UsageError if the file cannot be written
 */
export async function writePieces(
  file: string | undefined,
  pieces: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<void> {
  const source = Readable.from(pieces, { objectMode: true });
  if (file === undefined) {
    await pipeline(source, process.stdout, { signal, end: false });
    return;
  }
  const inPlace = isWrittenInto(file);
  const temporary = temporaryName(file);
  try {
    await pipeline(source, createWriteStream(inPlace ? file : temporary), { signal });
    if (!inPlace) await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw isOfFiles(error) ? writeError(file, error) : error;
  }
}

/** Whether the file system said so, and not the export. */
const isOfFiles = (error: unknown): error is Error => error instanceof Error && 'syscall' in error;
