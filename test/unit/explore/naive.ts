import type { Property } from '../../../src/property.ts';
import { type Pick, World } from '../../../src/semantics/world.ts';
import type { System } from '../../../src/system.ts';

/** What a search must agree with: the same questions, answered by strings, maps and the reference semantics. */
export interface NaiveReport {
  readonly states: number;
  readonly edges: number;
  readonly depth: number;
  readonly restStates: number;
  readonly deadlocks: number;
  readonly timeLocks: number;
  /** By property: the picks of the first shortest run that violates it. */
  readonly violations: Map<string, Pick[]>;
  readonly witnesses: Map<string, number>;
  readonly transitions: Set<string>;
  readonly offered: Set<string>;
}

interface Found {
  readonly state: readonly number[];
  readonly depth: number;
  readonly picks: Pick[];
}

/** Searches breadth first, one state and one step at a time. */
export function naiveSearch(
  system: System,
  properties: readonly Property[],
  statesMax = Number.POSITIVE_INFINITY,
): NaiveReport {
  const world = new World(system);
  const known = new Map<string, Found>();
  const queue: Found[] = [];
  const violations = new Map<string, Pick[]>();
  const witnesses = new Map<string, number>();
  const transitions = new Set<string>();
  const offered = new Set<string>();
  const successors = new Map<string, { key: string; time: boolean }[]>();
  let edges = 0;
  let restStates = 0;
  let deadlocks = 0;
  const running = new Set<string>();
  const add = (state: readonly number[], depth: number, picks: Pick[]): void => {
    const key = state.join(' ');
    if (known.has(key)) return;
    const found = { state, depth, picks };
    known.set(key, found);
    queue.push(found);
    if (known.size > statesMax) throw new RangeError('too many states for this test');
    for (const property of properties) {
      if (property.kind === 'invariant' && !violations.has(property.id)) {
        const broken = property.clauses.some((clause) => !clause.holds(world.reader(state, clause.reads)));
        if (broken) violations.set(property.id, picks);
      }
      for (const witness of property.witnesses) {
        if (!('state' in witness) || witnesses.has(witness.id)) continue;
        if (witness.state.holds(world.reader(state, witness.state.reads))) witnesses.set(witness.id, depth);
      }
    }
  };
  add(world.initial, 0, []);
  for (const { state, depth, picks } of queue) {
    const key = state.join(' ');
    const offers = world.picks(state);
    const parts = system.parts.map((part) => world.space(part).state(state[part.index] as number));
    const runs = parts.some(({ timers }) => timers.some(({ remaining }) => remaining > 0));
    if (runs || offers.some(({ kind }) => kind === 'timer')) running.add(key);
    if (offers.length === 0) {
      const rest = parts.every(({ snapshot }) => snapshot.status === 'done' || snapshot.hasTag('rest'));
      if (rest) restStates += 1;
      else deadlocks += 1;
    }
    const next: { key: string; time: boolean }[] = [];
    for (const pick of offers) {
      edges += 1;
      if (pick.kind === 'choice') offered.add(pick.id);
      const step = world.step(state, pick);
      next.push({ key: step.next.join(' '), time: pick.kind === 'time' });
      for (const transition of step.transitions) transitions.add(transition);
      for (const { part, event } of step.emissions) {
        for (const property of properties) {
          const clauses = property.kind === 'effect' ? property.clauses : [];
          for (const { on, reads, holds } of clauses) {
            if (on.part !== part || on.emits !== event.type || violations.has(property.id)) continue;
            if (!holds(world.reader(state, reads), event)) violations.set(property.id, [...picks, pick]);
          }
          for (const witness of property.witnesses) {
            if (!('effect' in witness) || witnesses.has(witness.id)) continue;
            const { on, reads, holds } = witness.effect;
            if (on.part !== part || on.emits !== event.type) continue;
            if (holds(world.reader(state, reads), event)) witnesses.set(witness.id, depth + 1);
          }
        }
      }
      add(step.next, depth + 1, [...picks, pick]);
    }
    successors.set(key, next);
  }
  const free = new Set([...successors.keys()].filter((key) => !running.has(key)));
  for (let grown = true; grown; ) {
    grown = false;
    for (const [key, next] of successors) {
      if (free.has(key) || !next.some(({ key: to, time }) => time || free.has(to))) continue;
      free.add(key);
      grown = true;
    }
  }
  return {
    states: known.size,
    edges,
    depth: queue.at(-1)?.depth ?? 0,
    restStates,
    deadlocks,
    timeLocks: [...running].filter((key) => !free.has(key)).length,
    violations,
    witnesses,
    transitions,
    offered,
  };
}
