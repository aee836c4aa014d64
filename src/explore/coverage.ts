/**
 * What a search has seen happen: which transitions of which machines were taken, and which choices were offered.
 * Whatever never happens in any run is dead text in the model, or a sign that the model is not what it seems.
 */
import { transitionIds } from '../machine/statechart.ts';
import type { World } from '../semantics/world.ts';

/** The record of one search. */
export class Coverage {
  readonly #world: World;
  readonly #taken: Uint8Array[];
  /** One bit for each choice: it has been offered. */
  readonly offered: Int32Array;

  constructor(world: World) {
    this.#world = world;
    this.#taken = world.spaces.map((space) => new Uint8Array(space.transitions.length));
    this.offered = new Int32Array((world.system.choices.length + 31) >> 5);
  }

  /** Notes that a part took a transition. */
  took(part: number, transition: number): void {
    const taken = this.#taken[part];
    if (taken !== undefined) taken[transition] = 1;
  }

  /**
   * What never happened: `<part>:<transition id>`, then `choice:<id>`, in the system's order. A transition with
   * neither target nor action only forbids an event, so it is not asked for.
   */
  uncovered(): string[] {
    const { parts, choices } = this.#world.system;
    const transitions = parts.flatMap((part) =>
      [...transitionIds(part.machine)]
        .filter(([{ target, actions }]) => target !== undefined || actions.length > 0)
        .map(([, id]) => id)
        .filter((id) => !this.#wasTaken(part.index, id))
        .map((id) => `${part.name}:${id}`),
    );
    const never = choices.filter(
      (_, place) => (((this.offered[place >> 5] as number) >> (place & 31)) & 1) === 0,
    );
    return [...transitions, ...never.map(({ id }) => `choice:${id}`)];
  }

  #wasTaken(part: number, id: string): boolean {
    const place = this.#world.spaces[part]?.transitions.indexOf(id) ?? -1;
    return this.#taken[part]?.[place] === 1;
  }
}
