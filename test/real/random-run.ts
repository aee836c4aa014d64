/**
 * A random run on real parts: pods come and go and faults strike a running agent, then all is made well again. The agent may
 * not remove the route of a pod whose ADD has begun and whose DEL has not, whatever the store knows; in the end every
 * committed pod has its route and nobody else has one; and the model allows what the agent did.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import type { Relation } from '../../models/cni.machine.ts';
import type { Design } from '../../models/index.ts';
import type { Line } from '../../src/agent/record.ts';
import { orderOf } from '../../src/rig/replay-for-real.ts';
import { type Ground, type Rig, startRig } from '../../src/rig/rig.ts';
import type { Validator } from '../../src/validate/validate.ts';

const places = [1, 2] as const;

/** Something that happens. */
type Act =
  | { readonly act: 'create'; readonly place: number; readonly relation: Relation }
  | { readonly act: 'step' | 'finish' | 'delete' | 'crash' | 'down' | 'up'; readonly place: number }
  | { readonly act: 'half-open' | 'reset' | 'stall' | 'resume' | 'leader lost' | 'leader back' }
  | { readonly act: 'isolate' | 'heal' | 'compact' | 'restore' | 'cancel' }
  | { readonly act: 'orphan' | 'freeze' | 'thaw' | 'restart' }
  | { readonly act: 'wait'; readonly ticks: number };

const place = fc.constantFrom(...places);

/** A run: how many members the store has, and what happens. */
export interface Script {
  readonly members: 1 | 3;
  readonly acts: readonly Act[];
}

const acts: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        act: fc.constant('create' as const),
        place,
        relation: fc.constantFrom<Relation[]>('same', 'renumbered', 'fresh', 'readdressed'),
      }),
    },
    { weight: 8, arbitrary: fc.record({ act: fc.constant('step' as const), place }) },
    { weight: 8, arbitrary: fc.record({ act: fc.constant('finish' as const), place }) },
    {
      weight: 8,
      arbitrary: fc.record({
        act: fc.constant('wait' as const),
        ticks: fc.double({ min: 0, max: 3, noNaN: true }),
      }),
    },
    {
      weight: 8,
      arbitrary: fc.record({
        act: fc.constantFrom('delete' as const, 'crash' as const, 'down' as const, 'up' as const),
        place,
      }),
    },
    {
      weight: 12,
      arbitrary: fc
        .constantFrom(
          ...(['half-open', 'reset', 'stall', 'resume', 'leader lost', 'leader back'] as const),
          ...(['isolate', 'heal', 'compact', 'restore', 'cancel'] as const),
          ...(['orphan', 'freeze', 'thaw', 'restart'] as const),
        )
        .map((act): Act => ({ act })),
    },
  ),
  { minLength: 4, maxLength: 25, size: 'max' },
);

/** Draws runs. In one of four a member can be isolated, which takes three; the only one of a cluster has no peers. */
export const script: fc.Arbitrary<Script> = fc.record({
  members: fc.constantFrom(...([1, 1, 1, 3] as const)),
  acts,
});

/** What came of a run: what was wrong, each in a sentence. */
export interface Outcome {
  readonly wrong: readonly string[];
  readonly deletes: number;
  readonly lines: number;
}

/** Makes a run. @param design - its numbers are the seconds of this run */
export async function randomRun(
  ground: Ground,
  design: Design,
  { members, acts }: Script,
  validator: Validator,
): Promise<Outcome> {
  const rig = await startRig(ground, members);
  try {
    return await new Run(rig, design, validator).make(acts);
  } finally {
    await rig.close();
  }
}

class Run {
  readonly #rig: Rig;
  readonly #design: Design;
  readonly #validator: Validator;
  readonly #wrong: string[] = [];
  readonly #traces: Line[][] = [];
  /** The index of the interface that each place's newest ADD made, while the pod is asked for. */
  readonly #alive = new Map<number, { index: number | undefined; readonly destination: string }>();
  readonly #failed = new Set<number>();
  readonly #deleting = new Set<number>();
  /** Places whose pod's DEL has come to its end. */
  readonly #gone = new Set<number>();
  readonly #down = new Set<number>();
  #orphans = 0;
  #deletes = 0;

