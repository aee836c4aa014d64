import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { IprouteKernel, type IprouteOptions } from '../../src/kernel/iproute.ts';
import { type Kernel, KernelError, type KernelState } from '../../src/kernel/kernel.ts';
import { MemoryKernel } from '../../src/kernel/memory-kernel.ts';
import { canMakeNamespaces, makeNamespace, type Namespace } from './namespace.ts';

const skipped = await canMakeNamespaces();

/** A kernel, and a hand that changes its interfaces from outside. */
interface Subject {
  readonly kernel: Kernel;
  createInterface(name: string, alias?: string, up?: boolean): Promise<number>;
  removeInterface(name: string): Promise<void>;
  setUp(name: string, up: boolean): Promise<void>;
}

function memorySubject(): Subject {
  const kernel = new MemoryKernel();
  onTestFinished(() => kernel.close());
  return {
    kernel,
    createInterface: async (name, alias = '', up = true) => kernel.createInterface({ name, alias, up }).index,
    removeInterface: async (name) => kernel.removeInterface(name),
    setUp: async (name, up) => kernel.setUp(name, up),
  };
}

interface RealSubject extends Subject {
  readonly namespace: Namespace;
}

async function realSubject(options: IprouteOptions = {}): Promise<RealSubject> {
  const namespace = await makeNamespace();
  onTestFinished(() => namespace.remove());
  return { ...onNamespace(namespace, options), namespace };
}

function onNamespace(namespace: Namespace, options: IprouteOptions = {}): Subject {
  const kernel = new IprouteKernel({ namespace: namespace.name, ...options });
  onTestFinished(() => kernel.close());
  return {
    kernel,
    createInterface: (name, alias, up) => namespace.createInterface(name, alias, up),
    removeInterface: async (name) => void (await namespace.ip('link', 'del', 'dev', name)),
    setUp: async (name, up) => void (await namespace.ip('link', 'set', 'dev', name, up ? 'up' : 'down')),
  };
}

/** What a kernel lists, in one order; `lo` is what a real one has beyond what was made. */
async function listed(kernel: Kernel): Promise<KernelState> {
  const { interfaces, routes } = await kernel.list();
  return {
    interfaces: interfaces.filter(({ name }) => name !== 'lo').sort((one, other) => one.index - other.index),
    routes: [...routes].sort((one, other) => (one.destination < other.destination ? -1 : 1)),
  };
}

/** Watches, and returns how often it was called once it was called first. */
async function watched(kernel: Kernel): Promise<{ readonly calls: () => number; readonly end: () => void }> {
  let calls = 0;
  const end = kernel.watch(() => calls++);
  await expect.poll(() => calls, { timeout: 10_000 }).toBeGreaterThan(0);
  await sleep(50);
  return { calls: () => calls, end };
}

const subjects: readonly [string, string, () => Promise<Subject>][] = [
  ['in memory', '', async () => memorySubject()],
  ['by iproute2', skipped, () => realSubject()],
];

