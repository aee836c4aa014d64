/**
 * Smaller walks that still violate a property. Steps are left out, many at a time and then few, and what is then not offered
 * any more is left out as well; so few kinds of steps are left that the system which has only those can be searched, and then
 * some that have others as well. Candidates are tried on the remembered machines, and played only if they fail there.
 */
import type { Random } from 'fast-check';
import type { Property } from '../property.ts';
import { type GlobalState, type Pick, World } from '../semantics/world.ts';
import type { System } from '../system.ts';
import { Closer } from './closer.ts';
import { breaks } from './judge-walk.ts';
import { isSpare, shortestWalk } from './shortest-walk.ts';
import type { Walk } from './walk.ts';
import type { Offer, Walker } from './walker.ts';

/** More states than this are not looked at in one search. */
const statesMax = 200_000;
/** How often it is searched. */
const roundsMax = 16;

/** The smaller walks that violate the property, each smaller than the one given, the smallest not always first. */
export function* smallerWalks(
  random: Random,
  walker: Walker,
  property: Property,
  walk: Walk,
): Generator<Walk> {
  const attempts = new Attempts(walker, property, walk.picks.length);
  // What comes after the place where the run closes is found anew for each candidate.
  const picks = walk.loop === undefined ? walk.picks : walk.picks.slice(0, walk.loop);
  for (const omitted of chunks(picks.length)) {
    const smaller = attempts.attempt(picks.filter((_, place) => !omitted.has(place)));
    if (smaller !== undefined) yield smaller;
  }
  yield* searches(random, walker.system, property, walk);
}

function* chunks(length: number): Generator<ReadonlySet<number>> {
  for (let size = length; size >= 1; size = size >> 1) {
    for (let start = length - size; start > -size; start -= size) {
      const from = Math.max(0, start);
      yield new Set(Array.from({ length: start + size - from }, (_, each) => from + each));
    }
  }
}

/**
 * The shortest walks of smaller systems: first of what has only those choices that the walk makes, then of what has some
 * others as well, twice as many as before or half as many, by whether the last one could be searched.
 */
function* searches(random: Random, system: System, property: Property, walk: Walk): Generator<Walk> {
  // Not the walker's own, which would keep for ever what is met far from any walk.
  const world = new World(system);
  const made = new Set(walk.picks.flatMap((pick) => (pick.kind === 'choice' ? [pick.id] : [])));
  const spare = system.choices.filter(isSpare).map(({ id }) => id);
  const used = spare.filter((id) => made.has(id));
  const others = spare.filter((id) => !made.has(id));
  const bounds = { length: walk.picks.length, states: statesMax };
  let width = 0;
  for (let round = 0; round < roundsMax; round += 1) {
    const chosen = new Set([...used, ...some(random, others, width)]);
    const { walk: shortest, complete } = shortestWalk(world, property, chosen, bounds);
    if (shortest !== undefined) yield shortest;
    // Everything was seen, or not even the least.
    if (width === (complete ? others.length : 0)) return;
    width = complete ? Math.min(others.length, Math.max(1, 2 * width)) : width >> 1;
  }
}

/** So many of a list, drawn. */
function some(random: Random, list: readonly string[], amount: number): string[] {
  const left = [...list];
  return Array.from(
    { length: amount },
    () => left.splice(random.nextInt(0, left.length - 1), 1)[0] as string,
  );
}

/** Tries candidates. */
class Attempts {
  readonly #walker: Walker;
  readonly #property: Property;
  readonly #length: number;
  readonly #closer: Closer;

  constructor(walker: Walker, property: Property, length: number) {
    this.#walker = walker;
    this.#closer = new Closer(walker, [property]);
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
}
