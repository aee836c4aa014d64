/**
 * The places of a machine's configuration that a mutation can touch: transitions, and the actions on the way into and
 * out of states. A change copies the way from the root to its place and shares everything else.
 */
import { type AnyStateMachine, createMachine } from 'xstate';
import { type StatechartEdge, statechart } from '../../src/machine/statechart.ts';

/** A transition as a configuration has it, written out. */
export interface TransitionConfig {
  readonly target?: unknown;
  readonly guard?: unknown;
  readonly actions?: unknown;
  readonly [key: string]: unknown;
}

/** A state as a configuration has it. */
export interface StateConfig {
  readonly states?: Readonly<Record<string, StateConfig>>;
  readonly [key: string]: unknown;
}

/** Where a transition is written: under `on`, `after` or `always` of a state, and which of a list. */
export interface TransitionPlace {
  /** The transition as a statechart knows it. */
  readonly edge: StatechartEdge;
  /** The keys from the root to its state. */
  readonly path: readonly string[];
  readonly section: 'on' | 'after' | 'always';
  /** The event or the delay; empty for `always`. */
  readonly key: string;
  /** Its place among the transitions for the same event. */
  readonly index: number;
  /** How many there are for the same event. */
  readonly siblings: number;
}

/** Every transition of a machine, in document order. */
export function transitionPlaces(machine: AnyStateMachine): TransitionPlace[] {
  const { edges } = statechart(machine);
  const listOf = (edge: StatechartEdge): readonly StatechartEdge[] =>
    edges.filter(
      (each) =>
        each.source === edge.source &&
        each.kind === edge.kind &&
        each.trigger === edge.trigger &&
        each.delay?.name === edge.delay?.name,
    );
  return edges.map((edge): TransitionPlace => {
    if (edge.kind !== 'event' && edge.kind !== 'after' && edge.kind !== 'always')
      throw new Error(`${edge.id}: mutations do not know transitions of the kind '${edge.kind}' yet`);
    const list = listOf(edge);
    return {
      edge,
      path: pathOf(edge.source),
      section: edge.kind === 'event' ? 'on' : edge.kind,
      key: edge.kind === 'after' ? (edge.delay?.name ?? '') : edge.trigger,
      index: list.indexOf(edge),
      siblings: list.length,
    };
  });
}

/** The keys from the root to a state. */
export const pathOf = (stateId: string): string[] => stateId.split('.').slice(1);

/** A machine anew from another configuration, with the same implementations. */
export function withConfig(machine: AnyStateMachine, config: StateConfig): AnyStateMachine {
  return createMachine(config as never, machine.implementations as never) as unknown as AnyStateMachine;
}

/** The configuration with the state at this path replaced. */
export function changeState(
  config: StateConfig,
  path: readonly string[],
  change: (state: StateConfig) => StateConfig,
): StateConfig {
  const [first, ...rest] = path;
  if (first === undefined) return change(config);
  const child = config.states?.[first];
  if (child === undefined) throw new Error(`there is no state '${first}'`);
  return { ...config, states: { ...config.states, [first]: changeState(child, rest, change) } };
}

/** The configuration with the list of transitions that a place is in replaced. */
export function changeList(
  config: StateConfig,
  { path, section, key }: TransitionPlace,
  change: (list: readonly TransitionConfig[]) => readonly TransitionConfig[],
): StateConfig {
  return changeState(config, path, (state) => {
    if (section === 'always') return { ...state, always: change(writtenOut(state.always)) };
    const written = state[section] as Readonly<Record<string, unknown>>;
    return { ...state, [section]: { ...written, [key]: change(writtenOut(written[key])) } };
  });
}

/** The configuration with one transition replaced. */
export function changeTransition(
  config: StateConfig,
  place: TransitionPlace,
  change: (transition: TransitionConfig) => TransitionConfig,
): StateConfig {
  return changeList(config, place, (list) =>
    list.map((transition, index) => (index === place.index ? change(transition) : transition)),
  );
}

/** Transitions may be written as a target, as an object, or as a list of either. */
function writtenOut(transitions: unknown): TransitionConfig[] {
  return asList(transitions).map((each) =>
    typeof each === 'string' ? { target: each } : (each as TransitionConfig),
  );
}

/** What may be written as one thing or as a list of things. */
export function asList(written: unknown): unknown[] {
  return written === undefined ? [] : Array.isArray(written) ? written : [written];
}
