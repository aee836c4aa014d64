/**
 * The faults of a trace, done to a rig whose agent runs freely, whatever its design: what the world did in the trace is
 * done again, at the trace's pace, and the agent does what it does. Then the network is made well again, and the agent has
 * time to come level.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Design } from '../../models/index.ts';
import type { Pick } from '../semantics/world.ts';
import { doForReal, isAgents, isForReal, placeOf } from './deeds.ts';
import { orderOf } from './replay-for-real.ts';
import type { Rig } from './rig.ts';

/** How long an agent may take to come into sync; milliseconds. */
const patience = 5000;

/** What became of the pods. */
export interface Suffered {
  /** Places whose committed pod was without its route at some time after it had it. */
  readonly cutOff: readonly number[];
  /** Places whose committed pod has no route at the end. */
  readonly withoutRoute: readonly number[];
}

/** Does the faults of a trace. @param tick - seconds of this run that a tick of the trace takes */
export async function faultsForReal(
  rig: Rig,
  design: Design,
  picks: readonly Pick[],
  tick: number,
): Promise<Suffered> {
  const order = orderOf(design);
  const places = new Set(
    picks.flatMap((pick) => (pick.kind === 'choice' && placeOf(pick.id) > 0 ? placeOf(pick.id) : [])),
  );
  const cutOff = new Set<number>();
  const served = new Set<number>();
  let ended = false;
  const look = async (): Promise<void> => {
    const state = await rig.kernel.list();
    for (const place of places) {
      if (rig.pod(place)?.doing !== undefined) served.delete(place);
      if (await rig.routed(place, state)) served.add(place);
      else if (served.has(place) && rig.storeAnswers && (await rig.committed(place))) cutOff.add(place);
    }
  };
  const watching = (async () => {
    while (!ended) {
      await look();
      await sleep(20);
    }
  })();
  for (const pick of picks) {
    if (pick.kind === 'time') await sleep(tick * 1000);
    // What struck an agent in sync is to strike this one in sync.
    else if (pick.kind === 'choice' && pick.id === 'list.completed') await inSync(rig);
    else if (pick.kind === 'choice' && !isAgents(pick.id) && isForReal(pick.id))
      await doForReal(rig, pick.id, order);
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
  return { cutOff: [...cutOff].sort(), withoutRoute };
}

async function inSync(rig: Rig): Promise<void> {
  const end = performance.now() + patience;
  while (!rig.agent.status().ready && performance.now() < end) await sleep(10);
}
