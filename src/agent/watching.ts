/**
 * The agent's side of the store: it does what the watcher's state asks for (dial, list, resume, probe, give up), and tells
 * the watcher what came of it. When to do which is the machine's.
 */
import type { Logger } from 'pino';
import type { EventObject } from 'xstate';
import type { Design } from '../../models/index.ts';
import { interfaceOf } from '../etcd/endpoint.ts';
import type { Change, Connection, Listing, Store, WatchHandle, WatchListener } from '../etcd/store.ts';
import { StoreError } from '../etcd/store.ts';
import { reasonOf } from '../reason-of.ts';
import type { Actors } from './actors.ts';
import type { FoundEndpoint, Tell } from './record.ts';
import type { Steps, Withdraw } from './steps.ts';
import type { View } from './view.ts';

/** What the watcher's state asks for. */
type Duty = 'dial' | 'list' | 'resume' | 'probe' | 'abandon';

/** A duty that was begun. */
interface Begun {
  readonly name: Duty;
  /** Takes back what has come of it and waits for its turn. */
  readonly withdraw: (() => void)[];
}

/** What {@link Watching} works with. */
export interface WatchingParts {
  readonly design: Design;
  readonly store: Store;
  readonly actors: Actors;
  readonly steps: Steps;
  readonly view: View;
  readonly tell: Tell;
  readonly log: Logger;
  /** Tells the cleanups of these interfaces what the view has of them now. */
  readonly report: (interfaces: Iterable<string>) => void;
  /** Looks at the kernel, so that what is asked of it within this step is fresh. */
  readonly lookAtKernel: () => Promise<void>;
}

/** The watch of one agent. */
export class Watching {
  readonly #parts: WatchingParts;
  #duty: Begun | undefined;
  #connection: Connection | undefined;
  /** Takes back what the connection has brought and what waits for its turn. */
  readonly #brought = new Set<Withdraw>();
  #closing = false;
  #handle: WatchHandle | undefined;
  #accepted: WatchHandle | undefined;
  /** From where a watch would miss nothing that the view has not. */
  #resume = 0n;
  /** Changes that have arrived, and those of them that the view has. */
  #arrived = 0;
  #applied = 0;
  /** Up to this revision the server has nothing more to say, once so many changes are applied. */
  #progress = { revision: 0n, after: 0 };
  #interfaceOf = new Map<string, string>();
  #attempt: 'level' | 'behind' | 'refused' = 'level';
  #awaited: { readonly revision: bigint; readonly duty: object } | undefined;
  #provenAt: number | undefined;

  constructor(parts: WatchingParts) {
    this.#parts = parts;
  }

  /** When the view was last proven to be level with the store, on the clock of `performance.now()`. */
  get provenAt(): number | undefined {
    return this.#provenAt;
  }

  /** The member that it is connected to. */
  get member(): string | undefined {
    return this.#connection?.member;
  }

  /** Whether it has asked for a watch, and the server has not answered yet. */
  get asking(): boolean {
    return this.#connection !== undefined && this.#handle !== this.#accepted;
  }

  /** Begins what the watcher's state asks for, unless it has begun. */
  look(): void {
    const name = this.#wanted();
    if (name === this.#duty?.name) return;
    for (const withdraw of this.#duty?.withdraw ?? []) withdraw();
    this.#duty = name === undefined ? undefined : { name, withdraw: [] };
    if (name === 'dial') this.#dial();
    if (name === 'list') this.#list();
    if (name === 'resume') this.#resumeWatch();
    if (name === 'probe') this.#probe();
    if (name === 'abandon') this.#offer('connection.abandoned');
  }

  /** What the watcher says to the world, and what the world answers at once. */
  answer(event: EventObject): readonly EventObject[] {
    if (event.type === 'connection.dropped') this.drop();
    if (event.type !== 'watch.requested') return [];
    return this.#attempt === 'refused'
      ? [{ type: 'watch.refused' }]
      : [{ type: 'watch.created', revision: this.#attempt } as EventObject];
  }

  /** Ends the connection. */
  drop(): void {
    this.#handle?.end();
    this.#handle = undefined;
    this.#close();
  }

  #close(): void {
    this.#connection?.close();
    this.#connection = undefined;
    this.#closing = false;
    for (const withdraw of this.#brought) withdraw();
    this.#brought.clear();
  }

  /** Offers what the connection has brought. It is withdrawn with the connection. */
  #bring(name: string, run: () => void): void {
    const withdraw = this.#parts.steps.offer(name, () => {
      this.#brought.delete(withdraw);
      run();
    });
    this.#brought.add(withdraw);
  }

  #wanted(): Duty | undefined {
    const watcher = this.#parts.actors.snapshot('watcher');
    if (watcher.matches({ reconnecting: 'dialling' })) return 'dial';
    if (watcher.matches({ reconnecting: 'listing' })) return 'list';
    if (watcher.matches({ reconnecting: 'resuming' })) return 'resume';
    if (watcher.matches({ connected: 'probing' })) return 'probe';
    return watcher.matches('stale') ? 'abandon' : undefined;
  }

