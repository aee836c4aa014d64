/** `routeproof merge`: puts the parts of a campaign together. */
import { type Command, Option } from 'commander';
import type { FuzzReport } from '../random/fuzz.ts';
import { MergeError, mergeReports, missingShards } from '../random/merge.ts';
import { checkedCampaign } from './campaign-check.ts';
import { type Campaign, readCampaign, writeCampaign } from './campaign-file.ts';
import { exitCodeOfCampaign, printCampaign } from './campaign-text.ts';
import { exitCodes } from './fuzz.ts';
import type { Instance } from './instance.ts';
import { interruptible } from './interrupt.ts';
import { prepareTraceDirectory } from './trace-files.ts';
import { UsageError } from './usage-error.ts';

interface MergeCommandOptions {
  readonly output?: string;
  readonly format: 'pretty' | 'json';
  readonly compare: boolean;
  readonly traceDir?: string;
}

/** Adds the command. */
export function addMerge(program: Command): void {
  program
    .command('merge')
    .summary('put the shards of a campaign together')
    .description(
      "Puts the files that 'routeproof fuzz --shard i/n --output' wrote together, and reports them as one campaign.",
    )
    .argument('<file...>', 'the files')
    .addOption(new Option('--format <format>', 'how').choices(['pretty', 'json']).default('pretty'))
    .option('-o, --output <file>', 'write the whole campaign there')
    .option('--trace-dir <dir>', "write each shrunk run there, for 'routeproof replay'")
    .option('--no-compare', 'with one endpoint: do not compare with an exhaustive search')
    .addHelpText('after', exitCodes)
    .action(runMerge);
}

async function runMerge(files: readonly string[], options: MergeCommandOptions): Promise<void> {
  const campaigns = await Promise.all(files.map(readCampaign));
  const instances = files.map((file, place) => checkedCampaign(file, campaigns[place] as Campaign));
  const campaign = mergeCampaigns(files, campaigns);
  if (options.traceDir !== undefined) await prepareTraceDirectory(options.traceDir);
  if (options.output !== undefined) await writeCampaign(options.output, campaign);
  const missing = missingShards(campaign.reports[0] as FuzzReport);
  const [first] = campaign.reports;
  const exitCode = exitCodeOfCampaign(campaign);
  process.exitCode = exitCode === 0 && missing.length > 0 ? 3 : exitCode;
  if (missing.length > 0)
    process.stderr.write(
      `note: of ${first?.shards[0]?.of} shards ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing\n`,
    );
  await interruptible(async (signal) => {
    if (options.format === 'json') process.stdout.write(`${JSON.stringify(campaign, null, 2)}\n`);
    else
      process.stdout.write(await printCampaign(instances[0] as Instance, campaign, { ...options, signal }));
  });
}

function mergeCampaigns(files: readonly string[], campaigns: readonly Campaign[]): Campaign {
  const first = campaigns[0] as Campaign;
  const settings = ({ reports: _, ...rest }: Campaign): string => JSON.stringify(rest);
  const other = campaigns.findIndex((each) => settings(each) !== settings(first));
  if (other > 0)
    throw new UsageError(
      `${files[other]}: it is not of the same campaign as ${files[0]}: version, design, parameters, endpoints, faults, strikes or properties differ.`,
    );
  try {
    const reports = first.reports.map((_, place) =>
      mergeReports(
        campaigns.map(({ reports }) => reports[place] as FuzzReport) as [FuzzReport, ...FuzzReport[]],
      ),
    );
    return { ...first, reports };
  } catch (error) {
    if (error instanceof MergeError) throw new UsageError(`${files.join(', ')}: ${error.message}`);
    throw error;
  }
}
