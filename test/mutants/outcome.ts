/** What a run of mutation testing amounts to. */
import type { Baseline } from './baseline.ts';
import { type Sign, signs } from './compare-findings.ts';
import type { Explanation } from './explanation.ts';
import type { Judgement } from './judge.ts';

/** How a mutant ended. */
export type Fate =
  | Sign
  /** It answers all that the searches of all instances ask as the model does: it is proved to be the same. */
  | 'same'
  /** It survived, and the explanations say why. */
  | 'explained'
  /** It survived, and nobody knows why. */
  | 'unexplained'
  /** Nothing told it from the model, and some search did not end. */
  | 'incomplete'
  /** Nothing has told it from the model yet, and some instances have not been tried. */
  | 'unfinished';

/** Every fate, in the order in which they are counted. */
export const fates: readonly Fate[] = [
  ...signs,
  'same',
  'explained',
  'unexplained',
  'incomplete',
  'unfinished',
];

/** A mutant and how it ended. */
export interface Outcome extends Judgement {
  readonly fate: Fate;
  readonly explanation?: Omit<Explanation, 'mutants'>;
}

/** Puts judgements and explanations together. */
export function outcomesOf(
  judgements: readonly Judgement[],
  instances: number,
  explanations: readonly Explanation[],
): Outcome[] {
  const explained = new Map(
    explanations.flatMap(({ mutants, ...explanation }) => mutants.map((id) => [id, explanation] as const)),
  );
  return judgements.map((judgement): Outcome => {
    const explanation = explained.get(judgement.id);
    const fate = fateOf(judgement, instances, explanation !== undefined);
    return { ...judgement, fate, ...(explanation === undefined ? {} : { explanation }) };
  });
}

function fateOf(judgement: Judgement, instances: number, explained: boolean): Fate {
  const { killedBy, searched, sameAnswers, nothingNew, incomplete } = judgement;
  if (killedBy !== undefined) return killedBy;
  if (sameAnswers.length === instances) return 'same';
  if (searched.length + sameAnswers.length + nothingNew.length < instances) return 'unfinished';
  if (incomplete.length > 0) return 'incomplete';
  return explained ? 'explained' : 'unexplained';
}

/** What the explanations say that is not so: ids that no mutant has, and mutants that need no explanation. */
export function staleExplanations(
  outcomes: readonly Outcome[],
  known: ReadonlySet<string>,
  explanations: readonly Explanation[],
): string[] {
  const nowhere = explanations
    .flatMap(({ mutants }) => mutants)
    .filter((id) => !known.has(id))
    .map((id) => `${id}: explained, and there is no such mutant`);
  const needless = outcomes
    .filter(({ explanation, fate }) => explanation !== undefined && !mayBeExplained.has(fate))
    .map(({ id, fate }) => `${id}: explained, and its fate is '${fate}'`);
  return [...nowhere, ...needless];
}

const mayBeExplained: ReadonlySet<Fate> = new Set<Fate>(['explained', 'unfinished', 'incomplete']);

/** What the record says otherwise than a baseline: then there is nothing to compare mutants with. */
export function unlikeRecorded({ instance, systems }: Baseline, recorded: Recorded): string[] {
  const { design, faults } = instance;
  if (faults !== undefined) return [];
  const expected = recorded.designs.find((each) => each.design === design);
  return [...otherVerdicts(systems, expected), ...otherSizes(systems, expected)].map(
    (what) => `${design} · ${what}, and not as recorded`,
  );
}

function otherVerdicts(systems: Baseline['systems'], expected: RecordedDesign | undefined): string[] {
  return systems
    .flatMap(({ properties }) => properties)
    .filter(({ id, verdict, traceLength }) => {
      const before = expected?.properties.find((each) => each.id === id);
      return before?.verdict !== verdict || before.traceLength !== traceLength;
    })
    .map(({ id, verdict }) => `${id} is ${verdict}`);
}

function otherSizes(systems: Baseline['systems'], expected: RecordedDesign | undefined): string[] {
  return systems
    .filter(({ states, edges }, index) => {
      const before = expected?.systems?.[index];
      return before?.states !== states || before.edges !== edges;
    })
    .map(({ states, edges }) => `a system has ${states} states and ${edges} edges`);
}

/** The recorded verdicts and sizes, as their file has them. */
export interface Recorded {
  readonly designs: readonly RecordedDesign[];
}

interface RecordedDesign {
  readonly design: string;
  /** The systems in which the design is decided, in the order of its obligations. A record of older form has none. */
  readonly systems?: readonly {
    readonly states: number;
    readonly edges: number;
  }[];
  readonly properties: readonly {
    readonly id: string;
    readonly verdict: string;
    readonly traceLength?: number;
  }[];
}
