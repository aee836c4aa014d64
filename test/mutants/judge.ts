/** Judges one mutant: is it told from the model by what is found of the designs? */
import { check } from '../../src/check.ts';
import { type Part, SystemError } from '../../src/system.ts';
import { answers } from './answers.ts';
import { type Baseline, designObligations, findingsOf, optionsFor, smallDesigns } from './baseline.ts';
import { type Difference, differences, type Sign, signs } from './compare-findings.ts';
import { type Mutant, mutated } from './mutant.ts';

/** What became of a mutant. */
export interface Judgement {
  readonly id: string;
  /** The strongest sign that tells it from the model; none if nothing does. */
  readonly killedBy?: Sign;
  /** The first differences of that sign. */
  readonly differences: readonly Difference[];
  /** Designs in which it answers everything that it is asked as the model does. */
  readonly sameAnswers: readonly string[];
  /** Designs whose space it changes, in the number of states or of edges. */
  readonly spaceChanged: readonly string[];
  /** Designs whose search did not end. */
  readonly incomplete: readonly string[];
  readonly elapsedMs: number;
}

/** How a mutant is judged. */
export interface JudgeOptions {
  /** A search that has found so many states is given up. */
  readonly maxStates: number;
  /** Whether all designs are tried for a changed verdict once a weaker sign has been found. */
  readonly thorough: boolean;
}

/**
 * Tries a mutant on the designs in their order. A changed verdict of a property ends it at once. A weaker sign is
 * remembered, and the other small designs are tried for a stronger one; with `thorough`, all of them are.
 *
 * @param baselines - of the designs to be tried, in their order
 */
export async function judge(
  mutant: Mutant,
  baselines: readonly Baseline[],
  { maxStates, thorough }: JudgeOptions,
): Promise<Judgement> {
  const start = performance.now();
  const found: Difference[] = [];
  const sameAnswers: string[] = [];
  const spaceChanged: string[] = [];
  const incomplete: string[] = [];
  for (const [index, baseline] of baselines.entries()) {
    if (found.length > 0 && !thorough && index >= smallDesigns) break;
    const { design } = baseline;
    if (answersAlike(mutant, baseline)) {
      sameAnswers.push(design);
      continue;
    }
    const tried = await tryOn(mutant, baseline, maxStates);
    found.push(...tried.differences);
    if (tried.spaceChanged) spaceChanged.push(design);
    if (tried.incomplete) incomplete.push(design);
    if (found.some(({ sign }) => sign === 'verdict')) break;
  }
  const killedBy = signs.find((sign) => found.some((difference) => difference.sign === sign));
  return {
    id: mutant.id,
    ...(killedBy === undefined ? {} : { killedBy }),
    differences: found.filter(({ sign }) => sign === killedBy).slice(0, 8),
    sameAnswers,
    spaceChanged,
    incomplete,
    elapsedMs: Math.round(performance.now() - start),
  };
}

interface Tried {
  readonly differences: readonly Difference[];
  readonly spaceChanged: boolean;
  readonly incomplete: boolean;
}

async function tryOn(mutant: Mutant, { design, systems }: Baseline, maxStates: number): Promise<Tried> {
  const found: Difference[] = [];
  let spaceChanged = false;
  let incomplete = false;
  for (const [index, { system, properties }] of designObligations(design).entries()) {
    const expected = systems[index] as Baseline['systems'][number];
    try {
      const report = await check(mutated(system, mutant), properties, optionsFor(design, maxStates));
      const findings = findingsOf(report);
      found.push(...differences(design, expected, findings, mutant));
      spaceChanged ||= findings.states !== expected.states || findings.edges !== expected.edges;
      incomplete ||= !findings.complete;
    } catch (error) {
      if (!(error instanceof SystemError)) throw error;
      found.push({ sign: 'refusal', design, says: error.message });
    }
    if (found.some(({ sign }) => sign === 'verdict')) break;
  }
  return { differences: found, spaceChanged, incomplete };
}

/** By design and machine: what the model answers. Asked for again by each mutant of the machine. */
const remembered = new Map<string, readonly string[]>();

function answersAlike(mutant: Mutant, { design, questions }: Baseline): boolean {
  const { mutate, of } = mutant;
  if (mutate === undefined) return false;
  const part = partOf(design, of);
  const asked = questions[of] ?? [];
  const key = `${design} ${of}`;
  const expected = remembered.get(key) ?? [...answers(part.machine, part.input, asked)];
  remembered.set(key, expected);
  let index = 0;
  try {
    for (const answer of answers(mutate(part.machine), part.input, asked)) {
      if (answer !== expected[index]) return false;
      index += 1;
    }
  } catch {
    return false; // A machine that cannot even be made: the check says why.
  }
  return true;
}

function partOf(design: string, machine: string): Part {
  const parts = designObligations(design).flatMap(({ system }) => system.parts);
  return parts.find((part) => part.machine.id === machine) as Part;
}
