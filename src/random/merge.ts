/** Puts the parts of a campaign together. */
import type { FuzzedProperty, FuzzReport, ShardDone } from './fuzz.ts';
import { addStatistics, type FuzzStatistics } from './statistics.ts';

/** Reports that are not parts of one campaign. The message says in what they differ. */
export class MergeError extends Error {
  /** Tells it from other errors. */
  override name = 'MergeError';
}

/**
 * Merges parts of one campaign. The order does not matter. Of several violations of a property the one of the run with the
 * lowest number stays. Visited states cannot be added up, so their number is left out.
 *
 * @throws MergeError if the reports are of different campaigns, or if two have made the same runs
 */
export function mergeReports(reports: readonly [FuzzReport, ...FuzzReport[]]): FuzzReport {
  const [first, ...others] = reports;
  for (const other of others) sameCampaign(first, other);
  const shards = reports.flatMap((report) => report.shards).sort((a, b) => a.index - b.index);
  for (const [place, shard] of shards.entries()) {
    if (shards[place + 1]?.index === shard.index)
      throw new MergeError(`shard ${shard.index}/${shard.of} is there twice. Name each file once.`);
  }
  const statistics: FuzzStatistics = { drawn: 0, made: 0, depths: {}, faults: {}, matrix: {} };
  for (const report of reports) addStatistics(statistics, report.statistics);
  const stopped = reports.find((report) => report.stopped !== undefined)?.stopped;
  return {
    system: first.system,
    runs: first.runs,
    steps: first.steps,
    seed: first.seed,
    drawing: first.drawing,
    shards,
    properties: first.properties.map(({ id }) => mergeProperty(id, reports)),
    statistics,
    ...(reports.length === 1 && first.statesVisited !== undefined
      ? { statesVisited: first.statesVisited }
      : {}),
    ...(stopped === undefined ? {} : { stopped }),
  };
}

/** The shards that a merged campaign lacks. */
export function missingShards({ shards }: { readonly shards: readonly ShardDone[] }): number[] {
  const of = shards[0]?.of ?? 1;
  const there = new Set(shards.map(({ index }) => index));
  return Array.from({ length: of }, (_, place) => place + 1).filter((index) => !there.has(index));
}

function mergeProperty(id: string, reports: readonly FuzzReport[]): FuzzedProperty {
  const parts = reports.flatMap(({ properties }) => properties.filter((property) => property.id === id));
  const violation = parts
    .flatMap((part) => part.violation ?? [])
    .sort((a, b) => a.run - b.run)
    .at(0);
  const held = parts.reduce((sum, part) => sum + part.held, 0);
  return { id, held, ...(violation === undefined ? {} : { violation }) };
}

function sameCampaign(first: FuzzReport, other: FuzzReport): void {
  const differ = (what: string, a: unknown, b: unknown): void => {
    if (JSON.stringify(a) !== JSON.stringify(b))
      throw new MergeError(
        `they are parts of different campaigns: ${what} is ${JSON.stringify(a)} in one and ${JSON.stringify(b)} in another.`,
      );
  };
  for (const what of ['system', 'runs', 'steps', 'seed', 'drawing'] as const)
    differ(what, first[what], other[what]);
  differ('the number of shards', first.shards[0]?.of, other.shards[0]?.of);
  const ids = (report: FuzzReport): string[] => report.properties.map(({ id }) => id);
  differ('the list of properties', ids(first), ids(other));
}
