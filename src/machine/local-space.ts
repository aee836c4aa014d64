/**
 * One machine's local states, as small integers, and what each event does in each of them.
 *
 * XState's own `transition()` is the only semantics. It costs some ten microseconds, so it is asked once for each
 * (local state, event) and the answer is remembered; a search of millions of global states asks it a few thousand
 * times.
 *
 * A local state is a snapshot (value, context, history, status) and its running timers, each with the ticks that it
 * still has to run. Timers are read from the actions that `transition()` returns: `after` and a delayed `raise`
 * start one, `cancel` ends it.
 */
import {
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type EventObject,
  initialTransition,
  transition,
} from 'xstate';
import { reasonOf } from '../reason-of.ts';
import { SystemError } from '../system.ts';
import { admit, admitContext, admitDelay, refuse } from './admission.ts';
import { markTransitions, takenMark } from './marks.ts';

/** A timer that runs in a local state. */
export interface RunningTimer {
  /** XState's own id, such as `xstate.after.gracePeriod.cleanup.inGrace`. */
  readonly id: string;
  /** Whole ticks until it is due; 0 is due now. */
  readonly remaining: number;
  /** What it sends to its machine. */
  readonly event: EventObject;
}

/** A snapshot with its timers. */
export interface LocalState {
  readonly snapshot: AnyMachineSnapshot;
  /** By id, ascending. */
  readonly timers: readonly RunningTimer[];
}

/** What one event does in one local state. */
export interface LocalStep {
  /** The local state afterwards. */
  readonly next: number;
  /** Whether any transition with a target or an action was selected: XState's `snapshot.can(event)`. */
  readonly taken: boolean;
  /** What was emitted, in order. */
  readonly emitted: readonly EventObject[];
  /** The transitions that were selected, as places in {@link LocalSpace.transitions}. */
  readonly transitions: readonly number[];
}

/** The remembered behaviour of one machine. */
export class LocalSpace {
  /** The ids of all the machine's transitions, `<state id>#<n>` in document order. */
  readonly transitions: readonly string[];
  /** The machine as its author wrote it. */
  readonly machine: AnyStateMachine;
  /** What the first transition did: its emitted events reach the wiring before the first step. */
  readonly initial: LocalStep;
  readonly #where: string;
  readonly #marked: AnyStateMachine;
  /** Transitions with neither target nor action: selecting one forbids an event, it does not take it. */
  readonly #idle: ReadonlySet<number>;
  readonly #states: LocalState[] = [];
  readonly #idOf = new Map<string, number>();
  readonly #steps = new Map<string | number, LocalStep>();
  readonly #numbers = new WeakMap<EventObject, number>();
  readonly #texts = new Map<string, number>();

  /**
   * @param machine - the machine
   * @param input - what its `context` function receives
   * @param where - how messages name it, such as "part 'link'"
   * @throws SystemError if the machine cannot be checked soundly
   */
  constructor(machine: AnyStateMachine, input: unknown, where: string) {
    admit(machine, where);
    this.machine = machine;
    this.#where = where;
    const marked = markTransitions(machine);
    this.#marked = marked.machine;
    this.transitions = marked.ids;
    this.#idle = marked.idle;
    const [snapshot, actions] = this.#guarded('at its start', () => initialTransition(this.#marked, input));
    this.initial = this.#settle({ snapshot, timers: [] }, snapshot, actions);
  }

  /** How many local states are known so far. */
  get size(): number {
    return this.#states.length;
  }

  /** The local state with this number. Throws if there is none. */
  state(id: number): LocalState {
    const state = this.#states[id];
    if (state === undefined) throw new RangeError(`${this.#where} has no local state ${id}`);
    return state;
  }

  /** What an event does in a local state. */
  deliver(id: number, event: EventObject): LocalStep {
    return this.#remember(this.#numberOf(event) * statesMax + id, () => this.#run(this.state(id), event));
  }

