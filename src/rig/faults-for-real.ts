/**
 * The faults of a trace, done to a rig whose agent runs freely, whatever its design: what the world did in the trace is
 * done again, at the trace's pace, and the agent does what it does. Then the network is made well again, and the agent has
 * time to come level. In the trace a fault takes no time, and here it does, so a run can be too fast for its faults.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Design } from '../../models/index.ts';
import type { Order } from '../cni/steps.ts';
import type { Pick } from '../semantics/world.ts';
import { doForReal, isAgents, isForReal, placeOf } from './deeds.ts';
import { orderOf } from './replay-for-real.ts';
import type { Rig } from './rig.ts';

/** How long an agent may take to come into sync; milliseconds. */
const patience = 5000;
/** What no change of the kernel's announces is seen within so long; milliseconds. */
const unannounced = 250;

/** What became of the pods. */
export interface Suffered {
  /** Places whose pod had its route at some time. */
  readonly served: readonly number[];
  /** Places whose committed pod was without its route at some time after it had it. */
  readonly cutOff: readonly number[];
  /** Places whose committed pod has no route at the end. */
  readonly withoutRoute: readonly number[];
  /** The longest that faults took between which the trace has no time; seconds. */
  readonly faultsTook: number;
}

/** The run was given up: the faults struck so slowly that the agent's own timers may have come before them. */
export interface TooSlow {
  /** How long those took between which the trace has no time; seconds. */
  readonly tooSlow: number;
}

/**
 * Does the faults of a trace.
 *
 * @param tick - seconds of this run that a tick of the trace takes
 * @param slowest - the run is given up if faults take longer than this where the trace has no time; seconds
 */
export async function faultsForReal(
  rig: Rig,
  design: Design,
  picks: readonly Pick[],
  tick: number,
  slowest: number,
): Promise<Suffered | TooSlow> {
  const order = orderOf(design);
  const places = new Set(
    picks.flatMap((pick) => (pick.kind === 'choice' && placeOf(pick.id) > 0 ? placeOf(pick.id) : [])),
  );
  const cutOff = new Set<number>();
  const served = new Set<number>();
  const everServed = new Set<number>();
  let ended = false;
  const look = async (): Promise<void> => {
    const state = await rig.kernel.list();
    for (const place of places) {
      if (rig.pod(place)?.doing !== undefined) served.delete(place);
      if (await rig.routed(place, state)) {
        served.add(place);
        everServed.add(place);
      } else if (served.has(place) && rig.storeAnswers && (await rig.committed(place))) cutOff.add(place);
    }
  };
  let wake = (): void => {};
  const unwatch = rig.kernel.watch(() => wake());
  const watching = (async () => {
    while (!ended) {
      // What changes while it looks is looked at next.
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await look();
      await Promise.race([changed, sleep(unannounced)]);
    }
    unwatch();
  })();
  rig.hasty = true;
  const faultsTook = await strike(rig, picks, order, tick, slowest);
  if (faultsTook > slowest) {
    ended = true;
    await watching;
    return { tooSlow: faultsTook };
  }
  for (const place of places) await rig.finish(place);
  const { grace, probePeriod, probeTimeout, callDeadline, retryDelay, retryDelayMax } = design.parameters;
  const detection = probePeriod + probeTimeout + callDeadline + Math.max(retryDelay, retryDelayMax);
  await sleep((grace + 2 * detection) * 1000);
  ended = true;
  await watching;
  await look();
  const withoutRoute: number[] = [];
  for (const place of places)
    if ((await rig.committed(place)) && !(await rig.routed(place))) withoutRoute.push(place);
  return { served: [...everServed].sort(), cutOff: [...cutOff].sort(), withoutRoute, faultsTook };
}

/** @returns the longest that faults took between which the trace has no time, in seconds; the first that is too long */
async function strike(
  rig: Rig,
  picks: readonly Pick[],
  order: Order,
  tick: number,
  slowest: number,
): Promise<number> {
  let longest = 0;
  let took = 0;
  for (const pick of picks) {
    if (pick.kind === 'time') {
      if (longest > slowest) return longest;
      took = 0;
      await sleep(tick * 1000);
    }
    // What struck an agent in sync is to strike this one in sync.
    else if (pick.kind === 'choice' && pick.id === 'list.completed') await inSync(rig);
    else if (pick.kind === 'choice' && !isAgents(pick.id) && isForReal(pick.id)) {
      const began = performance.now();
      await doForReal(rig, pick.id, order);
      took += (performance.now() - began) / 1000;
      longest = Math.max(longest, took);
    }
  }
  return longest;
}

async function inSync(rig: Rig): Promise<void> {
  const end = performance.now() + patience;
  while (!rig.agent.status().ready && performance.now() < end) await sleep(10);
}
