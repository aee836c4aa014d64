/**
 * What a machine was asked in a search, and what it answers. A search of a system depends on its machines only by
 * their answers. So a mutant that answers everything that was asked as the original does cannot change any verdict,
 * trace or coverage of that system, and no search is needed to know it.
 */
import {
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  initialTransition,
  transition,
} from 'xstate';
import { markTransitions, takenMark } from '../../src/machine/marks.ts';
import type { Part, System } from '../../src/system.ts';

/** One question: an event in a local state. */
export interface Question {
  readonly value: unknown;
  readonly context: unknown;
  readonly event: AnyEventObject;
}

/** The questions that the machines of one system were asked, by the id of the machine. */
export class Questions {
  readonly #byMachine = new Map<string, Map<string, Question>>();

  /** The system with machines that are listened to. */
  heardIn(system: System): System {
    return { ...system, parts: system.parts.map((part) => this.#heardBy(part)) };
  }

  /** Everything that was asked. */
  all(): Record<string, Question[]> {
    return Object.fromEntries([...this.#byMachine].map(([id, asked]) => [id, [...asked.values()]]));
  }

  /** The engine asks a copy that it makes with `provide`, so it is that copy which is listened to. */
  #heardBy(part: Part): Part {
    const asked = this.#byMachine.get(part.machine.id) ?? new Map<string, Question>();
    this.#byMachine.set(part.machine.id, asked);
    const machine = part.machine.provide({});
    const provide = machine.provide.bind(machine);
    machine.provide = (implementations) => {
      const copy = provide(implementations);
      const answer = copy.transition.bind(copy);
      copy.transition = (snapshot, event, scope) => {
        const { value, context } = snapshot as AnyMachineSnapshot;
        const question: Question = { value, context, event };
        asked.set(JSON.stringify(question), question);
        return answer(snapshot, event, scope);
      };
      return copy;
    };
    return { ...part, machine };
  }
}

/** What a machine answers to each question, and how it starts; as text, to be compared. */
export function* answers(
  machine: AnyStateMachine,
  input: unknown,
  questions: readonly Question[],
): Generator<string> {
  const { machine: marked, ids, idle } = markTransitions(machine);
  const written = (ask: () => ReturnType<typeof transition>): string => {
    try {
      const [{ value, context, status }, actions] = ask() as [AnyMachineSnapshot, Action[]];
      return JSON.stringify([value, context, status, actions.map(actionWords)]);
    } catch (error) {
      return `throws ${String(error)}`;
    }
  };
  const actionWords = ({ type, params }: Action): unknown => {
    if (type !== takenMark) return [type, params];
    const { place } = params as { readonly place: number };
    return [ids[place], idle.has(place)];
  };
  yield written(() => initialTransition(marked, input));
  for (const { value, context, event } of questions) {
    yield written(() => transition(marked, marked.resolveState({ value, context } as never), event));
  }
}

interface Action {
  readonly type: string;
  readonly params?: unknown;
}
