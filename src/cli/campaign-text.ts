/** Prints a campaign, measured by an exhaustive search where that is possible, and says how it ended. */
import { faults as catalogue, designs, parametersInPlay, partOf, phases } from '../../models/index.ts';
import type { Phase } from '../random/draw-walk.ts';
import { type Fuzzed, printFuzz } from '../report/fuzz-text.ts';
import type { System } from '../system.ts';
import type { Campaign } from './campaign-file.ts';
import { exhaustive } from './exhaustive.ts';
import { faultWords, type Instance, obligationsOf } from './instance.ts';
import { page } from './page.ts';
import { writeTrace } from './trace-files.ts';

/** How a campaign is printed. */
export interface CampaignTextOptions {
  readonly compare: boolean;
  readonly signal: AbortSignal;
  readonly traceDir?: string;
}

/** The phases of a system: of all endpoints, if it has any. */
export function phasesOf({ endpoints }: Instance, { parts }: System): readonly Phase[] {
  return phases(parts.some(({ name }) => name === partOf('cni', 1)) ? endpoints : 0);
}

/** Prints a campaign. */
export async function printCampaign(
  instance: Instance,
  campaign: Campaign,
  { compare, signal, traceDir }: CampaignTextOptions,
): Promise<string> {
  const { design, endpoints } = instance;
  const traceFiles = new Map<string, string>();
  const fuzzed: Fuzzed[] = [];
  for (const [place, { system, properties }] of obligationsOf(instance, campaign.properties).entries()) {
    const report = campaign.reports[place];
    if (report === undefined) continue;
    const listed = phasesOf(instance, system);
    const known =
      compare && endpoints === 1 && !signal.aborted
        ? await exhaustive(system, properties, listed, signal)
        : undefined;
    for (const { id, violation } of report.properties) {
      if (violation === undefined || traceDir === undefined) continue;
      const property = properties.find((each) => each.id === id);
      traceFiles.set(id, await writeTrace(traceDir, instance, system, violation.trace, property));
    }
    fuzzed.push({
      system,
      properties,
      phases: listed,
      report,
      ...(known === undefined ? {} : { exhaustive: known }),
    });
  }
  const { parameters } = design;
  return printFuzz(fuzzed, {
    ...page(),
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
    traceFiles,
    replay: (property, { seed, path }) =>
      `routeproof fuzz ${design.id} ${optionsOf(instance)}--steps ${campaign.reports[0]?.steps} --property ${property} --seed ${seed} --path ${path}`,
  });
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