  /** Offers a step that only tells the watcher. */
  #offer(
    type: 'connection.abandoned' | 'dial.failed' | 'list.failed' | 'probe.returned',
    before?: () => Promise<void>,
  ): void {
    const { actors, tell } = this.#parts;
    this.#offerForDuty(this.#duty, type, async () => {
      await before?.();
      actors.deliver('watcher', { type });
      tell({ step: type });
    });
  }

  /** Offers what comes of a duty. It is withdrawn once the duty is another, at once if it is another already. */
  #offerForDuty(
    duty: Begun | undefined,
    name: string,
    run: () => void | Promise<void>,
    withdrawn: () => void = () => {},
  ): void {
    if (this.#duty !== duty) {
      withdrawn();
      return;
    }
    const withdraw = this.#parts.steps.offer(name, run);
    duty?.withdraw.push(() => {
      if (withdraw()) withdrawn();
    });
  }

  #dial(): void {
    const { store, actors, tell, log } = this.#parts;
    const duty = this.#duty;
    store.dial().then(
      (connection) => {
        const open = (): void => {
          this.drop();
          this.#connection = connection;
          log.debug({ member: connection.member }, 'connected');
          actors.deliver('watcher', { type: 'connection.opened' });
          tell({ step: 'connection.opened' });
          void connection.ended().then(() => this.#closed(connection, 'its socket was closed'));
        };
        this.#offerForDuty(duty, 'connection.opened', open, () => connection.close());
      },
      (error: unknown) => {
        if (this.#duty !== duty) return;
        const denied = error instanceof StoreError && error.fault === 'denied';
        log.warn(
          { reason: reasonOf(error) },
          denied ? 'the store refuses this user' : 'the store does not answer',
        );
        this.#offer('dial.failed');
      },
    );
  }

  #list(): void {
    const { log } = this.#parts;
    const duty = this.#duty;
    const connection = this.#connection;
    if (connection === undefined) {
      this.#closed(undefined, 'there is no connection');
      return;
    }
    connection.list().then(
      (listing) => this.#offerForDuty(duty, 'list.completed', () => this.#listed(connection, listing)),
      (error: unknown) => {
        if (this.#duty !== duty) return;
        log.warn({ reason: reasonOf(error) }, 'the list failed');
        if (error instanceof StoreError && error.fault === 'unavailable')
          this.#closed(connection, error.message);
        else this.#offer('list.failed');
      },
    );
  }

  #listed(connection: Connection, listing: Listing): void {
    const { actors, view, tell, report, log } = this.#parts;
    const touched = view.replace(listing.records);
    for (const key of view.unreadable())
      log.error({ key }, 'a record cannot be read; what may be its route is kept');
    this.#interfaceOf = new Map(
      listing.records.flatMap((record) => {
        const name = interfaceOf(record);
        return name === undefined || !view.ours(record) ? [] : [[record.key, name]];
      }),
    );
    this.#resume = listing.revision + 1n;
    this.#arrived = 0;
    this.#applied = 0;
    this.#progress = { revision: listing.revision, after: 0 };
    this.#provenAt = performance.now();
    actors.deliver('watcher', { type: 'list.completed' });
    report(new Set([...touched, ...actors.interfaces()]));
    log.info({ revision: String(listing.revision), endpoints: view.size }, 'in sync');
    const names = new Set([...view.interfaces(), ...actors.interfaces()]);
    const endpoints = Object.fromEntries([...names].map((name) => [name, this.#found(name)]));
    tell({ step: 'list.completed', endpoints }, [...names]);
    this.#handle?.end();
    this.#handle = connection.watch(this.#resume, this.#listener(connection));
  }

  #found(interfaceName: string): FoundEndpoint {
    const expected = this.#parts.view.expected(interfaceName);
    return expected === 'nothing' ? null : expected === 'anything' ? 'unreadable' : expected;
  }

  /** The request goes out at once; the step is its answer. */
  #resumeWatch(): void {
    const duty = this.#duty;
    const connection = this.#connection;
    if (connection === undefined) {
      this.#closed(undefined, 'there is no connection');
      return;
    }
    const { design, log } = this.#parts;
    const header = design.switches.includes('resumesFromHeader') ? this.#handle?.next : undefined;
    const from = header ?? this.#resume;
    const listener = this.#listener(connection);
    const answered = (answer: 'level' | 'behind' | 'refused'): void => {
      const { actors, tell } = this.#parts;
      log.debug({ from: String(from), answer }, 'the watch was asked for');
      this.#offerForDuty(duty, 'watch.attempted', () => {
        this.#attempt = answer;
        actors.deliver('watcher', { type: 'watch.attempted' });
        tell({ step: 'watch.attempted', answer });
      });
    };
    this.#arrived = 0;
    this.#applied = 0;
    this.#handle = connection.watch(from, {
      ...listener,
      created: (revision) => {
        listener.created(revision);
        answered(revision + 1n < from ? 'behind' : 'level');
      },
      refused: () => answered('refused'),
    });
  }

  #probe(): void {
    const { design, store, log } = this.#parts;
    const duty = this.#duty as object;
    const { probeAnswer } = design;
    if (probeAnswer === 'none' || probeAnswer === 'progress') return;
    const level = this.#level();
    const asked = probeAnswer === 'heartbeat' ? store.reads.heartbeat() : store.reads.revision();
    asked.then(
      (revision) => {
        if (this.#duty !== duty) return;
        // An older backup was restored, of which this watch may never tell.
        if (revision < level) {
          log.warn({ revision: String(revision), level: String(level) }, 'the store has gone back');
          return;
        }
        this.#awaited = { revision, duty };
        this.#proven();
      },
      (error: unknown) => log.warn({ reason: reasonOf(error) }, 'the probe failed'),
    );
  }

  /** Whether the view has everything up to the revision that the probe waits for. */
  #proven(): void {
    const awaited = this.#awaited;
    if (awaited === undefined || awaited.duty !== this.#duty || this.#level() < awaited.revision) return;
    this.#awaited = undefined;
    this.#offer('probe.returned', async () => {
      await this.#parts.lookAtKernel();
      this.#provenAt = performance.now();
    });
  }

  /** The revision that the view is level with. */
  #level(): bigint {
    const { revision, after } = this.#progress;
    const delivered = this.#resume - 1n;
    return this.#applied >= after && revision > delivered ? revision : delivered;
  }

  #listener(connection: Connection): WatchListener {
    const { actors, tell, log } = this.#parts;
    const current = (): boolean => this.#connection === connection;
    const cancelled = (reason: string): void => {
      if (!current()) return;
      log.warn({ reason }, 'the server ended the watch');
      this.#bring('watch.cancelled', () => {
        if (!actors.takes('watcher', 'watch.cancelled')) return;
        actors.deliver('watcher', { type: 'watch.cancelled' });
        tell({ step: 'watch.cancelled' });
      });
    };
    return {
      created: () => {
        if (current()) this.#accepted = this.#handle;
      },
      refused: () => cancelled('compacted'),
      cancelled,
      closed: (reason) => this.#closed(connection, reason),
      changed: (changes) => {
        if (!current()) return;
        for (const [place, change] of changes.entries()) {
          this.#arrived += 1;
          this.#deliver(change, changes[place + 1]?.revision !== change.revision);
        }
      },
      progressed: (revision) => {
        if (!current()) return;
        this.#progress = { revision, after: this.#arrived };
        const probing = this.#duty?.name === 'probe' && this.#parts.design.probeAnswer === 'progress';
        if (probing) this.#offer('probe.returned', () => this.#parts.lookAtKernel());
        this.#proven();
      },
    };
  }

  #deliver(change: Change, last: boolean): void {
    const { actors, view, tell, report } = this.#parts;
    const key = change.kind === 'put' ? change.record.key : change.key;
    const before = this.#interfaceOf.get(key);
    const now =
      change.kind === 'delete' || !view.ours(change.record) ? undefined : interfaceOf(change.record);
    if (now === undefined) this.#interfaceOf.delete(key);
    else this.#interfaceOf.set(key, now);
    const name = now ?? before;
    this.#bring(name === undefined ? 'event.delivered' : `event.delivered[${name}]`, () => {
      // What an ended watch has left in the line is older than the list that was read since.
      if (!actors.takes('watcher', 'event.delivered') || change.revision < this.#resume) return;
      const changed = view.change(change);
      const touched = changed === 'every' ? new Set(actors.interfaces()) : changed;
      this.#applied += 1;
      if (last) this.#resume = change.revision + 1n;
      actors.deliver('watcher', { type: 'event.delivered' });
      report(touched);
      for (const other of touched) {
        if (other !== name)
          tell({ step: 'event.delivered', interface: other, endpoint: this.#found(other) }, [other]);
      }
      if (name === undefined) tell({ step: 'event.delivered' });
      else tell({ step: 'event.delivered', interface: name, endpoint: this.#found(name) }, [name]);
      this.#proven();
    });
  }

  #closed(connection: Connection | undefined, reason: string): void {
    const { actors, tell, log } = this.#parts;
    if (this.#connection !== connection || this.#closing) return;
    log.warn({ reason }, 'the connection ended');
    this.#closing = true;
    this.#bring('connection.closed', () => {
      // The handle stays: the stock client resumes from what it saw last.
      this.#close();
      if (!actors.takes('watcher', 'connection.closed')) return;
      actors.deliver('watcher', { type: 'connection.closed' });
      tell({ step: 'connection.closed' });
    });
  }
}
