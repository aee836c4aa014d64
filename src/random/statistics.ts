/** What a campaign has tried: how far its walks went, which faults struck, and what the system was busy with then. */
import type { Reader } from '../property.ts';
import type { Pick } from '../semantics/world.ts';
import type { System } from '../system.ts';
import type { Phase } from './draw-walk.ts';
import type { WalkListener } from './play-walk.ts';

/** The figures of a campaign. Those of two campaigns can be added up. */
export interface FuzzStatistics {
  /** Steps that were drawn, and what followed of necessity. */
  drawn: number;
  /** How many of them the running actors made. Fewer, where a violation ended a walk. */
  made: number;
  /** How many walks made so many steps, by tens: `40` stands for 40 to 49. */
  readonly depths: Record<string, number>;
  /** How often each fault struck. */
  readonly faults: Record<string, number>;
  /** For each fault and each phase: how often it struck while that phase was on. */
  readonly matrix: Record<string, Record<string, number>>;
}

/** Nothing tried yet: every fault of the system and every phase with a count of zero. */
function noStatistics({ choices }: System, phases: readonly Phase[]): FuzzStatistics {
  const faults = [...new Set(choices.flatMap(({ fault }) => (fault === undefined ? [] : [fault])))];
  return {
    drawn: 0,
    made: 0,
    depths: {},
    faults: Object.fromEntries(faults.map((fault) => [fault, 0])),
    matrix: Object.fromEntries(
      faults.map((fault) => [fault, Object.fromEntries(phases.map(({ id }) => [id, 0]))]),
    ),
  };
}

/** Adds the figures of one campaign to those of another. */
export function addStatistics(into: FuzzStatistics, from: FuzzStatistics): void {
  into.drawn += from.drawn;
  into.made += from.made;
  addCounts(into.depths, from.depths);
  addCounts(into.faults, from.faults);
  for (const [fault, row] of Object.entries(from.matrix)) {
    into.matrix[fault] ??= {};
    addCounts(into.matrix[fault], row);
  }
}

function addCounts(into: Record<string, number>, from: Readonly<Record<string, number>>): void {
  for (const [key, count] of Object.entries(from)) into[key] = (into[key] ?? 0) + count;
}

/** Counts what happens when walks are played. */
export class Counting implements WalkListener {
  readonly statistics: FuzzStatistics;
  readonly #faultOf: ReadonlyMap<string, string>;
  readonly #phases: readonly Phase[];
  #depth = 0;

  constructor(system: System, phases: readonly Phase[]) {
    this.statistics = noStatistics(system, phases);
    this.#phases = phases;
    this.#faultOf = new Map(
      system.choices.flatMap(({ id, fault }) => (fault === undefined ? [] : [[id, fault] as const])),
    );
  }

  /** Before a walk of so many steps. */
  begin(steps: number): void {
    this.statistics.drawn += steps;
    this.#depth = 0;
  }

  /** After it. */
  end(): void {
    const tens = String(Math.floor(this.#depth / 10) * 10);
    this.statistics.made += this.#depth;
    this.statistics.depths[tens] = (this.statistics.depths[tens] ?? 0) + 1;
  }

  onStep = (pick: Pick, at: Reader): void => {
    this.#depth += 1;
    const fault = pick.kind === 'choice' ? this.#faultOf.get(pick.id) : undefined;
    if (fault === undefined) return;
    const { faults, matrix } = this.statistics;
    faults[fault] = (faults[fault] ?? 0) + 1;
    const row = matrix[fault] as Record<string, number>;
    for (const { id, state } of this.#phases) if (state.holds(at)) row[id] = (row[id] ?? 0) + 1;
  };
}
