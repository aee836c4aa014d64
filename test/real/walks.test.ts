/** Random walks of the model, played on real parts: what the model can do, the agent, the store and the kernel can. */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Design, type FaultId, faults, findDesign, nodeSystem } from '../../models/index.ts';
import type { Line } from '../../src/agent/record.ts';
import { scaled } from '../../src/agent/store-options.ts';
import { Walker } from '../../src/random/walker.ts';
import { walks } from '../../src/random/walks.ts';
import { orderOf, replayForReal } from '../../src/rig/replay-for-real.ts';
import { type Rig, startRig } from '../../src/rig/rig.ts';
import type { Pick } from '../../src/semantics/world.ts';
import { validatorOf } from './allowed-run.ts';
import { missingEtcd } from './missing-etcd.ts';
import { quick } from './quick.ts';

/** Ten seconds of the design in 200 ms. */
const timeScale = 0.02;
const refresh = 10 * timeScale;

/**
 * What a rig cannot do, or only with three members, or in part: a list over a connection that has died does not fail for real.
 * The last has a test of its own.
 */
const leftOut: readonly FaultId[] = ['isolated-member', 'leader-lost', 'list-failed'];

const designOf = (id: string): Design => findDesign(id) as Design;

describe.skipIf(missingEtcd !== '')(`replay for real${missingEtcd}`, () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await startRig('memory');
  });
  afterEach(() => rig.close());

  const cases = ['fenced', 'felix-3.0.1', 'stock-client'].flatMap((id) => {
    const design = designOf(id);
    const system = nodeSystem(design, {
      endpoints: 1,
      faults: faults.map((fault) => fault.id).filter((fault) => !leftOut.includes(fault)),
    });
    const drawn = fc.sample(walks(new Walker(system), { steps: 25, properties: [] }), {
      numRuns: 5,
      seed: 3,
    });
    return drawn.map(({ picks }, number) => ({ id, number, design, system, picks: picks.slice(0, 30) }));
  });

  it.each(cases)('walk $number of $id', async ({ design, system, picks }) => {
    const traces: Line[][] = [];
    const newTrace = () => {
      const lines: Line[] = [];
      traces.push(lines);
      return (line: Line) => lines.push(line);
    };
    const quickly = quick(design);
    const replayed = await replayForReal(rig, system, quickly, picks, refresh, newTrace);
    expect(replayed).toEqual({ reproduced: true, steps: picks.length });
    const validator = validatorOf({ design: design.id, parameters: quickly.parameters });
    for (const lines of traces) expect(validator.validate({ lines, head: quickly }).refusal).toBeUndefined();
  });

  it('dials and lists that fail', async () => {
    const design = designOf('fenced');
    const system = nodeSystem(design, { endpoints: 1 });
    const retry: Pick = {
      kind: 'timer',
      part: 'watcher',
      timer: 'xstate.after.retryDelay.watcher.reconnecting.backingOff',
    };
    const picks: Pick[] = [
      ...['dial.failed', 'time', 'retry', 'connection.opened', 'list.failed', 'time', 'retry', 'dial.failed'],
      ...['time', 'retry', 'connection.opened', 'list.completed'],
    ].map((id) => (id === 'time' ? { kind: 'time' } : id === 'retry' ? retry : { kind: 'choice', id }));
    const replayed = await replayForReal(rig, system, quick(design), picks, refresh);
    expect(replayed).toEqual({ reproduced: true, steps: picks.length });
  });

  const ended = (design: Design): Pick[] => {
    const add = ['cni.made.interface[1]', 'cni.added.route[1]', 'cni.wrote.endpoint[1]'];
    const del = ['cni.erased.endpoint[1]'];
    if (orderOf(design) === 'endpoint-first') {
      add.unshift(...add.splice(2));
      del.unshift('cni.removed.interface[1]');
    }
    return [
      ...['connection.opened', 'list.completed', 'pod.created[1]', ...add.slice(0, 2)],
      ...['watch.cancelled', ...add.slice(2), 'list.completed', 'watch.cancelled', 'list.completed'],
      ...['pod.deleted[1]', ...del, 'event.delivered[1]'],
    ].map((id) => ({ kind: 'choice', id }));
  };

  it.each(['fenced', 'felix-3.0.1', 'stock-client'])('etcd ends the watch of %s, twice', async (id) => {
    const design = designOf(id);
    const quickly = quick(design);
    const picks = ended(design);
    const lines: Line[] = [];
    const system = nodeSystem(design, { endpoints: 1 });
    const newTrace = () => (line: Line) => lines.push(line);
    const replayed = await replayForReal(rig, system, quickly, picks, refresh, newTrace);
    expect(replayed).toEqual({ reproduced: true, steps: picks.length });
    const validator = validatorOf({ design: id, parameters: quickly.parameters });
    expect(validator.validate({ lines, head: quickly }).refusal).toBeUndefined();
  });

  it('a watch that etcd was to end and did not is seen', async () => {
    const design = designOf('fenced');
    const system = nodeSystem(design, { endpoints: 1 });
    rig.cancelWatch = async () => {};
    expect(await replayForReal(rig, system, quick(design), ended(design), refresh)).toEqual({
      reproduced: false,
      step: 6,
      reason: 'the agent was not told of the end of its watch',
    });
  });

  it('a connection that was to fall silent and did not is seen', async () => {
    const design = designOf('felix-3.0.1');
    const system = nodeSystem(design, { endpoints: 1 });
    const picks = [
      ...['connection.opened', 'list.completed', 'peer.vanished', 'pod.created[1]'],
      ...['cni.made.interface[1]', 'cni.added.route[1]', 'cni.wrote.endpoint[1]'],
    ].map((id) => ({ kind: 'choice' as const, id }));
    rig.link.halfOpen = async () => {};
    expect(await replayForReal(rig, system, scaled(design, timeScale), picks, refresh)).toEqual({
      reproduced: false,
      step: picks.length,
      reason: expect.stringMatching(/told 'event\.delivered\[cali\w+\]' over a connection that is silent/),
    });
  });

  it('a store that has gone back proves nothing about a watch that has died', async () => {
    const design = scaled(designOf('fresh-grace'), timeScale);
    rig.startAgent(design, refresh, true);
    const { steps } = rig.agent;
    const wait = 3000;
    for (const step of ['connection.opened', 'list.completed'])
      expect(await steps.release(step, wait)).toBe(true);
    await rig.halfOpen();
    await rig.restore(() => true);
    const probe = 'watcher: xstate.after.probePeriod.watcher.connected.probed';
    expect(await steps.release(probe, wait)).toBe(true);
    expect(rig.agent.value('watcher')).toEqual({ connected: 'probing' });
    const timeout = 'watcher: xstate.after.probeTimeout.watcher.connected.probing';
    await vi.waitFor(() => expect(steps.waiting()).toContain(timeout), { timeout: wait });
    expect(steps.waiting()).not.toContain('probe.returned');
    expect(await steps.release(timeout, 0)).toBe(true);
    expect(rig.agent.value('watcher')).toEqual('stale');
  });
});
