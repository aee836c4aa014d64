/** Checks many designs side by side on worker threads. */
import { setMaxListeners } from 'node:events';
import { availableParallelism, totalmem } from 'node:os';
import { Tinypool } from 'tinypool';
import { type Design, ticksOf } from '../../models/index.ts';
import type { Costs } from '../../properties/index.ts';
import type { Coverage } from '../report/coverage.ts';
import type { CheckResult } from './check-json.ts';
import type { CompareAnswer, CompareTask } from './compare-worker.ts';
import type { Instance } from './instance.ts';

/** What was found of a design; nothing yet where the comparison was interrupted. */
export interface ComparedDesign {
  readonly instance: Instance;
  result?: CheckResult;
  coverage?: Coverage;
  costs?: Costs;
}

/** How a comparison is run. */
export interface ComparisonOptions {
  readonly wanted: readonly string[] | undefined;
  /** Whether costs are found too. */
  readonly costs: boolean;
  /** More states than this are not looked at. */
  readonly maxStates: number | undefined;
  readonly signal: AbortSignal;
  /** Hears of each piece of work that is begun or done. */
  readonly onProgress: (done: number, all: number, running: readonly string[]) => void;
}

/** A thread with less than this is not worth starting: the largest shipped designs need some hundred megabytes. */
const bytesPerThreadMin = 1.5 * 2 ** 30;
/** The part of the machine's memory that the states of all threads may take. */
const memoryShare = 0.7;

/** Checks instances, the heaviest first. */
export async function compareDesigns(
  instances: readonly Instance[],
  options: ComparisonOptions,
): Promise<ComparedDesign[]> {
  const memory = memoryShare * Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  const threads = Math.max(
    1,
    Math.min(availableParallelism(), Math.floor(memory / bytesPerThreadMin), instances.length),
  );
  const pool = new Tinypool({
    filename: new URL('./compare-worker.js', import.meta.url).href,
    minThreads: threads,
    maxThreads: threads,
    isolateWorkers: false,
  });
  const compared = instances.map((instance): ComparedDesign => ({ instance }));
  const kinds = options.costs ? (['check', 'costs'] as const) : (['check'] as const);
  const work = compared
    .flatMap((each) => kinds.map((kind) => ({ kind, each, weight: weightOf(each.instance, kind) })))
    .sort((a, b) => b.weight - a.weight);
  const running = new Set<string>();
  let done = 0;
  setMaxListeners(0, options.signal);
  const runNext = async (): Promise<void> => {
    for (let next = work.shift(); next !== undefined && !options.signal.aborted; next = work.shift()) {
      const { each, kind } = next;
      const name = kind === 'check' ? each.instance.design.id : `costs of ${each.instance.design.id}`;
      running.add(name);
      options.onProgress(done, kinds.length * compared.length, [...running]);
      await runPiece(pool, each, kind, memory / threads, options);
      running.delete(name);
      done += 1;
    }
  };
  try {
    await Promise.all(Array.from({ length: threads }, runNext));
  } finally {
    await pool.destroy();
  }
  return compared;
}

async function runPiece(
  pool: Tinypool,
  each: ComparedDesign,
  kind: CompareTask['kind'],
  maxBytes: number,
  { wanted, maxStates, signal }: ComparisonOptions,
): Promise<void> {
  const task: CompareTask = {
    kind,
    instance: each.instance,
    maxBytes,
    ...(wanted === undefined ? {} : { wanted }),
    ...(maxStates === undefined ? {} : { maxStates }),
  };
  try {
    const answer = (await pool.run(task, { signal })) as CompareAnswer;
    if (answer.kind === 'costs') each.costs = answer.costs;
    else Object.assign(each, { result: answer.result, coverage: answer.coverage });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Grows with the size of a design's space: its timers multiply, and its costs are found in smaller spaces. */
function weightOf({ design }: Instance, kind: CompareTask['kind']): number {
  const { parameters, switches } = design;
  const timers: readonly (readonly [Design['switches'][number], ...(keyof Design['parameters'])[]])[] = [
    ['usesGrace', 'grace'],
    ['sendsKeepalive', 'keepaliveTime', 'keepaliveTimeout'],
    ['requiresLeader', 'leaderTimeout'],
    ['probes', 'probePeriod', 'probeTimeout'],
    ['boundsCalls', 'callDeadline'],
  ];
  const weight = timers
    .filter(([name]) => switches.includes(name))
    .flatMap(([, ...names]) => names)
    .reduce(
      (product, name) => product * (1 + ticksOf(parameters, name)),
      switches.includes('watchResumes') ? 4 : 1,
    );
  return kind === 'check' ? weight : weight / 10;
}
