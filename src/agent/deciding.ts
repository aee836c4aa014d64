/**
 * The agent's side of the kernel: it lists interfaces and routes, tells the cleanup of each interface what was found, and does
 * what the cleanup decides. Whether a route goes is the machine's.
 *
 * One route of an interface is decided about at a time: the expected one if it is missing, else the first that is not
 * expected. The kernel is listed anew before each decision, so a change that was missed delays and never misleads.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { EventObject } from 'xstate';
import type { Design, Found } from '../../models/index.ts';
import type { Listing, Reads } from '../etcd/store.ts';
import type { Interface, Kernel, Route, RouteMatch, RouteOutcome } from '../kernel/kernel.ts';
import { reasonOf } from '../reason-of.ts';
import { type Actors, cleanupOf } from './actors.ts';
import type { FoundInterface, Tell } from './record.ts';
import type { Steps } from './steps.ts';
import { expects, View } from './view.ts';

/** `boot`: what `ip route add` writes, and Felix. */
const ownProtocol = 3;

/** Counts what was done to routes. */
export interface RouteCounts {
  /** A delete that was asked for, with what became of it; `absent`: the kernel had no such route. */
  deleted(outcome: 'done' | 'absent' | 'failed'): void;
  /** The missing route of an endpoint was added. */
  repaired(): void;
  /**
   * A route was looked over before its delete, with what was found out: the store knows its endpoint (`expected`), or only
   * the plugin's claim stands (`claimed`), or neither, so that it may go (`unexpected`); it was `gone` already, and the store
   * was not asked; the store or the claim could not be read (`failed`).
   */
  fenced(answer: 'expected' | 'claimed' | 'unexpected' | 'gone' | 'failed'): void;
}

/** What {@link Deciding} works with. */
export interface DecidingParts {
  readonly design: Design;
  readonly node: string;
  readonly kernel: Kernel;
  readonly reads: Reads;
  readonly actors: Actors;
  readonly steps: Steps;
  readonly view: View;
  /** Whether an interface is the agent's to look after. */
  readonly owns: (interfaceName: string) => boolean;
  /** The container whose ADD claims an interface of this name, if one does. */
  readonly claimOf: (interfaceName: string) => Promise<string | undefined>;
  readonly counts: RouteCounts;
  readonly tell: Tell;
  readonly log: Logger;
}

/** An answer of the store that takes longer does not keep the agent from all else; milliseconds. */
const shortestPatience = 250;

/** The decisions of one agent. */
export class Deciding {
  readonly #parts: DecidingParts;
  readonly #byKey: boolean;
  /** Routes over the interfaces that are its own, by index. */
  #routes = new Map<number, Route[]>();
  /** Where those go to. */
  #destinations = new Set<string>();
  #known = new Map<string, Interface>();
  /** The route that each cleanup is about. */
  readonly #targets = new Map<string, Route>();
  readonly #answers = new Map<string, readonly EventObject[]>();
  readonly #offered = new Set<string>();
  #repairs: { readonly interfaceName: string; readonly route: Route }[] = [];
  #deletes: { readonly interfaceName: string; readonly match: RouteMatch }[] = [];
  #ended = false;
  #kernelAnswers = true;
  readonly #retries = new Set<NodeJS.Timeout>();
  /** Interfaces whose read failed, until it is tried again. */
  readonly #retrying = new Set<string>();
  /** The store has been asked, and the step that asked does not wait for the answer any more. */
  #isLate = false;
  /** How long a step waits for the store; milliseconds. */
  #patience = shortestPatience;

  constructor(parts: DecidingParts) {
    this.#parts = parts;
    this.#byKey = parts.design.switches.includes('deletesByKey');
  }

