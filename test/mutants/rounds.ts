/**
 * Mutation testing on worker threads, in rounds: in each round the mutants that are left are tried on one more design.
 * So most are killed where a search is short, and a run that is interrupted has something to say of every mutant.
 */
import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import { setEnvironmentData } from 'node:worker_threads';
import { Tinypool } from 'tinypool';
import { type Baseline, smallDesigns } from './baseline.ts';
import { type Judgement, type JudgeOptions, unjudged } from './judge.ts';
import type { Mutant } from './mutant.ts';
import { baselinesKey, type MutantTask } from './worker.ts';

/** How mutants are judged, and who hears of it. */
export interface RoundsOptions extends JudgeOptions {
  /** The designs that mutants are tried on, in this order. */
  readonly designs: readonly string[];
  readonly signal: AbortSignal;
  /** A design has been checked as it is, and so many mutants are to be tried on it. It may object by throwing. */
  readonly onRound: (baseline: Baseline, mutants: number) => void;
  readonly onJudgement: (judgement: Judgement, done: number, all: number) => void;
}

/** The judgements on mutants, in their order. */
export async function judgeInRounds(
  mutants: readonly Mutant[],
  { designs, signal, maxStates, thorough, onRound, onJudgement }: RoundsOptions,
): Promise<Judgement[]> {
  const judgements = new Map(mutants.map(({ id }) => [id, unjudged(id)]));
  const baselines: Baseline[] = [];
  for (const [round, design] of designs.entries()) {
    const left = [...judgements.values()].filter((judgement) => !isSettled(judgement, round, thorough));
    if (left.length === 0 || signal.aborted) break;
    await runAll([{ kind: 'baseline', design, maxStates }], signal, (found) => {
      baselines.push(found as Baseline);
    });
    const baseline = baselines[round];
    if (baseline === undefined) break;
    onRound(baseline, left.length);
    // Threads that start from now on find them; each task would otherwise carry megabytes.
    setEnvironmentData(baselinesKey, baselines as never);
    let done = 0;
    const tasks = left.map(
      (before): MutantTask => ({ kind: 'judge', before, options: { maxStates, thorough } }),
    );
    await runAll(tasks, signal, (answer) => {
      const judgement = answer as Judgement;
      judgements.set(judgement.id, judgement);
      done += 1;
      onJudgement(judgement, done, left.length);
    });
  }
  return [...judgements.values()];
}

/** A changed verdict ends it. So does a weaker sign, once the small designs have been tried for a stronger one. */
function isSettled({ killedBy }: Judgement, round: number, thorough: boolean): boolean {
  return killedBy === 'verdict' || (killedBy !== undefined && !thorough && round >= smallDesigns);
}

async function runAll(
  tasks: readonly MutantTask[],
  signal: AbortSignal,
  onAnswer: (answer: Baseline | Judgement) => void,
): Promise<void> {
  const threads = Math.min(availableParallelism(), tasks.length);
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
