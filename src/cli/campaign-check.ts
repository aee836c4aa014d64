/** Whether a campaign that was read is one of this version's designs, and whether its violations are violations. */
import type { Property } from '../property.ts';
import { drawingMark } from '../random/drawing-mark.ts';
import { type FuzzReport, runsOf } from '../random/fuzz.ts';
import { WalkPlayer } from '../random/play-walk.ts';
import { Walker } from '../random/walker.ts';
import { reasonOf } from '../reason-of.ts';
import type { System } from '../system.ts';
import type { Campaign } from './campaign-file.ts';
import { guidanceOf } from './guidance.ts';
import { type Instance, obligationsOf } from './instance.ts';
import { recordedInstance } from './recorded-system.ts';
import { UsageError } from './usage-error.ts';

/**
 * Looks a campaign over. What it says was found is played again.
 *
 * @param file - named in messages
 * @returns what it is a campaign of
 * @throws UsageError
 */
export function checkedCampaign(file: string, campaign: Campaign): Instance {
  const instance = recordedInstance(file, campaign);
  const obligations = obligationsOf(instance, campaign.properties);
  const expected = obligations.map(({ system, properties }) => [system.id, properties.map(({ id }) => id)]);
  const found = campaign.reports.map(({ system, properties }) => [system, properties.map(({ id }) => id)]);
  if (JSON.stringify(found) !== JSON.stringify(expected))
    throw new UsageError(
      `${file}: its systems and properties are ${JSON.stringify(found)}, and this version decides ${JSON.stringify(expected)}. Run the campaign anew.`,
    );
  for (const [place, { system, properties }] of obligations.entries()) {
    const report = campaign.reports[place] as FuzzReport;
    checkShards(file, report);
    checkDrawing(file, instance, system, report);
    checkViolations(file, system, properties, report);
    checkCounts(file, report);
  }
  return instance;
}

function checkShards(file: string, { runs, shards }: FuzzReport): void {
  for (const shard of shards) {
    const all = runsOf(runs, shard);
    if (shard.index > shard.of || shard.done > all)
      throw new UsageError(
        `${file}: shard ${shard.index}/${shard.of} of ${runs} runs cannot have made ${shard.done}; it has ${all}.`,
      );
  }
}

/** A property held in each run, but for the one that violated it and those after it. */
function checkCounts(file: string, { shards, properties }: FuzzReport): void {
  const made = shards.reduce((sum, { done }) => sum + done, 0);
  for (const { id, held, violation } of properties) {
    if (violation === undefined ? held === made : held < made) continue;
    const expected = violation === undefined ? `${made}, since nothing violated it` : `fewer than ${made}`;
    throw new UsageError(
      `${file}: '${id}' held in ${held} of ${made} runs; expected ${expected}. Run the campaign anew.`,
    );
  }
}

function checkDrawing(file: string, instance: Instance, system: System, report: FuzzReport): void {
  const { steps, seed, drawing } = report;
  const now = drawingMark(new Walker(system), { steps, ...guidanceOf(instance, system) }, seed);
  if (now === drawing) return;
  throw new UsageError(
    `${file}: its walks were drawn otherwise than this version draws them (drawing ${drawing}, here ${now}), so it cannot go on with it. Run the campaign anew.`,
  );
}

function checkViolations(
  file: string,
  system: System,
  properties: readonly Property[],
  report: FuzzReport,
): void {
  const player = new WalkPlayer(system);
  for (const { id, violation } of report.properties) {
    const property = properties.find((each) => each.id === id);
    if (violation === undefined || property === undefined) continue;
    const { picks, loop, property: of, system: systemOf } = violation.trace;
    if (of !== id || systemOf !== system.id || (loop ?? 0) > picks.length)
      throw new UsageError(
        `${file}: its violation of '${id}' is none: it is of '${of}' in ${systemOf}, ${picks.length} steps${loop === undefined ? '' : `, of which those from ${loop} on repeat`}`,
      );
    const walk = { picks, drawn: picks.length, ...(loop === undefined ? {} : { loop }) };
    let says = 'the run does not violate it';
    try {
      if (player.play(walk, [property]) !== undefined) continue;
    } catch (error) {
      says = reasonOf(error);
    }
    throw new UsageError(`${file}: its violation of '${id}' is none: ${says}`);
  }
}
