/** Draws walks. */
import type { Random } from 'fast-check';
import type { Condition, Property } from '../property.ts';
import type { GlobalState, Pick, Step } from '../semantics/world.ts';
import type { System } from '../system.ts';
import type { Closer } from './closer.ts';
import { breaks } from './judge-walk.ts';
import { drawTaste, liking, type Taste } from './tastes.ts';
import type { Walk } from './walk.ts';
import { type Offer, orderOfChoice, type Walker } from './walker.ts';

/** What a part of a system may be busy with when a fault strikes. */
export interface Phase {
  /** Names it in reports. */
  readonly id: string;
  /** One sentence. */
  readonly says: string;
  /** When it is. */
  readonly state: Condition;
  /** Faults are favoured there. */
  readonly rare?: boolean;
}

/** How walks are drawn. */
export interface Drawing {
  /** At most so many steps are drawn. */
  readonly steps: number;
  /** What the walk is for: it ends where one of these is violated. */
  readonly properties: readonly Property[];
  /** Where faults are favoured. */
  readonly phases?: readonly Phase[];
  /** Some walks seek one of these, such as the witnesses of properties. */
  readonly goals?: readonly Condition[];
  /** Hears of each state that the drawn steps lead to. @internal */
  readonly onState?: (state: GlobalState) => void;
}

/** A look costs some ten steps, and the more the larger the system is. */
const lookEveryOf = ({ parts }: System): number => (parts.length <= 12 ? 2 : 16);

/** A taste lasts for about so many steps: long enough for most stories, and a walk tells several. */
const tasteLasts = 15;

/** Draws a walk: steps by a taste of its own, then, for liveness, what must happen once nothing else does. */
export function drawWalk(random: Random, walker: Walker, closer: Closer, drawing: Drawing): Walk {
  const { steps, properties, phases = [], goals = [], onState } = drawing;
  const lookEvery = lookEveryOf(walker.system);
  const rare = phases.filter((phase) => phase.rare === true);
  const picks: Pick[] = [];
  let taste = drawTaste(random, walker.system, goals);
  let state = walker.initial;
  // Nothing that is drawn depends on the properties, so a walk that breaks one of several breaks it alone as well.
  const memory = new Memory(state);
  const look = random.nextInt(0, lookEvery - 1);
  const turn = orderOfChoice(random.nextInt(0, walker.system.choices.length));
  while (picks.length < steps) {
    if (random.nextInt(1, tasteLasts) === 1) taste = drawTaste(random, walker.system, goals);
    const before = walker.reader(state);
    const isRare = rare.some((phase) => phase.state.holds(before));
    const offers = walker.offers(state);
    const likings = offers.map((offer) => liking(taste, offer, isRare));
    const step = drawStep(random, walker, state, offers, likings, taste, memory);
    if (step === undefined) break;
    const { next, emissions, pick } = step;
    picks.push(pick);
    const after = walker.reader(next);
    if (properties.some((property) => breaks(property, before, after, emissions)))
      return { picks, drawn: picks.length };
    state = next;
    memory.see(state);
    onState?.(state);
    if (picks.length % lookEvery === look) {
      const closed = closer.close(picks, state);
      if (closed?.breaks === true) return closed.walk;
    }
  }
  return closer.close(picks, state, turn)?.walk ?? { picks, drawn: picks.length };
}

/** To be where a walk wants to be is worth as much as so many new local states. */
const goalWorth = 3;

/** Draws a step, or several and makes the one that leads to the most that is new, or that is sought. */
function drawStep(
  random: Random,
  walker: Walker,
  state: GlobalState,
  offers: readonly Offer[],
  likings: readonly number[],
  { curiosity, goal }: Taste,
  memory: Memory,
): Step | undefined {
  let best: Step | undefined;
  let most = -1;
  for (let each = 0; each < curiosity; each += 1) {
    const place = weighed(random, likings);
    if (place === undefined) return undefined;
    const step = walker.step(state, offers[place] as Offer);
    if (curiosity === 1) return step;
    const sought = goal?.holds(walker.reader(step.next)) === true ? goalWorth : 0;
    const worth = memory.news(step.next) + sought;
    if (worth <= most) continue;
    best = step;
    most = worth;
  }
  return best;
}

/** The local states that a walk has seen. */
class Memory {
  readonly #seen: readonly Set<number>[];

  constructor(state: GlobalState) {
    this.#seen = state.map((local) => new Set([local]));
  }

  see(state: GlobalState): void {
    for (const [part, local] of state.entries()) this.#seen[part]?.add(local);
  }

  /** In how many parts a state is new. */
  news(state: GlobalState): number {
    let news = 0;
    for (const [part, local] of state.entries()) if (this.#seen[part]?.has(local) === false) news += 1;
    return news;
  }
}

/** A place, by weight; undefined if nothing weighs anything. */
function weighed(random: Random, weights: readonly number[]): number | undefined {
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  if (all === 0) return undefined;
  let left = random.nextDouble() * all;
  for (const [place, weight] of weights.entries()) {
    left -= weight;
    if (left < 0 && weight > 0) return place;
  }
  return weights.findLastIndex((weight) => weight > 0);
}
