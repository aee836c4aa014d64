/**
 * What a design costs: whether the agent must write to the store, how long a watch can be blind before it is suspected,
 * and how long an endpoint can be without its route because of one silent death of the watch connection.
 *
 * The two durations are found by the checker, not computed from the parameters: the longest duration is the smallest
 * one that is proved never to be exceeded.
 */
import type { Design } from '../models/designs.ts';
import { nodeSystem } from '../models/node.system.ts';
import { type CheckOptions, check } from '../src/check.ts';
import type { Invariant } from '../src/property.ts';
import type { System } from '../src/system.ts';
import { meterOf } from './meter.machine.ts';
import { stopwatchHears } from './stopwatch.machine.ts';

/** A duration in seconds, or `never` if there is no bound to it. */
export type Duration = number | 'never';

/** What a design costs. */
export interface Costs {
  /** The agent writes to the store, which some operators do not allow. */
  readonly agentWrites: boolean;
  /** The longest time for which a silent watch is believed, whatever silenced it. `never` if some never is suspected. */
  readonly suspectSeconds: Duration;
  /**
   * The longest time for which a pod is without the route that the agent deleted, if the watch connection dies silently
   * once and the agent itself is prompt. 0 if no such route is deleted; `never` if it may never come back.
   */
  readonly outageSeconds: Duration;
}

/** Longer durations than this many ticks are taken to be endless; the longest bound of a shipped design has nine. */
const horizonTicks = 24;

/**
 * Finds what a design costs.
 *
 * @param design - the design; its parameters are in force
 * @param options - passed on to the checks
 */
export async function costs(design: Design, options: CheckOptions = {}): Promise<Costs> {
  const blind = nodeSystem(design, {
    endpoints: 0,
    observers: {
      meter: {
        machine: meterOf(horizonTicks, { starts: ['stream.silenced', 'watch.muted'], ends: blindnessEnds }),
        hears: stopwatchHears,
      },
    },
  });
  const cutOff = nodeSystem(design, {
    endpoints: 1,
    faults: ['half-open'],
    strikes: 1,
    promptAgent: true,
    observers: {
      meter: { machine: meterOf(horizonTicks, outage), hears: [...outage.starts, ...outage.ends] },
    },
  });
  return {
    agentWrites: design.agentWrites,
    suspectSeconds: await longest(blind, design, options),
    outageSeconds: await longest(cutOff, design, options),
  };
}

/** A route of the newest pod is deleted; it stands again, or there is no pod any more that wants it. */
const outage = {
  starts: ['route.deleted'],
  ends: ['route.repaired', 'route.added', 'pod.superseded', 'interface.vanished'],
};

const blindnessEnds = ['stream.restored', 'connection.ended', 'watch.lost', 'store.overtook', 'agent.paused'];

/** The longest time that the meter of a system can show. */
async function longest(system: System, design: Design, options: CheckOptions): Promise<Duration> {
  const properties = Array.from({ length: horizonTicks }, (_, ticks) => withinTicks(ticks));
  const report = await check(system, properties, options);
  const proved = report.properties.findIndex(({ verdict }) => verdict === 'proved');
  return proved === -1 ? 'never' : proved * design.parameters.tick;
}

function withinTicks(ticks: number): Invariant {
  return {
    id: `within-${ticks}-ticks`,
    kind: 'invariant',
    says: `the meter shows no more than ${ticks} ticks`,
    violation: `The meter shows more than ${ticks} ticks.`,
    witnesses: [],
    clauses: [
      { reads: ['meter'], holds: (at) => (at('meter').context as { elapsed: number }).elapsed <= ticks },
    ],
  };
}
