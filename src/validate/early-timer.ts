/**
 * Where a timer fired before its time. The model follows the order of the steps, of which a paused process makes late ones; that
 * one came too early only the times tell.
 */
import { type Design, type MachineId, machinesOf } from '../../models/index.ts';
import { cleanupOf, interfaceOfPart } from '../agent/actors.ts';
import type { Line } from '../agent/record.ts';
import type { Refusal } from './validate.ts';

/** Times are whole milliseconds, and Node fires up to one too early. */
const rounding = 2;

/**
 * Finds it. A state began after the line before the first that shows it, so a timer is taken to be early only if it would be
 * even then.
 *
 * @param design - with the numbers that the agent ran with, in seconds
 */
export function earlyTimer(lines: readonly Line[], design: Design): Refusal | undefined {
  // The shortest wait is the one that has not grown.
  const machines = machinesOf(design, (name) =>
    name === 'retryDelayMax' ? 0 : design.parameters[name] * 1000,
  );
  /** By part and state: before this the state had not begun. */
  const began = new Map<string, Map<string, number>>();
  let before = 0;
  for (const [place, line] of lines.entries()) {
    if (line.step === 'timer') {
      const [, delay = '', state = ''] = /^xstate\.after\.([^.]+)\.(.+)$/.exec(line.timer) ?? [];
      const start = began.get(line.part)?.get(state);
      // Of a part that no line has shown, nothing is known; a file may name any.
      const duration =
        start === undefined ? undefined : machines[machineOf(line.part)].implementations.delays[delay];
      if (start !== undefined && typeof duration === 'number' && line.at < start + duration - rounding)
        return {
          line: place,
          interface: interfaceOfPart(line.part),
          told: line,
          allowed: [`the timer '${delay}', of ${duration} ms, no sooner than at ${start + duration} ms`],
        };
    }
    const { watcher, cleanup = {} } = line.state;
    const cleanups = Object.entries(cleanup).map(([name, value]) => [cleanupOf(name), value] as const);
    for (const [part, value] of [['watcher', watcher] as const, ...cleanups]) {
      const known = began.get(part);
      const now = statesIn(machineOf(part), value).map((state): [string, number] => [
        state,
        known?.get(state) ?? before,
      ]);
      began.set(part, new Map(now));
    }
    before = line.at;
  }
  return undefined;
}

const machineOf = (part: string): MachineId =>
  interfaceOfPart(part) === undefined ? (part as MachineId) : 'cleanup';

/** The ids of the states that are in a state's value, as XState makes them. */
function statesIn(parent: string, value: unknown): string[] {
  if (typeof value === 'string') return [`${parent}.${value}`];
  return Object.entries((value ?? {}) as object).flatMap(([key, inner]) => [
    `${parent}.${key}`,
    ...statesIn(`${parent}.${key}`, inner),
  ]);
}
