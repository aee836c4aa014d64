/**
 * Runs of the system itself behind a run from orbit to orbit. A state of the search stands for all that differ from it
 * in who is where, so a step of the search is a step of the system to some state of the next orbit. A property may speak
 * of one of the components that can change places, so that of several runs only some break it.
 */
import { Expander } from './expander.ts';
import type { Finding } from './judge.ts';
import type { Search } from './search.ts';
import type { Symmetry } from './symmetry.ts';

/** A state of the system, with the picks that lead to it. */
interface Place {
  readonly locals: Int32Array;
  readonly picks: readonly number[];
}

/** The runs to the states of the orbit of a finding, as numbers of picks, the step that was found included. */
export function* unfoldTo(search: Search, symmetry: Symmetry, { state, pick }: Finding): Generator<number[]> {
  const { world, spaces, deliveries, offers, steps, initial } = search.engine;
  const offered = new Int32Array(offers.choiceWords);
  const { layout } = search.expander;
  const expander = new Expander(world, spaces, deliveries, offers, steps, offered, layout);
  let places: Place[] = [{ locals: Int32Array.from(initial), picks: [] }];
  for (const next of orbitsTo(search, state)) {
    places = stepsInto(search, symmetry, expander, places, next);
  }
  for (const { picks } of places) {
    if (pick === undefined) yield [...picks];
    else for (const last of counterparts(search, symmetry, pick)) yield [...picks, last];
  }
}

/** The states of the search on the way to one of them, without the first. */
function orbitsTo(search: Search, state: number): number[] {
  const orbits: number[] = [];
  for (let at = state; at !== 0; at = search.states.parent(at)) orbits.push(at);
  return orbits.reverse();
}

function stepsInto(
  search: Search,
  symmetry: Symmetry,
  expander: Expander,
  places: readonly Place[],
  orbit: number,
): Place[] {
  const { words } = search.states;
  const wanted = new Int32Array(words);
  search.states.read(orbit, wanted, 0);
  const packed = new Int32Array(words);
  const found = new Map<string, Place>();
  for (const { locals, picks } of places) {
    expander.pack(locals, packed, 0);
    expander.clear();
    expander.expand(packed, 0);
    for (let result = 0; result < expander.count; result += 1) {
      const next = new Int32Array(locals.length);
      expander.unpack(expander.words, result * words, next);
      const key = next.join(' ');
      if (found.has(key)) continue;
      const sorted = next.slice();
      symmetry.sort(sorted);
      expander.pack(sorted, packed, 0);
      if (!packed.every((word, place) => word === wanted[place])) continue;
      found.set(key, { locals: next, picks: [...picks, expander.picks[result] as number] });
    }
  }
  return [...found.values()];
}

/** What a pick becomes when components change places. */
function counterparts(search: Search, symmetry: Symmetry, pick: number): number[] {
  const { picks, world } = search.engine;
  const { choices, parts } = world.system;
  const choice = choices[pick];
  if (choice !== undefined) return [...symmetry.counterparts(choice)];
  if (pick < 0) return [pick];
  const { part, timer } = picks.timerOf(pick);
  const component = parts[part]?.component as number;
  return (symmetry.siblings(component) ?? [component]).map((each) =>
    picks.timer(each === component ? part : symmetry.counterpart(part, each), timer),
  );
}
