import { beforeAll, describe, expect, it } from 'vitest';
import { assign, createMachine, emit, setup } from 'xstate';
import { darkPalette, lightPalette } from '../../src/diagram/palette.ts';
import { edgeElementId, type SvgOptions, stateElementId, toSvg } from '../../src/diagram/svg.ts';
import { type Statechart, statechart } from '../../src/machine/statechart.ts';

const machine = setup({
  delays: { gracePeriod: 10_000 },
  actions: { sayGone: emit({ type: 'route.gone' }), forget: assign({}) },
}).createMachine({
  id: 'cleanup',
  description: 'What is "unexpected" & <old> goes.',
  initial: 'expected',
  on: { 'agent.restarted': { target: '.expected', actions: 'forget' } },
  states: {
    expected: {
      on: {
        'endpoint.removed': 'inGrace',
        'endpoint.seen': { actions: 'forget' },
        'apply.started': { target: 'expected', reenter: true },
      },
    },
    inGrace: {
      meta: { requirements: ['ROUTE-2'] },
      description: 'Left alone for a while.',
      after: { gracePeriod: 'deleting' },
      on: { 'endpoint.added': { target: 'expected', description: 'It came back.' } },
    },
    deleting: {
      initial: 'asking',
      states: {
        asking: {
          on: {
            'fence.answered': [
              { guard: () => false, target: '#cleanup.expected' },
              { target: 'done', actions: 'sayGone' },
            ],
          },
        },
        done: { type: 'final' },
        back: { type: 'history', history: 'deep' },
      },
      onDone: 'gone',
    },
    gone: { type: 'final', entry: 'forget' },
  },
});

const chart = statechart(machine);
const draw = (options?: SvgOptions): Promise<string> => toSvg(chart, options);

/** The first thing that keeps a text from being XML, or nothing. */
function xmlFault(text: string): string | undefined {
  const open: string[] = [];
  const tag =
    /<(\/?)([a-z]+)((?:\s+[\w:-]+="(?:[^"<&]|&(?:amp|lt|gt|quot);)*")*)\s*(\/?)>|&(?:amp|lt|gt|quot);|[^<&]/gsu;
  let end = 0;
  for (const match of text.matchAll(tag)) {
    if (match.index !== end) return `unexpected ${text.slice(end, end + 40)}`;
    end += match[0].length;
    const [, closing, name, attributes = '', empty] = match;
    if (name === undefined) {
      if (open.length === 0 && match[0].trim() !== '') return `text outside of the root: ${match[0]}`;
      continue;
    }
    const keys = [...attributes.matchAll(/([\w:-]+)=/g)].map((found) => found[1]);
    if (new Set(keys).size !== keys.length) return `an attribute twice in ${match[0]}`;
    if (closing && open.pop() !== name) return `unexpected ${match[0]}`;
    if (!closing && !empty) open.push(name);
  }
  if (end !== text.length) return `unexpected ${text.slice(end, end + 40)}`;
  return open.length === 0 ? undefined : `not closed: ${open.join(', ')}`;
}