describe.each(subjects)('a kernel %s%s', (_, reason, make) => {
  const it = test.skipIf(reason !== '');

  it('lists interfaces with their index, their alias and whether they are up', async () => {
    const { kernel, createInterface } = await make();
    const up = await createInterface('cali1', 'a "container" id\u0001 \u00e9');
    const down = await createInterface('cali2', '', false);
    expect(await listed(kernel)).toEqual({
      interfaces: [
        { name: 'cali1', index: up, up: true, alias: 'a "container" id\u0001 \u00e9' },
        { name: 'cali2', index: down, up: false, alias: '' },
      ],
      routes: [],
    });
  });

  it('adds routes and lists them, whoever is said to have made them and however long their prefix is', async () => {
    const { kernel, createInterface } = await make();
    const index = await createInterface('cali1');
    const other = await createInterface('cali2');
    const routes = [
      { destination: '0.0.0.0/0', index, protocol: 2 },
      { destination: '10.0.0.0/8', index, protocol: 3 },
      { destination: '10.0.0.1/32', index: other, protocol: 80 },
      { destination: '10.0.0.2/32', index, protocol: 0 },
      { destination: '10.0.0.4/30', index, protocol: 255 },
    ];
    expect(await kernel.add(routes)).toEqual(routes.map(() => 'done'));
    expect((await listed(kernel)).routes).toEqual(routes);
  });

  it('never replaces a route', async () => {
    const { kernel, createInterface } = await make();
    const index = await createInterface('cali1');
    const other = await createInterface('cali2');
    const first = { destination: '10.0.0.1/32', index, protocol: 80 };
    const second = { destination: '10.0.0.2/32', index: other, protocol: 3 };
    expect(await kernel.add([first, { ...first, index: other }, second, { ...first, protocol: 3 }])).toEqual([
      'done',
      'exists',
      'done',
      'exists',
    ]);
    expect((await listed(kernel)).routes).toEqual([first, second]);
  });

  it('adds no route over an interface that is down, gone or was never there, though its destination has one', async () => {
    const { kernel, createInterface, removeInterface } = await make();
    const index = await createInterface('cali1');
    const down = await createInterface('cali2', '', false);
    const gone = await createInterface('cali3');
    await removeInterface('cali3');
    const route = { destination: '10.0.0.1/32', index, protocol: 80 };
    expect(await kernel.add([route])).toEqual(['done']);
    const others = [down, gone, 4_000_000, 2 ** 32 + index, 0, -1, 0.5];
    expect(await kernel.add(others.map((each) => ({ ...route, index: each })))).toEqual(
      others.map(() => 'absent'),
    );
    expect((await listed(kernel)).routes).toEqual([route]);
  });

  it('deletes a route only if it has each attribute that is given', async () => {
    const { kernel, createInterface } = await make();
    const index = await createInterface('cali1');
    const other = await createInterface('cali2');
    const destination = '10.0.0.1/32';
    const route = { destination, index, protocol: 80 };
    await kernel.add([route]);
    expect(
      await kernel.remove([
        { destination: '10.0.0.2/32' },
        { destination: '10.0.0.0/31' },
        { destination, index: other },
        { destination, index: 2 ** 32 + index },
        { destination, protocol: 3 },
        { destination, index, protocol: 3 },
        { destination, index: other, protocol: 80 },
      ]),
    ).toEqual(Array.from({ length: 7 }, () => 'absent'));
    expect((await listed(kernel)).routes).toEqual([route]);
    for (const match of [{}, { index }, { protocol: 80 }, { index, protocol: 80 }]) {
      expect(await kernel.remove([{ destination, ...match }])).toEqual(['done']);
      expect((await listed(kernel)).routes).toEqual([]);
      expect(await kernel.remove([{ destination, ...match }])).toEqual(['absent']);
      expect(await kernel.add([route])).toEqual(['done']);
    }
  });

  it('deletes nothing where there never was a route', async () => {
    const { kernel } = await make();
    expect(await kernel.remove([{ destination: '10.0.0.1/32' }])).toEqual(['absent']);
    expect(await listed(kernel)).toEqual({ interfaces: [], routes: [] });
  });

  it('refuses what is no route, and does the rest', async () => {
    const { kernel, createInterface } = await make();
    const index = await createInterface('cali1');
    const good = { destination: '10.0.0.1/32', index, protocol: 80 };
    const refused = [
      '10.0.0.1',
      '10.0.0.1/33',
      '10.0.0.1/032',
      '10.0.0.1/24',
      '10.0.0.1/32/1',
      '010.0.0.1/32',
      'fd00::1/128',
      'default',
      '',
      '10.0.0.1/32\nroute flush table main',
    ].map((destination) => ({ ...good, destination }));
    const failed = { failed: expect.stringMatching(/./) };
    expect(await kernel.add([...refused, { ...good, protocol: 256 }, good])).toEqual([
      ...refused.map(() => failed),
      failed,
      'done',
    ]);
    expect(await kernel.remove([...refused, { ...good, protocol: 0 }, { ...good, protocol: 1.5 }])).toEqual([
      ...refused.map(() => failed),
      failed,
      failed,
    ]);
    expect((await listed(kernel)).routes).toEqual([good]);
    expect(await kernel.add([])).toEqual([]);
    expect(await kernel.remove([])).toEqual([]);
  });

  it('drops the routes of an interface that goes down or away, and no others', async () => {
    const { kernel, createInterface, removeInterface, setUp } = await make();
    const indexes = [
      await createInterface('cali1'),
      await createInterface('cali2'),
      await createInterface('cali3'),
    ];
    const routes = indexes.map((index) => ({ destination: `10.0.0.${index}/32`, index, protocol: 80 }));
    await kernel.add(routes);
    await setUp('cali1', false);
    await removeInterface('cali2');
    expect((await listed(kernel)).routes).toEqual([routes[2]]);
    await setUp('cali1', true);
    expect(await listed(kernel)).toEqual({
      interfaces: [
        { name: 'cali1', index: indexes[0], up: true, alias: '' },
        { name: 'cali3', index: indexes[2], up: true, alias: '' },
      ],
      routes: [routes[2]],
    });
  });

  it('spares the route over an interface that was made again under the same name', async () => {
    const { kernel, createInterface, removeInterface } = await make();
    const destination = '10.0.0.1/32';
    const before = await createInterface('cali1', 'first');
    await kernel.add([{ destination, index: before, protocol: 80 }]);
    await removeInterface('cali1');
    const after = await createInterface('cali1', 'second');
    expect(after).toBeGreaterThan(before);
    const route = { destination, index: after, protocol: 80 };
    expect(await kernel.add([{ ...route, index: before }, route])).toEqual(['absent', 'done']);
    expect(await kernel.remove([{ destination, index: before, protocol: 80 }])).toEqual(['absent']);
    expect((await listed(kernel)).routes).toEqual([route]);
    expect(await kernel.remove([{ destination, index: after, protocol: 80 }])).toEqual(['done']);
    expect((await listed(kernel)).routes).toEqual([]);
  });

  it('tells each watcher that it began, and of each change, but none that ended', async () => {
    const { kernel, createInterface, removeInterface, setUp } = await make();
    const one = await watched(kernel);
    const other = await watched(kernel);
    const ended = await watched(kernel);
    ended.end();
    const endedCalls = ended.calls();
    const destination = '10.0.0.1/32';
    let index = 0;
    for (const change of [
      async () => {
        index = await createInterface('cali1', 'id');
      },
      async () => expect(await kernel.add([{ destination, index, protocol: 80 }])).toEqual(['done']),
      async () => expect(await kernel.remove([{ destination, index }])).toEqual(['done']),
      () => setUp('cali1', false),
      () => setUp('cali1', true),
      () => removeInterface('cali1'),
    ]) {
      // What was told of the change before must not pass for this one.
      await sleep(50);
      const calls = [one.calls(), other.calls()] as const;
      await change();
      await expect.poll(one.calls, { timeout: 5000 }).toBeGreaterThan(calls[0]);
      await expect.poll(other.calls, { timeout: 5000 }).toBeGreaterThan(calls[1]);
    }
    expect(ended.calls()).toBe(endedCalls);
  });

  it('tells a watcher of nothing where nothing changes', async () => {
    const { kernel, createInterface } = await make();
    await createInterface('cali1');
    const { calls } = await watched(kernel);
    await sleep(300);
    const before = calls();
    await kernel.list();
    await kernel.remove([{ destination: '10.0.0.1/32' }]);
    await sleep(300);
    expect(calls()).toBe(before);
  });

  it('tells of a burst in few calls', async () => {
    const { kernel, createInterface } = await make();
    const index = await createInterface('cali1');
    const { calls } = await watched(kernel);
    const before = calls();
    await kernel.add(manyDestinations(1000).map((destination) => ({ destination, index, protocol: 80 })));
    await expect.poll(calls, { timeout: 5000 }).toBeGreaterThan(before);
    await sleep(100);
    expect(calls() - before).toBeLessThan(100);
  });

  it('does nothing any more once it is closed', async () => {
    const { kernel, createInterface } = await make();
    const { calls } = await watched(kernel);
    await kernel.close();
    const before = calls();
    await createInterface('cali1');
    await sleep(100);
    expect(calls()).toBe(before);
    await expect(kernel.list()).rejects.toThrow(KernelError);
    await expect(kernel.add([])).rejects.toThrow(KernelError);
    await expect(kernel.remove([])).rejects.toThrow(KernelError);
    expect(() => kernel.watch(() => {})).toThrow(KernelError);
    await kernel.close();
  });
});

