/**
 * A machine as plain data: its states, its transitions, and their names, for diagrams, documents and coverage.
 *
 * Only what XState makes public is read (`machine.root` and what hangs from it), so a chart can never differ from the
 * machine that runs. Two things are put back as their author wrote them: XState turns each `after` into a delayed
 * `raise` on entry and a `cancel` on exit, which are dropped here, and it writes the delay's name into an event type,
 * which is taken out again.
 *
 * ```ts
 * const chart = statechart(cleanupMachine);
 * chart.edges[0]; // { id: 'cleanup.inGrace#0', kind: 'after', delay: { name: 'gracePeriod', value: 10 }, … }
 * ```
 */
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { readActions, readGuard } from './implementations.ts';

/** What a state or a transition does: one action. */
export interface StatechartAction {
  /** As a reader wants it: the action's name, or `emit route.added`, `raise retry`, `assign rev` for inline ones. */
  readonly label: string;
  /** The type of the event that it emits, if that can be told without running it. */
  readonly emits?: string;
}

/** The condition of a transition. */
export interface StatechartGuard {
  /** In words: `compacted`, `not compacted and (inSync or in link.up)`. */
  readonly label: string;
  /** The named guards in it, in the order in which they are written. */
  readonly names: readonly string[];
}

/** The delay of an `after`. */
export interface StatechartDelay {
  /** Its name under `delays`; left out if the machine gives a bare number. */
  readonly name?: string;
  /** In the machine's unit of time; left out if only a running machine could tell. */
  readonly value?: number;
}

