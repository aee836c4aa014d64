/**
 * Conditions with a memory. A predicate reads the snapshots of the parts that it names and nothing else, so its answer
 * is asked once for each combination of those snapshots, and is a look-up from then on, timers left aside.
 */
import type { AnyMachineSnapshot } from 'xstate';
import type { Condition, Reader } from '../property.ts';
import { reasonOf } from '../reason-of.ts';
import type { World } from '../semantics/world.ts';
import { SystemError } from '../system.ts';
import type { ComponentSpace } from './component-space.ts';

/** Up to this many bits of combinations the answers are a table of bytes, above that a map. */
const tableBitsMax = 24;

/** What one component contributes to a condition. */
interface View {
  readonly component: number;
  readonly parts: readonly number[];
  /** By local state: the number of what the condition sees of it, or -1. */
  seen: Int32Array;
  readonly numbers: Map<string, number>;
  /** Bits for those numbers. */
  bits: number;
}

/** A condition that remembers its answers. */
export class RememberedCondition {
  readonly #world: World;
  readonly #spaces: readonly ComponentSpace[];
  readonly #condition: Condition;
  readonly #where: string;
  readonly #views: readonly View[];
  /** 0 unknown, 1 does not hold, 2 holds. */
  #answers = new Uint8Array(1);
  #bits = 0;
  readonly #sparse = new Map<string, boolean>();

  /** @param where - how messages name the condition, such as "property 'fail-static'" */
  constructor(world: World, spaces: readonly ComponentSpace[], condition: Condition, where: string) {
    this.#world = world;
    this.#spaces = spaces;
    this.#condition = condition;
    this.#where = where;
    const { system } = world;
    const parts = [...new Set(condition.reads)].map((name) => system.partIndex(name));
    const components = [...new Set(parts.map((part) => system.parts[part]?.component as number))];
    this.#views = components.map((component) => ({
      component,
      parts: parts.filter((part) => system.parts[part]?.component === component),
      seen: new Int32Array(0),
      numbers: new Map(),
      bits: 0,
    }));
  }

  /** The components that the condition reads. */
  get components(): readonly number[] {
    return this.#views.map(({ component }) => component);
  }

  /** Whether the condition holds in a global state, given as the components' local states. */
  holds(locals: ArrayLike<number>): boolean {
    let key = 0;
    for (const view of this.#views) {
      const local = locals[view.component] as number;
      const seen = view.seen[local] ?? -1;
      key = (key << view.bits) | (seen < 0 ? this.#look(view, local) : seen);
    }
    if (this.#bits > tableBitsMax) return this.#sparseAnswer(locals);
    const answer = this.#answers[key] as number;
    if (answer !== 0) return answer === 2;
    // Looking may have widened a view, so that the key above is stale.
    return this.#ask(locals);
  }

  #ask(locals: ArrayLike<number>): boolean {
    const answer = this.#evaluate(locals);
    if (this.#bits <= tableBitsMax) this.#answers[this.#key(locals)] = answer ? 2 : 1;
    return answer;
  }

  #sparseAnswer(locals: ArrayLike<number>): boolean {
    const key = this.#views.map((view) => view.seen[locals[view.component] as number]).join(' ');
    let answer = this.#sparse.get(key);
    if (answer === undefined) {
      answer = this.#evaluate(locals);
      this.#sparse.set(key, answer);
    }
    return answer;
  }

  #key(locals: ArrayLike<number>): number {
    return this.#views.reduce(
      (key, view) => (key << view.bits) | (view.seen[locals[view.component] as number] as number),
      0,
    );
  }

  #look(view: View, local: number): number {
    const space = this.#spaces[view.component] as ComponentSpace;
    if (local >= view.seen.length) {
      const longer = new Int32Array(Math.max(64, 2 * space.size)).fill(-1);
      longer.set(view.seen);
      view.seen = longer;
    }
    const key = view.parts.map((part) => this.#snapshotKey(part, space.partLocal(local, part))).join('\n');
    const number = view.numbers.get(key) ?? view.numbers.size;
    view.numbers.set(key, number);
    view.seen[local] = number;
    if (number >> view.bits !== 0) this.#widen(view);
    return number;
  }

  #widen(view: View): void {
    view.bits += 1;
    this.#bits += 1;
    // The answers are asked again: they are few beside the states that will look them up.
    this.#answers = new Uint8Array(this.#bits > tableBitsMax ? 0 : 2 ** this.#bits);
  }

  #snapshotKey(part: number, local: number): string {
    const { value, context, status, output, historyValue } = this.#snapshot(part, local);
    const history = Object.entries(historyValue as Record<string, { id: string }[]>).map(([id, nodes]) => [
      id,
      nodes.map((node) => node.id),
    ]);
    return JSON.stringify([value, context, status, output, history], (_key, each: unknown) =>
      each === undefined ? '\u0000undefined' : each,
    );
  }

  #snapshot(part: number, local: number): AnyMachineSnapshot {
    return this.#world.spaces[part]?.state(local).snapshot as AnyMachineSnapshot;
  }

  #evaluate(locals: ArrayLike<number>): boolean {
    const { system } = this.#world;
    const { reads } = this.#condition;
    const at: Reader = (name) => {
      if (!reads.includes(name)) {
        throw new SystemError(
          `${this.#where}: it reads part '${name}' without naming it. Add it to 'reads', which now names ${reads.join(', ') || 'none'}.`,
        );
      }
      const part = system.partIndex(name);
      const component = system.parts[part]?.component as number;
      return this.#snapshot(
        part,
        (this.#spaces[component] as ComponentSpace).partLocal(locals[component] as number, part),
      );
    };
    try {
      return this.#condition.holds(at);
    } catch (error) {
      if (error instanceof SystemError) throw error;
      const message = reasonOf(error);
      throw new SystemError(
        `${this.#where}: its predicate over ${reads.join(', ')} threw "${message}". An exception is no verdict: mend the predicate.`,
      );
    }
  }
}
