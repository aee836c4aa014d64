/**
 * The flagship world, searched here and by Spin by turns, so that both meet the same machine: states a second as ratios
 * of the medians. Counts must be equal, or there is nothing to compare.
 */

import { type Measured, measure, type Task } from './measure.ts';
import { compileSpin, spinFlags } from './spin.ts';
import { flagship } from './worlds.ts';
import { graphOfCounters } from './xstate-graph.ts';

/**
 * What was measured. Speeds are distinct states a second of the search: Spin's without its translation and compilation,
 * ours without closing the tables. What those are is told apart.
 */
export interface Comparison {
  readonly world: string;
  readonly rounds: number;
  readonly states: number;
  readonly edges: number;
  readonly spinStates: number;
  readonly spinEdges: number;
  readonly spinFlags: string;
  readonly statesPerSecond: { hashed: number; dense: number; denseTwoThreads: number; spin: number };
  /** Hashed search on one thread; */
  readonly ratioSpinOneThread: number;
  /** dense search on two threads over one set of bits; */
  readonly ratioSpinTwoThreads: number;
  /** dense search on one thread. */
  readonly ratioSpinDense: number;
  /** Closing the tables took so long, */
  readonly preparationSeconds: number;
  /** and Spin's translation and compilation so long. */
  readonly spinPreparationSeconds: number;
  /** On the counters: hashed search and XState's own graph module. */
  readonly ratioXstateGraph: number;
  /** Hashed, with parents. */
  readonly bytesPerState: number;
  readonly bytesPerStateDense: number;
}

/** Measures. */
export async function compareWithSpin(rounds: number, onRound: (round: number) => void): Promise<Comparison> {
  const first = await search({});
  const spin = await compileSpin(flagship(), first.states);
  const speeds = { hashed: [] as number[], dense: [] as number[], two: [] as number[], spin: [] as number[] };
  let [hashed, dense] = [first, first];
  let found = { states: 0, edges: 0, edgesRounding: 0 };
  try {
    for (let round = 1; round <= rounds; round += 1) {
      onRound(round);
      hashed = await search({ search: 'hashed' });
      speeds.hashed.push(speedOf(hashed));
      dense = await search({ search: 'dense' });
      speeds.dense.push(speedOf(dense));
      speeds.two.push(speedOf(await search({ search: 'dense', threads: 2 })));
      const { seconds, ...figures } = await spin.run();
      found = figures;
      speeds.spin.push(figures.states / seconds);
    }
  } finally {
    await spin.remove();
  }
  if (found.states !== first.states || Math.abs(found.edges - first.edges) > found.edgesRounding) {
    throw new Error(`counts differ: Spin ${JSON.stringify(found)}, here ${first.states}, ${first.edges}`);
  }
  const spinSpeed = median(speeds.spin);
  const ratio = (of: number[]): number => round2(median(of) / spinSpeed);
  return {
    world: first.system,
    rounds,
    states: first.states,
    edges: first.edges,
    spinStates: found.states,
    spinEdges: found.edges,
    spinFlags: spinFlags.join(' '),
    statesPerSecond: {
      hashed: Math.round(median(speeds.hashed)),
      dense: Math.round(median(speeds.dense)),
      denseTwoThreads: Math.round(median(speeds.two)),
      spin: Math.round(spinSpeed),
    },
    ratioSpinOneThread: ratio(speeds.hashed),
    ratioSpinTwoThreads: ratio(speeds.two),
    ratioSpinDense: ratio(speeds.dense),
    preparationSeconds: round2((dense.preparationMs ?? 0) / 1000),
    spinPreparationSeconds: round2(spin.preparationSeconds),
    ratioXstateGraph: await ratioToXstateGraph(),
    bytesPerState: round2(hashed.bytesPerState),
    bytesPerStateDense: round2(dense.bytesPerState),
  };
}

function search(task: Omit<Task, 'world'>): Promise<Measured> {
  return measure({ world: 'flagship', ...task });
}

/** How many times as fast as XState's own graph module a search of the same states is. */
async function ratioToXstateGraph(): Promise<number> {
  const { states, elapsedMs } = await measure({ world: 'counters', search: 'hashed' });
  const graph = graphOfCounters();
  if (graph.states !== states) throw new Error(`counts differ: ${graph.states} and ${states}`);
  return Math.round((graph.seconds * 1000) / elapsedMs);
}

function speedOf({ states, elapsedMs, preparationMs = 0 }: Measured): number {
  return (1000 * states) / (elapsedMs - preparationMs);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] as number;
}

const round2 = (value: number): number => Math.round(value * 100) / 100;
