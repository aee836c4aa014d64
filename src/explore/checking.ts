/**
 * One check from end to end. The search that hashes goes first: it needs no preparation, and it alone knows the way to
 * what it finds. When a space turns out to be large, and its closed tables allow it a bit a state, the dense search
 * decides in its place; the first one then goes on only as far as is needed to tell a counterexample.
 *
 * Both find the same: where both have seen a violation, their depths are compared.
 */
import type { CheckOptions, CheckProgress, CheckReport, PropertyReport, WitnessReport } from '../check.ts';
import type { EventuallyAlways, Property } from '../property.ts';
import { World } from '../semantics/world.ts';
import { type System, SystemError } from '../system.ts';
import { DenseSearch } from './dense/dense-search.ts';
import { countDenseTimeLocks } from './dense/dense-time-locks.ts';
import { drive } from './drive.ts';
import { Engine } from './engine.ts';
import type { Finding } from './judge.ts';
import { Liveness, type LivenessResult } from './liveness.ts';
import { Search, type SearchLimits, type Stopped } from './search.ts';
import { Symmetry } from './symmetry.ts';
import { findTimeLocks, type TimeLocks } from './time-locks.ts';
import { describeStructure, judgeLiveness, judgeSafety } from './verdicts.ts';

/** A space of fewer states is searched sooner than its tables are closed, and what fails there has to be told anyway. */
const denseFrom = 1 << 22;

/** Fairness is owed to each component by name, and an orbit forgets the names. */
const noLiveness = 'symmetry does not keep apart to whom fairness is owed: check it without';

/** Who decides liveness, and who knows the way, if anyone does yet. */
interface LivenessDeciders {
  readonly decider: Liveness;
  teller: Liveness | undefined;
}

/** A check that is going on. */
export class Checking {
  readonly #system: System;
  readonly #properties: readonly Property[];
  readonly #options: CheckOptions;
  readonly #limits: SearchLimits;
  readonly #start = performance.now();
  readonly #engine: Engine;
  /** The search that hashes, */
  readonly #search: Search;
  /** and its work, which may stop half-way and go on. */
  readonly #work: Generator<void>;
  #dense: DenseSearch | undefined;
  #preparationMs = 0;

  constructor(system: System, properties: readonly Property[], options: CheckOptions, limits: SearchLimits) {
    this.#system = system;
    this.#properties = properties;
    this.#options = options;
    this.#limits = limits;
    const world = new World(system);
    const symmetry = options.symmetry === true ? Symmetry.of(world) : undefined;
    if (symmetry !== undefined && options.search === 'dense') {
      throw new SystemError(
        `system '${system.id}': a dense search keeps a bit for every state, and knows no orbits. Leave out the symmetry, or choose the hashed search.`,
      );
    }
    this.#engine = new Engine(system, properties, world, symmetry);
    this.#search = new Search(this.#engine, limits);
    this.#work = this.#search.run();
  }

