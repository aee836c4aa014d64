/** The mutants of a machine's transitions: guards, targets, whole transitions, actions, and the order of branches. */
import { type AnyStateMachine, type AnyStateNode, and, not, or } from 'xstate';
import type { MachineId } from '../../models/index.ts';
import { readGuard } from '../../src/machine/implementations.ts';
import type { Mutant } from './mutant.ts';
import {
  asList,
  changeList,
  changeTransition,
  type StateConfig,
  type TransitionConfig,
  type TransitionPlace,
  transitionPlaces,
  withConfig,
} from './place.ts';

type Change = (transition: TransitionConfig) => TransitionConfig;

/** All mutants of the transitions of one machine, place by place. */
export function transitionMutants(id: MachineId, machine: AnyStateMachine): Mutant[] {
  return transitionPlaces(machine).flatMap((place) => {
    const where = `${id}:${placeName(place)}`;
    const written = writtenAt(machine, place);
    const mutant = (operator: Mutant['operator'], what: string, change: Change, gone: boolean): Mutant => ({
      id: `${where} ${what}`,
      operator,
      of: id,
      mutate: (each) => withConfig(each, changeTransition(each.config as StateConfig, place, change)),
      ...(gone ? { gone: [place.edge.id] } : {}),
    });
    return [
      ...guardChanges(written).map(([what, guard]) =>
        mutant('guard', what, (transition) => withGuard(transition, guard), false),
      ),
      ...targetChanges(place, machine).map(([what, target]) =>
        mutant('target', what, (transition) => ({ ...transition, target }), false),
      ),
      // A guard that never holds is as good as no transition, and leaves the ids of the others as they are.
      mutant('removal', 'removed', (transition) => ({ ...transition, guard: never }), true),
      ...actionNames(written.actions).map((name) =>
        mutant(
          'action',
          `action ${name} dropped`,
          (transition) => ({ ...transition, actions: without(transition.actions, name) }),
          true,
        ),
      ),
      ...orderMutants(id, machine, place),
    ];
  });
}

/** `decision.fencing fence.answered[1]`: the state, the event, and which of several branches. */
function placeName({ path, section, key, index, siblings }: TransitionPlace): string {
  const trigger = section === 'on' ? key : section === 'after' ? `after ${key}` : 'always';
  return `${path.join('.') || '(root)'} ${trigger}${siblings > 1 ? `[${index}]` : ''}`;
}

function writtenAt(machine: AnyStateMachine, place: TransitionPlace): TransitionConfig {
  let found: TransitionConfig = {};
  changeTransition(machine.config as StateConfig, place, (transition) => {
    found = transition;
    return transition;
  });
  return found;
}

const never = (): boolean => false;

function withGuard({ guard: _, ...transition }: TransitionConfig, guard: unknown): TransitionConfig {
  return guard === undefined ? transition : { ...transition, guard };
}

/** Each guard dropped and negated; each term of an `and` or an `or` dropped. */
function guardChanges({ guard }: TransitionConfig): [what: string, guard: unknown][] {
  if (guard === undefined) return [];
  const terms = termsOf(guard);
  return [
    ['guard dropped', undefined],
    ['guard negated', not(guard as never)],
    ...terms.map((term): [string, unknown] => [
      `guard term '${readGuard(term).label}' dropped`,
      joined(
        guard,
        terms.filter((each) => each !== term),
      ),
    ]),
  ];
}

type Combined = { readonly check?: unknown; readonly guards?: readonly unknown[] };
const [checkOfAnd, checkOfOr] = [and([]), or([])].map((sample) => (sample as Combined).check);

function termsOf(guard: unknown): readonly unknown[] {
  const { check, guards = [] } = guard as Combined;
  return check === checkOfAnd || check === checkOfOr ? guards : [];
}

function joined(guard: unknown, terms: readonly unknown[]): unknown {
  if (terms.length === 1) return terms[0];
  return (guard as Combined).check === checkOfAnd ? and(terms as never) : or(terms as never);
}

/** The next of the target's siblings in document order, the first after the last. */
function targetChanges(
  { edge }: TransitionPlace,
  machine: AnyStateMachine,
): [what: string, target: string][] {
  const [target] = edge.targets;
  if (target === undefined) return [];
  const node = machine.getStateNodeById(target) as AnyStateNode;
  const siblings = node.parent?.type === 'compound' ? Object.values(node.parent.states) : [];
  const next = siblings[(siblings.indexOf(node) + 1) % siblings.length];
  if (next === undefined || next === node) return [];
  return [[`target ${next.key} instead of ${node.key}`, `#${next.id}`]];
}

/** The names of actions that are written down. */
export function actionNames(actions: unknown): string[] {
  return asList(actions).filter((action): action is string => typeof action === 'string');
}

/** Actions without the one of this name. */
export function without(actions: unknown, name: string): unknown[] {
  return asList(actions).filter((action) => action !== name);
}

/** Each branch of a list with the one after it. */
function orderMutants(id: MachineId, machine: AnyStateMachine, place: TransitionPlace): Mutant[] {
  const { index, siblings, edge } = place;
  if (index + 1 >= siblings) return [];
  const next = transitionPlaces(machine).find(
    (other) =>
      other.edge.source === edge.source &&
      other.section === place.section &&
      other.key === place.key &&
      other.index === index + 1,
  );
  if (next === undefined) return [];
  const swap = (list: readonly TransitionConfig[]): TransitionConfig[] => {
    const changed = [...list];
    changed.splice(index, 2, list[index + 1] as TransitionConfig, list[index] as TransitionConfig);
    return changed;
  };
  return [
    {
      id: `${id}:${placeName({ ...place, siblings: 1 })} branches ${index} and ${index + 1} swapped`,
      operator: 'order',
      of: id,
      mutate: (each) => withConfig(each, changeList(each.config as StateConfig, place, swap)),
      swapped: [edge.id, next.edge.id],
    },
  ];
}
