/**
 * Smaller walks that still violate a property. Steps are left out, many at a time and then few, and what is then not offered
 * any more is left out as well; when nothing can be left out, short detours are looked for. Candidates are tried on the
 * remembered machines first, so that only those which fail there are played again.
 */
import type { Random } from 'fast-check';
import type { Property } from '../property.ts';
import type { GlobalState, Pick } from '../semantics/world.ts';
import { Closer } from './closer.ts';
import { continueWalk } from './draw-walk.ts';
import { breaks } from './judge-walk.ts';
import type { Walk } from './walk.ts';
import type { Offer, Walker } from './walker.ts';

/** Walks longer than this lose single steps only, not pairs. */
const pairsUpTo = 40;
/** How many states are looked at in search of a detour. */
const detourStates = 3000;
/** How many walks are drawn anew. */
const redrawsMax = 5000;
/** At most so many steps are replaced at once. */
const spliceMax = 8;

/** The smaller walks that violate the property, each smaller than the one given, the smallest not always first. */
export function* smallerWalks(
  random: Random,
  walker: Walker,
  property: Property,
  walk: Walk,
): Generator<Walk> {
  const shrinker = new Shrinker(walker, property, walk.picks.length);
  // What comes after the place where the run closes is found anew for each candidate.
  const picks = walk.loop === undefined ? walk.picks : walk.picks.slice(0, walk.loop);
  yield* found(shrinker, picks, chunks(picks.length));
  if (picks.length <= pairsUpTo) yield* found(shrinker, picks, pairs(picks.length));
  yield* shrinker.detours(picks);
  yield* shrinker.redraws(random, picks);
}

function* found(
  shrinker: Shrinker,
  picks: readonly Pick[],
  omissions: Iterable<ReadonlySet<number>>,
): Generator<Walk> {
  for (const omitted of omissions) {
    const smaller = shrinker.attempt(picks.filter((_, place) => !omitted.has(place)));
    if (smaller !== undefined) yield smaller;
  }
}

function* chunks(length: number): Generator<ReadonlySet<number>> {
  for (let size = length; size >= 1; size = size >> 1) {
    for (let start = length - size; start > -size; start -= size) {
      const from = Math.max(0, start);
      yield new Set(Array.from({ length: start + size - from }, (_, each) => from + each));
    }
  }
}

function* pairs(length: number): Generator<ReadonlySet<number>> {
  for (let first = length - 2; first >= 0; first -= 1) {
    for (let second = length - 1; second > first; second -= 1) yield new Set([first, second]);
  }
}

/** Tries candidates. */
class Shrinker {
  readonly #walker: Walker;
  readonly #property: Property;
  readonly #length: number;
  readonly #closer: Closer;
  /** Ends nothing. */
  readonly #open: Closer;

  constructor(walker: Walker, property: Property, length: number) {
    this.#walker = walker;
    this.#closer = new Closer(walker, [property]);
    this.#open = new Closer(walker, []);
    this.#property = property;
    this.#length = length;
  }

