/**
 * A trace of the checker, played against a running agent on real parts. The agent's steps are held and released in the
 * trace's order; what the trace says of the world is done to the rig. After each step the agent, the store and the kernel
 * have to be as the model is.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Design } from '../../models/index.ts';
import { CniError } from '../cni/cni-error.ts';
import type { Order } from '../cni/steps.ts';
import { StoreError } from '../etcd/store.ts';
import type { Pick } from '../semantics/world.ts';
import { type System, SystemError } from '../system.ts';
import { readerOf } from '../trace/replay.ts';
import { type Moment, moments } from '../trace/run.ts';
import { Arrangements } from './arrangements.ts';
import { doForReal, isAgents, placeOf } from './deeds.ts';
import { QuietConnection } from './quiet-connection.ts';
import type { NewTrace, Rig } from './rig.ts';

/** How a replay on real parts ended. */
export type Replayed =
  | { readonly reproduced: true; readonly steps: number }
  | { readonly reproduced: false; readonly step: number; readonly reason: string };

/** How long an answer of a real part is waited for, beyond what the design's own numbers say; milliseconds. */
const patience = 3000;

/** Within so many milliseconds of a list the watch behind it has told what has happened since the list was read. */
const listed = 50;

/** The order of the plugin's steps in a design. */
export const orderOf = ({ switches }: Design): Order =>
  switches.includes('writesEndpointFirst') ? 'endpoint-first' : 'route-first';

/**
 * Plays a trace on a rig, on which it starts the agent, with held steps.
 *
 * @param design - that of the trace, in seconds of this replay
 * @param refresh - seconds between applies that nothing causes
 */
export async function replayForReal(
  rig: Rig,
  system: System,
  design: Design,
  picks: readonly Pick[],
  refresh: number,
  newTrace?: NewTrace,
): Promise<Replayed> {
  const longest = Math.max(...Object.values(design.parameters)) * 1000;
  const arrangements = new Arrangements(rig, picks);
  const quiet = new QuietConnection(rig, system);
  let step = 0;
  try {
    for (const moment of moments(system, picks)) {
      const { pick, index, state } = moment;
      const part = readerOf(system, state);
      const watcher = part('watcher');
      step = index;
      await arrangements.flow(pick, part('link'));
      await arrangements.before(pick, watcher, index);
      if (pick === undefined) rig.startAgent(design, refresh, true, newTrace);
      const refused = pick === undefined ? undefined : await play(rig, design, pick, moment, longest);
      const reason = refused ?? (await differs(rig, system, moment)) ?? (await quiet.broken(moment));
      if (reason !== undefined) return { reproduced: false, step, reason };
      await arrangements.after(watcher, index);
    }
  } catch (error) {
    if (error instanceof SystemError) return { reproduced: false, step: step + 1, reason: error.message };
    // What the plugin cannot do is a difference from the model, in which it can.
    if (error instanceof CniError || error instanceof StoreError)
      return { reproduced: false, step, reason: error.message };
    throw error;
  }
  return { reproduced: true, steps: picks.length };
}

async function play(
  rig: Rig,
  design: Design,
  pick: Pick,
  moment: Moment,
  longest: number,
): Promise<string | undefined> {
  const { steps } = rig.agent;
  const wait = longest + patience;
  if (pick.kind === 'time') {
    await sleep(design.parameters.tick * 1000);
    return undefined;
  }
  if (pick.kind === 'timer') {
    if (pick.part === 'link') return closes(rig, moment, wait);
    // What only measures the model is nobody's timer.
    if (!/^(watcher|apply|cleanup\[\d+\])$/.test(pick.part)) return undefined;
    const name = `${partOf(rig, pick.part)}: ${pick.timer}`;
    return (await steps.release(name, wait))
      ? undefined
      : `the agent's timer '${pick.timer}' did not come due`;
  }
  if (!isAgents(pick.id)) {
    // Where there is no record that could be forgotten, nothing is restored.
    const restored = moment.emissions.some(({ event }) => event.type === 'backup.restored');
    if (pick.id.startsWith('record.forgotten') && !restored) return undefined;
    await doForReal(rig, pick.id, orderOf(design));
    if (pick.id === 'watch.cancelled' && !(await steps.release(pick.id, wait)))
      return 'the agent was not told of the end of its watch';
    return closes(rig, moment, wait);
  }
  if (pick.id === 'apply.ran' || pick.id === 'resync.ran') rig.agent.want(pick.id);
  // Which member answers its read is not the agent's to say: to it the step is the same.
  const name = partOf(rig, pick.id.replace('fence.misled', 'fence.polled'));
  if (await steps.release(name, wait)) {
    await catchUp(rig, name, pick.id);
    return undefined;
  }
  return `the agent does not offer '${pick.id}'; it offers ${steps.waiting().join(', ') || 'nothing'}`;
}

