/** Writes counterexamples to files, each whole or not at all. */
import { existsSync, statSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Property } from '../property.ts';
import { reasonOf } from '../reason-of.ts';
import { findings, type Outcome } from '../report/outcome.ts';
import type { System } from '../system.ts';
import { toItf } from '../trace/itf.ts';
import type { Trace } from '../trace/trace.ts';
import type { Instance } from './instance.ts';
import { UsageError } from './usage-error.ts';
import { version } from './version.ts';

/**
 * Makes sure, before a long search begins, that its traces can be written.
 *
 * @throws UsageError
 */
export async function prepareTraceDirectory(directory: string): Promise<void> {
  try {
    await makeDirectory(resolve(directory));
    const probe = temporaryName(join(directory, 'probe'));
    await writeFile(probe, '');
    await rm(probe);
  } catch (error) {
    const reason = reasonOf(error);
    throw new UsageError(
      `--trace-dir ${directory}: traces cannot be written there (${reason}). Name a directory that exists or can be made, and that you may write to.`,
    );
  }
}

/** Level by level: Node's own `recursive` does not come back where a file system, such as `/proc`, answers ENOENT. */
async function makeDirectory(directory: string): Promise<void> {
  const missing: string[] = [];
  for (let each = directory; !existsSync(each); each = dirname(each)) missing.unshift(each);
  for (const each of missing) await mkdir(each);
  if (!statSync(directory).isDirectory()) throw new Error('it is not a directory');
}

/** Writes the runs that violate a property; gives the file of each property. */
export async function writeTraces(
  directory: string,
  instance: Instance,
  outcome: Outcome,
): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const { checked, property, trace } of findings(outcome)) {
    const run = { system: checked.system, trace, property };
    files.set(trace.property, await writeTrace(directory, instance, run, 'itf.json'));
  }
  return files;
}

/** A run that violates a property. */
interface ViolatingRun {
  readonly system: System;
  readonly trace: Trace;
  readonly property: Property | undefined;
}

/**
 * Writes one run, and gives its file.
 *
 * @param ending - how its name ends: a run that fuzz has shrunk must not take the place of a shortest one
 */
export async function writeTrace(
  directory: string,
  instance: Instance,
  { system, trace, property }: ViolatingRun,
  ending: 'itf.json' | 'fuzz.itf.json',
): Promise<string> {
  const { design, endpoints } = instance;
  const itf = toItf(system, trace, {
    description: `${system.id} violates ${trace.property}: ${property?.violation ?? ''}`,
    routeproof: version(),
    design: design.id,
    parameters: design.parameters,
    endpoints,
    faults: instance.faults,
    strikes: instance.strikes ?? 'unbounded',
  });
  const count = endpoints === 1 ? '' : `.${endpoints}`;
  const file = join(directory, `${design.id}${count}.${trace.property}.${ending}`);
  await writeWhole(file, `${JSON.stringify(itf, null, 2)}\n`);
  return file;
}

/**
 * Whether something is there that is no plain file, such as a device or a pipe: it is written to, since a file of its name
 * would take its place.
 */
export function isWrittenInto(file: string): boolean {
  const there = statSync(file, { throwIfNoEntry: false });
  return there !== undefined && !there.isFile() && !there.isDirectory();
}

/** Writes a file under another name first, so that no reader ever sees half of it. */
export async function writeWhole(file: string, text: string): Promise<void> {
  if (isWrittenInto(file)) {
    await writeFile(file, text).catch((error: unknown) => {
      throw writeError(file, error);
    });
    return;
  }
  const temporary = temporaryName(file);
  try {
    await writeFile(temporary, text);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw writeError(file, error);
  }
}

/** The error for a file that cannot be written. */
export function writeError(file: string, error: unknown): UsageError {
  const reason = reasonOf(error);
  return new UsageError(`${file}: the file cannot be written (${reason}). Free the place or choose another.`);
}

/** The name that a file has until it is whole. */
export const temporaryName = (file: string): string => `${file}.${process.pid}.tmp`;
