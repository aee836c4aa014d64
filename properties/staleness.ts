/** Bounded response: a watch that can deliver nothing is suspected within the design's own bound. */
import type { Design } from '../models/designs.ts';
import { ticksOf } from '../models/node.system.ts';
import type { Invariant } from '../src/property.ts';

/**
 * How long a watch of this design may be unable to deliver before the design itself would have noticed, in ticks; 0 if
 * it has no means to notice.
 *
 * A pinged connection that dies just after a ping is found at the next one: keepaliveTime + keepaliveTimeout. A probed
 * watch likewise: probePeriod + probeTimeout, and a list or watch request on such a connection: callDeadline.
 */
export function detectionBound({ switches, parameters }: Design): number {
  const bounds: number[] = [];
  if (switches.includes('probes')) {
    bounds.push(ticksOf(parameters, 'probePeriod') + ticksOf(parameters, 'probeTimeout'));
  } else if (switches.includes('sendsKeepalive')) {
    bounds.push(ticksOf(parameters, 'keepaliveTime') + ticksOf(parameters, 'keepaliveTimeout'));
  }
  if (bounds.length > 0 && switches.includes('boundsCalls')) bounds.push(ticksOf(parameters, 'callDeadline'));
  if (bounds.length > 0 && switches.includes('requiresLeader'))
    bounds.push(ticksOf(parameters, 'leaderTimeout'));
  return Math.max(0, ...bounds);
}

/** A watch that can deliver nothing is suspected within the design's own bound. */
export const stalenessDetected = (): Invariant => ({
  id: 'staleness-detected',
  kind: 'invariant',
  says: 'a watch that can deliver nothing is suspected within the bound of the design itself',
  violation:
    'The watch can deliver nothing, and the agent goes on believing it for longer than its own bound.',
  witnesses: [
    {
      id: 'watch-blind',
      says: 'the watch can deliver nothing',
      state: { reads: ['stopwatch'], holds: (at) => at('stopwatch').hasTag('blind') },
    },
  ],
  clauses: [{ reads: ['stopwatch'], holds: (at) => !at('stopwatch').hasTag('expired') }],
});