/** What is known of states and transitions alike. */
export interface StatechartDescribed {
  /** The author's sentence. */
  readonly description?: string;
  /** The author's `meta`, as JSON can hold it. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** Where a compound state begins. */
export interface StatechartInitial extends StatechartDescribed {
  /** The child's id. */
  readonly target: string;
  /** What is done on the way in. */
  readonly actions: readonly StatechartAction[];
}

/** What a history state remembers. */
export interface StatechartHistory {
  /** Whether it remembers the child only, or the child's children as well. */
  readonly depth: 'shallow' | 'deep';
  /** Where it leads while there is nothing to remember. */
  readonly targets: readonly string[];
}

/** A state. */
export interface StatechartNode extends StatechartDescribed {
  /** XState's id, unique in the machine: `watcher.connected`. */
  readonly id: string;
  /** Its name among its siblings. */
  readonly key: string;
  /** The id of the state around it; null for the machine itself. */
  readonly parent: string | null;
  /** The ids of the states directly inside, in document order. */
  readonly children: readonly string[];
  /** As XState tells them apart. */
  readonly kind: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  /** Where it begins, if it is compound. */
  readonly initial?: StatechartInitial;
  /** For a history state: what it remembers, and where it leads while there is nothing to remember. */
  readonly history?: StatechartHistory;
  /** What is done on the way in. */
  readonly entry: readonly StatechartAction[];
  /** What is done on the way out. */
  readonly exit: readonly StatechartAction[];
  /** The actors that run while the machine is in this state, by the name of their logic. */
  readonly invokes: readonly string[];
  /** Its XState tags. */
  readonly tags: readonly string[];
}

/** What can set a transition off. */
export type StatechartTrigger =
  /** An event by its type, wildcards included. */
  | 'event'
  /** A timer. */
  | 'after'
  /** Nothing but its guard. */
  | 'always'
  /** The end of the state's own children, or of an actor. */
  | 'done'
  /** The failure of an actor. */
  | 'error'
  /** A new snapshot of an actor. */
  | 'snapshot';

/** A transition. */
export interface StatechartEdge extends StatechartDescribed {
  /** `<source>#<place>`: stable as long as the source's own transitions keep their order. */
  readonly id: string;
  /** The id of the state that it is written in. */
  readonly source: string;
  /** The ids of the states that it enters; none if the machine stays where it is. */
  readonly targets: readonly string[];
  /** What kind of thing sets it off. */
  readonly kind: StatechartTrigger;
  /** The event type; for `done`, `error` and `snapshot` the id of what it comes from; empty for `after`, `always`. */
  readonly trigger: string;
  /** For `after` only. */
  readonly delay?: StatechartDelay;
  /** Its condition, if it has one. */
  readonly guard?: StatechartGuard;
  /** It has no guard of its own, but an earlier transition for the same trigger has one: it is what remains. */
  readonly otherwise: boolean;
  /** Whether the source is left and entered again even though the target is inside it, which restarts its timers. */
  readonly reenter: boolean;
  /** What it does on the way. */
  readonly actions: readonly StatechartAction[];
}

/** A machine as plain data that JSON can hold. */
export interface Statechart extends StatechartDescribed {
  /** The machine's id, which is also the id of its first node. */
  readonly id: string;
  /** The states in document order, the machine itself first. */
  readonly nodes: readonly StatechartNode[];
  /** The transitions, state by state, in document order. */
  readonly edges: readonly StatechartEdge[];
}

/** What the machine alone cannot tell. */
export interface StatechartOptions {
  /** Values for delays that the machine computes, by name. They win over the machine's own. */
  readonly delays?: Readonly<Record<string, number>>;
}

/**
 * Reads a machine.
 *
 * @param machine - any XState v5 machine; it is not run
 * @param options - values for computed delays
 */
export function statechart(machine: AnyStateMachine, options: StatechartOptions = {}): Statechart {
  const nodes: StatechartNode[] = [];
  const edges: StatechartEdge[] = [];
  for (const node of documentOrder(machine.root)) {
    nodes.push(readNode(node));
    const delays = new Map<AnyTransitionDefinition, unknown>(node.after.map((timed) => [timed, timed.delay]));
    const guarded = new Set<string>();
    for (const [index, transition] of ownTransitions(node).entries()) {
      const otherwise = transition.guard === undefined && guarded.has(transition.eventType);
      if (transition.guard !== undefined) guarded.add(transition.eventType);
      const delay = delays.has(transition)
        ? { delay: readDelay(delays.get(transition), machine, options) }
        : {};
      edges.push({ ...readEdge(transition, index), ...delay, otherwise });
    }
  }
  return { id: machine.id, ...described(machine.root), nodes, edges };
}

/**
 * The edge id of each transition of a machine, by the identity of XState's own definition object: what inspectors
 * report as taken can be counted with it. In document order, and equal to the ids in {@link statechart}.
 */
export function transitionIds(machine: AnyStateMachine): Map<AnyTransitionDefinition, string> {
  const ids = new Map<AnyTransitionDefinition, string>();
  for (const node of documentOrder(machine.root)) {
    for (const [index, transition] of ownTransitions(node).entries())
      ids.set(transition, edgeId(node, index));
  }
  return ids;
}

const edgeId = (source: AnyStateNode, index: number): string => `${source.id}#${index}`;

function* documentOrder(node: AnyStateNode): Generator<AnyStateNode> {
  yield node;
  for (const child of Object.values(node.states)) yield* documentOrder(child);
}

const ownTransitions = (node: AnyStateNode): AnyTransitionDefinition[] => [
  ...[...node.transitions.values()].flat(),
  ...(node.always ?? []),
];

function readNode(node: AnyStateNode): StatechartNode {
  const [first] = node.initial.target;
  const initial = first && {
    target: first.id,
    actions: readActions(node.initial.actions, node),
    ...described(node.initial),
  };
  return {
    id: node.id,
    key: node.key,
    parent: node.parent?.id ?? null,
    children: Object.values(node.states).map((child) => child.id),
    kind: node.type,
    ...(initial && { initial }),
    ...(node.type === 'history' && {
      history: { depth: node.history === 'deep' ? 'deep' : 'shallow', targets: historyTargets(node) },
    }),
    entry: readActions(node.entry, node),
    exit: readActions(node.exit, node),
    invokes: node.invoke.map((invoked) => (typeof invoked.src === 'string' ? invoked.src : invoked.id)),
    tags: [...node.tags],
    ...described(node),
  };
}

function historyTargets(node: AnyStateNode): string[] {
  const target: unknown = (node.config as { target?: unknown }).target;
  if (typeof target !== 'string') return [];
  if (target.startsWith('#')) return [node.machine.getStateNodeById(target).id];
  let found: AnyStateNode | undefined = node.parent;
  for (const key of target.split('.')) found = found?.states[key];
  return found ? [found.id] : [];
}

function readEdge(transition: AnyTransitionDefinition, index: number): Omit<StatechartEdge, 'otherwise'> {
  const { source, guard } = transition;
  return {
    id: edgeId(source, index),
    source: source.id,
    targets: transition.target?.map((target) => target.id) ?? [],
    ...readTrigger(transition.eventType),
    ...(guard !== undefined && { guard: readGuard(guard) }),
    reenter: transition.reenter,
    actions: readActions(transition.actions, source),
    ...described(transition),
  };
}

const internalTriggers: readonly [prefix: string, kind: StatechartTrigger][] = [
  ['xstate.done.state.', 'done'],
  ['xstate.done.actor.', 'done'],
  ['xstate.error.actor.', 'error'],
  ['xstate.snapshot.', 'snapshot'],
];

function readTrigger(type: string): { kind: StatechartTrigger; trigger: string } {
  if (type === '') return { kind: 'always', trigger: '' };
  if (type.startsWith('xstate.after.')) return { kind: 'after', trigger: '' };
  for (const [prefix, kind] of internalTriggers) {
    if (type.startsWith(prefix)) return { kind, trigger: type.slice(prefix.length) };
  }
  return { kind: 'event', trigger: type };
}

function readDelay(delay: unknown, machine: AnyStateMachine, options: StatechartOptions): StatechartDelay {
  if (typeof delay === 'number') return { value: delay };
  const name = String(delay);
  const value: unknown = options.delays?.[name] ?? machine.implementations.delays[name];
  return typeof value === 'number' ? { name, value } : { name };
}

function described(from: { description?: string | undefined; meta?: unknown }): StatechartDescribed {
  return {
    ...(from.description !== undefined && { description: from.description }),
    ...(from.meta !== undefined && {
      meta: JSON.parse(JSON.stringify(from.meta)) as Record<string, unknown>,
    }),
  };
}
