/**
 * Decides liveness by real cycles. In the region where a property makes its promise, a run breaks it exactly if it can
 * stay for ever, fairly, in a strongly connected component with a state in which a clause does not hold.
 */
import type { EventuallyAlways } from '../property.ts';
import { RememberedCondition } from './clauses.ts';
import { FairActions } from './fair-actions.ts';
import { type BadComponent, FairComponents } from './fair-components.ts';
import type { Explored } from './known-states.ts';
import { type CycleStep, Cycles } from './lasso.ts';
import { pathTo } from './paths.ts';
import { Region, type Rows, regionGraph } from './region-graph.ts';
import { Search } from './search.ts';

/** What was found out about one property. */
export interface LivenessResult {
  /** How many states the region has. */
  states: number;
  /** The assumptions that are in force, by id. */
  fairness: readonly string[];
  /** Whether it is violated. */
  violated: boolean;
  /** If it is violated, and the search can tell the way: the picks of the run, by number, and the place of the state where its cycle starts. */
  lasso?: { readonly picks: readonly number[]; readonly loop: number };
  /** If it holds: assumptions of which none can be left out. */
  needs?: readonly string[];
}

/** A region with its graph. */
interface Graph {
  readonly region: Region;
  readonly rows: Rows;
}

/** What a state of a region costs in numbers, components and rows, and what a step costs. */
const bytesPerRegionState = 40;
const bytesPerRegionEdge = 6;

/** In a larger region, which assumptions are needed is not worked out. */
const needsStatesMax = 3_000_000;

/** So many components are tried for the shortest lasso. */
const candidatesMax = 32;

/** Decides the liveness properties of one search that is complete. */
export class Liveness {
  readonly #search: Explored;
  readonly #actions: FairActions;
  /** The last graph: properties often make their promises in the same region. */
  #last: Graph | undefined;

  constructor(search: Explored) {
    this.#search = search;
    this.#actions = new FairActions(search.engine.world.system, search.engine.picks);
  }

  /**
   * Decides a property. A generator, since it may take long.
   *
   * @param tellsNeeds - whether to work out, if it holds, which assumptions are needed
   * @returns the result; undefined if the memory that the search may use is not enough
   */
  *decide(property: EventuallyAlways, tellsNeeds = true): Generator<void, LivenessResult | undefined> {
    const search = this.#search;
    const actions = this.#actions;
    const graph = yield* this.#graph(property);
    if (graph === undefined) return undefined;
    const { region, rows } = graph;
    const inForce = actions.inForce(search.timed, search.partsWithTimers());
    const components = new FairComponents(rows, actions.all, badStates(search, region, property));
    yield* components.prepare();
    const result: LivenessResult = {
      states: rows.count,
      fairness: inForce.map((label) => actions.id(label)),
      violated: false,
    };
    const found = yield* nearestBad(components);
    if (found.length > 0) {
      result.violated = true;
      if (search instanceof Search) result.lasso = shortestLasso(search, region, rows, actions, found);
    } else if (tellsNeeds && rows.count > 0 && rows.count <= needsStatesMax) {
      result.needs = (yield* needed(components, inForce)).map((label) => actions.id(label));
    }
    return result;
  }

  *#graph(property: EventuallyAlways): Generator<void, Graph | undefined> {
    const { world, spaces } = this.#search.engine;
    const within = new RememberedCondition(
      world,
      spaces,
      property.within,
      `property '${property.id}', within`,
    );
    const region = yield* Region.of(this.#search, within);
    if (this.#last?.region.equals(region) === true) return this.#last;
    this.#last = undefined;
    if (!this.#fits(region)) return undefined;
    const rows = yield* regionGraph(this.#search, region, this.#actions, property.id);
    this.#last = { region, rows };
    return this.#last;
  }

  /** Whether there is memory for the graph of a region, if its states have as many steps as all have on average. */
  #fits(region: Region): boolean {
    const { states, edges, limits } = this.#search;
    const perState = bytesPerRegionState + (bytesPerRegionEdge * edges) / states.count;
    return states.bytes + perState * region.states.length <= limits.bytesMax;
  }
}

/** Tells the states of a region in which some clause does not hold. */
function badStates(
  search: Explored,
  region: Region,
  { id, clauses }: EventuallyAlways,
): (state: number) => boolean {
  const { expander } = search;
  const { world, spaces } = search.engine;
  const conditions = clauses.map(
    (clause) => new RememberedCondition(world, spaces, clause, `property '${id}'`),
  );
  const locals = new Int32Array(spaces.length);
  return (state) => {
    const number = region.states[state] as number;
    expander.unpack(search.states.chunk(number), search.states.offset(number), locals);
    return conditions.some((condition) => !condition.holds(locals));
  };
}

/** The bad components whose bad states come first. */
function* nearestBad(components: FairComponents): Generator<void, BadComponent[]> {
  const found: BadComponent[] = [];
  yield* components.bad(
    () => true,
    (component) => {
      found.push(component);
      if (found.length > candidatesMax * 2) {
        found.sort((a, b) => a.bad - b.bad);
        found.length = candidatesMax;
      }
      return true;
    },
  );
  return found.sort((a, b) => a.bad - b.bad).slice(0, candidatesMax);
}

/** Leaves out one assumption after the other for as long as the proof holds. */
function* needed(components: FairComponents, inForce: readonly number[]): Generator<void, number[]> {
  let needs = [...inForce];
  for (const dropped of inForce) {
    const fewer = new Set(needs.filter((label) => label !== dropped));
    let broken = false;
    yield* components.bad(
      (label) => fewer.has(label),
      () => {
        broken = true;
        return false;
      },
    );
    if (!broken) needs = [...fewer];
  }
  return needs;
}

/** Of the candidates' lassos the shortest; of equally short ones the one whose bad state comes first. */
function shortestLasso(
  search: Search,
  region: Region,
  rows: Rows,
  actions: FairActions,
  candidates: readonly BadComponent[],
): { picks: number[]; loop: number } {
  const cycles = new Cycles(rows, actions.all);
  let best: { state: number; cycle: CycleStep[]; steps: number } | undefined;
  const depth = (state: number): number => search.depth(region.states[state] as number);
  for (const { bad, still, states } of candidates) {
    if (still >= 0 && (best === undefined || depth(still) < best.steps)) {
      best = { state: region.states[still] as number, cycle: [], steps: depth(still) };
    }
    if (bad === still || (best !== undefined && depth(bad) >= best.steps)) continue;
    const cycle = cycles.around(states, bad);
    const steps = depth(bad) + cycle.length;
    if (best === undefined || steps < best.steps)
      best = { state: region.states[bad] as number, cycle, steps };
  }
  if (best === undefined) throw new Error('internal error: a violation without a component');
  const stem = pathTo(search, best.state);
  const loop = best.cycle.map((step) => pickOf(search, region, actions, step));
  return { picks: [...stem, ...loop], loop: stem.length };
}

/** The first pick that makes a step of a cycle. */
function pickOf(search: Search, region: Region, actions: FairActions, step: CycleStep): number {
  const { states, expander } = search;
  const from = region.states[step.from] as number;
  expander.clear();
  expander.expand(states.chunk(from), states.offset(from));
  for (let result = 0; result < expander.count; result += 1) {
    const pick = expander.picks[result] as number;
    if (actions.label(pick) !== step.label) continue;
    if (states.find(expander.words, result * states.words) === region.states[step.to]) return pick;
  }
  throw new Error(`internal error: no step leads from state ${from} to ${region.states[step.to]}`);
}