/**
 * The model's watch tells how an endpoint is, and the agent's tells each change on the way there; the model's list is read when
 * it is complete, and the agent's when it is asked for. So the agent is told of the changes that the model's step included.
 */
async function catchUp(rig: Rig, name: string, id: string): Promise<void> {
  const { steps } = rig.agent;
  const isList = id === 'list.completed';
  if (!isList && !name.startsWith('event.delivered')) return;
  if (isList) await sleep(listed);
  const isDue = (each: string): boolean => (isList ? each.startsWith('event.delivered') : each === name);
  for (;;) {
    const due = steps.waiting().find(isDue);
    if (due === undefined) return;
    await steps.release(due, 0);
  }
}

/** The agent hears of the end of its connection by itself, when the model's does. */
async function closes(rig: Rig, { emissions }: Moment, wait: number): Promise<string | undefined> {
  if (!emissions.some(({ event }) => event.type === 'connection.closed')) return undefined;
  const heard = await rig.agent.steps.release('connection.closed', wait);
  return heard ? undefined : 'the agent was not told of the end of its connection';
}

/** The agent's name of a part or a step: it knows interfaces, not numbers. */
const partOf = (rig: Rig, name: string): string =>
  name.replace(/\[(\d+)\]$/, (_, place: string) => `[${rig.interfaceName(Number(place))}]`);

/** What is not as the model says, once it has had time to become so. */
async function differs(rig: Rig, system: System, moment: Moment): Promise<string | undefined> {
  const end = performance.now() + patience;
  for (;;) {
    const reason = await difference(rig, system, moment);
    if (reason === undefined || performance.now() > end) return reason;
    await sleep(10);
  }
}

async function difference(rig: Rig, system: System, { state }: Moment): Promise<string | undefined> {
  const reader = readerOf(system, state);
  const value = (part: string): unknown => reader(part).value;
  for (const part of ['watcher', 'apply']) {
    const [is, should] = [JSON.stringify(rig.agent.value(part)), JSON.stringify(value(part))];
    if (is !== should) return `the agent's ${part} is ${is}, and the model's ${should}`;
  }
  const kernel = await rig.kernel.list();
  for (const { name } of system.parts) {
    const place = placeOf(name);
    if (name.startsWith('cleanup[')) {
      const should = value(name) as { clock: string; decision: string };
      const is = (rig.agent.value(partOf(rig, name)) ?? {
        clock: 'unseen',
        decision: 'idle',
      }) as typeof should;
      for (const region of ['clock', 'decision'] as const) {
        if (is[region] !== should[region])
          return `the agent's ${name} is ${region} ${is[region]}, and the model's ${should[region]}`;
      }
    }
    if (name.startsWith('kernel[')) {
      const routed = await rig.routed(place, kernel);
      const should = value(name);
      if (should === 'routed' && !routed)
        return `the kernel has no route for endpoint ${place}, and the model's has`;
      if (should === 'up' && routed)
        return `the kernel has a route for endpoint ${place}, and the model's has not`;
    }
    if (name.startsWith('record[')) {
      const should = (value(name) as { content: string }).content === 'committed';
      if (rig.storeAnswers && (await rig.committed(place)) !== should)
        return `endpoint ${place} is ${should ? 'not ' : ''}in the store, and in the model it is${should ? '' : ' not'}`;
    }
  }
  return undefined;
}
