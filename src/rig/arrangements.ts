/**
 * What has to be arranged before the agent asks for it: a dial or a list that fails. The agent asks as soon as it comes into
 * the state, so whether it is to be refused is read ahead in the trace.
 */
import type { Pick } from '../semantics/world.ts';
import type { Rig } from './rig.ts';

/** The outcomes that a state waits for, the bad one last. */
const outcomes = {
  dialling: ['connection.opened', 'dial.failed'],
  listing: ['list.completed', 'list.failed'],
} as const;

type Asking = keyof typeof outcomes;

/** Keeps a rig so that what fails in a trace fails on it. */
export class Arrangements {
  readonly #rig: Rig;
  readonly #picks: readonly Pick[];
  readonly #made: Record<Asking, boolean> = { dialling: false, listing: false };

  constructor(rig: Rig, picks: readonly Pick[]) {
    this.#rig = rig;
    this.#picks = picks;
  }

  /** Before a step. @param watcher - its state after the step @param done - how many steps are done after it */
  async before(watcher: unknown, done: number): Promise<void> {
    for (const asking of ['dialling', 'listing'] as const)
      if (this.#isDue(asking, watcher, done)) await this.#make(asking, true);
  }

  /** After a step. @param watcher - its state @param done - how many steps are done */
  async after(watcher: unknown, done: number): Promise<void> {
    for (const asking of ['dialling', 'listing'] as const)
      if (!this.#isDue(asking, watcher, done)) await this.#make(asking, false);
  }

  #isDue(asking: Asking, watcher: unknown, done: number): boolean {
    if (!JSON.stringify(watcher).includes(`"${asking}"`)) return false;
    const [good, bad] = outcomes[asking];
    const next = this.#picks
      .slice(done)
      .find((pick) => pick.kind === 'choice' && (pick.id === good || pick.id === bad));
    return next?.kind === 'choice' && next.id === bad;
  }

  async #make(asking: Asking, failing: boolean): Promise<void> {
    if (this.#made[asking] === failing) return;
    this.#made[asking] = failing;
    if (asking === 'dialling') await this.#rig.link.refuse(failing);
    else await this.#rig.refuseReads(failing);
  }
}