  /** Equal events have one number. Most come again as the same object, and are not written out again. */
  #numberOf(event: EventObject): number {
    let number = this.#numbers.get(event);
    if (number === undefined) {
      const text = JSON.stringify(event);
      number = this.#texts.get(text) ?? this.#texts.size;
      this.#texts.set(text, number);
      this.#numbers.set(event, number);
    }
    return number;
  }

  /** What happens when a due timer fires. The timer is gone, whether or not its event is taken. */
  fire(id: number, timerId: string): LocalStep {
    return this.#remember(`${id} timer ${timerId}`, () => {
      const { snapshot, timers } = this.state(id);
      const timer = timers.find((each) => each.id === timerId);
      if (timer?.remaining !== 0)
        throw new RangeError(`${this.#where}: timer ${timerId} is not due in state ${id}`);
      return this.#run({ snapshot, timers: timers.filter((each) => each !== timer) }, timer.event);
    });
  }

  /** The local state one tick later. A timer that is due stays due. */
  tick(id: number): number {
    return this.#remember(`${id} tick`, () => {
      const { snapshot, timers } = this.state(id);
      const next = timers.map((timer) => ({ ...timer, remaining: Math.max(0, timer.remaining - 1) }));
      return { next: this.#intern({ snapshot, timers: next }), taken: true, emitted: [], transitions: [] };
    }).next;
  }

  #remember(key: string | number, run: () => LocalStep): LocalStep {
    let step = this.#steps.get(key);
    if (step === undefined) {
      step = run();
      this.#steps.set(key, step);
    }
    return step;
  }

  #run(from: LocalState, event: EventObject): LocalStep {
    // A machine that is done hears nothing; `transition()` alone would still take what its root takes.
    if (from.snapshot.status !== 'active')
      return { next: this.#intern(from), taken: false, emitted: [], transitions: [] };
    const [snapshot, actions] = this.#ask(from.snapshot, event);
    const step = this.#settle(from, snapshot, actions);
    const [again, actionsAgain] = this.#ask(from.snapshot, event);
    const repeated = this.#settle(from, again, actionsAgain);
    if (repeated.next !== step.next || JSON.stringify(repeated) !== JSON.stringify(step)) {
      refuse(
        `${this.#where}, event '${event.type}' in state ${JSON.stringify(from.snapshot.value)}`,
        'the same event in the same state gave two different results',
        'A guard, an assign or an emit reads something other than context and event (a clock, a random number, an outer variable). Put what it needs into the context or the event.',
      );
    }
    return step;
  }

  #ask(snapshot: AnyMachineSnapshot, event: EventObject): [AnyMachineSnapshot, readonly ExecutableAction[]] {
    return this.#guarded(`event '${event.type}' in state ${JSON.stringify(snapshot.value)}`, () =>
      transition(this.#marked, snapshot, event as AnyEventObject),
    );
  }

  /** Asks XState; what it throws is refused by name, for an exception is no verdict. */
  #guarded(
    when: string,
    ask: () => [unknown, readonly unknown[]],
  ): [AnyMachineSnapshot, readonly ExecutableAction[]] {
    try {
      const [next, actions] = ask() as [AnyMachineSnapshot, readonly ExecutableAction[]];
      if (next.status === 'error') throw next.error;
      return [next, actions];
    } catch (error) {
      if (error instanceof SystemError) throw error;
      const message = reasonOf(error);
      return refuse(
        `${this.#where}, ${when}`,
        `XState threw "${message}"`,
        'An exception is no verdict: mend the guard, action, delay or circle of transitions that causes it.',
      );
    }
  }

  #settle(from: LocalState, snapshot: AnyMachineSnapshot, actions: readonly ExecutableAction[]): LocalStep {
    const timers = new Map(from.timers.map((timer) => [timer.id, timer]));
    const emitted: EventObject[] = [];
    const transitions: number[] = [];
    for (const action of actions) {
      if (action.type === takenMark) {
        transitions.push((action.params as { place: number }).place);
      } else if (action.type === 'xstate.emit') {
        emitted.push((action.params as { event: EventObject }).event);
      } else if (action.type === 'xstate.cancel') {
        timers.delete((action.params as { sendId: string }).sendId);
      } else if (action.type === 'xstate.raise') {
        const { event, id, delay } = action.params as { event: EventObject; id?: string; delay?: number };
        if (delay === undefined) continue; // An undelayed raise has been applied already.
        const timerId = id ?? event.type;
        if (timers.has(timerId)) {
          refuse(
            `${this.#where}, delayed raise of '${event.type}'`,
            `a second timer '${timerId}' starts while the first still runs`,
            'Give each delayed raise an id of its own, or cancel the first.',
          );
        }
        admitDelay(delay, `${this.#where}, timer '${timerId}'`);
        timers.set(timerId, { id: timerId, remaining: delay, event });
      }
    }
    // The interpreter cancels what a machine has scheduled as soon as the machine is done.
    if (snapshot.status !== 'active') timers.clear();
    const ordered = [...timers.values()].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
    return {
      next: this.#intern({ snapshot, timers: ordered }),
      taken: transitions.some((place) => !this.#idle.has(place)),
      emitted,
      transitions,
    };
  }

  #intern(state: LocalState): number {
    const { snapshot } = state;
    admitContext(snapshot.context, this.#where);
    const history = Object.entries(snapshot.historyValue).map(([id, nodes]) => [
      id,
      nodes.map((node) => node.id),
    ]);
    const key = JSON.stringify(
      [snapshot.value, snapshot.context, snapshot.status, history, state.timers],
      writeUndefined,
    );
    const known = this.#idOf.get(key);
    if (known !== undefined) return known;
    const id = this.#states.length;
    if (id >= statesMax) {
      refuse(
        this.#where,
        `it has more than ${statesMax.toLocaleString('en')} local states`,
        'Its context is not bounded: a counter that only grows, or data that a checker need not see. Keep what is relative and small.',
      );
    }
    this.#states.push(state);
    this.#idOf.set(key, id);
    return id;
  }
}

/** JSON leaves out what is undefined, and a guard may tell the two apart. */
const writeUndefined = (_key: string, value: unknown): unknown =>
  value === undefined ? '\u0000undefined' : value;

/** A machine with more local states than this is taken to be unbounded; the largest useful one had some hundred. */
const statesMax = 100_000;

interface ExecutableAction {
  readonly type: string;
  readonly params?: unknown;
}
