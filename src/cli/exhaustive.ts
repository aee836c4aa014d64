/** What an exhaustive search says of a system, for a campaign to be measured by. */

import { check } from '../check.ts';
import type { Invariant, Property, StateWitness } from '../property.ts';
import type { Phase } from '../random/draw-walk.ts';
import type { Exhaustive } from '../report/fuzz-text.ts';
import type { Choice, System } from '../system.ts';
import { takes } from '../trace/replay.ts';

/**
 * Searches the whole space of a system.
 *
 * @param maxStates - more are not looked at; as many as there are if left out
 * @returns undefined if the search was broken off
 */
export async function exhaustive(
  system: System,
  properties: readonly Property[],
  phases: readonly Phase[],
  signal: AbortSignal,
  maxStates = Number.POSITIVE_INFINITY,
): Promise<Exhaustive | undefined> {
  const report = await check(system, [...properties, cells(system, phases)], {
    signal,
    maxStates,
    timeLocks: false,
  });
  if (!report.complete) return undefined;
  return {
    states: report.states,
    lengths: new Map(
      report.properties.flatMap(({ id, trace }) =>
        trace === undefined ? [] : [[id, trace.picks.length] as const],
      ),
    ),
    cells: new Set(
      report.witnesses
        .filter(({ property, reached }) => property === cellsId && reached)
        .map(({ id }) => idOf(id)),
    ),
  };
}

const cellsId = 'cells';
/** A fault may be several choices, each with a witness of its own. */
const idOf = (witness: string): string => witness.slice(0, witness.lastIndexOf(' '));

/** A property that always holds, whose witnesses are the faults that can strike in each phase. */
function cells(system: System, phases: readonly Phase[]): Invariant {
  return {
    id: cellsId,
    kind: 'invariant',
    says: 'which fault can strike in which phase',
    violation: '',
    clauses: [{ reads: [], holds: () => true }],
    witnesses: system.choices.flatMap((choice) =>
      choice.fault === undefined ? [] : phases.map((phase) => witness(system, choice, phase)),
    ),
  };
}

function witness(system: System, { id, fault, deliver }: Choice, { id: phase, state }: Phase): StateWitness {
  const told = deliver.map(({ to, event }) => {
    const { process = '' } = system.parts[system.partIndex(to)] as System['parts'][number];
    return { to, event, process: system.processes[process] };
  });
  const reads = [
    ...state.reads,
    ...told.flatMap(({ to, process }) => [to, ...(process === undefined ? [] : [process.part])]),
  ];
  return {
    id: `${fault} ${phase} ${id}`,
    says: `${id} is offered during ${phase}`,
    state: {
      reads: [...new Set(reads)],
      holds: (at) =>
        state.holds(at) &&
        told.every(
          ({ to, event, process }) =>
            takes(at(to), event) && (process === undefined || !at(process.part).hasTag(process.pausedTag)),
        ),
    },
  };
}
