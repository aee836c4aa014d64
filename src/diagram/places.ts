/**
 * Reads the places that ELK has given, and puts right what it cannot be asked for.
 */
import type { ElkExtendedEdge, ElkNode } from 'elkjs';
import { arcKey, dotKey, groupTop, padding, stateKey } from './elk-graph.ts';
import { measure } from './labels.ts';
import type { Arc, Box, ChartLayout, Point, StateBox, TextBox } from './layout.ts';
import {
  labelGap,
  type Plan,
  type PlannedArc,
  type PlannedState,
  type PlannedText,
  titleGap,
} from './plan.ts';

/** Places by ELK's ids, which are put right before they are read. */
interface Places {
  readonly boxes: Map<string, Box>;
  /** In the plan's order. */
  readonly arcs: { points: Point[]; label: Point }[];
}

/** Turns what ELK returned into a layout. */
export function readPlaces(placed: ElkNode, plan: Plan): ChartLayout {
  const places = collect(placed, plan);
  levelRegions(places, plan);
  const arcs = plan.arcs.map((arc, index) => placeArc(arc, places.arcs[index]));
  const states = [...plan.states.values()].map((state) => placeState(state, places, plan, arcs));
  const dots = [...plan.states.keys()].flatMap((id) => {
    const box = places.boxes.get(dotKey(id));
    return box ? [{ of: id, ...box }] : [];
  });
  return { width: Math.ceil(placed.width ?? 0), height: Math.ceil(placed.height ?? 0), states, dots, arcs };
}

function collect(placed: ElkNode, plan: Plan): Places {
  const boxes = new Map<string, Box>();
  const edges = new Map<string, ElkExtendedEdge>();
  const visit = (node: ElkNode): void => {
    const { x = 0, y = 0, width = 0, height = 0 } = node;
    boxes.set(node.id, { ...round({ x, y }), width, height });
    for (const edge of node.edges ?? []) edges.set(edge.id, edge);
    for (const child of node.children ?? []) visit(child);
  };
  visit(placed);
  const arcs = plan.arcs.map((_, index) => {
    const edge = edges.get(arcKey(index));
    const points = (edge?.sections ?? []).flatMap(({ startPoint, bendPoints = [], endPoint }) => [
      startPoint,
      ...bendPoints,
      endPoint,
    ]);
    const { x = 0, y = 0 } = edge?.labels?.[0] ?? {};
    return { points: points.map(round), label: round({ x, y }) };
  });
  return { boxes, arcs };
}

/** To a tenth of a pixel, so that what is upright has equal coordinates. */
const round = ({ x, y }: Point): Point => ({ x: Math.round(x * 10) / 10, y: Math.round(y * 10) / 10 });

const bottomOf = (box: Box): number => box.y + box.height;

const holds = (box: Box, { x, y }: Point): boolean =>
  x > box.x && x < box.x + box.width && y > box.y && y < bottomOf(box);

/**
 * Lets regions that stand side by side begin and end at one height, with their content at the top, where ELK centres
 * both. Regions that arcs end at, or whose new ground an arc already uses, stay as they are.
 */
function levelRegions(places: Places, plan: Plan): void {
  const met = new Set(
    plan.arcs.flatMap(({ kind, source, target }) => (kind === 'initial' ? [target] : [source, target])),
  );
  for (const { node } of plan.states.values()) {
    if (node.kind !== 'parallel') continue;
    const before = node.children.map((id) => ({ id, box: places.boxes.get(stateKey(id)) as Box }));
    for (const { id, box } of before) {
      const row = before.filter((other) => other.box.y < bottomOf(box) && box.y < bottomOf(other.box));
      const y = Math.min(...row.map((other) => other.box.y));
      const level = { ...box, y, height: Math.max(...row.map((other) => bottomOf(other.box))) - y };
      const used = places.arcs.some(({ points }) =>
        points.some((point) => holds(level, point) && !holds(box, point)),
      );
      if (met.has(id) || used) continue;
      places.boxes.set(stateKey(id), level);
      raiseContent(id, box, places, plan);
    }
  }
}

/**
 * Moves what is in a region up to its title. Arcs that cross its border do so upright, and become longer or shorter.
 *
 * @param before - the region's box before it was levelled, which its content is still placed in
 */
