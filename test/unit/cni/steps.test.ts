import { describe, expect, it } from 'vitest';
import { createActor } from 'xstate';
import { cniMachine } from '../../../models/cni.machine.ts';
import { CniError, errorCodes } from '../../../src/cni/cni-error.ts';
import { addPod, addSteps, deletePod, deleteSteps, orders } from '../../../src/cni/steps.ts';
import { endpointName, Node, node, noTraces, podOf, take, tracesOf } from './surroundings.ts';

const first = podOf('first');
const second = podOf('second');

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe.each(orders)('%s', (order) => {
  const add = (on: Node, pod = first) => addPod(order, node, pod, on);
  const remove = (on: Node, pod = first) => deletePod(order, endpointName, pod, on);

  it('is an order that the model has', async () => {
    const on = new Node();
    const endpointFirst = order === 'endpoint-first';
    const guards = { writesEndpointFirst: () => endpointFirst, erasesEndpointLast: () => endpointFirst };
    const model = createActor(cniMachine.provide({ guards })).start();
    model.send({ type: 'pod.created', relation: 'fresh' });
    const send = (type: Parameters<typeof model.send>[0]) => {
      const before = model.getSnapshot();
      expect(before.can(type), type.type).toBe(true);
      model.send(type);
    };
    for await (const type of add(on)) {
      expect(model.getSnapshot().hasTag('adding')).toBe(true);
      send({ type });
    }
    expect(model.getSnapshot().matches({ present: 'running' })).toBe(true);
    model.send({ type: 'pod.deleted' });
    for await (const type of remove(on)) send({ type });
    expect(model.getSnapshot().matches('absent')).toBe(true);
  });

  it('does each step when it is asked for', async () => {
    const on = new Node();
    const steps = add(on);
    expect(await on.traces()).toEqual(noTraces);
    const whole = tracesOf(first);
    const done: string[] = [];
    for (const step of addSteps[order]) {
      expect((await steps.next()).value).toBe(step);
      done.push(step);
      expect(await on.traces()).toEqual({
        claims: whole.claims,
        endpoints: done.includes('cni.wrote.endpoint') ? whole.endpoints : [],
        interfaces: done.includes('cni.made.interface') ? whole.interfaces : [],
        routes: done.includes('cni.added.route') ? whole.routes : [],
      });
    }
    expect(await steps.next()).toMatchObject({ done: true, value: { alias: 'first', up: true } });
  });

  it('writes what the agent has to know', async () => {
    const on = new Node();
    await take(add(on));
    expect([...on.registry.endpoints.values()]).toEqual([
      {
        node,
        namespace: 'default',
        pod: 'web',
        containerId: 'first',
        interfaceName: first.interfaceName,
        addresses: ['10.0.0.1/32'],
      },
    ]);
  });

  it('claims the interface before the first step, even if that fails', async () => {
    const on = new Node();
    const refusing = { ...on, registry: on.registry, network: on.network, claims: on.claims };
    on.registry.failure = new Error('no store');
    on.network.createInterface = () => Promise.reject(new Error('no kernel'));
    expect(await failure(addPod(order, node, first, refusing).next())).toBeInstanceOf(Error);
    expect(await on.traces()).toEqual({ ...noTraces, claims: ['first'] });
  });

  it('keeps the claim until the last step of DEL is over', async () => {
    const on = new Node();
    await take(add(on));
    const steps = remove(on);
    await take(steps, deleteSteps[order].length);
    expect(await on.traces()).toEqual({ ...noTraces, claims: ['first'] });
    await take(steps);
    expect(await on.traces()).toEqual(noTraces);
  });

  it.each([0, 1, 2, 3])('is cleaned up by DEL after ADD has crashed behind step %i', async (count) => {
    const on = new Node();
    await take(add(on), count);
    await take(remove(on));
    expect(await on.traces()).toEqual(noTraces);
  });

  it.each([0, 1, 2])('is cleaned up by DEL after DEL has crashed behind step %i', async (count) => {
    const on = new Node();
    await take(add(on));
    await take(remove(on), count);
    await take(remove(on));
    expect(await on.traces()).toEqual(noTraces);
  });

  it.each([0, 1, 2, 3])('ends as the newer ADD wants if the older got to step %i', async (count) => {
    const on = new Node();
    await take(add(on), count);
    await take(add(on, second));
    expect(await on.traces()).toEqual(tracesOf(second));
  });

  it.each([1, 2])('stops an ADD at step %i whose name a newer one has taken over', async (count) => {
    const on = new Node();
    const older = add(on);
    await take(older, count);
    await take(add(on, second));
    const error = await failure(older.next());
    expect(error).toBeInstanceOf(CniError);
    expect(error).toMatchObject({ code: errorCodes.superseded });
    expect(await on.traces()).toEqual(tracesOf(second));
  });

  it.each([0, 1, 2, 3])('lets a late DEL take nothing from an ADD at step %i', async (count) => {
    const on = new Node();
    await take(add(on));
    const newer = add(on, second);
    await take(newer, count);
    await take(remove(on));
    await take(newer);
    expect(await on.traces()).toEqual(tracesOf(second));
  });

  it('accepts a route that is there over its own interface, and no other', async () => {
    const on = new Node();
    await take(add(on));
    await on.network.addRoute(first);
    expect(await on.traces()).toEqual(tracesOf(first));
    const other = { ...podOf('other'), pod: 'api', interfaceName: 'cali0000000api1' };
    expect(await failure(take(addPod(order, node, other, on)))).toMatchObject({
      code: errorCodes.routeElsewhere,
    });
    expect((await on.traces()).routes).toEqual(['10.0.0.1/32 first']);
  });
});

it('removes the stale interface in a late DEL while the newer ADD has none yet', async () => {
  const on = new Node();
  await take(addPod('endpoint-first', node, first, on));
  const newer = addPod('endpoint-first', node, second, on);
  await take(newer, 1);
  await take(deletePod('endpoint-first', endpointName, first, on));
  expect(await on.traces()).toEqual({
    claims: ['second'],
    endpoints: ['second'],
    interfaces: [],
    routes: [],
  });
});
