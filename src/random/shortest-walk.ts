/**
 * The shortest walk that is made of some kinds of steps. A system that lacks some of its faults and free choices is searched
 * as any other is; what must happen stays in, so that its runs are runs of the whole system, its fair cycles are fair there,
 * and time passes when it does there.
 */
import { Engine } from '../explore/engine.ts';
import { Liveness } from '../explore/liveness.ts';
import { pathToFinding } from '../explore/paths.ts';
import { Search } from '../explore/search.ts';
import type { EventuallyAlways, Property } from '../property.ts';
import { World } from '../semantics/world.ts';
import { type Choice, SystemError } from '../system.ts';
import type { Walk } from './walk.ts';

/** What the states of one search may take; so few states never do. */
const bytesMax = 2 ** 28;

/** How far it is looked. */
export interface Bounds {
  /** Only walks of fewer steps are looked for. */
  readonly length: number;
  /** More states than this are not looked at. */
  readonly states: number;
}

/** What was found. */
export interface Searched {
  /** A shortest walk that violates the property, if there is one. */
  readonly walk?: Walk;
  /** Whether everything was seen that is within the length. */
  readonly complete: boolean;
}

/** A choice that a system can do without, and all the same do everything that it must. */
export function isSpare({ urgent, fairness }: Choice): boolean {
  return urgent !== true && fairness === undefined;
}

/**
 * Searches for a walk in which no spare choices are made but these.
 *
 * @param world - what it remembers of the machines is used, and added to
 */
export function shortestWalk(
  { system, spaces }: World,
  property: Property,
  spare: ReadonlySet<string>,
  { length, states }: Bounds,
): Searched {
  const smaller = {
    ...system,
    choices: system.choices.filter((each) => !isSpare(each) || spare.has(each.id)),
  };
  const engine = new Engine(smaller, [{ ...property, witnesses: [] }], new World(smaller, spaces));
  const search = new Search(engine, { statesMax: states, bytesMax });
  let found: Found | undefined;
  try {
    found = property.kind === 'eventually-always' ? lasso(search, property) : way(search, property, length);
  } catch (error) {
    // A machine may be refused in a state that no walk has come to. What a walk has shown stands all the same.
    if (!(error instanceof SystemError)) throw error;
    return { complete: false };
  }
  const complete = search.stopped === undefined;
  if (found === undefined) return { complete };
  const { numbers, loop } = found;
  if (numbers.length === 0 || numbers.length >= length) return { complete };
  const picks = numbers.map((number) => engine.picks.pick(number));
  return { walk: { picks, drawn: loop ?? picks.length, ...(loop === undefined ? {} : { loop }) }, complete };
}

interface Found {
  readonly numbers: readonly number[];
  readonly loop?: number;
}

function way(search: Search, { id }: Property, length: number): Found | undefined {
  const { judge } = search.engine;
  for (const _ of search.run()) {
    const finding = judge.violation(id);
    if (finding !== undefined) return { numbers: pathToFinding(search, finding) };
    if (search.levels.length >= length) break;
  }
  return undefined;
}

/** Cycles are known when all states are. */
function lasso(search: Search, property: EventuallyAlways): Found | undefined {
  for (const _ of search.run());
  if (!search.complete) return undefined;
  const deciding = new Liveness(search).decide(property, false);
  for (;;) {
    const { done, value } = deciding.next();
    if (done !== true) continue;
    return value?.lasso === undefined ? undefined : { numbers: value.lasso.picks, loop: value.lasso.loop };
  }
}
