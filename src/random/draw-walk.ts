/** Draws walks. */
import type { Random } from 'fast-check';
import type { Condition, Property } from '../property.ts';
import type { GlobalState, Pick, Step } from '../semantics/world.ts';
import type { System } from '../system.ts';
import type { Closer } from './closer.ts';
import { breaks } from './judge-walk.ts';
import { drawTaste, liking, type Taste } from './tastes.ts';
import { type TurningPoint, TurningPoints } from './turning-points.ts';
import type { Walk } from './walk.ts';
import { type Offer, orderOfChoice, type Walker } from './walker.ts';
import { weighed } from './weighed.ts';

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
  /** At most so many steps are drawn that the walk does not go back from. */
  readonly steps: number;
  /** What the walk is for: it ends where one of these is violated. */
  readonly properties: readonly Property[];
  /** Where faults are favoured. */
  readonly phases?: readonly Phase[];
  /** Some walks seek one of these, such as the witnesses of properties. */
  readonly goals?: readonly Condition[];
  /** Hears of each state that the drawn steps lead to, those included that the walk goes back from. @internal */
  readonly onState?: (state: GlobalState) => void;
}

/** A look costs some ten steps, and the more the larger the system is. */
const lookEveryOf = ({ parts }: System): number => (parts.length <= 12 ? 2 : 16);

/**
 * Three of four walks silence no fault before this share of their steps: what comes behind is the same few steps over and
 * over, and most of a walk that silences faults as soon as it may is spent there.
 */
const silentShare = 0.9;

/** So many tastes in a row may like nothing that leads anywhere. */
const tastesInVainMax = 8;

/** A taste lasts for about so many steps: long enough for most stories, and a walk tells several. */
const tasteLasts = 15;

/** One of so many walks goes back now and then. The others go on: what has piled up on a long way is a story as well. */
const oneGoesBackOf = 6;

/** Such a walk goes back at all but one of so many changes of taste. */
const oneGoesOnOf = 4;

/** In all it draws so many times as many steps as another: most of them are those that it goes back from. */
const stepsTimes = 3;

/** Draws a walk: steps by a taste of its own, then, for liveness, what must happen once nothing else does. */
export function drawWalk(random: Random, walker: Walker, closer: Closer, drawing: Drawing): Walk {
  const { steps, properties, phases = [], goals = [], onState } = drawing;
  const lookEvery = lookEveryOf(walker.system);
  const rare = phases.filter((phase) => phase.rare === true);
  let picks: Pick[] = [];
  let drawn = 0;
  let taste = drawTaste(random, walker.system, goals);
  let state = walker.initial;
  // Nothing that is drawn depends on the properties, so a walk that breaks one of several breaks it alone as well.
  const memory = new Memory(state);
  const turningPoints =
    random.nextInt(1, oneGoesBackOf) === 1
      ? new TurningPoints([...goals, ...rare.map((phase) => phase.state)], state)
      : undefined;
  const drawnMax = turningPoints === undefined ? steps : steps * stepsTimes;
  const look = random.nextInt(0, lookEvery - 1);
  const turn = orderOfChoice(random.nextInt(0, walker.system.choices.length));
  const silentFrom = random.nextInt(0, 3) === 0 ? 0 : drawnMax * silentShare;
  let loud = true;
  // What is not made in this state: it changes nothing, or would silence faults too soon.
  const refused = new Set<Offer>();
  let tastesInVain = 0;
  // If nothing is broken, the longest way is played.
  let longest: TurningPoint = { picks: [], state };
  while (drawn < drawnMax && picks.length < steps) {
    if (random.nextInt(1, tasteLasts) === 1) {
      taste = drawTaste(random, walker.system, goals);
      if (turningPoints !== undefined && random.nextInt(1, oneGoesOnOf) > 1) {
        if (picks.length > longest.picks.length) longest = { picks, state };
        const point = turningPoints.draw(random);
        picks = [...point.picks];
        state = point.state;
        refused.clear();
        loud = true;
        tastesInVain = 0;
      }
    }
    if (drawn >= silentFrom) loud = false;
    const before = walker.reader(state);
    const isRare = rare.some((phase) => phase.state.holds(before));
    const offers = walker.offers(state);
    const likings = offers.map((offer) =>
      refused.has(offer) ? 0 : liking(taste, offer, isRare, memory.made(offer)),
    );
    const drawnStep = drawStep(random, walker, state, offers, likings, taste, memory);
    if (drawnStep === undefined) {
      if (tastesInVain === tastesInVainMax) {
        if (!loud) break;
        loud = false;
        tastesInVain = 0;
        refused.clear();
      }
      tastesInVain += 1;
      taste = drawTaste(random, walker.system, goals);
      continue;
    }
    const { offer, step } = drawnStep;
    const { next, emissions, pick } = step;
    if (loud && walker.silences(state, offer, step)) {
      refused.add(offer);
      continue;
    }
    const after = walker.reader(next);
    if (properties.some((property) => breaks(property, before, after, emissions)))
      return { picks: [...picks, pick], drawn: picks.length + 1 };
    if (isSame(state, next)) {
      refused.add(offer);
      continue;
    }
    refused.clear();
    tastesInVain = 0;
    picks.push(pick);
    drawn += 1;
    state = next;
    memory.see(offer, state);
    if (loud) turningPoints?.see(picks, state, after);
    onState?.(state);
    if (picks.length % lookEvery === look) {
      const closed = closer.close(picks, state);
      if (closed?.breaks === true) return closed.walk;
    }
  }
  if (picks.length >= longest.picks.length) longest = { picks, state };
  return (
    closer.close(longest.picks, longest.state, turn)?.walk ?? {
      picks: longest.picks,
      drawn: longest.picks.length,
    }
  );
}

/** An offer, and where it leads. */
interface Drawn {
  readonly offer: Offer;
  readonly step: Step;
}

const isSame = (state: GlobalState, next: GlobalState): boolean =>
  state.every((local, part) => local === next[part]);

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
): Drawn | undefined {
  let best: Drawn | undefined;
  let most = -1;
  for (let each = 0; each < curiosity; each += 1) {
    const place = weighed(random, likings);
    if (place === undefined) return undefined;
    const offer = offers[place] as Offer;
    const step = walker.step(state, offer);
    if (curiosity === 1) return { offer, step };
    const sought = goal?.holds(walker.reader(step.next)) === true ? goalWorth : 0;
    const worth = isSame(state, step.next) ? 0 : 1 + memory.news(step.next) + sought;
    if (worth <= most) continue;
    best = { offer, step };
    most = worth;
  }
  return best;
}

/** What a walk has made and seen, also where it went back from. */
class Memory {
  readonly #seen: readonly Set<number>[];
  readonly #made = new Map<string, number>();

  constructor(state: GlobalState) {
    this.#seen = state.map((local) => new Set([local]));
  }

  see(offer: Offer, state: GlobalState): void {
    this.#made.set(offer.order, this.made(offer) + 1);
    for (const [part, local] of state.entries()) this.#seen[part]?.add(local);
  }

  /** How often a step was made. */
  made({ order }: Offer): number {
    return this.#made.get(order) ?? 0;
  }

  /** In how many parts a state is new. */
  news(state: GlobalState): number {
    let news = 0;
    for (const [part, local] of state.entries()) if (this.#seen[part]?.has(local) === false) news += 1;
    return news;
  }
}
