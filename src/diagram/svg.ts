/**
 * Draws a chart as one self-contained SVG.
 *
 * Equal charts give equal bytes, so that a drawing can be kept beside its machine and compared in review. Every state
 * and transition has an element id ({@link stateElementId}, {@link edgeElementId}) for links, and a `<title>`.
 *
 * Colours are CSS variables (`--rp-ink`, `--rp-line`, … : see `Palette`). A page that sets them decides. Where
 * none are set, a drawing inside a page follows the page's `color-scheme`, and a drawing in a file of its own follows
 * the viewer's preference. It brings its own ground, so it can be read on any page.
 */

import type { Statechart, StatechartEdge, StatechartNode } from '../machine/statechart.ts';
import { edgeText, heightOf, indentOf, widthOf } from './labels.ts';
import {
  type Arc,
  type ChartLayout,
  type InitialDot,
  type LayoutOptions,
  layout,
  type Point,
  type StateBox,
  type TextBox,
} from './layout.ts';
import { styleSheet, type Theme } from './palette.ts';

/** What a drawing shows besides the machine, and how. */
export interface SvgOptions extends LayoutOptions {
  /**
   * `auto` follows the page or the viewer. The others write plain colours, for viewers that know no CSS variables and
   * for a `<picture>` with one file for each.
   */
  readonly theme?: Theme;
  /** The ids of states to light, such as those of a snapshot in a trace. */
  readonly active?: readonly string[];
  /** The ids of transitions to light, such as those just taken. */
  readonly lit?: readonly string[];
}

/** The element id of a state: `state-watcher.stale`. */
export const stateElementId = (id: string): string => `state-${id.replace(/\s/g, '_')}`;

/** The element id of a transition: `edge-watcher.stale#0`. */
export const edgeElementId = (id: string): string => `edge-${id.replace(/\s/g, '_')}`;

/**
 * Draws a chart.
 *
 * @param chart - see `statechart()`
 * @param options - overlays and colours
 * @returns an SVG document without an XML declaration, so that it can stand in a page as well as in a file
 */
export async function toSvg(chart: Statechart, options: SvgOptions = {}): Promise<string> {
  return draw(chart, await layout(chart, options), options);
}

function draw(chart: Statechart, placed: ChartLayout, options: SvgOptions): string {
  const { width, height } = placed;
  const titles = new Map(chart.edges.map((edge) => [edge.id, edgeTitle(edge, options)]));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="rp-chart" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${xml(summary(chart))}" font-family="${fonts}">`,
    `<style>${styleSheet(options.theme ?? 'auto')}</style>`,
    ...placed.states.map((state) => drawState(state, titles, options)),
    ...placed.dots.map(drawDot),
    ...placed.arcs.map((arc) => drawArc(arc, titles, options)),
    ...placed.states.filter(isGround).map((state) => drawWords(state, titles, options)),
    '</svg>',
    '',
  ].join('\n');
}

const fonts = "ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace";

/** What a person hears who cannot see the drawing. */
function summary(chart: Statechart): string {
  const states = chart.nodes.length - 1;
  const count = (amount: number, noun: string): string => `${amount} ${noun}${amount === 1 ? '' : 's'}`;
  const sizes = `${count(states, 'state')}, ${count(chart.edges.length, 'transition')}`;
  const text = `Statechart of ${chart.id}: ${sizes}`;
  return chart.description === undefined ? text : `${text}. ${chart.description}`;
}

function edgeTitle(edge: StatechartEdge, options: SvgOptions): string {
  const to = edge.targets.length > 0 ? ` → ${edge.targets.join(' + ')}` : '';
  const text = `${edge.source}${to}: ${edgeText(edge, options.formatTime)}${edge.reenter ? ' (re-enters)' : ''}`;
  return edge.description === undefined ? text : `${text}\n${edge.description}`;
}

const stateTitle = (node: StatechartNode): string =>
  node.description === undefined ? node.id : `${node.id}\n${node.description}`;

/** Whether arcs may run across a state, to or from the states in it. */
const isGround = ({ node, role }: StateBox): boolean => role === 'frame' || node.children.length > 0;

function drawState(state: StateBox, titles: ReadonlyMap<string, string>, options: SvgOptions): string {
  const { node, role, x, y, width, height, title, details } = state;
  const lit = options.active?.includes(node.id) ? ' rp-lit' : '';
  const head = `<g id="${xml(stateElementId(node.id))}" class="rp-state rp-${role}${lit}"><title>${xml(stateTitle(node))}</title>`;
  if (role === 'history') return `${head}${drawHistory(state)}</g>`;
  const radius = { frame: 12, group: 10, region: 6, leaf: 8, final: 8 }[role];
  const ruled = node.children.length > 0 || details.length > 0;
  return [
    head,
    rectangle(x, y, width, height, radius, 'rp-box'),
    role === 'final' ? rectangle(x + 3, y + 3, width - 6, height - 6, radius - 3, 'rp-inner') : '',
    ruled ? `<path class="rp-rule" d="M${px(x)} ${px(title.y + title.height + 4)}h${px(width)}"/>` : '',
    isGround(state) ? '' : drawTexts(state, titles, options),
    '</g>',
  ].join('');
}

