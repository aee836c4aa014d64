/**
 * The words of a diagram, as lines whose size is known before anything is drawn.
 *
 * All text is monospaced, so a line is as wide as it has characters. That holds in any viewer, because the drawing
 * pins each line to this width with `textLength`.
 */
import type {
  Statechart,
  StatechartAction,
  StatechartEdge,
  StatechartInitial,
  StatechartNode,
} from '../machine/statechart.ts';

/** What a line of text is for, which decides its colour. */
export type Tone = 'ink' | 'mute' | 'accent' | 'hit' | 'miss';

/** One line of text. */
export interface Line {
  readonly text: string;
  /** Font size in pixels. */
  readonly size: number;
  readonly tone: Tone;
  readonly bold?: boolean;
  /** Characters of empty space before the text. */
  readonly indent?: number;
}

/** What a diagram shows besides the machine itself. */
export interface LabelOptions {
  /** Writes a delay's value. Left out: milliseconds, as in XState. See {@link ticksOf} for machines with ticks. */
  readonly formatTime?: (value: number) => string;
  /** How often each transition was taken, by edge id. Given, each label tells it, and absent ids count as 0. */
  readonly taken?: Readonly<Record<string, number>>;
  /** Tags that are not worth showing, such as those that every state has. */
  readonly hiddenTags?: readonly string[];
}

/** A line is this many pixels high for each pixel of its font. */
const lineHeight = 1.35;
/** The widest of the common monospaced fonts takes this part of its size for a character. */
const characterWidth = 0.602;
/** Longer lines beside an arc are broken. */
const arcCharactersMax = 32;
/** The same inside a state. */
const stateCharactersMax = 40;
/** The same in the machine itself, which has more room. */
const frameCharactersMax = 90;

/** How wide a line is drawn, its indent included. */
export const widthOf = (line: Line): number =>
  ([...line.text].length + (line.indent ?? 0)) * line.size * characterWidth;

/** How far a line is moved to the right. */
export const indentOf = (line: Line): number => (line.indent ?? 0) * line.size * characterWidth;

/** How high a line is. */
export const heightOf = (line: Line): number => line.size * lineHeight;

/** The space that lines take, one below the other. */
export function measure(lines: readonly Line[]): { width: number; height: number } {
  return {
    width: Math.ceil(Math.max(0, ...lines.map(widthOf))),
    height: Math.ceil(lines.reduce((height, line) => height + heightOf(line), 0)),
  };
}

/** Breaks a line at spaces, but not behind an arrow, a slash or a verb; what follows is indented. */
export function wrap(line: Line, max: number): Line[] {
  const rows: string[] = [];
  let row = '';
  for (const word of line.text.split(/(?<![→/]|\b(?:emit|raise|assign)) /)) {
    const room = max - (rows.length > 0 ? 2 : 0);
    if (row !== '' && row.length + 1 + word.length > room) {
      rows.push(row);
      row = word;
    } else {
      row = row === '' ? word : `${row} ${word}`;
    }
  }
  const indent = line.indent ?? 0;
  return [...rows, row].map((text, index) => ({ ...line, text, indent: index === 0 ? indent : indent + 2 }));
}

/** Milliseconds as people write them: `250 ms`, `1.5 s`, `30 s`, `2 min`. */
export function formatMilliseconds(value: number): string {
  if (value >= 60_000 && value % 60_000 === 0) return `${value / 60_000} min`;
  return value >= 1_000 && value % 100 === 0 ? `${value / 1_000} s` : `${value} ms`;
}

/**
 * A writer of times for machines whose delays are whole ticks.
 *
 * @param seconds - the length of a tick; left out, times are written in ticks
 */
export const ticksOf =
  (seconds?: number): ((value: number) => string) =>
  (value) => {
    if (seconds !== undefined) return formatMilliseconds(Math.round(value * seconds * 1_000));
    return value === 1 ? '1 tick' : `${value} ticks`;
  };

/** What sets a transition off, in words: `route.added`, `after gracePeriod = 10 s`, `always`, `done`. */
function triggerText(
  edge: StatechartEdge,
  formatTime: (value: number) => string = formatMilliseconds,
): string {
  switch (edge.kind) {
    case 'event':
      return edge.trigger;
    case 'always':
      return 'always';
    case 'after': {
      const { name, value } = edge.delay ?? {};
      const time = value === undefined ? undefined : formatTime(value);
      return `after ${[name, time].filter((each) => each !== undefined).join(' = ')}`;
    }
    case 'done':
      return edge.trigger === edge.source ? 'done' : `done ${edge.trigger}`;
    case 'error':
    case 'snapshot':
      return `${edge.kind} ${edge.trigger}`;
  }
}

/** What an action does, in words: the event that it emits, whatever its name is; otherwise its name. */
export const actionText = ({ label, emits }: StatechartAction): string =>
  emits === undefined ? label : `emit ${emits}`;

/** The condition of a transition in brackets, `[else]` for what remains, or nothing. */
function guardText(edge: StatechartEdge): string {
  if (edge.guard !== undefined) return `[${edge.guard.label}]`;
  return edge.otherwise ? '[else]' : '';
}

/** A whole transition in one line: `route.seen [not known] / startGrace`. */
export function edgeText(edge: StatechartEdge, formatTime?: (value: number) => string): string {
  const actions = edge.actions.length > 0 ? `/ ${edge.actions.map(actionText).join(', ')}` : '';
  return [triggerText(edge, formatTime), guardText(edge), actions].filter((part) => part !== '').join(' ');
}

