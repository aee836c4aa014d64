/**
 * What a walk likes. Steps that are drawn evenly go nowhere far: something is always offered that undoes what was done. So
 * each walk draws its own taste first: some faults and choices never, others again and again. What few walks like together
 * is found by many walks.
 */
import type { Random } from 'fast-check';
import type { Condition } from '../property.ts';
import type { System } from '../system.ts';
import type { Offer } from './walker.ts';

/** How much more a walk may like to strike while something is going on that is rare. */
const rareFactors = [1, 6];

/** How much a walk likes each offer, by its number; timers share one, and time has its own. */
export interface Taste {
  readonly choices: Float64Array;
  readonly timers: number;
  readonly time: number;
  /** Of so many steps that are drawn, the one is made that leads to most local states which the walk has not seen. */
  readonly curiosity: number;
  /** How much more it likes faults while something is going on that is rare. */
  readonly rare: number;
  /** Where it wants to be, and to stay. */
  readonly goal?: Condition;
  /** Whether it likes a step the less, the more often the walk has made it. */
  readonly tires: boolean;
}

const draw = (random: Random, from: readonly number[]): number =>
  from[random.nextInt(0, from.length - 1)] as number;

/** Draws a taste. */
export function drawTaste(random: Random, { choices }: System, goals: readonly Condition[] = []): Taste {
  // Faults come in families: many walks with few kinds of faults, some with all.
  const faultsLiked = draw(random, [0.1, 0.25, 0.5, 1]);
  const faults = new Map<string, number>();
  const pace = draw(random, [1, 4, 16]);
  const goal = goals[random.nextInt(0, 2 * goals.length)];
  return {
    choices: Float64Array.from(choices, ({ fault, urgent, fairness }) => {
      if (fault !== undefined) {
        if (!faults.has(fault))
          faults.set(fault, random.nextDouble() < faultsLiked ? draw(random, [0.5, 1, 3]) : 0);
        return (faults.get(fault) as number) * draw(random, [0, 1, 1, 2]);
      }
      if (urgent === true) return pace * draw(random, [1, 4]);
      if (fairness !== undefined) return draw(random, [0.25, 1, 4]);
      return draw(random, [0, 0.25, 1, 4]);
    }),
    timers: draw(random, [1, 4, 16]),
    time: draw(random, [0.5, 2, 8]),
    rare: draw(random, rareFactors),
    tires: random.nextInt(0, 1) === 0,
    curiosity: goal === undefined ? draw(random, [1, 2, 3, 4]) : draw(random, [2, 3, 4]),
    ...(goal === undefined ? {} : { goal }),
  };
}

/**
 * How much an offer is liked.
 *
 * @param isRare - whether something is going on that is rare
 * @param made - how often the walk has made this step
 */
export function liking(taste: Taste, offer: Offer, isRare: boolean, made: number): number {
  const liked = likingAtFirst(taste, offer, isRare);
  return taste.tires ? liked / (1 + made) : liked;
}

function likingAtFirst(
  { choices, timers, time, rare }: Taste,
  { number, pick, choice }: Offer,
  isRare: boolean,
): number {
  if (pick.kind === 'time') return time;
  if (pick.kind === 'timer') return timers;
  const liked = choices[number ?? 0] as number;
  return isRare && choice?.fault !== undefined ? liked * rare : liked;
}
