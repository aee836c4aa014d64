/**
 * A checker for systems of XState machines: compose machines into a system, say what must hold, and get a proof over
 * the whole reachable space or a shortest counterexample that replays in plain XState.
 *
 * ```ts
 * const system = defineSystem({ id, parts, wiring, choices });
 * const report = await check(system, properties);
 * ```
 *
 * @module
 */
export * from './check.ts';
export { type LabelOptions, ticksOf } from './diagram/labels.ts';
export type { LayoutOptions } from './diagram/layout.ts';
export { toMermaid } from './diagram/mermaid.ts';
export type { Theme } from './diagram/palette.ts';
export { edgeElementId, type SvgOptions, stateElementId, toSvg } from './diagram/svg.ts';
export type { Stopped } from './explore/search.ts';
export {
  type ExportFormat,
  type ExportOptions,
  exportFormats,
  exportSystem,
} from './export/export.ts';
export { ExportError } from './export/export-error.ts';
export type { RunningTimer } from './machine/local-space.ts';
export * from './machine/statechart.ts';
export * from './property.ts';
export { type Timeline, type TimelineRow, timeline } from './report/timeline.ts';
export type { ChoicePick, Emission, Pick, TimePick, TimerPick } from './semantics/world.ts';
export * from './system.ts';
export { type ItfState, type ItfTrace, type ItfValue, toItf } from './trace/itf.ts';
export { type RecordedRun, readItf, TraceFormatError } from './trace/read-itf.ts';
export {
  type Replay,
  type ReplayedState,
  type ReplayedStep,
  readerOf,
  replay,
} from './trace/replay.ts';
export { type Moment, moments } from './trace/run.ts';
export type { Trace } from './trace/trace.ts';