const idsIn = (svg: string): string[] => [...svg.matchAll(/ id="([^"]*)"/g)].map((found) => found[1] ?? '');
/** What stands between the tags of the group with an id. */
function groupOf(svg: string, id: string): string {
  const start = svg.indexOf(`<g id="${id}"`);
  if (start < 0) throw new Error(`no group ${id}`);
  let depth = 0;
  for (const match of svg.slice(start).matchAll(/<g[ >]|<\/g>/g)) {
    depth += match[0] === '</g>' ? -1 : 1;
    if (depth === 0) return svg.slice(start, start + match.index);
  }
  throw new Error(`${id} is not closed`);
}
const textsIn = (part: string): string[] =>
  [...part.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map((found) => found[1] ?? '');

describe('an SVG', () => {
  let svg = '';
  beforeAll(async () => {
    svg = await draw();
  });

  it('is well-formed, and the check can tell', () => {
    expect(xmlFault(svg)).toBeUndefined();
    for (const broken of [
      svg.replace('</g>', ''),
      svg.replace('&amp;', '&'),
      svg.replace('<rect ', '<rect a b="1'),
    ]) {
      expect(xmlFault(broken)).toBeDefined();
    }
  });

  it('is the same, byte for byte, for an equal chart', async () => {
    expect(await toSvg(JSON.parse(JSON.stringify(chart)) as Statechart)).toBe(svg);
    expect(await draw()).toBe(svg);
  });

  it('has one element for each state and each transition', () => {
    const wanted = [
      ...chart.nodes.map((node) => stateElementId(node.id)),
      ...chart.edges.map((edge) => edgeElementId(edge.id)),
    ];
    expect(idsIn(svg).toSorted()).toEqual(wanted.toSorted());
    expect(idsIn(svg)).toContain('state-cleanup.inGrace');
    expect(idsIn(svg)).toContain('edge-cleanup.inGrace#0');
  });

  it('can be named by those who cannot see it', () => {
    expect(svg).toMatch(
      /^<svg [^>]*role="img" aria-label="Statechart of cleanup: 7 states, 9 transitions\. What is &quot;/,
    );
  });

  it('needs nothing from elsewhere', () => {
    expect(svg.replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(
      /https?:|url\(|<script|<image|href/,
    );
  });

  it('tells in tooltips what is written about states and transitions', () => {
    expect(groupOf(svg, 'state-cleanup.inGrace')).toContain(
      '<title>cleanup.inGrace\nLeft alone for a while.</title>',
    );
    expect(groupOf(svg, 'edge-cleanup.inGrace#0')).toContain(
      '<title>cleanup.inGrace → cleanup.expected: endpoint.added\nIt came back.</title>',
    );
    expect(groupOf(svg, 'edge-cleanup.expected#2')).toContain(
      '<title>cleanup.expected → cleanup.expected: apply.started (re-enters)</title>',
    );
  });

  it('labels transitions with event, guard and actions on lines of their own', () => {
    expect(textsIn(groupOf(svg, 'edge-cleanup.inGrace#1'))).toEqual(['after gracePeriod = 10 s']);
    expect(textsIn(groupOf(svg, 'edge-cleanup.deleting.asking#0'))).toEqual(['fence.answered', '[(inline)]']);
    expect(textsIn(groupOf(svg, 'edge-cleanup.deleting.asking#1'))).toEqual([
      'fence.answered',
      '[else]',
      '/ emit route.gone',
    ]);
  });

  it("lists the machine's own transitions in its frame", () => {
    expect(textsIn(groupOf(svg, 'edge-cleanup#0'))).toEqual(['agent.restarted → expected / forget']);
  });

  it('shows requirement ids', () => {
    expect(textsIn(groupOf(svg, 'state-cleanup.inGrace'))).toContain('ROUTE-2');
  });

  it('draws timers dashed, final states with a second border, histories as circles', () => {
    expect(svg).toContain('.rp-chart .rp-timer>.rp-line{stroke-dasharray:6 4}');
    expect(svg.match(/<g class="rp-arc rp-timer">/g)).toHaveLength(1);
    expect(svg.match(/rp-inner" x=/g)).toHaveLength(2);
    expect(groupOf(svg, 'state-cleanup.gone')).toContain('rp-inner');
    expect(groupOf(svg, 'state-cleanup.expected')).not.toContain('rp-inner');
    expect(groupOf(svg, 'state-cleanup.deleting.back')).toMatch(/<circle .*H\*/);
  });

  it('pins the width of every line', () => {
    const pinned = svg.match(/<text [^>]*textLength="[\d.]+"/g) ?? [];
    expect(pinned).toHaveLength(textsIn(svg).length - 1); // The H of a history is centred instead.
  });
});

describe('colours', () => {
  it('come from the page, and otherwise from light or dark', async () => {
    const svg = await draw();
    expect(svg).toContain(`--rp-chart-ink:var(--rp-ink,light-dark(${lightPalette.ink},${darkPalette.ink}))`);
    expect(svg).toContain(':root.rp-chart{color-scheme:light dark}');
  });

  it.each([
    ['light', lightPalette, darkPalette],
    ['dark', darkPalette, lightPalette],
  ] as const)('are plain in a %s drawing', async (theme, own, other) => {
    const svg = await draw({ theme });
    expect(svg).not.toMatch(/var\(|light-dark/);
    expect(svg).toContain(own.ink);
    expect(svg).not.toContain(other.ink);
    expect(xmlFault(svg)).toBeUndefined();
  });
});

describe('overlays', () => {
  it('tell how often transitions were taken', async () => {
    const svg = await draw({ taken: { 'cleanup.inGrace#1': 12_345 } });
    expect(textsIn(groupOf(svg, 'edge-cleanup.inGrace#1'))).toContain('taken 12,345×');
    expect(textsIn(groupOf(svg, 'edge-cleanup.inGrace#0'))).toContain('never taken');
    expect(textsIn(groupOf(svg, 'edge-cleanup#0'))).toContain('never taken');
    expect(svg).toContain('<g class="rp-arc rp-timer rp-taken">');
    expect(svg.match(/<g class="rp-arc rp-initial">/g)).toHaveLength(2);
  });

  it('light states and transitions', async () => {
    const svg = await draw({ active: ['cleanup.inGrace'], lit: ['cleanup.inGrace#1', 'cleanup#0'] });
    expect(svg).toContain('<g id="state-cleanup.inGrace" class="rp-state rp-leaf rp-lit">');
    expect(svg).toContain('<g id="edge-cleanup.inGrace#1" class="rp-edge rp-lit">');
    expect(svg).toContain('<g id="edge-cleanup#0" class="rp-edge rp-lit">');
    expect(svg.match(/ rp-lit"/g)).toHaveLength(4); // The arc of the timer is the fourth.
  });

  it('leave out tags that say nothing, and write times as they are told to', async () => {
    const tagged = statechart(
      createMachine({
        id: 'm',
        initial: 'a',
        states: { a: { tags: ['rest', 'calm'], after: { 3: 'b' } }, b: {} },
      }),
    );
    const svg = await toSvg(tagged, { hiddenTags: ['rest'], formatTime: (value) => `${value} beats` });
    expect(textsIn(groupOf(svg, 'state-m.a'))).toEqual(['a', '«calm»']);
    expect(textsIn(groupOf(svg, 'edge-m.a#0'))).toEqual(['after 3 beats']);
  });
});

it('escapes whatever names a machine uses', async () => {
  const odd = createMachine({
    id: 'a<b>&"c"',
    initial: 'x y',
    states: { 'x y': { on: { '<&">': { target: 'z', guard: '<1>', actions: '&' } } }, z: { entry: '"<' } },
  } as never);
  const svg = await toSvg(statechart(odd));
  expect(xmlFault(svg)).toBeUndefined();
  expect(textsIn(svg)).toEqual(
    expect.arrayContaining(['&lt;&amp;&quot;&gt;', '[&lt;1&gt;]', '/ &amp;', 'entry / &quot;&lt;']),
  );
  expect(idsIn(svg)).toContain('state-a&lt;b&gt;&amp;&quot;c&quot;.x_y');
});
