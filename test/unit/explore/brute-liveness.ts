import type { FairnessKind } from '../../../src/system.ts';

/** A small graph whose steps may be labelled with actions. */
export interface SmallGraph {
  readonly states: number;
  readonly edges: readonly {
    readonly from: number;
    readonly to: number;
    readonly label: number | undefined;
  }[];
  /** By label. */
  readonly fairness: readonly FairnessKind[];
}

/**
 * Whether some infinite run visits a bad state for ever and is fair, by trying all sets of states and, if `everyEdgeSet`,
 * all sets of steps between them that a run could repeat for ever.
 */
export function breaksLiveness(graph: SmallGraph, bad: readonly boolean[], everyEdgeSet: boolean): boolean {
  for (let chosen = 1; chosen < 1 << graph.states; chosen += 1) {
    const states = Array.from({ length: graph.states }, (_, state) => state).filter(
      (state) => (chosen >> state) & 1,
    );
    if (!states.some((state) => bad[state])) continue;
    const inner = graph.edges.filter(
      ({ from, to }) => from !== to && states.includes(from) && states.includes(to),
    );
    const sets = everyEdgeSet ? subsets(inner) : [inner];
    if (sets.some((steps) => connected(states, steps) && fair(graph, states, steps))) return true;
  }
  return false;
}

type Edge = SmallGraph['edges'][number];

function subsets(edges: readonly Edge[]): Edge[][] {
  return Array.from({ length: 1 << edges.length }, (_, chosen) =>
    edges.filter((_edge, place) => (chosen >> place) & 1),
  );
}

function connected(states: readonly number[], steps: readonly Edge[]): boolean {
  return states.every((start) => {
    const reached = new Set([start]);
    for (const state of reached) for (const { from, to } of steps) if (from === state) reached.add(to);
    return states.every((state) => reached.has(state));
  });
}

function fair(graph: SmallGraph, states: readonly number[], steps: readonly Edge[]): boolean {
  return graph.fairness.every((kind, label) => {
    if (steps.some((step) => step.label === label)) return true;
    const enabled = states.filter((state) =>
      graph.edges.some((edge) => edge.from === state && edge.to !== state && edge.label === label),
    );
    return kind === 'weak' ? enabled.length < states.length : enabled.length === 0;
  });
}
