/**
 * Where a timer fired before its time. The model follows the order of the steps, of which a paused process makes late ones; that
 * one came too early only the times tell.
 */
import { type Design, type MachineId, machinesOf } from '../../models/index.ts';
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
  const durationOf = (part: string, delay: string): unknown =>
    machines[part.replace(/\[.*$/s, '') as MachineId]?.implementations.delays[delay];
  /** By part and state: before this the state had not begun. */
  const began = new Map<string, Map<string, number>>();
  let before = 0;
  for (const [place, line] of lines.entries()) {
    if (line.step === 'timer') {
      const [, delay = '', state = ''] = /^xstate\.after\.([^.]+)\.(.+)$/.exec(line.timer) ?? [];
      const duration = durationOf(line.part, delay);
      const start = began.get(line.part)?.get(state);
      if (typeof duration === 'number' && start !== undefined && line.at < start + duration - rounding)
        return {
          line: place,
          interface: /^cleanup\[(.*)\]$/s.exec(line.part)?.[1],
          told: line,
          allowed: [`the timer '${delay}', of ${duration} ms, no sooner than at ${start + duration} ms`],
        };
    }
    const { watcher, cleanup = {} } = line.state;
    const shown: [string, string, unknown][] = [
      ['watcher', 'watcher', watcher],
      ...Object.entries(cleanup).map(([name, value]): [string, string, unknown] => [
        `cleanup[${name}]`,
        'cleanup',
        value,
      ]),
    ];
    for (const [part, machine, value] of shown) {
      const known = began.get(part);
      const now = statesIn(machine, value).map((state): [string, number] => [
        state,
        known?.get(state) ?? before,
      ]);
      began.set(part, new Map(now));
    }
    before = line.at;
  }
  return undefined;
}

/** The ids of the states that are in a state's value, as XState makes them. */
function statesIn(parent: string, value: unknown): string[] {
  if (typeof value === 'string') return [`${parent}.${value}`];
  return Object.entries((value ?? {}) as object).flatMap(([key, inner]) => [
    `${parent}.${key}`,
    ...statesIn(`${parent}.${key}`, inner),
  ]);
}
