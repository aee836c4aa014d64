/**
 * Decides what of a chart becomes an arc, what becomes a line of text, and how much room the text takes.
 *
 * - Transitions between the same two states share one arc, with their labels one below the other; timers have an arc
 *   of their own, since it is dashed.
 * - What does not lead from one state to another is a line inside its state: transitions without a target, into the
 *   state itself, or to a state around it. (Re-entering oneself is a loop, though.) So is what is written in the
 *   machine itself, for it holds in every state.
 */
import type { Statechart, StatechartEdge, StatechartNode } from '../machine/statechart.ts';
import {
  detailLines,
  edgeLines,
  initialLines,
  type LabelOptions,
  type Line,
  listedLines,
  measure,
  titleLine,
} from './labels.ts';

/** Text that has no place yet. */
export interface PlannedText {
  readonly lines: readonly Line[];
  /** The transition that it belongs to, if it belongs to one. */
  readonly edge?: string;
}

/** A line between two states, for one transition or for several that join the same two. */
export interface PlannedArc {
  readonly source: string;
  readonly target: string;
  /** The transitions that it stands for; none for the arc of an initial dot or of a history state. */
  readonly edges: readonly string[];
  readonly kind: 'event' | 'timer' | 'initial' | 'history';
  /** One for each transition; a transition with several targets has its label on the first arc only. */
  readonly labels: readonly PlannedText[];
}

/** The text inside a state, and the room that it takes. */
export interface PlannedState {
  readonly node: StatechartNode;
  readonly title: Line;
  /** Actions and the like, then each listed transition. */
  readonly details: readonly PlannedText[];
  readonly width: number;
  readonly height: number;
}

/** A chart that has no places yet. */
export interface Plan {
  /** By id, in document order. */
  readonly states: ReadonlyMap<string, PlannedState>;
  readonly arcs: readonly PlannedArc[];
}

/** The space between two labels of one arc, and between two listed transitions. */
export const labelGap = 4;
/** The space between a state's title and what stands below it, where a rule is drawn. */
export const titleGap = 10;

/** Plans a chart. */
export function planChart(chart: Statechart, options: LabelOptions): Plan {
  const parents = new Map(chart.nodes.map((node) => [node.id, node.parent]));
  const arcs = new Map<string, PlannedArc>();
  const listed = new Map<string, PlannedText[]>();
  for (const node of chart.nodes) {
    for (const arc of beginnings(node)) arcs.set(`${arc.kind} ${arc.source} ${arc.target}`, arc);
  }
  for (const edge of chart.edges) {
    if (isListed(edge, parents)) {
      const line = { lines: listedLines(edge, chart, options), edge: edge.id };
      listed.set(edge.source, [...(listed.get(edge.source) ?? []), line]);
    } else {
      addArcs(arcs, edge, options);
    }
  }
  const states = chart.nodes.map((node) => planState(node, listed.get(node.id) ?? [], options));
  return { states: new Map(states.map((state) => [state.node.id, state])), arcs: [...arcs.values()] };
}

function addArcs(arcs: Map<string, PlannedArc>, edge: StatechartEdge, options: LabelOptions): void {
  const kind = edge.kind === 'after' ? 'timer' : 'event';
  for (const [index, target] of edge.targets.entries()) {
    const key = edge.targets.length > 1 ? `${edge.id} ${target}` : `${kind} ${edge.source} ${target}`;
    const { edges, labels } = arcs.get(key) ?? { edges: [], labels: [] };
    const label = index === 0 ? [{ lines: edgeLines(edge, options), edge: edge.id }] : [];
    arcs.set(key, {
      source: edge.source,
      target,
      kind,
      edges: [...edges, edge.id],
      labels: [...labels, ...label],
    });
  }
}

function* beginnings(node: StatechartNode): Generator<PlannedArc> {
  if (node.initial !== undefined) {
    const lines = initialLines(node.initial);
    const labels = lines.length > 0 ? [{ lines }] : [];
    yield { source: node.id, target: node.initial.target, edges: [], kind: 'initial', labels };
  }
  for (const target of node.history?.targets ?? []) {
    yield { source: node.id, target, edges: [], kind: 'history', labels: [] };
  }
}

/** Whether a transition is a line in its source rather than an arc. */
export function isListed(edge: StatechartEdge, parents: ReadonlyMap<string, string | null>): boolean {
  const inside = (id: string, outer: string): boolean => {
    for (let at = parents.get(id); at != null; at = parents.get(at)) if (at === outer) return true;
    return false;
  };
  return (
    parents.get(edge.source) === null ||
    edge.targets.every((target) =>
      target === edge.source ? !edge.reenter : inside(target, edge.source) || inside(edge.source, target),
    )
  );
}

function planState(
  node: StatechartNode,
  listed: readonly PlannedText[],
  options: LabelOptions,
): PlannedState {
  const plain = detailLines(node, options);
  const details = [...(plain.length > 0 ? [{ lines: plain }] : []), ...listed];
  const title = titleLine(node);
  const sizes = [measure([title]), ...details.map((detail) => measure(detail.lines))];
  const gaps = details.length > 0 ? titleGap + labelGap * (details.length - 1) : 0;
  return {
    node,
    title,
    details,
    width: Math.max(...sizes.map((size) => size.width)),
    height: sizes.reduce((height, size) => height + size.height, gaps),
  };
}