  /** Ends what waits. */
  end(): void {
    this.#ended = true;
    for (const timer of this.#retries) clearTimeout(timer);
  }

  /** Whether the kernel could be listed when that was tried last. */
  get kernelAnswers(): boolean {
    return this.#kernelAnswers;
  }

  /** Offers an apply, unless one waits. */
  want(kind: 'apply.ran' | 'resync.ran' = 'apply.ran'): void {
    this.#once(kind, () => this.#apply(kind));
  }

  /** Offers what the cleanups are waiting for. */
  look(): void {
    const { actors } = this.#parts;
    for (const name of this.#fencing()) this.#once(`fence.polled[${name}]`, () => this.#fence(name));
    for (const name of actors.interfaces()) {
      const cleanup = actors.snapshot(cleanupOf(name));
      if (cleanup.matches({ decision: 'deleting' }))
        this.#once(`delete.executed[${name}]`, () => this.#delete(name));
    }
  }

  /** Looks at the kernel, and tells of interfaces that have come and gone. */
  async lookAtKernel(): Promise<void> {
    const { kernel, actors, owns, tell } = this.#parts;
    const { interfaces, routes } = await kernel.list().catch((error: unknown) => {
      this.#kernelAnswers = false;
      throw error;
    });
    this.#kernelAnswers = true;
    const owned = interfaces.filter(({ name }) => owns(name));
    this.#routes = new Map(owned.map(({ index }) => [index, []]));
    for (const route of routes) this.#routes.get(route.index)?.push(route);
    this.#destinations = new Set([...this.#routes.values()].flat().map(({ destination }) => destination));
    const now = new Map(owned.map((each) => [each.name, each]));
    for (const [name, { index }] of this.#known) {
      if (now.get(name)?.index === index) continue;
      actors.deliver(cleanupOf(name), { type: 'interface.vanished', address: 'same' } as EventObject);
      tell({ step: 'interface.vanished', interface: name, index }, [name]);
    }
    const before = this.#known;
    this.#known = now;
    for (const { name, index } of owned) {
      if (before.get(name)?.index === index) continue;
      this.#open(name);
      actors.deliver(cleanupOf(name), { type: 'interface.appeared' });
      tell({ step: 'interface.appeared', interface: name, index }, [name]);
    }
  }

  /** Tells cleanups what the view has of their interfaces. */
  report(interfaces: Iterable<string>): void {
    for (const name of interfaces) {
      if (!this.#parts.owns(name)) continue;
      this.#open(name);
      this.#reportOne(name);
    }
    this.want();
  }

  /** What a cleanup says to the world, and what the world answers at once. */
  answer(interfaceName: string, event: EventObject): readonly EventObject[] {
    if (event.type === 'routes.asked') {
      const found = this.#find(interfaceName);
      return [
        {
          type: 'routes.listed',
          found,
          resync: (event as EventObject & { resync: boolean }).resync,
        } as EventObject,
      ];
    }
    if (event.type === 'fence.asked') return this.#answers.get(interfaceName) ?? [];
    if (event.type === 'route.repaired') this.#noteRepair(interfaceName);
    if (event.type === 'route.deleteRequested') this.#noteDelete(interfaceName);
    return [];
  }

  #open(name: string): void {
    const { actors } = this.#parts;
    if (actors.has(cleanupOf(name))) return;
    actors.open(name);
    this.#reportOne(name);
  }

  #reportOne(name: string): void {
    const { actors, view } = this.#parts;
    const content = view.expected(name) === 'nothing' ? 'absent' : 'committed';
    actors.deliver(cleanupOf(name), { type: 'endpoint.reported', content } as EventObject);
  }

  #once(step: string, run: () => Promise<void>): void {
    if (this.#offered.has(step)) return;
    this.#offered.add(step);
    this.#parts.steps.offer(step, () => {
      this.#offered.delete(step);
      return run();
    });
  }

  async #apply(kind: 'apply.ran' | 'resync.ran'): Promise<void> {
    const { actors, kernel, tell, log, counts } = this.#parts;
    await this.lookAtKernel();
    if (!actors.takes('apply', kind)) return;
    this.#repairs = [];
    actors.deliver('apply', { type: kind });
    const repairs = this.#repairs;
    const outcomes = await kernel.add(repairs.map(({ route }) => route));
    const names = actors.interfaces();
    const found = Object.fromEntries(names.map((name) => [name, this.#foundInterface(name)]));
    const repaired: Record<string, string[]> = {};
    for (const [place, { interfaceName, route }] of repairs.entries()) {
      const outcome = outcomes[place] as RouteOutcome;
      const { destination } = route;
      if (outcome === 'done') {
        counts.repaired();
        repaired[interfaceName] = [...(repaired[interfaceName] ?? []), destination];
        log.info({ interface: interfaceName, destination }, 'added the route of an endpoint');
      } else
        log.warn(
          { interface: interfaceName, destination, outcome },
          'the route of an endpoint cannot be added',
        );
    }
    tell({ step: kind, found, repaired }, names);
    for (const name of names) this.#forget(name);
  }

  /** Forgets an interface of which nothing is left. */
  #forget(name: string): void {
    const { actors, view } = this.#parts;
    const cleanup = actors.snapshot(cleanupOf(name));
    const idle = cleanup.matches({ clock: 'unseen' }) && cleanup.matches({ decision: 'idle' });
    if (idle && !this.#known.has(name) && view.expected(name) === 'nothing') actors.close(name);
  }

  #routesOf(name: string): readonly Route[] {
    const index = this.#known.get(name)?.index;
    return index === undefined ? [] : (this.#routes.get(index) ?? []);
  }

  #foundInterface(name: string): FoundInterface | null {
    const known = this.#known.get(name);
    if (known === undefined) return null;
    return {
      index: known.index,
      up: known.up,
      routes: this.#routesOf(name).map(({ destination }) => destination),
    };
  }

  /** Addresses of the interface's own pod that have no route. */
  #missing(name: string): readonly string[] {
    const known = this.#known.get(name);
    if (known === undefined) return [];
    return this.#parts.view.addressesOf(name, known.alias).filter((each) => !this.#destinations.has(each));
  }

  /** What was found, in the model's words, for which the newest pod is the one whose endpoint is known. */
  #find(name: string): Found {
    const known = this.#known.get(name);
    if (known === undefined) return 'noInterface';
    if (known.up && this.#missing(name).length > 0) return 'noRoute';
    const expected = this.#parts.view.expected(name);
    const routes = this.#routesOf(name);
    const unexpected = routes.find(({ destination }) => !expects(expected, destination));
    if (unexpected !== undefined) {
      this.#targets.set(name, unexpected);
      return expected === 'nothing' ? 'current' : 'renumbered';
    }
    return routes.length > 0 ? 'current' : known.up && expected === 'nothing' ? 'noRoute' : 'nothing';
  }

  #noteRepair(name: string): void {
    const known = this.#known.get(name);
    if (known === undefined) return;
    for (const destination of this.#missing(name))
      this.#repairs.push({
        interfaceName: name,
        route: { destination, index: known.index, protocol: ownProtocol },
      });
  }

  #noteDelete(name: string): void {
    const target = this.#targets.get(name);
    if (target === undefined) return;
    const { destination, index, protocol } = target;
    this.#deletes.push({
      interfaceName: name,
      match: this.#byKey ? { destination } : { destination, index, protocol },
    });
  }

  /** Asks the store about the route that a cleanup is about to delete. */
  async #fence(name: string): Promise<void> {
    const { actors, design, reads, view, node, claimOf, tell, log, counts } = this.#parts;
    if (this.#isLate || this.#retrying.has(name)) return;
    await this.lookAtKernel();
    if (!this.#isFencing(name)) return;
    const target = this.#targets.get(name) as Route;
    const over = this.#routes.get(target.index) ?? [];
    const stands = over.some(({ destination }) => destination === target.destination);
    let answer: { expected: boolean; claimed: boolean } | undefined;
    if (stands) {
      const read = await this.#inTime(reads.list(design.fenceRead));
      if (read === undefined) return;
      const inStore = new View(node);
      inStore.replace(read.records);
      try {
        const claim = design.switches.includes('checksClaims') ? await claimOf(name) : undefined;
        answer = {
          expected: expects(inStore.expected(name), target.destination),
          claimed: claim !== undefined && claim === this.#known.get(name)?.alias,
        };
      } catch (error) {
        return this.#fenceFailed([name], error, 'the claim cannot be read; the route is kept');
      }
    }
    this.#answers.set(name, [
      answer === undefined
        ? ({ type: 'routes.listed', found: 'nothing', resync: false } as EventObject)
        : ({ type: 'fence.answered', expected: answer.expected, current: answer.claimed } as EventObject),
    ]);
    actors.deliver(cleanupOf(name), { type: 'fence.polled' });
    this.#answers.delete(name);
    counts.fenced(
      answer === undefined
        ? 'gone'
        : answer.expected
          ? 'expected'
          : answer.claimed
            ? 'claimed'
            : 'unexpected',
    );
    const kept = answer?.expected === true && !expects(view.expected(name), target.destination);
    if (kept)
      log.warn(
        { interface: name, destination: target.destination },
        'the store knows an endpoint that the watch has not told of',
      );
    tell(
      {
        step: 'fence.polled',
        interface: name,
        destination: target.destination,
        ...(answer === undefined ? {} : { answer }),
      },
      [name],
    );
  }

  /**
   * Waits for a read of the store, but not for long within the step. What a late read says is old when it comes, so the store is
   * asked anew then, and waited for longer if it is slow.
   *
   * @returns nothing if it failed or is late
   */
  async #inTime(read: Promise<Listing>): Promise<Listing | undefined> {
    const began = performance.now();
    const answered = read.then(
      (listing) => {
        this.#isLate = false;
        this.#patience = Math.max(shortestPatience, 2 * (performance.now() - began));
        return listing;
      },
      (error: unknown) => {
        this.#isLate = false;
        this.#patience = shortestPatience;
        // The others that wait for the store would fail like this one.
        this.#fenceFailed(this.#fencing(), error, 'the store cannot be read; nothing is deleted');
        return undefined;
      },
    );
    // A step that was released is waited for by who released it.
    if (this.#parts.steps.held) return answered;
    const over = new AbortController();
    const late = sleep(this.#patience, 'late' as const, { signal: over.signal }).catch(() => undefined);
    const first = await Promise.race([answered, late]);
    over.abort();
    if (first !== 'late') return first;
    this.#isLate = true;
    void answered.then(() => this.#askAgain([]));
    return undefined;
  }

  /** The interfaces whose cleanups wait for an answer, and are not to be asked about later. */
  #fencing(): string[] {
    if (this.#isLate) return [];
    return this.#parts.actors
      .interfaces()
      .filter((name) => !this.#retrying.has(name) && this.#isFencing(name));
  }

  #isFencing(name: string): boolean {
    return this.#parts.actors.snapshot(cleanupOf(name)).matches({ decision: 'fencing' });
  }

  #fenceFailed(interfaces: readonly string[], error: unknown, says: string): void {
    if (this.#ended) return;
    const { counts, log, design } = this.#parts;
    counts.fenced('failed');
    log.warn({ interfaces, reason: reasonOf(error) }, says);
    for (const name of interfaces) this.#retrying.add(name);
    const timer = setTimeout(() => {
      this.#retries.delete(timer);
      this.#askAgain(interfaces);
    }, design.parameters.retryDelay * 1000);
    this.#retries.add(timer);
  }

  #askAgain(interfaces: readonly string[]): void {
    for (const name of interfaces) this.#retrying.delete(name);
    if (!this.#ended) this.look();
  }

  async #delete(name: string): Promise<void> {
    const { actors, kernel, tell, log, counts } = this.#parts;
    await this.lookAtKernel();
    if (!actors.has(cleanupOf(name))) return;
    if (!actors.snapshot(cleanupOf(name)).matches({ decision: 'deleting' })) return;
    this.#deletes = [];
    actors.deliver(cleanupOf(name), { type: 'delete.executed' });
    const deletes = this.#deletes;
    const outcomes = await kernel.remove(deletes.map(({ match }) => match));
    for (const [place, { interfaceName, match }] of deletes.entries()) {
      const outcome = outcomes[place] as RouteOutcome;
      const short = typeof outcome === 'object' ? 'failed' : outcome === 'exists' ? 'absent' : outcome;
      counts.deleted(short);
      log[short === 'failed' ? 'warn' : 'info'](
        { interface: interfaceName, ...match, outcome },
        {
          done: 'removed an unexpected route',
          absent: 'an unexpected route was gone before it was removed',
          failed: 'an unexpected route cannot be removed',
        }[short],
      );
      const { destination, index } = match;
      tell(
        {
          step: 'delete.executed',
          interface: interfaceName,
          destination,
          ...(index === undefined ? {} : { index }),
          outcome: short,
        },
        [interfaceName],
      );
    }
    this.want();
  }
}
