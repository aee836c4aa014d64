/**
 * A plan as a graph for ELK's layered algorithm.
 *
 * Labels are boxes to ELK like any other, so it finds room for them: neither label nor state ever covers another. A
 * compound state's beginning is a dot with an arc to its first child. No arc leads to the dot, so a depth-first
 * search for cycles starts there, and the first state comes to stand on top.
 */
import type { ElkExtendedEdge, ElkNode, LayoutOptions } from 'elkjs';
import { measure } from './labels.ts';
import { labelGap, type Plan, type PlannedArc } from './plan.ts';

/** What can be tried to make a picture narrower. */
export interface GraphShape {
  /** ELK's strategy: `NETWORK_SIMPLEX` draws the straightest arcs, `LINEAR_SEGMENTS` the narrowest pictures. */
  readonly placement: 'NETWORK_SIMPLEX' | 'LINEAR_SEGMENTS';
  /** How many regions of a parallel state may stand side by side. */
  readonly regionsPerRow: number;
}

/** The room around the text in a state. */
export const padding = 14;
/** How far below a compound state's border its content begins, if its text is `height` high. */
export const groupTop = (height: number): number => height + padding + 12;
const dotSize = 12;
const historySize = 26;

function elkOptions(shape: GraphShape): LayoutOptions {
  return {
    'elk.algorithm': 'layered',
    'elk.direction': 'DOWN',
    'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
    'elk.edgeRouting': 'ORTHOGONAL',
    // ELK's `MODEL_ORDER` strategies would say the same more plainly, but fail on nested graphs in elkjs 0.12.1.
    'elk.layered.cycleBreaking.strategy': 'DEPTH_FIRST',
    // Positions are given to regions only, so that they stand in document order.
    'elk.layered.crossingMinimization.semiInteractive': 'true',
    'elk.layered.nodePlacement.strategy': shape.placement,
    'elk.layered.edgeLabels.sideSelection': 'ALWAYS_DOWN',
    'elk.layered.spacing.nodeNodeBetweenLayers': '30',
    'elk.layered.spacing.edgeNodeBetweenLayers': '14',
    'elk.layered.spacing.edgeEdgeBetweenLayers': '12',
    'elk.spacing.nodeNode': '28',
    'elk.spacing.edgeNode': '16',
    'elk.spacing.edgeEdge': '12',
    'elk.spacing.edgeLabel': '5',
    'elk.spacing.nodeSelfLoop': '14',
    'elk.json.edgeCoords': 'ROOT',
    'elk.json.shapeCoords': 'ROOT',
    'elk.randomSeed': '1',
  };
}

/** ELK's id of a state. */
export const stateKey = (id: string): string => `state ${id}`;
/** ELK's id of the dot at which a compound state begins. */
export const dotKey = (id: string): string => `dot ${id}`;
/** ELK's id of an arc, by its place in the plan. */
export const arcKey = (index: number): string => `arc ${index}`;

/** Builds the graph. ELK writes places into it, so each layout needs a graph of its own. */
export function elkGraph(plan: Plan, shape: GraphShape): ElkNode {
  const [root = ''] = plan.states.keys();
  return {
    id: 'picture',
    layoutOptions: { ...elkOptions(shape), 'elk.padding': '[top=1,left=1,bottom=1,right=1]' },
    children: [elkNode(root, plan, shape)],
    edges: [...plan.arcs.map(elkEdge), ...unseenEdges(plan, shape)],
  };
}

function elkNode(id: string, plan: Plan, shape: GraphShape): ElkNode {
  const state = plan.states.get(id);
  if (state === undefined) throw new Error(`The chart names a state '${id}' that it does not have.`);
  const { node, width, height } = state;
  const parent = node.parent === null ? undefined : plan.states.get(node.parent)?.node;
  const place = parent?.kind === 'parallel' && {
    'elk.position': `(${1_000 * parent.children.indexOf(id)}, 0)`,
  };
  if (node.kind === 'history') return { id: stateKey(id), width: historySize, height: historySize };
  if (node.children.length === 0) {
    const size = { width: width + 2 * padding, height: height + padding };
    return { id: stateKey(id), ...size, ...(place && { layoutOptions: place }) };
  }
  const dot = node.initial ? [{ id: dotKey(id), width: dotSize, height: dotSize }] : [];
  const top = groupTop(height);
  return {
    id: stateKey(id),
    children: [...dot, ...node.children.map((child) => elkNode(child, plan, shape))],
    layoutOptions: {
      ...elkOptions(shape),
      ...place,
      'elk.padding': `[top=${top},left=18,bottom=18,right=18]`,
      'elk.nodeSize.constraints': 'MINIMUM_SIZE',
      // Height before width: elkjs 0.12.1 forgets to turn this one pair when the direction is DOWN.
      'elk.nodeSize.minimum': `(${top}, ${width + 2 * padding})`,
    },
  };
}

function elkEdge(arc: PlannedArc, index: number): ElkExtendedEdge {
  const sizes = arc.labels.map((label) => measure(label.lines));
  const box = {
    width: Math.max(0, ...sizes.map((size) => size.width)),
    height: sizes.reduce((height, size) => height + size.height, labelGap * (sizes.length - 1)),
  };
  return {
    id: arcKey(index),
    sources: [arc.kind === 'initial' ? dotKey(arc.source) : stateKey(arc.source)],
    targets: [stateKey(arc.target)],
    ...(sizes.length > 0 && { labels: [{ id: `label ${index}`, text: ' ', ...box }] }),
  };
}

/** Edges for ELK's eyes only, which put one state below another. */
function* unseenEdges(plan: Plan, shape: GraphShape): Generator<ElkExtendedEdge> {
  for (const { node } of plan.states.values()) {
    const pairs =
      node.kind === 'parallel' ? rows(node.children, shape.regionsPerRow) : stranded(node.id, plan);
    for (const [upper, lower] of pairs) {
      yield { id: `unseen ${lower}`, sources: [stateKey(upper)], targets: [stateKey(lower)] };
    }
  }
}

/** Each region with the one that stands below it, if they do not all fit side by side. */
const rows = (regions: readonly string[], perRow: number): [string, string][] =>
  regions.slice(perRow).map((lower, index) => [regions[index] ?? lower, lower]);

/**
 * A compound state's first child with each that no arc leads to. Such a child is entered from the list in a state
 * around it, and would come to stand above the first one.
 */
function* stranded(id: string, plan: Plan): Generator<[string, string]> {
  const node = plan.states.get(id)?.node;
  if (node?.initial === undefined) return;
  const first = node.initial.target;
  const steps = plan.arcs.map(
    (arc) => [childAround(arc.source, id, plan), childAround(arc.target, id, plan)] as const,
  );
  const reached = new Set([first]);
  for (const child of [first, ...node.children]) {
    if (!reached.has(child)) yield [first, child];
    // A set that grows while it is iterated hands out what was added, each state once.
    for (const at of reached.add(child)) {
      for (const [from, to] of steps) if (from === at && to !== undefined) reached.add(to);
    }
  }
}

/** The child of `outer` that is `id` or around it. */
function childAround(id: string, outer: string, plan: Plan): string | undefined {
  for (let at: string | null = id; at !== null; ) {
    const parent: string | null = plan.states.get(at)?.node.parent ?? null;
    if (parent === outer) return at;
    at = parent;
  }
  return undefined;
}