/** The words of a state that holds others, which are drawn over the arcs that cross it. */
const drawWords = (state: StateBox, titles: ReadonlyMap<string, string>, options: SvgOptions): string =>
  `<g class="rp-words rp-on-${state.role}">${drawTexts(state, titles, options)}</g>`;

const drawTexts = (state: StateBox, titles: ReadonlyMap<string, string>, options: SvgOptions): string =>
  [state.title, ...state.details].map((text) => drawListed(text, titles, options)).join('');

const rectangle = (
  x: number,
  y: number,
  width: number,
  height: number,
  radius: number,
  name: string,
): string =>
  `<rect class="${name}" x="${px(x)}" y="${px(y)}" width="${px(width)}" height="${px(height)}" rx="${radius}"/>`;

function drawHistory({ node, x, y, width, height }: StateBox): string {
  const text = node.history?.depth === 'deep' ? 'H*' : 'H';
  const centre = { x: x + width / 2, y: y + height / 2 };
  return `<circle class="rp-box" cx="${px(centre.x)}" cy="${px(centre.y)}" r="${px(width / 2 - 1)}"/><text class="rp-ink rp-bold" x="${px(centre.x)}" y="${px(centre.y + 4.5)}" font-size="12" text-anchor="middle">${text}</text>`;
}

const drawDot = ({ of, x, y, width }: InitialDot): string =>
  `<circle class="rp-dot" cx="${px(x + width / 2)}" cy="${px(y + width / 2)}" r="${px(width / 2 - 0.5)}"><title>${xml(of)} begins here</title></circle>`;

function drawListed(text: TextBox, titles: ReadonlyMap<string, string>, options: SvgOptions): string {
  if (text.edge === undefined) return drawText(text);
  const lit = options.lit?.includes(text.edge) ? ' rp-lit' : '';
  const title = xml(titles.get(text.edge) ?? text.edge);
  return `<g id="${xml(edgeElementId(text.edge))}" class="rp-edge${lit}"><title>${title}</title>${drawText(text)}</g>`;
}

function drawArc(arc: Arc, titles: ReadonlyMap<string, string>, options: SvgOptions): string {
  const lit = arc.edges.some((id) => options.lit?.includes(id)) ? ' rp-lit' : '';
  const taken = options.taken && arc.edges.length > 0 ? coverage(arc, options.taken) : '';
  const title = `${arc.source} → ${arc.target}`;
  return [
    `<g class="rp-arc rp-${arc.kind}${taken}${lit}"><title>${xml(title)}</title>`,
    `<path class="rp-line" d="${path(arc.points)}"/><path class="rp-head" d="${arrowHead(arc.points)}"/>`,
    ...arc.labels.map((label) => drawListed(label, titles, options)),
    '</g>',
  ].join('');
}

const coverage = (arc: Arc, taken: Readonly<Record<string, number>>): string =>
  arc.edges.some((id) => (taken[id] ?? 0) > 0) ? ' rp-taken' : ' rp-untaken';

function drawText(text: TextBox): string {
  let y = text.y;
  return text.lines
    .map((line) => {
      y += heightOf(line);
      const indent = indentOf(line);
      const name = `rp-${line.tone}${line.bold ? ' rp-bold' : ''}`;
      const length = px(widthOf(line) - indent);
      return `<text class="${name}" x="${px(text.x + indent)}" y="${px(y - line.size * 0.33)}" font-size="${line.size}" textLength="${length}" lengthAdjust="spacingAndGlyphs">${xml(line.text)}</text>`;
    })
    .join('');
}

/** The corners of an arc are rounded by this radius, or less where it is short. */
const cornerRadius = 7;
const arrowLength = 8;

/** The point at `length` from `from` towards `to`. */
function towards(from: Point, to: Point, length: number): Point {
  const whole = Math.hypot(to.x - from.x, to.y - from.y);
  const part = whole === 0 ? 0 : length / whole;
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}

const at = ({ x, y }: Point): string => `${px(x)} ${px(y)}`;

function path(points: readonly Point[]): string {
  const [first, ...rest] = points;
  const last = rest.pop();
  if (first === undefined || last === undefined) return '';
  const steps = [`M${at(first)}`];
  let before = first;
  for (const [index, corner] of rest.entries()) {
    const after = rest[index + 1] ?? last;
    const room = Math.min(
      Math.hypot(corner.x - before.x, corner.y - before.y),
      Math.hypot(after.x - corner.x, after.y - corner.y),
    );
    const radius = Math.min(cornerRadius, room / 2);
    steps.push(`L${at(towards(corner, before, radius))}Q${at(corner)} ${at(towards(corner, after, radius))}`);
    before = corner;
  }
  steps.push(`L${at(towards(last, before, arrowLength - 1))}`);
  return steps.join('');
}

function arrowHead(points: readonly Point[]): string {
  const tip = points.at(-1);
  const before = points.at(-2);
  if (tip === undefined || before === undefined) return '';
  const base = towards(tip, before, arrowLength);
  const across = { x: (base.y - tip.y) * 0.42, y: (tip.x - base.x) * 0.42 };
  return `M${at(tip)}L${at({ x: base.x + across.x, y: base.y + across.y })}L${at({ x: base.x - across.x, y: base.y - across.y })}Z`;
}

const xml = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

/** A tenth of a pixel is enough, and keeps the bytes equal where arithmetic is not. */
const px = (value: number): string => String(Math.round(value * 10) / 10);
