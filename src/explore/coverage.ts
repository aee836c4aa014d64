/**
 * What a search has seen happen: which transitions of which machines were taken, and which choices were offered.
 * Whatever never happens in any run is dead text in the model, or a sign that the model is not what it seems.
 */
import { transitionIds } from '../machine/statechart.ts';
import type { World } from '../semantics/world.ts';
import type { Symmetry } from './symmetry.ts';

/** The record of one search. */
export class Coverage {
  readonly #world: World;
  readonly #symmetry: Symmetry | undefined;
  readonly #taken: Uint8Array[];
  /** One bit for each choice: it has been offered. */
  readonly offered: Int32Array;

  constructor(world: World, symmetry?: Symmetry) {
    this.#world = world;
    this.#symmetry = symmetry;
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
    const never = choices.filter((choice, place) => {
      const counterparts = this.#symmetry?.counterparts(choice) ?? [place];
      return !counterparts.some((each) => this.#wasOffered(each));
    });
    return [...transitions, ...never.map(({ id }) => `choice:${id}`)];
  }

  #wasOffered(choice: number): boolean {
    return (((this.offered[choice >> 5] as number) >> (choice & 31)) & 1) === 1;
  }

  /** Whether a part took a transition, or one of its counterparts: then it did so in another state of the orbit. */
  #wasTaken(part: number, id: string): boolean {
    const place = this.#world.spaces[part]?.transitions.indexOf(id) ?? -1;
    const component = this.#world.system.parts[part]?.component as number;
    const siblings = this.#symmetry?.siblings(component) ?? [component];
    return siblings.some(
      (each) => this.#taken[this.#symmetry?.counterpart(part, each) ?? part]?.[place] === 1,
    );
  }
}
