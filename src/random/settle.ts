/**
 * What becomes of a system when nothing happens any more but what must: the fair choices, timers and time take turns until a
 * state comes again. The cycle is fair by construction, since everything that goes on being possible has its turn.
 */
import type { Condition } from '../property.ts';
import type { GlobalState, Pick } from '../semantics/world.ts';
import type { Offer, Walker } from './walker.ts';

/** More steps than this are not made. */
const stepsMax = 2000;

/** How it ended. */
export interface Settled {
  /** The picks that lead there, and once round. */
  readonly picks: readonly Pick[];
  /** The states on the way, the first included. */
  readonly states: readonly GlobalState[];
  /** The place of the state that came again. */
  readonly loop: number;
}

/**
 * Lets a system settle. On the way a choice that leads into a region is made as soon as it is offered.
 *
 * @param region - where a liveness property promises something
 * @param turn - the order of the offer behind which the first turn is
 * @returns undefined if it has not come to an end in time
 */
export function settle(
  walker: Walker,
  from: GlobalState,
  region: Condition,
  turn: string,
): Settled | undefined {
  const inRegion = (state: GlobalState): boolean => region.holds(walker.reader(state));
  const picks: Pick[] = [];
  const states: GlobalState[] = [from];
  const seen = new Map<string, number>();
  let state = from;
  let last = turn;
  let inside = inRegion(state);
  while (picks.length < stepsMax) {
    const key = `${last}:${state.join()}`;
    const before = seen.get(key);
    if (before !== undefined && inside) return { picks, states, loop: before };
    seen.set(key, picks.length);
    const offers = walker.offers(state);
    const entry = inside
      ? undefined
      : offers.find((offer) => isFree(offer) && inRegion(walker.step(state, offer).next));
    const offer = entry ?? turnOf(walker, state, offers.filter(mustHappen), last);
    if (offer === undefined) return { picks, states, loop: picks.length };
    state = walker.step(state, offer).next;
    last = offer.order;
    picks.push(offer.pick);
    states.push(state);
    if (entry !== undefined) {
      inside = true;
      seen.clear();
    }
  }
  return undefined;
}

/** Whose turn it is: the first behind the last one, and round again, that changes anything. */
function turnOf(
  walker: Walker,
  state: GlobalState,
  offers: readonly Offer[],
  last: string,
): Offer | undefined {
  const later = offers.filter(({ order }) => order > last);
  const sooner = offers.filter(({ order }) => order <= last);
  return [...later, ...sooner].find((offer) => walker.changes(state, offer));
}

/** What the fairness of a system promises. Timers and time are always fair. */
function mustHappen({ choice }: Offer): boolean {
  return choice === undefined || choice.fairness !== undefined;
}

/** A choice that is nobody's fault and that nobody promises. */
function isFree({ choice }: Offer): boolean {
  return choice !== undefined && choice.fairness === undefined && choice.fault === undefined;
}