/** That many destinations, all different. */
function manyDestinations(count: number): string[] {
  return Array.from(
    { length: count },
    (_, place) => `10.${place >> 16}.${(place >> 8) & 255}.${place & 255}/32`,
  );
}

test('two interfaces in memory cannot have one name, and none is changed that is not there', () => {
  const kernel = new MemoryKernel();
  kernel.createInterface({ name: 'cali1', alias: '' });
  expect(() => kernel.createInterface({ name: 'cali1', alias: '' })).toThrow(
    'there is an interface cali1 already',
  );
  expect(() => kernel.removeInterface('cali2')).toThrow('there is no interface cali2');
  expect(() => kernel.setUp('cali2', true)).toThrow('there is no interface cali2');
});

describe.skipIf(skipped !== '')(`both kernels${skipped}`, () => {
  const names = ['cali1', 'cali2'] as const;
  const destinations = ['0.0.0.0/0', '10.0.0.0/31', '10.0.0.0/32'] as const;
  const protocols = [3, 80] as const;
  const name = fc.constantFrom(...names);
  const destination = fc.constantFrom(...destinations);
  const protocol = fc.constantFrom(...protocols);
  // How many interfaces were made since the one that is meant, whether or not it is still there.
  const back = fc.constantFrom(0, 0, 1, 2, 9);
  const half = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { freq: 1, nil: undefined });
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('create' as const), name, up: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('destroy' as const), name }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('set' as const), name, up: fc.boolean() }) },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('add' as const),
        wanted: fc.array(fc.record({ destination, back, protocol }), { minLength: 1, maxLength: 4 }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('remove' as const),
        wanted: fc.array(fc.record({ destination, back: half(back), protocol: half(protocol) }), {
          minLength: 1,
          maxLength: 3,
        }),
      }),
    },
  );
  type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never;

  /** Takes a step. @returns what became of it, spelled without indexes */
  async function take(
    { kernel, ...hand }: Subject,
    indexes: number[],
    present: boolean,
    each: Step,
  ): Promise<unknown> {
    const indexOf = (place: number) => indexes.at(-1 - place) ?? 1_000_000;
    switch (each.kind) {
      case 'add':
        return kernel.add(
          each.wanted.map(({ back: place, ...rest }) => ({ ...rest, index: indexOf(place) })),
        );
      case 'remove':
        return kernel.remove(
          each.wanted.map(({ destination: to, back: place, protocol: by }) => ({
            destination: to,
            ...(place !== undefined && { index: indexOf(place) }),
            ...(by !== undefined && { protocol: by }),
          })),
        );
      case 'create':
        if (present) return 'is there';
        indexes.push(await hand.createInterface(each.name, `number ${indexes.length}`, each.up));
        return 'made';
      default:
        if (!present) return 'is not there';
        if (each.kind === 'destroy') await hand.removeInterface(each.name);
        else await hand.setUp(each.name, each.up);
        return 'changed';
    }
  }

  /** What is listed, with the place at which an interface was made for its index. */
  async function normalised(kernel: Kernel, indexes: readonly number[]): Promise<unknown> {
    const { interfaces, routes } = await listed(kernel);
    const withPlace = <Each extends { readonly index: number }>(each: Each) => ({
      ...each,
      index: indexes.indexOf(each.index),
    });
    return { interfaces: interfaces.map(withPlace), routes: routes.map(withPlace) };
  }

  test('do the same, whatever is asked of them', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 20, size: 'max' }), async (steps) => {
        const namespace = await makeNamespace();
        const [memory, real] = [memorySubject(), onNamespace(namespace)] as const;
        try {
          const indexes = { memory: [] as number[], real: [] as number[] };
          // Without an interface little can be done.
          for (const each of [{ kind: 'create', name: 'cali1', up: true } as const, ...steps]) {
            const { interfaces } = await memory.kernel.list();
            const present = 'name' in each && interfaces.some(({ name: found }) => found === each.name);
            const became = await take(memory, indexes.memory, present, each);
            expect(await take(real, indexes.real, present, each)).toEqual(became);
            for (const outcome of [became].flat()) seen.add(`${each.kind} ${outcome}`);
            expect(await normalised(real.kernel, indexes.real)).toEqual(
              await normalised(memory.kernel, indexes.memory),
            );
          }
        } finally {
          await real.kernel.close();
          await namespace.remove();
        }
      }),
      { numRuns: 20 },
    );
    // Sequences in which nothing ever is done would prove nothing.
    for (const each of [
      'add done',
      'add exists',
      'add absent',
      'remove done',
      'remove absent',
      'destroy changed',
    ]) {
      expect(seen).toContain(each);
    }
  }, 180_000);
});

