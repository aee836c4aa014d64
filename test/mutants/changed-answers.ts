/** Which of the questions that an instance asks are answered otherwise by a mutant: where they are none, it is the same. */
import type { Part } from '../../src/system.ts';
import { type Answer, answers } from './answers.ts';
import { type Baseline, obligationsOf } from './baseline.ts';
import type { Mutant } from './mutant.ts';

/** Each question that is answered otherwise, with both answers, as text that is the same in all designs. */
export function changedAnswers(mutant: Mutant, baseline: Baseline): Set<string> {
  const { of, mutate, deaf } = mutant;
  if (deaf !== undefined) return heardSomething(deaf, baseline);
  if (mutate === undefined) throw new Error(`${mutant.id}: it changes nothing`);
  const part = partOf(baseline, of);
  const questions = baseline.questions[of] ?? [];
  const before = answersOf(part, baseline);
  const after = answersOfMutant(() => answers(mutate(part.machine), part.input, questions));
  const changed = new Set<string>();
  for (const [index, expected] of before.entries()) {
    const found = after?.[index];
    if (found?.does === expected.does && sameTransitions(expected, found, mutant)) continue;
    changed.add(JSON.stringify([questions[index - 1], expected.does, found?.does]));
  }
  return changed;
}

/** A machine that cannot even be made answers nothing; its check says why. */
function answersOfMutant(ask: () => Answer[]): Answer[] | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}

/** Where two transitions have changed places, each is known by the other's id. */
function sameTransitions(
  expected: Answer,
  found: Answer,
  { swapped: [first, second] = ['', ''] }: Mutant,
): boolean {
  const renamed = expected.by.map((id) => (id === first ? second : id === second ? first : id));
  return renamed.length === found.by.length && renamed.every((id, index) => id === found.by[index]);
}

/** A part that is made deaf to an event misses whatever the event made it do. */
function heardSomething(
  { kind, type }: { readonly kind: string; readonly type: string },
  baseline: Baseline,
): Set<string> {
  const [, ...given] = answersOf(partOf(baseline, kind), baseline);
  const questions = baseline.questions[kind] ?? [];
  return new Set(
    questions.flatMap((question, index) =>
      question.event.type === type && given[index]?.taken === true
        ? [JSON.stringify([question, given[index].does])]
        : [],
    ),
  );
}

/** By baseline and machine: what the model answers. Asked for again by each mutant of the machine. */
const remembered = new WeakMap<Baseline, Map<string, readonly Answer[]>>();

function answersOf({ machine, input }: Part, baseline: Baseline): readonly Answer[] {
  const byMachine = remembered.get(baseline) ?? new Map<string, readonly Answer[]>();
  remembered.set(baseline, byMachine);
  const known = byMachine.get(machine.id) ?? answers(machine, input, baseline.questions[machine.id] ?? []);
  byMachine.set(machine.id, known);
  return known;
}

function partOf(baseline: Baseline, machine: string): Part {
  const parts = obligationsOf(baseline.instance).flatMap(({ system }) => system.parts);
  return parts.find((part) => part.machine.id === machine) as Part;
}
