/** That the fast graph of the model has the steps of the semantics, and takes the same for unseen. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Design, findDesign, nodeSystem } from '../../../models/index.ts';
import type { GlobalState, Step, World } from '../../../src/semantics/world.ts';
import { ModelGraph } from '../../../src/validate/model-graph.ts';

const agent = ['watcher', 'apply', 'cleanup[1]'];

/** Of a state, by the semantics alone: the steps that an agent's trace tells, and the states that the world makes of it unseen. */
function split(world: World, state: GlobalState): { readonly seen: Step[]; readonly hidden: GlobalState[] } {
  const steps = world.picks(state).map((pick) => world.step(state, pick));
  const watcher = world.system.partIndex('watcher');
  const isSeen = ({ pick, next, emissions }: Step): boolean => {
    if (pick.kind === 'time') return false;
    if (pick.kind === 'timer' && agent.includes(pick.part)) return true;
    const choice = world.system.choices.find(({ id }) => pick.kind === 'choice' && id === pick.id);
    if (choice?.deliver.some(({ to }) => agent.includes(to)) === true) return true;
    return (
      state[watcher] !== next[watcher] && emissions.some(({ event }) => event.type === 'connection.closed')
    );
  };
  return {
    seen: steps.filter(isSeen),
    hidden: steps.filter((step) => !isSeen(step)).map(({ next }) => next),
  };
}

type Hidden = (state: GlobalState) => readonly GlobalState[];

/** The states that the world makes of one unseen. The closures of a walk are of much the same states, so each is split once. */
function hiddenOnce(world: World): Hidden {
  const known = new Map<string, readonly GlobalState[]>();
  return (state) => {
    const key = state.join();
    const hidden = known.get(key) ?? split(world, state).hidden;
    known.set(key, hidden);
    return hidden;
  };
}

function slowClosure(hidden: Hidden, from: GlobalState): Set<string> {
  const reached = new Map([[from.join(), from]]);
  for (const state of reached.values()) for (const next of hidden(state)) reached.set(next.join(), next);
  return new Set(reached.keys());
}

it.each(['fenced', 'felix-3.29', 'grpc-keepalive'])('%s: the same steps, seen and unseen', (id) => {
  const design = findDesign(id) as Design;
  const wait = design.parameters.grace;
  const parameters = { ...design.parameters, retryDelay: wait, leaderTimeout: wait };
  const graph = new ModelGraph(nodeSystem({ ...design, parameters }, { endpoints: 1 }), agent, 1_000_000);
  const { world } = graph;
  const hidden = hiddenOnce(world);
  const told = (step: Pick<Step, 'pick' | 'emissions'>, next: GlobalState): string =>
    JSON.stringify([step.pick, step.emissions, next]);
  const walk = fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(walk, (turns) => {
      let number = graph.initial;
      for (const [where, which] of turns) {
        const reached = graph.closure([number]);
        const unseen = [...reached].map((each) => graph.state(each).join());
        expect(new Set(unseen)).toEqual(slowClosure(hidden, graph.state(number)));
        number = reached[where % reached.length] as number;
        const seen = graph.seen(number);
        const written = seen.map((step) => told(step, graph.state(graph.after(number, step))));
        const expected = split(world, graph.state(number)).seen.map((step) => told(step, step.next));
        expect(written.sort()).toEqual(expected.sort());
        const step = seen[which % Math.max(1, seen.length)];
        if (step !== undefined) number = graph.after(number, step);
      }
    }),
    { numRuns: 5 },
  );
});