describe.skipIf(skipped !== '')(`a real kernel${skipped}`, () => {
  /** What is running of `ip monitor` in a namespace, as process ids. */
  async function monitors(namespace: Namespace): Promise<number[]> {
    const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const commands = await Promise.all(
      ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')),
    );
    return ids
      .filter((_, place) => {
        const words = commands[place]?.split('\0') ?? [];
        return words.includes(namespace.name) && words.includes('monitor');
      })
      .map(Number);
  }

  /** A script that is run in the place of `ip`. */
  async function script(text: string): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), 'routeproof-ip-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const path = join(directory, 'ip');
    await writeFile(path, `#!/bin/sh\n${text}\n`);
    await chmod(path, 0o755);
    return path;
  }

  test('announces no route that goes with its interface, and yet the watcher is told and the list is right', async () => {
    const { kernel, namespace } = await realSubject();
    const index = await namespace.createInterface('cali1');
    const destination = '10.0.0.1/32';
    await kernel.add([{ destination, index, protocol: 80 }]);
    const announced = execa('ip', ['-n', namespace.name, '-4', 'monitor', 'route'], { reject: false });
    onTestFinished(() => void announced.kill());
    const { calls } = await watched(kernel);
    const before = calls();
    await namespace.ip('link', 'del', 'dev', 'cali1');
    await expect.poll(calls, { timeout: 5000 }).toBeGreaterThan(before);
    expect(await listed(kernel)).toEqual({ interfaces: [], routes: [] });
    // A route that is announced, so that it is known that this monitor listened.
    await namespace.createInterface('cali2');
    await sleep(100);
    await namespace.ip('route', 'add', '10.0.0.2/32', 'dev', 'cali2');
    await sleep(300);
    announced.kill();
    const { stdout } = await announced;
    expect(stdout).toContain('10.0.0.2');
    expect(stdout).not.toContain('10.0.0.1');
  });

  test('is spoken to by index though another interface has the name that stands for it', async () => {
    const { kernel, namespace } = await realSubject();
    const index = await namespace.createInterface('cali1');
    const other = await namespace.createInterface(`if${index}`);
    const route = { destination: '10.0.0.1/32', index, protocol: 80 };
    expect(await kernel.add([route])).toEqual(['done']);
    expect((await listed(kernel)).routes).toEqual([route]);
    expect(await kernel.remove([{ ...route, index: other }, route])).toEqual(['absent', 'done']);
  });

  test('is not asked of what is no unicast route over one interface', async () => {
    const { kernel, namespace } = await realSubject();
    const index = await namespace.createInterface('cali1');
    await namespace.createInterface('cali2');
    await namespace.ip('route', 'add', 'blackhole', '10.0.0.1/32');
    await namespace.ip('route', 'add', '10.0.0.2/32', 'nexthop', 'dev', 'cali1', 'nexthop', 'dev', 'cali2');
    await namespace.ip('route', 'add', '10.0.0.3/32', 'dev', 'cali1', 'table', '77');
    await namespace.ip('route', 'add', '10.0.0.4/32', 'dev', 'cali1');
    await namespace.ip('route', 'add', 'broadcast', '10.0.0.5/32', 'dev', 'cali1', 'table', 'main');
    expect((await listed(kernel)).routes).toEqual([{ destination: '10.0.0.4/32', index, protocol: 3 }]);
    expect(await kernel.add([{ destination: '10.0.0.1/32', index, protocol: 80 }])).toEqual(['exists']);
    expect(
      await kernel.remove(
        ['10.0.0.1/32', '10.0.0.3/32', '10.0.0.5/32'].map((destination) => ({ destination })),
      ),
    ).toEqual(['absent', 'absent', 'absent']);
    expect(await namespace.ip('route', 'show')).toMatch(/blackhole 10\.0\.0\.1(.|\n)*broadcast 10\.0\.0\.5/);
    expect(await namespace.ip('route', 'show', 'table', '77')).toContain('10.0.0.3');
  });

  test('adds and deletes 1,000 routes', async () => {
    const { kernel, namespace } = await realSubject();
    const index = await namespace.createInterface('cali1');
    const routes = manyDestinations(1000).map((destination) => ({ destination, index, protocol: 80 }));
    const times = [performance.now()];
    expect(await kernel.add(routes)).toEqual(routes.map(() => 'done'));
    times.push(performance.now());
    const { routes: found } = await listed(kernel);
    times.push(performance.now());
    expect(found).toEqual([...routes].sort((one, other) => (one.destination < other.destination ? -1 : 1)));
    // Half of them are no longer there, so outcomes must be told apart by their place.
    await kernel.remove(routes.filter((_, place) => place % 2 === 1));
    expect(await kernel.remove(routes)).toEqual(
      routes.map((_, place) => (place % 2 === 1 ? 'absent' : 'done')),
    );
    expect((await listed(kernel)).routes).toEqual([]);
    await kernel.add(routes);
    times.push(performance.now());
    expect(await kernel.remove(routes)).toEqual(routes.map(() => 'done'));
    times.push(performance.now());
    expect((await listed(kernel)).routes).toEqual([]);
    const [start = 0, added = 0, listedAt = 0, again = 0, removed = 0] = times;
    const spell = (from: number, to: number) => `${(to - from).toFixed(0)} ms`;
    console.info(
      `1,000 routes: added in ${spell(start, added)}, listed in ${spell(added, listedAt)}, deleted in ${spell(again, removed)}`,
    );
  });

  test('changes 10,000 times while this process is blocked, and the view is right after', async () => {
    const { kernel, namespace } = await realSubject();
    const index = await namespace.createInterface('cali1');
    const { calls } = await watched(kernel);
    const directory = await mkdtemp(join(tmpdir(), 'routeproof-burst-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const [batch, done] = [join(directory, 'batch'), join(directory, 'done')] as const;
    const destinations = manyDestinations(10_000);
    await writeFile(batch, destinations.map((each) => `route add ${each} dev cali1 proto 80\n`).join(''));
    const before = calls();
    const writer = execa('sh', ['-c', `ip -n ${namespace.name} -force -batch ${batch}; touch ${done}`]);
    const deadline = Date.now() + 30_000;
    // Nothing else happens in this process meanwhile: what the monitor says is not read.
    while (!existsSync(done) && Date.now() < deadline);
    expect(existsSync(done)).toBe(true);
    expect(calls()).toBe(before);
    await writer;
    await expect.poll(calls, { timeout: 5000 }).toBeGreaterThan(before);
    expect((await listed(kernel)).routes).toEqual(
      [...destinations].sort().map((destination) => ({ destination, index, protocol: 80 })),
    );
    expect(await monitors(namespace)).toHaveLength(1);
    await sleep(500);
    const after = calls();
    await kernel.remove([{ destination: '10.0.0.0/32' }]);
    await expect.poll(calls, { timeout: 5000 }).toBeGreaterThan(after);
  });

  test('takes what the monitor says of its errors as a change', async () => {
    const command = await script(`case "$*" in
*monitor*) sleep 1; echo 'netlink receive error No buffer space available (105)' >&2; exec sleep 30;;
*) exec ip "$@";;
esac`);
    const { kernel } = await realSubject({ command });
    const calls = vi.fn();
    const start = performance.now();
    kernel.watch(calls);
    await expect.poll(() => calls.mock.calls.length, { timeout: 2500 }).toBeGreaterThan(0);
    expect(performance.now() - start).toBeGreaterThan(900);
  });

  test('is watched again after the monitor ended', async () => {
    const { kernel, namespace } = await realSubject();
    await namespace.createInterface('cali1');
    const { calls } = await watched(kernel);
    const [first, ...more] = await monitors(namespace);
    expect(more).toEqual([]);
    let before = calls();
    process.kill(first as number, 'SIGKILL');
    await expect.poll(calls, { timeout: 5000 }).toBeGreaterThan(before);
    await expect.poll(() => monitors(namespace), { timeout: 5000 }).toHaveLength(1);
    expect(await monitors(namespace)).not.toEqual([first]);
    await sleep(500);
    before = calls();
    await namespace.ip('route', 'add', '10.0.0.1/32', 'dev', 'cali1');
    await expect.poll(calls, { timeout: 5000 }).toBeGreaterThan(before);
  });

  test('leaves no process behind, neither where it is closed nor where a watch ends', async () => {
    const { kernel, namespace } = await realSubject();
    const { end } = await watched(kernel);
    await watched(kernel);
    expect(await monitors(namespace)).toHaveLength(2);
    end();
    await expect.poll(() => monitors(namespace), { timeout: 5000 }).toHaveLength(1);
    const asked = kernel.list();
    const refused = expect(asked).rejects.toThrow('the kernel is closed');
    await kernel.close();
    await refused;
    expect(await monitors(namespace)).toEqual([]);
    await sleep(800);
    expect(await monitors(namespace)).toEqual([]);
  });

  test('cannot be asked in a namespace that is not there', async () => {
    const kernel = new IprouteKernel({ namespace: 'routeproof-none' });
    onTestFinished(() => kernel.close());
    await expect(kernel.list()).rejects.toThrow(
      /^ip -n routeproof-none .* failed: Cannot open network namespace/,
    );
    await expect(kernel.add([{ destination: '10.0.0.1/32', index: 1, protocol: 80 }])).rejects.toThrow(
      KernelError,
    );
  });

  test('has no routes where the command says that it has no table', async () => {
    const command = await script(`while read -r line; do
  case "$line" in
  'route show'*)
    printf 'Error: ipv4: FIB table does not exist.\\nDump terminated\\nCommand failed -:2\\n' >&2
    failed=1;;
  *) printf '%s\\n' "$line" | ip "$@";;
  esac
done
exit $failed`);
    const { kernel, createInterface } = await realSubject({ command });
    const index = await createInterface('cali1');
    expect(await listed(kernel)).toEqual({
      interfaces: [{ name: 'cali1', index, up: true, alias: '' }],
      routes: [],
    });
  });

  test('is listed anew if the kernel says that the list broke off', async () => {
    const command = await script(`echo "$*" >> "$0.calls"
test "$(wc -l < "$0.calls")" -gt 2 || echo 'Dump was interrupted and may be inconsistent.' >&2
exec ip "$@"`);
    const { kernel } = await realSubject({ command });
    expect((await kernel.list()).routes).toEqual([]);
    expect((await readFile(`${command}.calls`, 'utf8')).trim().split('\n')).toHaveLength(3);
  });

  test('is listed without what changed hands while the list was made', async () => {
    const namespace = await makeNamespace();
    onTestFinished(() => namespace.remove());
    const before = await namespace.createInterface('cali1');
    // Between its first list of interfaces and its list of routes the interface is made anew.
    const command = await script(`while read -r line; do
  case "$line" in
  'route show'*)
    until test -s "$0.answers"; do sleep 0.05; done
    ip -n ${namespace.name} link del dev cali1
    { ip -n ${namespace.name} link add name cali1 type dummy || ip -n ${namespace.name} link add name cali1 type bridge; } 2>/dev/null
    ip -n ${namespace.name} link set dev cali1 up
    ip -n ${namespace.name} route add 10.0.0.1/32 dev cali1;;
  esac
  printf '%s\\n' "$line"
done | ip "$@" > "$0.answers"
cat "$0.answers"`);
    const { kernel } = onNamespace(namespace, { command });
    expect(await listed(kernel)).toEqual({ interfaces: [], routes: [] });
    const { interfaces, routes } = await listed(onNamespace(namespace).kernel);
    expect(interfaces.map(({ index }) => index > before)).toEqual([true]);
    expect(routes.map(({ index }) => index)).toEqual([interfaces[0]?.index]);
  });
});

