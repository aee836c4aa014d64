/** Plays a walk with running actors, and asks the properties of what is seen. */
import { unfairAction } from '../explore/confirm.ts';
import type { Property, Reader } from '../property.ts';
import type { Pick } from '../semantics/world.ts';
import type { Delivery, System } from '../system.ts';
import { type ReplayedState, readerOf, stateKey } from '../trace/replay.ts';
import { breaks, cycleBreaks, livenessOf } from './judge-walk.ts';
import { RunningSystem } from './running-system.ts';
import type { Shown, Walk } from './walk.ts';

/** Who hears what happens when a walk is played. */
export interface WalkListener {
  /** Before a step is made. */
  readonly onStep?: (pick: Pick, at: Reader) => void;
}

/** Plays walks of one system. */
export class WalkPlayer {
  /** What is walked. */
  readonly system: System;
  readonly #wired = new Map<string, readonly Delivery[]>();

  constructor(system: System) {
    this.system = system;
  }

  /**
   * Plays a walk, to its end or to the first violation.
   *
   * @returns what was violated first
   * @throws SystemError if the actors do not offer what the walk picks
   */
  play(walk: Walk, properties: readonly Property[], { onStep }: WalkListener = {}): Shown | undefined {
    const running = new RunningSystem(this.system, this.#wired);
    const at: Reader = (name) => running.snapshot(name);
    const states: ReplayedState[] = [];
    const keep = livenessOf(properties).length > 0 && walk.loop !== undefined;
    const safety = properties.filter(({ kind }) => kind !== 'eventually-always');
    const reads = new Set(
      safety.flatMap((property) =>
        property.kind === 'effect' ? property.clauses.flatMap((clause) => clause.reads) : [],
      ),
    );
    try {
      for (const [place, pick] of walk.picks.entries()) {
        if (keep && place >= (walk.loop as number)) states.push(running.state());
        onStep?.(pick, at);
        const before = frozen(running, reads);
        const emissions = running.step(pick);
        // What follows of necessity is drawn for liveness alone: without it a run would be another one.
        if (place >= walk.drawn) continue;
        const broken = safety.find((property) => breaks(property, before, at, emissions));
        if (broken !== undefined) {
          return {
            property: broken.id,
            walk: { picks: walk.picks.slice(0, place + 1), drawn: Math.min(walk.drawn, place + 1) },
          };
        }
      }
      return keep ? this.#judgeCycle(walk, properties, [...states, running.state()]) : undefined;
    } finally {
      running.stop();
    }
  }

  #judgeCycle(
    walk: Walk,
    properties: readonly Property[],
    states: readonly ReplayedState[],
  ): Shown | undefined {
    const { system } = this;
    const steps = walk.picks.slice(walk.loop);
    const cycle = steps.length === 0 ? states : states.slice(0, -1);
    const readers = cycle.map((state) => readerOf(system, state));
    const broken = livenessOf(properties).find((property) => cycleBreaks(property, readers));
    if (broken === undefined) return undefined;
    const closed = stateKey(states[0] as ReplayedState) === stateKey(states.at(-1) as ReplayedState);
    const unfair = unfairAction(system, cycle, steps);
    if (!closed || unfair !== undefined) {
      throw new Error(
        `internal error: a cycle of system '${system.id}' that should be fair ${closed ? `is unfair to '${unfair}'` : 'does not close'} under XState's interpreter.`,
      );
    }
    return { property: broken.id, walk };
  }
}

/** Some parts as they are now. */
function frozen(running: RunningSystem, names: ReadonlySet<string>): Reader {
  const snapshots = new Map([...names].map((name) => [name, running.snapshot(name)]));
  return (name) => snapshots.get(name) ?? running.snapshot(name);
}
