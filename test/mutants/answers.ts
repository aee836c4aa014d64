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

/** What a machine does with one question. */
export interface Answer {
  /** The next state, what is emitted, the timers, and whether the event is taken; as text, to be compared. */
  readonly does: string;
  /** The ids of the transitions that it takes for that. */
  readonly by: readonly string[];
  readonly taken: boolean;
}

/** How a machine starts, and then what it answers to each question. */
export function answers(machine: AnyStateMachine, input: unknown, questions: readonly Question[]): Answer[] {
  const { machine: marked, ids, idle } = markTransitions(machine);
  const answer = (ask: () => unknown): Answer => {
    try {
      const [{ value, context, status }, actions] = ask() as [AnyMachineSnapshot, Action[]];
      const places = actions
        .filter(({ type }) => type === takenMark)
        .map(({ params }) => (params as { readonly place: number }).place);
      const taken = places.some((place) => !idle.has(place));
      const effects = actions
        .filter(({ type }) => type !== takenMark)
        .map(({ type, params }) => [type, params]);
      return {
        does: JSON.stringify([value, context, status, taken, effects]),
        by: places.map((place) => ids[place] as string),
        taken,
      };
    } catch (error) {
      return { does: `throws ${String(error)}`, by: [], taken: true };
    }
  };
  return [
    answer(() => initialTransition(marked, input)),
    ...questions.map(({ value, context, event }) =>
      answer(() => transition(marked, marked.resolveState({ value, context } as never), event)),
    ),
  ];
}

interface Action {
  readonly type: string;
  readonly params?: unknown;
}
