/**
 * The way to a state, read back over the parents. A parent is stored as a number and nothing else: which pick led
 * from it is found again by expanding it.
 */
import type { Finding } from './judge.ts';
import type { Search } from './search.ts';

/** The numbers of the picks of the shortest run into a state that comes first. */
export function pathTo(search: Search, state: number): number[] {
  const picks: number[] = [];
  for (let child = state; child !== 0; ) {
    const parent = search.states.parent(child);
    picks.push(pickBetween(search, parent, child));
    child = parent;
  }
  return picks.reverse();
}

/** The numbers of the picks that lead to a finding, the step that was found included. */
export function pathToFinding(search: Search, { state, pick }: Finding): number[] {
  const path = pathTo(search, state);
  return pick === undefined ? path : [...path, pick];
}

/** The number of the first pick that leads from one state to another. */
function pickBetween(search: Search, from: number, to: number): number {
  const { states } = search;
  const { expander } = search;
  expander.clear();
  expander.expand(states.chunk(from), states.offset(from));
  const target = new Int32Array(states.words);
  states.read(to, target, 0);
  for (let result = 0; result < expander.count; result += 1) {
    if (target.every((word, index) => expander.words[result * states.words + index] === word)) {
      return expander.picks[result] as number;
    }
  }
  throw new Error(`internal error: no step leads from state ${from} to ${to}`);
}
