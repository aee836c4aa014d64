/**
 * Mutation testing on worker threads, in rounds: in each round the mutants that are left are tried on one more instance.
 * So most are killed where a search is short, and a run that is interrupted has something to say of every mutant.
 */
import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import { setEnvironmentData } from 'node:worker_threads';
import { Tinypool } from 'tinypool';
import type { Baseline } from './baseline.ts';
import type { Instance } from './instances.ts';
import { type Judgement, type JudgeOptions, unjudged } from './judge.ts';
import type { Mutant } from './mutant.ts';
import { baselinesKey, type MutantTask } from './worker.ts';

/** How mutants are judged, and who hears of it. */
export interface RoundsOptions extends JudgeOptions {
  /** What mutants are tried on, in this order. */
  readonly instances: readonly Instance[];
  /** What an earlier run found; each mutant goes on from there. */
  readonly found: readonly Judgement[];
  readonly signal: AbortSignal;
  /** An instance has been checked as it is, and so many mutants are to be tried on it. It may object by throwing. */
  readonly onRound: (baseline: Baseline, mutants: number) => void;
  readonly onJudgement: (judgement: Judgement, done: number, all: number) => void;
}

/** The judgements on mutants, in their order. */
export async function judgeInRounds(
  mutants: readonly Mutant[],
  { instances, found, signal, maxStates, thorough, onRound, onJudgement }: RoundsOptions,
): Promise<Judgement[]> {
  const before = new Map(found.map((judgement) => [judgement.id, judgement]));
  const judgements = new Map(mutants.map(({ id }) => [id, before.get(id) ?? unjudged(id)]));
  const baselines: Baseline[] = [];
  for (const [round, instance] of instances.entries()) {
    const open = [...judgements.values()].filter((judgement) => !isSettled(judgement, thorough));
    if (open.length === 0 || signal.aborted) break;
    const left = open.filter((judgement) => !hasTried(judgement, instance.name));
    const baselineOf = (at: number): MutantTask[] =>
      instances.slice(at, at + 1).map((each) => ({ kind: 'baseline', instance: each, maxStates }));
    if (round === 0)
      await runAll(baselineOf(0), signal, (answer) => {
        baselines.push(answer as Baseline);
      });
    const baseline = baselines[round];
    if (baseline === undefined) break;
    onRound(baseline, left.length);
    // Threads that start from now on find them; each task would otherwise carry megabytes.
    setEnvironmentData(baselinesKey, [...baselines] as never);
    let done = 0;
    const tasks = left.map(
      (before): MutantTask => ({ kind: 'judge', before, options: { maxStates, thorough } }),
    );
    // The next baseline goes along: for it alone, all threads but one would wait.
    await runAll([...baselineOf(round + 1), ...tasks], signal, (answer, { kind }) => {
      if (kind === 'baseline') {
        baselines.push(answer as Baseline);
        return;
      }
      const judgement = answer as Judgement;
      judgements.set(judgement.id, judgement);
      done += 1;
      onJudgement(judgement, done, left.length);
    });
  }
  return [...judgements.values()];
}

function hasTried({ searched, sameAnswers, nothingNew }: Judgement, name: string): boolean {
  return [...searched, ...sameAnswers, ...nothingNew].includes(name);
}

/** The first sign ends it, or else the first changed verdict. */
const isSettled = ({ killedBy }: Judgement, thorough: boolean): boolean =>
  thorough ? killedBy === 'verdict' : killedBy !== undefined;

type Answer = Baseline | Judgement;

async function runAll(
  tasks: readonly MutantTask[],
  signal: AbortSignal,
  onAnswer: (answer: Answer, task: MutantTask) => void,
): Promise<void> {
  if (tasks.length === 0) return;
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
        onAnswer((await pool.run(task, { signal })) as Answer, task);
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
