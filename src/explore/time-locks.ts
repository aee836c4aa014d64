/**
 * States in which a timer runs and yet time can never pass again: no steps lead from them to a tick, or to a state in
 * which no timer runs. A model with a time-lock proves too much, for whatever a timer would have done never happens.
 *
 * The search notes the states that let time pass or have no timer running. From those, freedom spreads to states with a step
 * into a free state, until nothing changes. Steps mostly lead to states with higher numbers, so that a pass from the
 * last state to the first settles nearly all.
 */
import type { Search } from './search.ts';

/** States looked at between two pauses. */
const pauseEvery = 1024;

/** What was found. */
export interface TimeLocks {
  count: number;
  /** The first of them. */
  first: number | undefined;
}

/** Looks for time-locks in a search that is complete; fills in the result as a generator that pauses often. */
export function* findTimeLocks(search: Search, result: TimeLocks): Generator<void> {
  if (!search.hasTimers) return;
  const { count } = search.states;
  for (let downwards = true, changed = true; changed; downwards = !downwards) {
    changed = false;
    for (let start = 0; start < count; start += pauseEvery) {
      if (spread(search, start, Math.min(start + pauseEvery, count), downwards)) changed = true;
      yield;
    }
  }
  for (let start = 0; start < count; start += pauseEvery) {
    collect(search, start, Math.min(start + pauseEvery, count), result);
    yield;
  }
}

/** Looks at some states, counted from the last if `downwards`. @returns whether any became free */
function spread(search: Search, from: number, to: number, downwards: boolean): boolean {
  const { free, states } = search;
  let changed = false;
  for (let step = from; step < to; step += 1) {
    const state = downwards ? states.count - 1 - step : step;
    if (free.has(state) || !stepsIntoFree(search, state)) continue;
    free.add(state);
    changed = true;
  }
  return changed;
}

function stepsIntoFree(search: Search, state: number): boolean {
  const { states, free } = search;
  const { expander } = search;
  expander.clear();
  expander.expand(states.chunk(state), states.offset(state));
  for (let result = expander.count - 1; result >= 0; result -= 1) {
    if (free.has(states.find(expander.words, result * states.words))) return true;
  }
  return false;
}

function collect(search: Search, from: number, to: number, result: TimeLocks): void {
  const { free, states } = search;
  const { expander } = search;
  for (let state = from; state < to; state += 1) {
    if (free.has(state)) continue;
    expander.clear();
    expander.expand(states.chunk(state), states.offset(state));
    if (!expander.timed) continue;
    result.count += 1;
    result.first ??= state;
  }
}
