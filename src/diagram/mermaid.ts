/**
 * Writes a chart as Mermaid text, for places that render Mermaid themselves: READMEs, issues, reviews.
 *
 * Mermaid places labels less carefully than `toSvg()`, so this is the second choice where both are possible. What
 * Mermaid has no notion of is written as text: transitions that stay in their state stand below its name, or in a note
 * beside it if other states are inside; a history state is a state named H.
 */
import type { Statechart, StatechartEdge, StatechartNode } from '../machine/statechart.ts';
import { actionText, detailTexts, edgeText, type LabelOptions, listedText } from './labels.ts';
import { isListed } from './plan.ts';

/** An arrow between two states, for all transitions that join the two. */
interface Arrow {
  readonly source: string;
  readonly target: string;
  readonly texts: readonly string[];
}

/** A chart being written. */
interface Writing {
  readonly chart: Statechart;
  readonly options: LabelOptions;
  readonly nodes: ReadonlyMap<string, StatechartNode>;
  /** Mermaid's name of each state. */
  readonly names: ReadonlyMap<string, string>;
  /** The transitions that are text. */
  readonly listed: readonly StatechartEdge[];
  /** The others. */
  readonly arrows: readonly Arrow[];
}

/**
 * Writes a chart as a Mermaid state diagram.
 *
 * @param chart - see `statechart()`
 * @param options - how times are written, and which tags are left out; counts of taken transitions are not shown
 */
export function toMermaid(chart: Statechart, options: LabelOptions = {}): string {
  const nodes = new Map(chart.nodes.map((node) => [node.id, node]));
  const parents = new Map(chart.nodes.map((node) => [node.id, node.parent]));
  const listed = chart.edges.filter((edge) => isListed(edge, parents));
  const arrows = planArrows(chart, listed, options);
  const writing = { chart, options, nodes, names: mermaidNames(chart), listed, arrows };
  const [root] = chart.nodes;
  const last = arrows
    .filter((arrow) => homeOf(arrow, nodes) === null)
    .map((arrow) => writeArrow(arrow, '  ', writing));
  return ['stateDiagram-v2', ...(root ? writeState(root, '  ', writing) : []), ...last, ''].join('\n');
}

function planArrows(chart: Statechart, listed: readonly StatechartEdge[], options: LabelOptions): Arrow[] {
  const arrows = new Map<string, Arrow>();
  const add = (source: string, target: string, texts: readonly string[]): void => {
    const key = `${source} ${target}`;
    arrows.set(key, { source, target, texts: [...(arrows.get(key)?.texts ?? []), ...texts] });
  };
  for (const { id, history } of chart.nodes) for (const target of history?.targets ?? []) add(id, target, []);
  for (const edge of chart.edges) {
    if (listed.includes(edge)) continue;
    for (const target of edge.targets) add(edge.source, target, [edgeText(edge, options.formatTime)]);
  }
  return [...arrows.values()];
}

/** Words that Mermaid would not take for a state's name. */
const reserved = [
  'class',
  'classDef',
  'click',
  'default',
  'direction',
  'end',
  'hide',
  'note',
  'scale',
  'state',
  'style',
];

/** Names of letters, digits and underscores, each different from the others. */
function mermaidNames(chart: Statechart): Map<string, string> {
  const names = new Map<string, string>();
  const used = new Set(reserved);
  for (const { id } of chart.nodes) {
    const base = id.replace(/\W/g, '_');
    let name = base;
    for (let count = 2; used.has(name); count += 1) name = `${base}_${count}`;
    used.add(name);
    names.set(id, name);
  }
  return names;
}

function writeState(node: StatechartNode, indent: string, writing: Writing): string[] {
  const name = writing.names.get(node.id);
  const title = node.kind === 'history' ? `H${node.history?.depth === 'deep' ? '*' : ''}` : node.key;
  const opening = `${indent}state "${plain(title)}" as ${name}`;
  const lines = textsIn(node, writing);
  if (node.children.length === 0) return [opening, ...lines.map((line) => `${indent}${name} : ${line}`)];
  const note = [
    `${indent}note right of ${name}`,
    ...lines.map((line) => `${indent}  ${line}`),
    `${indent}end note`,
  ];
  const inner = `${indent}  `;
  const children = node.children.flatMap((id) => writing.nodes.get(id) ?? []);
  const content =
    node.kind === 'parallel'
      ? children.flatMap((child, index) => [
          ...(index > 0 ? [`${inner}--`] : []),
          ...writeState(child, inner, writing),
        ])
      : writeContent(node, children, inner, writing);
  return [`${opening} {`, ...content, `${indent}}`, ...(lines.length > 0 ? note : [])];
}

/** What stands below a state's name. */
function textsIn(node: StatechartNode, { chart, options, listed }: Writing): string[] {
  const own = listed.filter((edge) => edge.source === node.id);
  return [...detailTexts(node, options), ...own.map((edge) => listedText(edge, chart, options))].map(plain);
}

function writeContent(
  { id, initial }: StatechartNode,
  children: readonly StatechartNode[],
  indent: string,
  writing: Writing,
): string[] {
  const { names, nodes, arrows } = writing;
  const actions = initial?.actions.map((action) => `/ ${actionText(action)}`) ?? [];
  const start = initial ? [`${indent}[*] --> ${names.get(initial.target)}${labelOf(actions)}`] : [];
  const inside = arrows.filter((arrow) => homeOf(arrow, nodes) === id);
  const finals = children.filter((child) => child.kind === 'final');
  return [
    ...start,
    ...children.flatMap((child) => writeState(child, indent, writing)),
    ...inside.map((arrow) => writeArrow(arrow, indent, writing)),
    ...finals.map((child) => `${indent}${names.get(child.id)} --> [*]`),
  ];
}

/**
 * The state whose braces an arrow is written in: the parent that its ends share. Other arrows stand at the end of the
 * text, since Mermaid takes a state for a child of wherever it is last mentioned within braces.
 */
function homeOf({ source, target }: Arrow, nodes: ReadonlyMap<string, StatechartNode>): string | null {
  const parent = nodes.get(source)?.parent ?? null;
  if (parent === null || nodes.get(parent)?.kind === 'parallel') return null;
  return nodes.get(target)?.parent === parent ? parent : null;
}

const writeArrow = ({ source, target, texts }: Arrow, indent: string, { names }: Writing): string =>
  `${indent}${names.get(source)} --> ${names.get(target)}${labelOf(texts)}`;

const labelOf = (texts: readonly string[]): string =>
  texts.length === 0 ? '' : ` : ${texts.map(plain).join('<br/>')}`;

/** Text without what Mermaid would read as its own, or as Markdown. */
const plain = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/[#;:<>"%{}\\`&*]|\b_|_\b/g, (character) => `#${character.charCodeAt(0)};`)
    .replace(/^e(?=nd note)/i, (character) => `#${character.charCodeAt(0)};`);
