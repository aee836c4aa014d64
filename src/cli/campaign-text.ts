/** Reports a campaign, measured by an exhaustive search where that is possible, and says how it ended. */
import { faults as catalogue, designs, parametersInPlay } from '../../models/index.ts';
import type { Obligation } from '../../properties/index.ts';
import type { FuzzReport } from '../random/fuzz.ts';
import { emptyCells, type Fuzzed, type FuzzTextOptions, printFuzz } from '../report/fuzz-text.ts';
import { type Campaign, writeCampaign } from './campaign-file.ts';
import { exhaustive } from './exhaustive.ts';
import { phasesOf } from './guidance.ts';
import { faultWords, type Instance, obligationsOf } from './instance.ts';
import { page } from './page.ts';
import { writeTrace } from './trace-files.ts';

/** How a campaign is reported. */
export interface CampaignReportOptions {
  readonly compare: boolean;
  readonly format: 'pretty' | 'json';
  readonly output?: string;
  readonly traceDir?: string;
  /** It is no campaign: the path of one run was followed. */
  readonly followed?: boolean;
}

/** Writes a campaign and its shrunk runs to where they were asked for, and prints it. */
export async function reportCampaign(
  instance: Instance,
  campaign: Campaign,
  { compare, format, output, traceDir, followed = false }: CampaignReportOptions,
  signal: AbortSignal,
): Promise<void> {
  if (output !== undefined) await writeCampaign(output, campaign);
  const traceFiles = traceDir === undefined ? new Map() : await writeRuns(traceDir, instance, campaign);
  const text =
    format === 'json'
      ? `${JSON.stringify(campaign, null, 2)}\n`
      : await campaignText(instance, campaign, compare ? signal : undefined, { traceFiles, followed });
  process.stdout.write(text);
}

async function writeRuns(
  directory: string,
  instance: Instance,
  campaign: Campaign,
): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const { report, system, properties } of partsOf(instance, campaign)) {
    for (const { id, violation } of report.properties) {
      if (violation === undefined) continue;
      const property = properties.find((each) => each.id === id);
      const run = { system, trace: violation.trace, property };
      files.set(id, await writeTrace(directory, instance, run, 'fuzz.itf.json'));
    }
  }
  return files;
}

/** The reports of a campaign, each with what it is of. */
function partsOf(
  instance: Instance,
  { properties, reports }: Campaign,
): (Obligation & { readonly report: FuzzReport })[] {
  return obligationsOf(instance, properties).map((obligation, place) => ({
    ...obligation,
    report: reports[place] as FuzzReport,
  }));
}

/** @param compared - stops the search that it is compared with; left out if it is not to be compared */
async function campaignText(
  instance: Instance,
  campaign: Campaign,
  compared: AbortSignal | undefined,
  how: Pick<FuzzTextOptions, 'traceFiles' | 'followed'>,
): Promise<string> {
  const { design, endpoints } = instance;
  const fuzzed: Fuzzed[] = [];
  for (const { system, properties, report } of partsOf(instance, campaign)) {
    const listed = phasesOf(instance, system);
    const known =
      endpoints === 1 && compared?.aborted === false
        ? await exhaustive(system, properties, listed, compared)
        : undefined;
    fuzzed.push({
      system,
      properties,
      phases: listed,
      report,
      ...(known === undefined ? {} : { exhaustive: known }),
    });
  }
  const cellsOfOne = compared === undefined ? undefined : await cellsWithOne(instance, campaign, compared);
  if (cellsOfOne !== undefined) fuzzed[0] = { ...(fuzzed[0] as Fuzzed), cellsOfOne };
  const { parameters } = design;
  return printFuzz(fuzzed, {
    ...page(),
    ...how,
    name: design.id,
    says: design.says,
    scope: [
      ['endpoints', String(endpoints)],
      [
        'parameters',
        parametersInPlay(design)
          .map((name) => `${name} ${parameters[name]} s`)
          .join(', '),
      ],
      ['faults', faultWords(instance)],
    ],
    replay: (property, { seed, path }) =>
      `routeproof fuzz ${design.id} ${optionsOf(instance)}--steps ${campaign.reports[0]?.steps} --property ${property} --seed ${seed} --path ${path}`,
  });
}

/** With one endpoint a system as shipped has fewer states than this; one with other numbers may have any number. */
const statesMax = 1 << 22;

/** Which cells of the matrix can be with one endpoint; undefined if none is empty, or if it was not found out. */
async function cellsWithOne(
  instance: Instance,
  { properties, reports }: Campaign,
  signal: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  // The first system is the one whose matrix is shown.
  const [report] = reports;
  if (instance.endpoints === 1 || signal.aborted || report === undefined) return undefined;
  if (emptyCells(report).length === 0) return undefined;
  const one = { ...instance, endpoints: 1 };
  const [{ system } = {}] = obligationsOf(one, properties);
  if (system === undefined) return undefined;
  return (await exhaustive(system, [], phasesOf(one, system), signal, statesMax))?.cells;
}

/** The options that make an instance of its design, each with a blank behind it. */
function optionsOf({ design, endpoints, faults, strikes }: Instance): string {
  const original = designs.find(({ id }) => id === design.id)?.parameters;
  const parameters = Object.entries(design.parameters)
    .filter(([name, value]) => original?.[name as keyof typeof original] !== value)
    .map(([name, value]) => `--param ${name}=${value} `);
  const chosen =
    faults.length === catalogue.length
      ? []
      : faults.length === 0
        ? ['--fault none ']
        : faults.map((fault) => `--fault ${fault} `);
  return [
    `-n ${endpoints} `,
    ...parameters,
    ...chosen,
    strikes === undefined ? '' : `--strikes ${strikes} `,
  ].join('');
}

/** 130 interrupted, 1 violated, 3 not all runs of its shards were made, 0 held. */
export function exitCodeOfCampaign({ reports }: Campaign): 0 | 1 | 3 | 130 {
  if (reports.some(({ stopped }) => stopped === 'interrupted')) return 130;
  if (reports.some(({ properties }) => properties.some(({ violation }) => violation !== undefined))) return 1;
  return reports.some(({ stopped }) => stopped !== undefined) ? 3 : 0;
}
