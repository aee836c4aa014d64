/**
 * Plays every counterexample in plain XState before it is reported, and asks the property's own predicate again. What
 * does not come out the same is an error of this tool, never a verdict.
 */
import type { EventuallyAlways, Property } from '../property.ts';
import { reasonOf } from '../reason-of.ts';
import type { Pick } from '../semantics/world.ts';
import type { System } from '../system.ts';
import { Player, type Replay, type ReplayedState, readerOf, replay, stateKey } from '../trace/replay.ts';
import type { Trace } from '../trace/trace.ts';

/** Plays the counterexample to a safety property and makes sure that it is one. */
export function confirmViolation(system: System, property: Property, trace: Trace): void {
  const run = play(system, trace);
  const states = [run.initial, ...run.steps.map(({ after }) => after)];
  const last = states.at(-1) as Replay['initial'];
  if (property.kind === 'invariant') {
    const at = readerOf(system, last);
    if (property.clauses.every((clause) => clause.holds(at)))
      throw new TraceMismatch(trace, 'the last state breaks no clause');
  }
  if (property.kind === 'effect') {
    const before = readerOf(system, states.at(-2) ?? last);
    const broken = run.steps
      .at(-1)
      ?.emissions.some(({ part, event }) =>
        property.clauses.some(
          ({ on, holds }) => on.part === part && on.emits === event.type && !holds(before, event),
        ),
      );
    if (broken !== true) throw new TraceMismatch(trace, 'the last step has no effect that breaks a clause');
  }
}

/** Plays a lasso and makes sure that it closes, is fair, stays in the region, and breaks a clause on the way round. */
export function confirmLasso(system: System, property: EventuallyAlways, trace: Trace): void {
  const run = play(system, trace);
  const loop = trace.loop ?? trace.picks.length;
  const states = [run.initial, ...run.steps.map(({ after }) => after)];
  const cycle = loop === trace.picks.length ? states.slice(loop) : states.slice(loop, -1);
  const first = cycle[0] as ReplayedState;
  if (stateKey(first) !== stateKey(states.at(-1) as ReplayedState))
    throw new TraceMismatch(trace, 'its cycle does not close');
  if (!cycle.every((state) => property.within.holds(readerOf(system, state)))) {
    throw new TraceMismatch(trace, 'its cycle leaves the region');
  }
  if (!cycle.some((state) => property.clauses.some(({ holds }) => !holds(readerOf(system, state))))) {
    throw new TraceMismatch(trace, 'its cycle breaks no clause');
  }
  const unfair = unfairAction(system, cycle, trace.picks.slice(loop));
  if (unfair !== undefined) throw new TraceMismatch(trace, `its cycle is not fair to '${unfair}'`);
}

/** An action to which a cycle is not fair, if there is one. The steps lead from each state to the next. */
export function unfairAction(
  system: System,
  cycle: readonly ReplayedState[],
  steps: readonly Pick[],
): string | undefined {
  const player = new Player(system);
  const changing = (state: ReplayedState): Pick[] =>
    player.picks(state).filter((pick) => stateKey(player.step(state, pick).after) !== stateKey(state));
  const enabled = cycle.map((state) => new Set(changing(state).map(actionOf)));
  const taken = new Set(steps.map(actionOf));
  const strong = new Set(
    system.choices.filter(({ fairness }) => fairness === 'strong').map(({ id }) => `choice ${id}`),
  );
  const free = new Set(
    system.choices.filter(({ fairness }) => fairness === undefined).map(({ id }) => `choice ${id}`),
  );
  return [...new Set(enabled.flatMap((each) => [...each]))].find((action) => {
    if (taken.has(action) || free.has(action)) return false;
    return strong.has(action) || enabled.every((each) => each.has(action));
  });
}

function actionOf(pick: Pick): string {
  if (pick.kind === 'choice') return `choice ${pick.id}`;
  return pick.kind === 'timer' ? `timers of ${pick.part}` : 'time';
}

/** Plays the way to a deadlock and makes sure that nothing is offered there. */
export function confirmDeadlock(system: System, trace: Trace): void {
  const run = play(system, trace);
  const offered = new Player(system).picks(run.steps.at(-1)?.after ?? run.initial);
  if (offered.length > 0) throw new TraceMismatch(trace, 'its last state offers steps');
}

/** Plays a trace of the engine. */
export function play(system: System, trace: Trace): Replay {
  try {
    return replay(system, trace.picks);
  } catch (error) {
    throw new TraceMismatch(trace, reasonOf(error));
  }
}

/** A trace that plain XState does not bear out. */
export class TraceMismatch extends Error {
  /** @param what - where the trace and XState part */
  constructor({ system, property }: Trace, what: string) {
    super(
      `internal error: the search's trace for '${property}' of system '${system}' does not replay in XState: ${what}. This is a fault of the checker; please report it with the model.`,
    );
    this.name = 'TraceMismatch';
  }
}
