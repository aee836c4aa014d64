/**
 * What has to be arranged before the agent asks for it: a dial or a list that fails, a request that is long on its way. The
 * agent asks as soon as it comes into the state, so what becomes of it is read ahead in the trace.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyMachineSnapshot } from 'xstate';
import type { Pick } from '../semantics/world.ts';
import type { Rig } from './rig.ts';

/** The outcomes that a state waits for, the bad one last. */
const outcomes = {
  dialling: ['connection.opened', 'dial.failed'],
  listing: ['list.completed', 'list.failed'],
} as const;

type Asking = keyof typeof outcomes;

const asked = ['dialling', 'listing'] as const satisfies readonly Asking[];

/** How long a dial is waited for; milliseconds. */
const patience = 3000;

/** With these, the agent asks for something else. */
const elsewhere = ['connection.opened', 'connection.abandoned', 'process.restarted'];

/** Keeps a rig so that what fails in a trace fails on it. */
export class Arrangements {
  readonly #rig: Rig;
  readonly #picks: readonly Pick[];
  readonly #made: Record<Asking, boolean> = { dialling: false, listing: false };

  #stalled = false;
  #delayed = false;

  constructor(rig: Rig, picks: readonly Pick[]) {
    this.#rig = rig;
    this.#picks = picks;
  }

  /**
   * Makes what the agent will meet as soon as a step is done.
   *
   * @param pick - the step; none before the agent starts
   * @param watcher - the watcher's state after it
   * @param done - how many steps are done after it
   */
  async before(pick: Pick | undefined, watcher: AnyMachineSnapshot, done: number): Promise<void> {
    for (const asking of asked) {
      // What fails in this step has to go on failing until it has.
      if (pick?.kind === 'choice' && pick.id === outcomes[asking][1]) continue;
      await this.#make(asking, this.#isDue(asking, watcher, done));
    }
    await this.#delay(this.#overtaken(watcher, done));
  }

  /**
   * A stalled stream is that of one connection, and a rig stalls all; so it ends with the connection, before the next is made.
   *
   * @param link - the connection's state after the step
   */
  async flow(pick: Pick | undefined, link: AnyMachineSnapshot): Promise<void> {
    if (pick?.kind === 'choice' && pick.id === 'stream.stalled') this.#stalled = true;
    else if (this.#stalled && !link.matches({ open: { attached: 'stalled' } })) {
      this.#stalled = false;
      await this.#rig.link.resume();
    }
  }

  /** Ends what has failed in a step that is done. */
  async after(watcher: AnyMachineSnapshot, done: number): Promise<void> {
    for (const asking of asked) await this.#make(asking, this.#isDue(asking, watcher, done));
  }

  #isDue(asking: Asking, watcher: AnyMachineSnapshot, done: number): boolean {
    if (!watcher.matches({ reconnecting: asking })) return false;
    const [good, bad] = outcomes[asking];
    const next = this.#picks
      .slice(done)
      .find((pick) => pick.kind === 'choice' && [good, bad, ...elsewhere].includes(pick.id));
    return next?.kind === 'choice' && next.id === bad;
  }

  /** Whether history changes between a request to resume the watch and its arrival, so that the request has to wait. */
  #overtaken(watcher: AnyMachineSnapshot, done: number): boolean {
    if (!watcher.matches({ reconnecting: 'resuming' })) return false;
    const ids = this.#picks.slice(done).map((pick) => (pick.kind === 'choice' ? pick.id : ''));
    const end = ids.findIndex((id) => ['watch.attempted', ...elsewhere].includes(id));
    return ids[end] === 'watch.attempted' && ids.slice(0, end).some((id) => /^(history|revision)\./.test(id));
  }

  async #delay(delayed: boolean): Promise<void> {
    if (this.#delayed === delayed) return;
    this.#delayed = delayed;
    // The connection over which it is asked has to be there.
    const end = performance.now() + patience;
    while (delayed && !this.#dialled() && performance.now() < end) await sleep(5);
    await (delayed ? this.#rig.link.stall() : this.#rig.link.resume());
  }

  #dialled(): boolean {
    return this.#rig.agent.steps.waiting().includes('connection.opened');
  }

  async #make(asking: Asking, failing: boolean): Promise<void> {
    if (this.#made[asking] === failing) return;
    this.#made[asking] = failing;
    if (asking === 'dialling') await this.#rig.link.refuse(failing);
    else await this.#rig.refuseReads(failing);
  }
}
