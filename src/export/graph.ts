/** The reachable graph, read from a full search: every step from a state, those that change nothing included. */
import type { Engine } from '../explore/engine.ts';
import { timePick } from '../explore/picks.ts';
import type { Search } from '../explore/search.ts';

/** A step, named by its pick's number and the number of the state that it leads to. */
export interface GraphStep {
  readonly pick: number;
  readonly to: number;
}

/** The steps from a state, in the order of `World.picks`. */
export function stepsFrom(search: Search, state: number): GraphStep[] {
  const { states, engine } = search;
  const { expander } = engine;
  expander.clear();
  expander.expand(states.chunk(state), states.offset(state));
  let changed = 0;
  // The expander leaves out steps that change nothing; they are those offered picks that it passes over.
  return offered(engine).map((pick) => {
    if (changed === expander.count || expander.picks[changed] !== pick) return { pick, to: state };
    const to = states.find(expander.words, changed * states.words);
    changed += 1;
    return { pick, to };
  });
}

/** The picks that the state last expanded offers. */
function offered({ offers, steps, expander, spaces }: Engine): number[] {
  const bits = new Int32Array(offers.stride);
  for (const component of spaces.keys()) {
    const start = (expander.locals[component] as number) * offers.stride;
    for (let word = 0; word < offers.stride; word += 1) {
      bits[word] = (bits[word] as number) | (offers.rows[component]?.[start + word] as number);
    }
  }
  const picks: number[] = [];
  const has = (start: number, bit: number): boolean =>
    (((bits[start + (bit >> 5)] as number) >> (bit & 31)) & 1) === 1;
  for (const choice of steps.componentOfChoice.keys()) if (!has(1, choice)) picks.push(choice);
  const due = [...spaces.keys()]
    .flatMap((component) => steps.dueTimers(component, expander.locals[component] as number))
    .filter(({ part }) => !has(1 + offers.choiceWords + offers.partWords, part));
  // A part's timers stay in their order.
  for (const { pick } of due.sort((a, b) => a.part - b.part)) picks.push(pick);
  if (expander.offersTime) picks.push(timePick);
  return picks;
}

/** A step's label. */
export function labelOf(engine: Engine, pick: number): string {
  const named = engine.picks.pick(pick);
  if (named.kind === 'choice') return named.id;
  return named.kind === 'time' ? 'time' : `timer ${named.part} ${named.timer}`;
}
