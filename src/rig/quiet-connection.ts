/**
 * Whether the agent is told nothing while the connection of the model is silent. A held step that is not released proves
 * nothing about the fault; a step that is not even offered does.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyMachineSnapshot } from 'xstate';
import type { System } from '../system.ts';
import { readerOf } from '../trace/replay.ts';
import type { Moment } from '../trace/run.ts';
import type { Rig } from './rig.ts';

/** How long what the store has to say would take at the most, if the connection carried it; milliseconds. */
const carried = 100;

/** How the model's connection is. */
type Quiet =
  /** It carries what there is. */
  | 'no'
  /** It carries no event, and it may end at any time. */
  | 'mute'
  /** It carries nothing, and nobody will end it. */
  | 'silent';

/** Watches a rig during one replay. */
export class QuietConnection {
  readonly #rig: Rig;
  readonly #system: System;
  #heardBefore: number | undefined;

  constructor(rig: Rig, system: System) {
    this.#rig = rig;
    this.#system = system;
  }

  /** Looks after a step, once it is done. @returns what the agent was told although it could not have been */
  async broken({ pick, state }: Moment): Promise<string | undefined> {
    const quiet = quietOf(readerOf(this.#system, state)('link'));
    if (quiet === 'no') {
      this.#heardBefore = undefined;
      return undefined;
    }
    const changesStore = pick?.kind === 'choice' && /^cni\.(wrote|erased)\.endpoint/.test(pick.id);
    if (this.#heardBefore === undefined || changesStore) await sleep(carried);
    const waiting = this.#rig.agent.steps.waiting();
    const heard = waiting.filter((name) => /^(event\.delivered|probe\.returned)/.test(name));
    // What had arrived before the connection fell silent waits for its turn.
    this.#heardBefore ??= heard.length;
    if (heard.length > this.#heardBefore)
      return `the agent was told '${heard.at(-1)}' over a connection that is silent in the model`;
    if (quiet === 'silent' && waiting.includes('connection.closed'))
      return 'the agent was told of the end of a connection that is silent in the model';
    return undefined;
  }
}

function quietOf(link: AnyMachineSnapshot): Quiet {
  if (link.matches({ open: { halfOpen: 'silent' } })) return 'silent';
  if (link.matches({ open: { attached: { isolated: 'tolerated' } } })) return 'silent';
  return link.hasTag('blind') || link.matches({ open: { attached: 'stalled' } }) ? 'mute' : 'no';
}