describe('a command that is not what it should be', () => {
  test('is missed: it is said what to install, and a watch lives on', async () => {
    const kernel = new IprouteKernel({ command: 'no-such-command' });
    onTestFinished(() => kernel.close());
    const calls = vi.fn();
    kernel.watch(calls);
    await expect(kernel.list()).rejects.toThrow(
      'there is no command no-such-command that may be run: install iproute2',
    );
    await expect(kernel.list()).rejects.toThrow(KernelError);
    await expect(kernel.remove([{ destination: '10.0.0.1/32' }])).rejects.toThrow(KernelError);
    await expect.poll(() => calls.mock.calls.length, { timeout: 5000 }).toBeGreaterThan(1);
  });

  test('is not understood', async () => {
    const kernel = new IprouteKernel({ command: 'echo' });
    onTestFinished(() => kernel.close());
    await expect(kernel.list()).rejects.toThrow(
      /^echo -4 -j -N -force -batch - said something that is not understood/,
    );
  });

  test('fails and says nothing of lines', async () => {
    const kernel = new IprouteKernel({ command: 'false' });
    onTestFinished(() => kernel.close());
    await expect(kernel.add([{ destination: '10.0.0.1/32', index: 1, protocol: 80 }])).rejects.toThrow(
      'false -force -batch - failed: code 1',
    );
  });
});