  /** Searches, decides, and reports. */
  async report(): Promise<CheckReport> {
    await this.#explore();
    const timeLocks = await this.#findTimeLocks();
    const witnesses = this.#reportWitnesses();
    const properties: PropertyReport[] = [];
    let liveness: LivenessDeciders | undefined;
    let { stopped } = this.#decider;
    for (const property of this.#properties) {
      if (property.kind === 'eventually-always' && this.#engine.symmetry !== undefined) {
        const { id, kind } = property;
        properties.push({ id, kind, verdict: 'incomplete', reason: noLiveness });
        continue;
      }
      if (property.kind !== 'eventually-always' || !this.#decider.complete) {
        properties.push(await this.#judgeSafety(property, witnesses));
        continue;
      }
      liveness ??= this.#liveness();
      const decided = await this.#decideLiveness(liveness, property);
      if (typeof decided === 'string') stopped ??= decided;
      properties.push(judgeLiveness(this.#search, property, witnesses, decided));
    }
    const structure = await this.#describeStructure(timeLocks);
    const { edges, complete } = this.#decider;
    const engine = this.#dense?.engine ?? this.#engine;
    return {
      system: this.#system.id,
      search: this.#dense === undefined ? 'hashed' : 'dense',
      states: this.#count,
      edges,
      depth: this.#depth,
      elapsedMs: performance.now() - this.#start,
      ...(this.#dense === undefined ? {} : { preparationMs: this.#preparationMs }),
      complete,
      ...(stopped === undefined ? {} : { stopped }),
      ...this.#symmetryReport(),
      properties,
      witnesses,
      uncovered: engine.coverage.uncovered(),
      structure,
      fusedSizes: Object.fromEntries(engine.spaces.map((space) => [space.component.name, space.size])),
      bytesPerState: (this.#dense?.bytes ?? this.#search.states.bytes) / this.#count,
    };
  }

  #symmetryReport(): Pick<CheckReport, 'symmetry'> {
    const { symmetry } = this.#engine;
    if (symmetry === undefined) return {};
    const { components } = this.#system;
    const interchangeable = symmetry.classes.map((members) =>
      members.map((each) => components[each]?.name ?? ''),
    );
    return { symmetry: { interchangeable, states: this.#search.unreduced } };
  }

  /** The search that has seen, or may see, the whole space. */
  get #decider(): Search | DenseSearch {
    return this.#dense ?? this.#search;
  }

  get #count(): number {
    return this.#dense?.count ?? this.#search.states.count;
  }

  get #depth(): number {
    return this.#dense?.depth ?? this.#search.depth(this.#search.states.count - 1);
  }

  async #explore(): Promise<void> {
    const { search: chosen = 'auto' } = this.#options;
    const wanted = this.#engine.symmetry === undefined ? chosen : 'hashed';
    const first = wanted === 'hashed' ? Number.POSITIVE_INFINITY : wanted === 'dense' ? 1 : denseFrom;
    await this.#hash(() => this.#search.states.count >= first);
    if (this.#search.complete || this.#search.stopped !== undefined) return;
    const prepared = await this.#prepareDense();
    if (prepared instanceof DenseSearch) {
      this.#dense = prepared;
      try {
        await this.#run(prepared.run(), prepared, 'search');
      } finally {
        prepared.dismiss();
      }
    } else if (wanted === 'dense' && this.#search.stopped === undefined) {
      throw new SystemError(
        `system '${this.#system.id}': there is no dense search of it: ${prepared.replace(/\.$/, '')}. Leave the choice of the search to the engine.`,
      );
    } else {
      await this.#hash(() => false);
    }
  }

  async #prepareDense(): Promise<DenseSearch | string> {
    const engine = new Engine(this.#system, this.#properties, this.#engine.world);
    const bytesMax = this.#limits.bytesMax - this.#search.states.bytes;
    const { maxStates: statesMax = Number.POSITIVE_INFINITY, threads = 1 } = this.#options;
    const limits = { statesMax, bytesMax, threads };
    let prepared: DenseSearch | string = 'interrupted';
    const properties = this.#properties;
    function* prepare(): Generator<void> {
      prepared = yield* DenseSearch.prepare(engine, properties, limits);
    }
    const start = performance.now();
    await this.#run(prepare(), this.#search, 'search');
    this.#preparationMs = performance.now() - start;
    return prepared;
  }

  /** Goes on with the search that hashes until it is done or knows enough. */
  async #hash(enough: () => boolean): Promise<void> {
    const work = this.#work;
    function* some(): Generator<void> {
      while (!enough() && work.next().done !== true) yield;
    }
    await this.#run(some(), this.#search, 'search');
  }

  /** Works; notes in a search what stops it, if it is stopped. */
  async #run(
    work: Iterator<void>,
    search: { stopped: Stopped | undefined },
    phase: CheckProgress['phase'],
  ): Promise<void> {
    try {
      const onProgress = (): void => this.#tell(phase);
      const done = await drive(work, { signal: this.#options.signal, onProgress });
      if (!done) search.stopped ??= 'interrupted';
    } catch (error) {
      if (!isOutOfMemory(error)) throw error;
      search.stopped = 'out-of-memory';
    }
  }

  #tell(phase: CheckProgress['phase']): void {
    // A dense search begins anew, and soon overtakes what was found before it.
    const states = Math.max(this.#count, this.#search.states.count);
    this.#options.onProgress?.({
      states,
      statesPerSecond: Math.round((states * 1000) / (performance.now() - this.#start)),
      depth: this.#depth,
      frontier: this.#dense?.frontier ?? states - this.#search.head,
      phase,
    });
  }

  async #findTimeLocks(): Promise<TimeLocks | undefined> {
    if (this.#options.timeLocks === false || !this.#decider.complete) return undefined;
    const timeLocks: TimeLocks = { count: 0, first: undefined };
    const dense = this.#dense;
    if (dense === undefined) {
      await this.#run(findTimeLocks(this.#search, timeLocks), this.#search, 'search');
    } else {
      function* count(search: DenseSearch): Generator<void> {
        timeLocks.count = yield* countDenseTimeLocks(search);
      }
      await this.#run(count(dense), dense, 'search');
    }
    return timeLocks;
  }

  #reportWitnesses(): WitnessReport[] {
    return this.#properties.flatMap((property) =>
      property.witnesses.map((witness) => {
        const { judge } = this.#dense ?? this.#engine;
        const found = judge.witness(witness);
        const about = { id: witness.id, property: property.id, reached: found !== undefined };
        return found === undefined ? about : { ...about, depth: this.#depthOf(found) };
      }),
    );
  }

  /** How many steps lead to a finding of the search that decides. */
  #depthOf({ state, pick }: Finding): number {
    const depth = this.#dense === undefined ? this.#search.depth(state) : state;
    return pick === undefined ? depth : depth + 1;
  }

  async #judgeSafety(property: Property, witnesses: readonly WitnessReport[]): Promise<PropertyReport> {
    const seen = this.#dense?.judge.violation(property.id);
    if (seen !== undefined) await this.#hash(() => this.#engine.judge.violation(property.id) !== undefined);
    const told = this.#engine.judge.violation(property.id);
    if (told === undefined && seen !== undefined) {
      const reason = `a violation in ${this.#depthOf(seen)} steps was found, and then the way to it was not: ${this.#search.stopped}`;
      if (this.#search.complete) throw disagreement(this.#system, property);
      return { id: property.id, kind: property.kind, verdict: 'incomplete', reason };
    }
    if (told !== undefined && this.#dense?.complete) {
      const depth = this.#search.depth(told.state) + (told.pick === undefined ? 0 : 1);
      if (seen === undefined || this.#depthOf(seen) !== depth) throw disagreement(this.#system, property);
    }
    return judgeSafety(this.#search, this.#decider, property, witnesses);
  }

  #liveness(): LivenessDeciders {
    const decider = new Liveness(this.#dense?.complete ? this.#dense.explored() : this.#search);
    return { decider, teller: this.#dense === undefined ? decider : undefined };
  }

  async #decideLiveness(of: LivenessDeciders, property: EventuallyAlways): Promise<LivenessResult | Stopped> {
    const decided = await this.#decide(of.decider, property);
    if (typeof decided === 'string' || !decided.violated || of.teller === of.decider) return decided;
    await this.#hash(() => false);
    if (!this.#search.complete) return this.#search.stopped ?? 'interrupted';
    of.teller ??= new Liveness(this.#search);
    const told = await this.#decide(of.teller, property);
    if (typeof told !== 'string' && !told.violated) throw disagreement(this.#system, property);
    return told;
  }

  async #decide(liveness: Liveness, property: EventuallyAlways): Promise<LivenessResult | Stopped> {
    const outcome: { stopped: Stopped | undefined } = { stopped: undefined };
    let result: LivenessResult | undefined;
    function* work(): Generator<void> {
      result = yield* liveness.decide(property);
    }
    await this.#run(work(), outcome, 'liveness');
    return outcome.stopped ?? result ?? 'out-of-memory';
  }

  async #describeStructure(timeLocks: TimeLocks | undefined): Promise<CheckReport['structure']> {
    const dense = this.#dense;
    if (dense !== undefined && dense.deadlocks > 0) {
      await this.#hash(() => this.#search.firstDeadlock !== undefined);
    }
    if (dense !== undefined && timeLocks !== undefined && timeLocks.count > 0) {
      await this.#hash(() => false);
      const again: TimeLocks = { count: 0, first: undefined };
      if (this.#search.complete) await this.#run(findTimeLocks(this.#search, again), this.#search, 'search');
      timeLocks.first = again.first;
    }
    return describeStructure(this.#search, this.#decider, timeLocks);
  }
}

function disagreement({ id }: System, property: Property): Error {
  return new Error(
    `internal error: the dense search of system '${id}' and the one that hashes do not agree on '${property.id}'. This is a fault of the checker; please report it with the model.`,
  );
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof RangeError && /allocation|typed array length/i.test(error.message);
}