  constructor(rig: Rig, design: Design, validator: Validator) {
    this.#rig = rig;
    this.#design = design;
    this.#validator = validator;
  }

  async make(acts: readonly Act[]): Promise<Outcome> {
    this.#start();
    for (const act of acts) await this.#do(act);
    await this.#heal();
    await this.#settle();
    await this.#rig.stopAgent();
    for (const lines of this.#traces) {
      const { refusal } = this.#validator.validate({ lines, head: this.#design });
      if (refusal !== undefined)
        this.#wrong.push(
          [
            `the model does not allow step ${refusal.line}, as the story of ${refusal.interface}:`,
            ...lines
              .slice(Math.max(0, refusal.line - 15), refusal.line + 1)
              .map((line) => JSON.stringify(line)),
            ...refusal.allowed.map((each) => `  it would have allowed: ${each}`),
          ].join('\n'),
        );
    }
    return {
      wrong: this.#wrong,
      deletes: this.#deletes,
      lines: this.#traces.reduce((sum, { length }) => sum + length, 0),
    };
  }

  #start(): void {
    const lines: Line[] = [];
    this.#traces.push(lines);
    this.#rig.startAgent(this.#design, this.#design.parameters.tick, false, () => (line) => {
      lines.push(line);
      if (line.step === 'delete.executed' && line.outcome === 'done') this.#judge(line);
    });
  }

  #judge({ destination, index }: Extract<Line, { step: 'delete.executed' }>): void {
    this.#deletes += 1;
    for (const [place, alive] of this.#alive) {
      if (
        alive.destination === destination &&
        alive.index !== undefined &&
        (index ?? alive.index) === alive.index
      )
        this.#wrong.push(`the agent deleted ${destination}, which is the route of pod ${place}`);
    }
  }

  async #do(act: Act): Promise<void> {
    const rig = this.#rig;
    const order = orderOf(this.#design);
    switch (act.act) {
      case 'create': {
        await rig.createPod(act.place, order, this.#relation(act));
        this.#failed.delete(act.place);
        this.#deleting.delete(act.place);
        this.#gone.delete(act.place);
        this.#down.delete(act.place);
        this.#alive.set(act.place, { index: undefined, destination: rig.pod(act.place)?.pod.address ?? '' });
        return;
      }
      case 'step':
        await this.#step(act.place);
        return;
      case 'finish':
        while (await this.#step(act.place));
        return;
      case 'delete':
        if (rig.pod(act.place) === undefined || rig.pod(act.place)?.doing !== undefined) return;
        this.#delete(act.place);
        return;
      case 'crash':
        if (rig.pod(act.place)?.doing !== undefined) this.#crash(act.place);
        return;
      case 'down':
      case 'up': {
        const name = rig.interfaceName(act.place);
        const { interfaces } = await rig.kernel.list();
        if (!interfaces.some((each) => each.name === name)) return;
        await rig.setInterface(act.place, act.act === 'up');
        if (act.act === 'up') this.#down.delete(act.place);
        else this.#down.add(act.place);
        return;
      }
      case 'half-open':
        return rig.halfOpen();
      case 'reset':
        return rig.link.reset();
      case 'stall':
        return rig.link.stall();
      case 'resume':
        return rig.link.resume();
      case 'leader lost':
        return rig.link.cluster.loseLeader();
      case 'leader back':
        return rig.link.cluster.electLeader();
      case 'isolate':
        if (rig.link.endpoints.length > 1 && rig.agent.member !== undefined) await rig.isolate();
        return;
      case 'heal':
        return rig.link.cluster.heal();
      case 'compact':
        if (rig.storeAnswers) await rig.compact();
        return;
      case 'restore':
        // A member that reaches no other cannot begin anew.
        if (rig.storeAnswers && !rig.link.cluster.hasIsolated) await rig.restore(() => false);
        return;
      case 'cancel':
        return rig.cancelWatch();
      case 'orphan':
        this.#orphans += 1;
        return rig.addOrphan(this.#orphans);
      case 'freeze':
        return rig.agent.steps.hold();
      case 'thaw':
        return rig.agent.steps.free();
      case 'restart':
        await rig.stopAgent();
        this.#start();
        return;
      case 'wait':
        await sleep(act.ticks * this.#design.parameters.tick * 1000);
    }
  }

  /** @returns whether there was a step to make */
  async #step(place: number): Promise<boolean> {
    const rig = this.#rig;
    if (rig.pod(place)?.doing === undefined) return false;
    try {
      const step = await rig.nextStep(place);
      if (step === 'cni.made.interface') {
        const name = rig.interfaceName(place);
        const { interfaces } = await rig.kernel.list();
        const alive = this.#alive.get(place);
        if (alive !== undefined) alive.index = interfaces.find((each) => each.name === name)?.index;
      }
      if (step === undefined && this.#deleting.has(place)) this.#gone.add(place);
      return step !== undefined;
    } catch {
      // As a plugin whose write is not answered: it fails, and leaves what it made.
      this.#crash(place);
      return false;
    }
  }

  /** A pod of another name comes into a place only once nothing is left of the one before. */
  #relation({ place, relation }: Extract<Act, { act: 'create' }>): Relation {
    if (this.#gone.has(place)) return relation;
    return relation === 'readdressed' ? 'same' : relation === 'fresh' ? 'renumbered' : relation;
  }

  #delete(place: number): void {
    this.#alive.delete(place);
    this.#deleting.add(place);
    this.#rig.deletePod(place, orderOf(this.#design));
  }

  #crash(place: number): void {
    this.#rig.crash(place);
    this.#deleting.delete(place);
    this.#failed.add(place);
  }

  /** No fault is in progress any more, what has begun is finished, and what has failed is deleted. */
  async #heal(): Promise<void> {
    const rig = this.#rig;
    await rig.link.resume();
    await rig.link.cluster.electLeader();
    await rig.link.cluster.heal();
    rig.agent.steps.free();
    for (const place of this.#down) await this.#do({ act: 'up', place });
    for (const place of places) {
      await this.#do({ act: 'finish', place });
      for (let attempts = 0; this.#failed.has(place) && attempts < 5; attempts += 1) {
        this.#failed.delete(place);
        this.#delete(place);
        await this.#do({ act: 'finish', place });
      }
    }
  }

  async #settle(): Promise<void> {
    const end = performance.now() + 300 * this.#design.parameters.tick * 1000;
    for (;;) {
      const wrong = await this.#unsettled();
      if (wrong.length === 0) return;
      if (performance.now() > end) {
        this.#wrong.push(...wrong);
        return;
      }
      await sleep(20);
    }
  }

  async #unsettled(): Promise<string[]> {
    const rig = this.#rig;
    const state = await rig.kernel.list();
    const wrong: string[] = [];
    const kept = new Set<string>();
    for (const place of places) {
      // An earlier sandbox whose DEL never came has its endpoint still, and so its route.
      const endpoint = await rig.endpoint(place);
      const named = state.interfaces.find(({ name }) => name === endpoint?.interfaceName);
      for (const each of endpoint?.addresses ?? []) kept.add(`${each} ${named?.index}`);
      const alive = this.#alive.get(place);
      if (alive === undefined) continue;
      kept.add(`${alive.destination} ${alive.index}`);
      if ((await rig.committed(place)) && !(await rig.routed(place, state)))
        wrong.push(`pod ${place} is committed and has no route`);
    }
    const owned = new Set(
      state.interfaces.flatMap(({ name, index }) => (name.startsWith('cali') ? index : [])),
    );
    for (const { destination, index } of state.routes) {
      if (owned.has(index) && !kept.has(`${destination} ${index}`))
        wrong.push(`nobody's route ${destination} is still there`);
    }
    return wrong;
  }
}