function raiseContent(id: string, before: Box, places: Places, plan: Plan): void {
  const state = plan.states.get(id);
  const level = places.boxes.get(stateKey(id));
  if (state === undefined || level === undefined || state.node.children.length === 0) return;
  const inner = [...plan.states.keys()].filter((each) => isInside(each, id, plan));
  const keys = [dotKey(id), ...inner.flatMap((each) => [stateKey(each), dotKey(each)])];
  const boxes = keys.flatMap((key) => places.boxes.get(key) ?? []);
  const points = places.arcs
    .flatMap((arc) => [...arc.points, arc.label])
    .filter((point) => holds(before, point));
  const by = Math.min(...[...boxes, ...points].map(({ y }) => y)) - (level.y + groupTop(state.height));
  if (by <= 0 || places.arcs.some((arc) => crossesSlanting(arc.points, before))) return;
  for (const key of keys) {
    const box = places.boxes.get(key);
    if (box !== undefined) places.boxes.set(key, { ...box, y: box.y - by });
  }
  const raise = (point: Point): Point =>
    holds(before, point) ? round({ x: point.x, y: point.y - by }) : point;
  for (const arc of places.arcs) {
    arc.points = arc.points.map(raise);
    arc.label = raise(arc.label);
  }
}

const crossesSlanting = (points: readonly Point[], box: Box): boolean =>
  points.some((point, index) => {
    const next = points[index + 1];
    return next !== undefined && holds(box, point) !== holds(box, next) && point.x !== next.x;
  });

function isInside(id: string, outer: string, plan: Plan): boolean {
  for (let at = plan.states.get(id)?.node.parent; at != null; at = plan.states.get(at)?.node.parent) {
    if (at === outer) return true;
  }
  return false;
}

function placeArc(arc: PlannedArc, place: Places['arcs'][number] | undefined): Arc {
  const { points = [], label = { x: 0, y: 0 } } = place ?? {};
  return { ...arc, points, labels: stack(arc.labels, label) };
}

/** Places texts one below the other. */
function stack(texts: readonly PlannedText[], from: Point): TextBox[] {
  let { y } = from;
  return texts.map((text) => {
    const size = measure(text.lines);
    const placed = { ...text, x: from.x, y, ...size };
    y += size.height + labelGap;
    return placed;
  });
}

function placeState(state: PlannedState, places: Places, plan: Plan, arcs: readonly Arc[]): StateBox {
  const { node } = state;
  const box = places.boxes.get(stateKey(node.id)) as Box;
  const title = measure([state.title]);
  const top = box.y + padding / 2;
  const plain = node.parent !== null && node.children.length === 0;
  const left = plain
    ? box.x + padding
    : clearOfArcs({ ...box, y: top, height: state.height }, state.width, arcs);
  const middle = box.x + (box.width - title.width) / 2;
  return {
    ...box,
    node,
    role: roleOf(state, plan),
    title: { lines: [state.title], x: plain ? middle : left, y: top, ...title },
    details: stack(state.details, { x: left, y: top + title.height + titleGap }),
  };
}

function roleOf({ node }: PlannedState, plan: Plan): StateBox['role'] {
  if (node.parent === null) return 'frame';
  if (node.kind === 'history' || node.kind === 'final') return node.kind;
  if (plan.states.get(node.parent)?.node.kind === 'parallel') return 'region';
  return node.children.length === 0 ? 'leaf' : 'group';
}

/** Where text of a width can begin, within a strip, so that no upright piece of an arc runs through it. */
function clearOfArcs(strip: Box, width: number, arcs: readonly Arc[]): number {
  const uprights = arcs.flatMap(({ points }) =>
    points.flatMap((point, index) => {
      const next = points[index + 1];
      if (next === undefined || point.x !== next.x) return [];
      const crosses = Math.min(point.y, next.y) < bottomOf(strip) && Math.max(point.y, next.y) > strip.y;
      return crosses ? [point.x] : [];
    }),
  );
  const clearance = 6;
  const first = strip.x + padding;
  const starts = [
    first,
    ...uprights
      .map((x) => x + clearance)
      .filter((x) => x > first)
      .sort((a, b) => a - b),
  ];
  const free = (start: number): boolean =>
    start + width + padding <= strip.x + strip.width &&
    uprights.every((x) => x <= start - clearance || x >= start + width + clearance);
  return starts.find(free) ?? first;
}