/** The requirement ids in a state's or a transition's `meta.requirements`. */
function requirementsOf(from: { readonly meta?: Readonly<Record<string, unknown>> }): string[] {
  const requirements = from.meta?.requirements;
  return Array.isArray(requirements) ? requirements.filter((id) => typeof id === 'string') : [];
}

const requirementLines = (
  from: { readonly meta?: Readonly<Record<string, unknown>> },
  indent: number,
): Line[] => {
  const ids = requirementsOf(from);
  if (ids.length === 0) return [];
  return wrap({ text: ids.join(' '), size: 9.5, tone: 'accent', bold: true, indent }, stateCharactersMax);
};

/** The label of an arc. */
export function edgeLines(edge: StatechartEdge, options: LabelOptions): Line[] {
  const below = [guardText(edge), ...edge.actions.map((action) => `/ ${actionText(action)}`)];
  const lines: Line[] = [
    { text: triggerText(edge, options.formatTime), size: 11, tone: 'ink' },
    ...below.filter((text) => text !== '').map((text): Line => ({ text, size: 11, tone: 'mute', indent: 1 })),
  ];
  return [...lines.flatMap((line) => wrap(line, arcCharactersMax)), ...noteLines(edge, options)];
}

/** The label at the dot where a compound state begins: nothing, unless something is done there. */
export function initialLines(initial: StatechartInitial): Line[] {
  const lines = initial.actions.map(
    (action): Line => ({ text: `/ ${actionText(action)}`, size: 11, tone: 'mute' }),
  );
  return lines.flatMap((line) => wrap(line, arcCharactersMax));
}

/**
 * A transition that is listed in its source instead of drawn as an arc, in one line.
 *
 * @param chart - tells the states' names
 */
export function listedText(edge: StatechartEdge, chart: Statechart, options: LabelOptions): string {
  const parts = [triggerText(edge, options.formatTime), guardText(edge), outcomeText(edge, chart)];
  const actions = edge.actions.map((action) => `/ ${actionText(action)}`);
  return [...parts, ...actions].filter((part) => part !== '').join(' ');
}

/** The same as the lines that a drawing has room for. */
export function listedLines(edge: StatechartEdge, chart: Statechart, options: LabelOptions): Line[] {
  const max = edge.source === chart.id ? frameCharactersMax : stateCharactersMax;
  const text = listedText(edge, chart, options);
  return [...wrap({ text, size: 11, tone: 'ink' }, max), ...noteLines(edge, options)];
}

/** Where a listed transition leads. */
function outcomeText(edge: StatechartEdge, chart: Statechart): string {
  const leaf = chart.nodes.some((node) => node.id === edge.source && node.children.length === 0);
  const stays = edge.targets.length === 0 || (leaf && edge.targets.every((target) => target === edge.source));
  if (stays && edge.actions.length > 0) return '';
  if (stays) return edge.targets.length === 0 ? '(ignored)' : '(stays)';
  const targets = edge.targets.map((target) =>
    target === edge.source
      ? 'itself'
      : (nameWithin(target, edge.source) ?? nameWithin(target, chart.id) ?? target),
  );
  return `→ ${targets.join(' + ')}${edge.reenter ? ', re-entering' : ''}`;
}

const nameWithin = (id: string, outer: string): string | undefined =>
  id.startsWith(`${outer}.`) ? id.slice(outer.length + 1) : undefined;

function noteLines(edge: StatechartEdge, options: LabelOptions): Line[] {
  const taken = options.taken === undefined ? [] : [takenLine(options.taken[edge.id] ?? 0)];
  return [...requirementLines(edge, 1), ...taken];
}

function takenLine(times: number): Line {
  const text = times > 0 ? `taken ${times.toLocaleString('en')}×` : 'never taken';
  return { text, size: 9.5, tone: times > 0 ? 'hit' : 'miss', bold: true, indent: 1 };
}

/** The name of a state. */
export const titleLine = (node: StatechartNode): Line => ({
  text: node.key,
  size: node.parent === null ? 15 : 13,
  tone: 'ink',
  bold: true,
});

/** What a state does, and its tags. */
export function detailTexts(node: StatechartNode, options: LabelOptions): string[] {
  const tags = node.tags.filter((tag) => !options.hiddenTags?.includes(tag));
  return [
    ...(tags.length > 0 ? [tags.map((tag) => `«${tag}»`).join(' ')] : []),
    ...node.entry.map((action) => `entry / ${actionText(action)}`),
    ...node.exit.map((action) => `exit / ${actionText(action)}`),
    ...node.invokes.map((invoked) => `invoke / ${invoked}`),
  ];
}

/** What stands below a state's name, its own listed transitions apart. */
export function detailLines(node: StatechartNode, options: LabelOptions): Line[] {
  const lines = detailTexts(node, options).map((text): Line => ({ text, size: 11, tone: 'mute' }));
  const wrapped = lines.flatMap((line) => wrap(line, stateCharactersMax));
  return [...aboutLines(node), ...wrapped, ...requirementLines(node, 0)];
}

/** The sentence about the machine itself. Those about its states are told by tooltips, for want of room. */
function aboutLines({ parent, description }: StatechartNode): Line[] {
  if (parent !== null || description === undefined) return [];
  const lines = wrap({ text: description, size: 11, tone: 'mute' }, frameCharactersMax);
  return lines.map((line) => ({ ...line, indent: 0 }));
}
