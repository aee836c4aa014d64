/**
 * Gives every state, arc and label of a chart its place.
 *
 * The plan says what there is to place, ELK places it, and what ELK cannot be asked for is put right afterwards:
 * regions side by side get one height, and a title that an arc would run through moves beside it. A picture that
 * comes out too wide is laid out again, more tightly each time.
 *
 * ELK is loaded on the first call, for it is large and few users of the library draw.
 */
import type { ElkNode } from 'elkjs';
import type { Statechart, StatechartNode } from '../machine/statechart.ts';
import { elkGraph, type GraphShape } from './elk-graph.ts';
import type { LabelOptions, Line } from './labels.ts';
import { readPlaces } from './places.ts';
import { type Plan, type PlannedArc, planChart } from './plan.ts';

/** A rectangle, in pixels from the picture's upper left corner. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A point of an arc. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Lines of text in their place. */
export interface TextBox extends Box {
  readonly lines: readonly Line[];
  /** The transition that the text belongs to, if it belongs to one. */
  readonly edge?: string;
}

/** A state in its place. */
export interface StateBox extends Box {
  readonly node: StatechartNode;
  /** `frame` is the machine itself; `region` is a child of a parallel state; the others are as they sound. */
  readonly role: 'frame' | 'group' | 'region' | 'leaf' | 'final' | 'history';
  readonly title: TextBox;
  /** What stands below the title: actions, then one box for each listed transition. */
  readonly details: readonly TextBox[];
}

/** The dot at which a compound state begins. */
export interface InitialDot extends Box {
  /** The compound state's id. */
  readonly of: string;
}

/** An arc in its place. */
export interface Arc extends Omit<PlannedArc, 'labels'> {
  /** Its corners, from the source's border to the target's. */
  readonly points: readonly Point[];
  readonly labels: readonly TextBox[];
}

/** A chart in its place. */
export interface ChartLayout {
  readonly width: number;
  readonly height: number;
  /** In document order, so that inner states come after the states around them. */
  readonly states: readonly StateBox[];
  readonly dots: readonly InitialDot[];
  readonly arcs: readonly Arc[];
}

/** What a layout takes account of. */
export interface LayoutOptions extends LabelOptions {
  /** The width, in pixels, beyond which tighter layouts are tried. Left out: 1600. */
  readonly wantedWidth?: number;
}

/**
 * Places a chart.
 *
 * @param chart - see `statechart()`
 * @param options - what labels show besides, and how wide the picture should be
 */
export async function layout(chart: Statechart, options: LayoutOptions = {}): Promise<ChartLayout> {
  const { default: elk } = await import('elkjs/lib/elk.bundled.js');
  const engine = new elk.default();
  const plan = planChart(chart, options);
  let narrowest: ElkNode | undefined;
  for (const shape of shapes(plan)) {
    const placed: ElkNode = await engine.layout(elkGraph(plan, shape));
    if (narrowest === undefined || widthOf(placed) < widthOf(narrowest)) narrowest = placed;
    if (widthOf(narrowest) <= (options.wantedWidth ?? 1_600)) break;
  }
  return readPlaces(narrowest as ElkNode, plan);
}

const widthOf = (placed: ElkNode): number => placed.width ?? 0;

/** What to try, the best to look at first: straight arcs before a narrow picture, and both before regions in rows. */
function* shapes(plan: Plan): Generator<GraphShape> {
  const regions = [...plan.states.values()].map(({ node }) =>
    node.kind === 'parallel' ? node.children.length : 1,
  );
  for (let regionsPerRow = Math.max(...regions); regionsPerRow > 0; regionsPerRow -= 1) {
    yield { placement: 'NETWORK_SIMPLEX', regionsPerRow };
    yield { placement: 'LINEAR_SEGMENTS', regionsPerRow };
  }
}