  /** Makes the steps of a list that are offered when their turn comes. @returns the walk, if it is shorter and violates */
  attempt(picks: readonly Pick[]): Walk | undefined {
    const walker = this.#walker;
    const made: Pick[] = [];
    let state = walker.initial;
    for (const pick of picks) {
      const offer = walker.find(state, pick);
      if (offer === undefined) continue;
      const { next, broken } = this.#step(state, offer);
      made.push(pick);
      if (made.length >= this.#length) return undefined;
      if (broken) return { picks: made, drawn: made.length };
      state = next;
    }
    return this.#close(made, state);
  }

  #step(state: GlobalState, offer: Offer): { readonly next: GlobalState; readonly broken: boolean } {
    const walker = this.#walker;
    const { next, emissions } = walker.step(state, offer);
    return { next, broken: breaks(this.#property, walker.reader(state), walker.reader(next), emissions) };
  }

  /** Lets a run that ends here settle. */
  #close(picks: readonly Pick[], state: GlobalState): Walk | undefined {
    const closed = this.#closer.close(picks, state);
    return closed?.breaks === true && closed.walk.picks.length < this.#length ? closed.walk : undefined;
  }

  /** Walks that begin as this one does and go on at random, never as far. */
  *redraws(random: Random, picks: readonly Pick[]): Generator<Walk> {
    const walker = this.#walker;
    const states = this.#statesOf(picks);
    for (let attempt = 0; attempt < redrawsMax; attempt += 1) {
      const spliced = this.#splice(random, picks, states);
      if (spliced !== undefined) yield spliced;
      const kept = random.nextInt(0, Math.max(0, states.length - 2));
      const walk = continueWalk(
        random,
        walker,
        this.#closer,
        {
          steps: this.#length - 1,
          properties: [this.#property],
          rare: [],
          lookEvery: 2,
        },
        picks.slice(0, kept),
        states[kept] as GlobalState,
      );
      const smaller =
        walk.picks.length < this.#length
          ? this.attempt(walk.loop === undefined ? walk.picks : walk.picks.slice(0, walk.loop))
          : undefined;
      if (smaller !== undefined) yield smaller;
    }
  }

  /** Puts a few other steps in the place of some, and goes on as before as far as that is offered. */
  #splice(random: Random, picks: readonly Pick[], states: readonly GlobalState[]): Walk | undefined {
    const walker = this.#walker;
    if (picks.length < 2) return undefined;
    const from = random.nextInt(0, picks.length - 2);
    const to = random.nextInt(from + 2, Math.min(picks.length, from + spliceMax));
    const { picks: other } = continueWalk(
      random,
      walker,
      this.#open,
      {
        steps: random.nextInt(from + 1, to - 1),
        properties: [],
        rare: [],
        lookEvery: spliceMax,
      },
      picks.slice(0, from),
      states[from] as GlobalState,
    );
    return this.attempt([...other, ...picks.slice(to)]);
  }

  #statesOf(picks: readonly Pick[]): GlobalState[] {
    const walker = this.#walker;
    const states: GlobalState[] = [walker.initial];
    for (const pick of picks) {
      const state = states.at(-1) as GlobalState;
      const offer = walker.find(state, pick);
      if (offer === undefined) throw new Error('internal error: a walk that was made is not offered');
      states.push(walker.step(state, offer).next);
    }
    return states;
  }

  /**
   * Ways that lead from a state of the walk to a later one, or to a violation, in fewer steps than the walk takes; looked for
   * from the end of the walk to its start.
   */
  *detours(picks: readonly Pick[]): Generator<Walk> {
    const states = this.#statesOf(picks);
    const last = new Map(states.map((state, place) => [state.join(), place]));
    for (let place = states.length - 1; place >= 0; place -= 1) {
      const way = this.#detour(states[place] as GlobalState, place, last, picks.length);
      if (way === undefined) continue;
      const smaller = this.attempt([...picks.slice(0, place), ...way.picks, ...picks.slice(way.to)]);
      if (smaller !== undefined) yield smaller;
    }
  }

  /** A way from a state that saves steps, by breadth-first search in a small part of the space. */
  #detour(
    from: GlobalState,
    place: number,
    places: ReadonlyMap<string, number>,
    end: number,
  ): { readonly picks: readonly Pick[]; readonly to: number } | undefined {
    const walker = this.#walker;
    const seen = new Set([from.join()]);
    let level: { readonly state: GlobalState; readonly picks: readonly Pick[] }[] = [
      { state: from, picks: [] },
    ];
    for (let depth = 1; level.length > 0 && place + depth < end; depth += 1) {
      const next: typeof level = [];
      for (const { state, picks } of level) {
        for (const offer of walker.offers(state)) {
          const step = this.#step(state, offer);
          const way = [...picks, offer.pick];
          if (step.broken) return { picks: way, to: end };
          const key = step.next.join();
          if (seen.has(key)) continue;
          seen.add(key);
          const to = places.get(key);
          if (to !== undefined && to > place + depth) return { picks: way, to };
          if (seen.size > detourStates) return undefined;
          next.push({ state: step.next, picks: way });
        }
      }
      level = next;
    }
    return undefined;
  }
}
