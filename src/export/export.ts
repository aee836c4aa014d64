/**
 * A system in the language of another tool, for a second opinion: Promela for Spin, Murphi for Rumur, the reachable
 * graph for CADP and mCRL2 (`aut`) and for Graphviz (`dot`).
 */
import { totalmem } from 'node:os';
import { close } from '../explore/closure.ts';
import { drive } from '../explore/drive.ts';
import { Engine } from '../explore/engine.ts';
import { Search } from '../explore/search.ts';
import { statesLimit } from '../explore/state-table.ts';
import type { System } from '../system.ts';
import { toAutomaton } from './automaton.ts';
import { toDot } from './dot.ts';
import { ExportError } from './export-error.ts';
import { murphiHeader, promelaHeader } from './header.ts';
import { toMurphi } from './murphi.ts';
import { type Program, programOf } from './program.ts';
import { toPromela } from './promela.ts';

/** The languages that a system can be written in. */
export const exportFormats = ['promela', 'murphi', 'aut', 'dot'] as const;

/** A language that a system can be written in. */
export type ExportFormat = (typeof exportFormats)[number];

/** What an export may be told. */
export interface ExportOptions {
  /** For `dot`: a graph of more states is refused, since nobody could look at it; 2,000 unless told otherwise. */
  readonly maxStates?: number;
  /** The command that wrote the file, for its header. */
  readonly writtenBy?: string;
  /** The name of the file, for the commands in its header. */
  readonly file?: string;
  /** Stops the work; an {@link ExportError} is thrown. */
  readonly signal?: AbortSignal;
}

/** A picture of more states is of no use to anybody. */
const dotStatesMax = 2_000;
/** How many states are counted before a graph that is too large for a picture is refused. */
const countedMax = 1_000_000;

/**
 * Writes a system in another tool's language, so that its states and steps can be counted there. Properties are left
 * out.
 *
 * `promela` and `murphi` are written from the tables that every step is made from, closed before any search; Spin and
 * Rumur then search on their own. `aut` and `dot` are the reachable graph after a full search here.
 *
 * ```ts
 * for await (const piece of exportSystem(system, 'promela')) process.stdout.write(piece);
 * ```
 *
 * @param system - from `defineSystem`
 * @param format - the language
 * @returns the text, in pieces
 * @throws SystemError if a machine cannot be checked soundly
 * @throws ExportError if the system cannot be written in this format, or the work was stopped
 */
export async function* exportSystem(
  system: System,
  format: ExportFormat,
  options: ExportOptions = {},
): AsyncGenerator<string, void, undefined> {
  const { writtenBy = "routeproof's exportSystem()", signal } = options;
  switch (format) {
    case 'promela': {
      const header = promelaHeader(system.id, writtenBy, options.file ?? 'model.pml');
      yield toPromela(await closedProgram(system, signal), header);
      return;
    }
    case 'murphi': {
      const header = murphiHeader(system.id, writtenBy, options.file ?? 'model.m');
      yield toMurphi(await closedProgram(system, signal), header);
      return;
    }
    case 'aut':
      yield* toAutomaton(await searched(system, statesLimit, signal));
      return;
    case 'dot': {
      const most = options.maxStates ?? dotStatesMax;
      const search = await searched(system, Math.max(most, countedMax), signal, most);
      yield* toDot(search);
    }
  }
}

/** The tables of a system. */
async function closedProgram(system: System, signal: AbortSignal | undefined): Promise<Program> {
  const engine = new Engine(system, []);
  let program: Program | string = '';
  function* work(): Generator<void> {
    const closure = yield* close(engine);
    program = typeof closure === 'string' ? closure : programOf(engine, closure);
  }
  if (!(await drive(work(), { signal, onProgress: () => undefined }))) throw stopped(system);
  if (typeof program !== 'string') return program;
  throw new ExportError(
    `system '${system.id}': its steps cannot be listed before a search: ${program} The formats 'aut' and 'dot' are written after a search and need no such list.`,
  );
}

/**
 * Searches a system to its end.
 *
 * @param statesMax - the search goes no further
 * @param drawable - more states than this are refused
 */
async function searched(
  system: System,
  statesMax: number,
  signal: AbortSignal | undefined,
  drawable = statesMax,
): Promise<Search> {
  const search = new Search(new Engine(system, []), { statesMax, bytesMax: 0.75 * totalmem() });
  if (!(await drive(search.run(), { signal, onProgress: () => undefined }))) throw stopped(system);
  const found = search.states.count;
  if (found > drawable) {
    const count = `${search.complete ? '' : 'more than '}${found.toLocaleString('en')}`;
    throw new ExportError(
      `system '${system.id}': it has ${count} states, and a picture of more than ${drawable.toLocaleString('en')} shows nothing. Leave out faults or endpoints, raise --max-states, or write 'aut'.`,
    );
  }
  if (!search.complete) {
    throw new ExportError(
      `system '${system.id}': the search was stopped by a limit (${search.stopped}) after ${found.toLocaleString('en')} states, so its graph is not known. Leave out faults or endpoints.`,
    );
  }
  return search;
}

const stopped = ({ id }: System): ExportError => new ExportError(`system '${id}': the export was stopped.`);
