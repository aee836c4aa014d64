/**
 * Tells the steps behind which some fault can never strike again, such as the one that says that faults have stopped. It is
 * read from the machines' charts, without their guards and without running them: rather too few steps are told than one
 * behind which a fault may still strike.
 */
import type { AnyMachineSnapshot, AnyStateNode, StateValue } from 'xstate';
import type { GlobalState, World } from '../semantics/world.ts';
import type { Part } from '../system.ts';

const none: ReadonlySet<number> = new Set();

/** What of the faults of a system is over in its states. */
export class Silence {
  readonly #world: World;
  /** By part and local state: the places of the faults that the part will never take again. */
  readonly #over: readonly Map<number, ReadonlySet<number>>[];
  /** By part: the events of faults that it hears, with the place of the fault. */
  readonly #heard: readonly (readonly (readonly [type: string, number: number])[])[];

  constructor(world: World) {
    const { parts, choices } = world.system;
    this.#world = world;
    this.#over = parts.map(() => new Map());
    this.#heard = parts.map(({ name }) =>
      choices.flatMap(({ fault, deliver }, number) =>
        deliver
          .filter(({ to }) => fault !== undefined && to === name)
          .map(({ event }) => [event.type, number] as const),
      ),
    );
  }

  /**
   * Whether a fault that might still have struck never can after a step.
   *
   * @param made - the place of the choice that was made: a fault that strikes only once silences no other
   */
  falls(before: GlobalState, after: GlobalState, made?: number): boolean {
    return this.#world.system.parts.some((part) => {
      const was = before[part.index] as number;
      const is = after[part.index] as number;
      if (was === is) return false;
      const over = this.#overIn(part, is);
      return [...over].some((number) => number !== made && !this.#overIn(part, was).has(number));
    });
  }

  #overIn(part: Part, local: number): ReadonlySet<number> {
    const heard = this.#heard[part.index] ?? [];
    if (heard.length === 0) return none;
    const known = this.#over[part.index] as Map<number, ReadonlySet<number>>;
    let over = known.get(local);
    if (over === undefined) {
      const space = this.#world.space(part);
      const takes = mayTake(space.machine.root, space.state(local).snapshot);
      over = new Set(heard.filter(([type]) => !takes(type)).map(([, number]) => number));
      known.set(local, over);
    }
    return over;
  }
}

/** Whether a machine may ever take events of a type, from a state on; guards are not asked. */
function mayTake(root: AnyStateNode, { status, value }: AnyMachineSnapshot): (type: string) => boolean {
  if (status !== 'active') return () => false;
  const types = new Set<string>();
  for (const node of reachable(activeIn(root, value)))
    for (const type of node.transitions.keys()) types.add(type.includes('*') ? '*' : type);
  return (type) => types.has(type) || types.has('*');
}

function activeIn(node: AnyStateNode, value: StateValue): AnyStateNode[] {
  const inside = typeof value === 'string' ? { [value]: {} } : value;
  return [
    node,
    ...Object.entries(inside).flatMap(([key, below]) =>
      activeIn(node.states[key] as AnyStateNode, below as StateValue),
    ),
  ];
}

/** The states that a machine may come to, rather too many: with a state all that is inside it. */
function reachable(active: readonly AnyStateNode[]): ReadonlySet<AnyStateNode> {
  const reached = new Set(active);
  const enter = (node: AnyStateNode, whole: boolean): void => {
    if (!reached.has(node)) {
      reached.add(node);
      if (node.parent !== undefined) enter(node.parent, node.parent.type === 'parallel');
    }
    if (whole) for (const child of Object.values(node.states)) enter(child, true);
  };
  // What is added while it is gone through is gone through as well.
  for (const node of reached) {
    for (const { target } of [...[...node.transitions.values()].flat(), ...(node.always ?? [])]) {
      for (const each of target ?? []) {
        const { parent } = each;
        enter(each.type === 'history' && parent !== undefined ? parent : each, true);
      }
    }
  }
  return reached;
}
