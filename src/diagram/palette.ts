/**
 * The colours of a drawing, and the style sheet that each drawing carries.
 */
import type { Tone } from './labels.ts';

/** Whose colours a drawing has: the page's or viewer's (`auto`), or plain ones. */
export type Theme = 'auto' | 'light' | 'dark';

/** The colours of a drawing, each by the name of its CSS variable without `--rp-`. */
export interface Palette {
  /** Names and events. */
  readonly ink: string;
  /** Guards and actions. */
  readonly mute: string;
  /** Arcs and borders. */
  readonly line: string;
  /** The ground behind everything. */
  readonly paper: string;
  /** Inside states. */
  readonly fill: string;
  /** Inside states that hold others. */
  readonly group: string;
  /** Requirement ids and the states that are lit. */
  readonly accent: string;
  /** Transitions that were taken. */
  readonly hit: string;
  /** Transitions that were never taken. */
  readonly miss: string;
}

/** Colours on a light ground. */
export const lightPalette: Palette = {
  ink: '#1b2530',
  mute: '#52606d',
  line: '#7b8794',
  paper: '#ffffff',
  fill: '#ffffff',
  group: '#f3f5f8',
  accent: '#0b6e69',
  hit: '#0b6e69',
  miss: '#b3261e',
};

/** Colours on a dark ground. */
export const darkPalette: Palette = {
  ink: '#e6edf3',
  mute: '#a9b4c0',
  line: '#7d8895',
  paper: '#12171d',
  fill: '#1d242c',
  group: '#181e25',
  accent: '#4fd1c5',
  hit: '#4fd1c5',
  miss: '#ff8a80',
};

/** The style sheet of a drawing. Its class keeps the rules from the page around it. */
export function styleSheet(theme: Theme): string {
  const names = Object.keys(lightPalette) as (keyof Palette)[];
  const plain = theme === 'dark' ? darkPalette : lightPalette;
  const ink = (name: keyof Palette): string => (theme === 'auto' ? `var(--rp-chart-${name})` : plain[name]);
  const declare = (value: (name: keyof Palette) => string): string =>
    names.map((name) => `--rp-chart-${name}:var(--rp-${name},${value(name)})`).join(';');
  const both = (name: keyof Palette): string => `light-dark(${lightPalette[name]},${darkPalette[name]})`;
  const tones: readonly Tone[] = ['ink', 'mute', 'accent', 'hit', 'miss'];
  const variables = [
    `.rp-chart{${declare((name) => lightPalette[name])}}`,
    ':root.rp-chart{color-scheme:light dark}',
    `@supports (color:light-dark(#000,#fff)){.rp-chart{${declare(both)}}}`,
  ];
  return [
    ...(theme === 'auto' ? variables : []),
    ...tones.map((tone) => `.rp-chart .rp-${tone}{fill:${ink(tone)}}`),
    '.rp-chart .rp-bold{font-weight:700}',
    `.rp-chart .rp-box{fill:${ink('fill')};stroke:${ink('line')};stroke-width:1.2}`,
    `.rp-chart .rp-frame>.rp-box{fill:${ink('paper')}}`,
    `.rp-chart .rp-group>.rp-box{fill:${ink('group')}}`,
    `.rp-chart .rp-region>.rp-box{fill:${ink('paper')};stroke-dasharray:7 4}`,
    `.rp-chart .rp-words text{paint-order:stroke;stroke:${ink('paper')};stroke-width:4;stroke-linejoin:round}`,
    `.rp-chart .rp-on-group text{stroke:${ink('group')}}`,
    '.rp-chart .rp-words>text{pointer-events:none}',
    `.rp-chart .rp-inner{fill:none;stroke:${ink('line')};stroke-width:1.2}`,
    `.rp-chart .rp-rule{fill:none;stroke:${ink('line')};stroke-width:.6}`,
    `.rp-chart .rp-line{fill:none;stroke:${ink('line')};stroke-width:1.3}`,
    `.rp-chart .rp-head{fill:${ink('line')}}`,
    `.rp-chart .rp-dot{fill:${ink('ink')}}`,
    '.rp-chart .rp-timer>.rp-line{stroke-dasharray:6 4}',
    '.rp-chart .rp-history>.rp-line{stroke-dasharray:2 3}',
    ...(['hit', 'miss'] as const).flatMap((tone) => {
      const arc = `.rp-chart .rp-${tone === 'hit' ? 'taken' : 'untaken'}`;
      return [`${arc}>.rp-line{stroke:${ink(tone)}}`, `${arc}>.rp-head{fill:${ink(tone)}}`];
    }),
    `.rp-chart .rp-lit>.rp-box,.rp-chart .rp-lit>.rp-line{stroke:${ink('accent')};stroke-width:2.4}`,
    `.rp-chart .rp-lit>.rp-head,.rp-chart .rp-edge.rp-lit>text{fill:${ink('accent')}}`,
  ].join('');
}
