/** How the findings on a mutant differ from those on the model as it is. */
import type { Finding, SystemFindings } from './baseline.ts';
import type { Mutant } from './mutant.ts';

/** What tells a mutant from the model, the strongest first. */
export const signs = ['verdict', 'trace', 'deadlock', 'time-lock', 'refusal', 'coverage', 'size'] as const;

/** What tells a mutant from the model. */
export type Sign = (typeof signs)[number];

/** One difference. */
export interface Difference {
  readonly sign: Sign;
  readonly design: string;
  /** The property, for verdicts and traces. */
  readonly property?: string;
  /** What was expected and what was found. */
  readonly says: string;
}

/** Every difference in one system of a design, the strongest first. */
export function differences(
  design: string,
  expected: SystemFindings,
  found: SystemFindings,
  mutant: Mutant,
): Difference[] {
  const all = [
    ...expected.properties.flatMap((before, index) =>
      propertyDifference(design, before, found.properties[index] as Finding),
    ),
    ...structureDifference(design, 'deadlock', expected.deadlocks, found.deadlocks),
    ...structureDifference(design, 'time-lock', expected.timeLocks === true, found.timeLocks === true),
    // What an unfinished search did not see may still happen.
    ...(found.complete ? coverageDifference(design, expected, found, mutant) : []),
    ...(found.complete ? sizeDifference(design, expected, found) : []),
  ];
  return all.sort((a, b) => rank(a) - rank(b));
}

/** A property that is violated says more than one that has become vacuous. */
const rank = ({ sign, says }: Difference): number =>
  signs.indexOf(sign) + (says.startsWith('vacuous') ? 0.5 : 0);

function propertyDifference(design: string, before: Finding, after: Finding): Difference[] {
  if (after.verdict === 'incomplete') return [];
  const words = ({ verdict, traceLength }: Finding): string =>
    traceLength === undefined ? verdict : `${verdict} in ${traceLength} steps`;
  if (words(before) === words(after)) return [];
  return [
    {
      sign: before.verdict === after.verdict ? 'trace' : 'verdict',
      design,
      property: before.id,
      says: `${words(after)} instead of ${words(before)}`,
    },
  ];
}

function structureDifference(
  design: string,
  sign: 'deadlock' | 'time-lock',
  before: boolean,
  after: boolean,
): Difference[] {
  if (before === after) return [];
  return [{ sign, design, says: after ? `there is a ${sign}` : `there is no ${sign} any more` }];
}

function coverageDifference(
  design: string,
  expected: SystemFindings,
  found: SystemFindings,
  { gone = [], swapped }: Mutant,
): Difference[] {
  const before = new Set(expected.uncovered.map((name) => renamed(name, swapped)));
  const after = new Set(found.uncovered);
  const counts = (name: string): boolean => !gone.some((id) => name.endsWith(`:${id}`));
  const dead = [...after].filter((name) => counts(name) && !before.has(name));
  const alive = [...before].filter((name) => counts(name) && !after.has(name));
  if (dead.length + alive.length === 0) return [];
  const words = [
    ...(dead.length > 0
      ? [`${dead.join(', ')} never ${dead.length > 1 ? 'happen' : 'happens'} any more`]
      : []),
    ...(alive.length > 0 ? [`${alive.join(', ')} can happen now`] : []),
  ];
  return [{ sign: 'coverage', design, says: words.join('; ') }];
}

function sizeDifference(design: string, expected: SystemFindings, found: SystemFindings): Difference[] {
  const words = ({ states, edges }: SystemFindings): string => `${states} states and ${edges} edges`;
  if (words(expected) === words(found)) return [];
  return [{ sign: 'size', design, says: `${words(found)} instead of ${words(expected)}` }];
}

/** Where two transitions have changed places, each is known by the other's id. */
function renamed(name: string, [first, second]: readonly [string, string] | readonly [] = []): string {
  const [part, id] = [name.slice(0, name.indexOf(':')), name.slice(name.indexOf(':') + 1)];
  if (id === first) return `${part}:${second}`;
  return id === second ? `${part}:${first}` : name;
}
