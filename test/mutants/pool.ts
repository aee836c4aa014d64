/** Runs mutation testing on worker threads: first the designs as they are, then the mutants. */
import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import { setEnvironmentData } from 'node:worker_threads';
import { Tinypool } from 'tinypool';
import { type Baseline, designOrder } from './baseline.ts';
import type { Judgement, JudgeOptions } from './judge.ts';
import type { Mutant } from './mutant.ts';
import { baselinesKey, type MutantTask } from './worker.ts';

/** How mutants are judged. */
export interface PoolOptions extends JudgeOptions {
  readonly signal: AbortSignal;
  readonly onBaseline: (baseline: Baseline, done: number) => void;
  readonly onJudgement: (judgement: Judgement, done: number) => void;
}

/** The baselines of all designs, in the order in which mutants are tried on them. */
export async function findBaselines(options: PoolOptions): Promise<Baseline[]> {
  const found = new Map<string, Baseline>();
  // The largest come last in the order, and are begun first.
  await runAll(
    [...designOrder].reverse().map((design) => ({ kind: 'baseline', design, maxStates: options.maxStates })),
    options.signal,
    (answer) => {
      const baseline = answer as Baseline;
      found.set(baseline.design, baseline);
      options.onBaseline(baseline, found.size);
    },
  );
  return designOrder.flatMap((design) => found.get(design) ?? []);
}

/** The judgements on mutants, in their order; those that an interrupt left over are missing. */
export async function judgeMutants(
  mutants: readonly Mutant[],
  baselines: readonly Baseline[],
  { maxStates, thorough, signal, onJudgement }: PoolOptions,
): Promise<Judgement[]> {
  // Threads that start from now on find them; each task would otherwise carry megabytes.
  setEnvironmentData(baselinesKey, baselines as never);
  const found = new Map<string, Judgement>();
  await runAll(
    mutants.map(({ id }) => ({ kind: 'judge', mutant: id, options: { maxStates, thorough } })),
    signal,
    (answer) => {
      const judgement = answer as Judgement;
      found.set(judgement.id, judgement);
      onJudgement(judgement, found.size);
    },
  );
  return mutants.flatMap(({ id }) => found.get(id) ?? []);
}

async function runAll(
  tasks: readonly MutantTask[],
  signal: AbortSignal,
  onAnswer: (answer: Baseline | Judgement) => void,
): Promise<void> {
  const threads = Math.min(availableParallelism(), tasks.length);
  if (threads === 0) return;
  const pool = new Tinypool({
    filename: new URL('./worker.js', import.meta.url).href,
    minThreads: threads,
    maxThreads: threads,
    isolateWorkers: false,
  });
  setMaxListeners(0, signal);
  const left = [...tasks];
  const runNext = async (): Promise<void> => {
    for (let task = left.shift(); task !== undefined && !signal.aborted; task = left.shift()) {
      try {
        onAnswer((await pool.run(task, { signal })) as Baseline | Judgement);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: threads }, runNext));
  } finally {
    await pool.destroy();
  }
}
