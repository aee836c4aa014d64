/** Does what `routeproof merge` asks for. */
import type { FuzzReport } from '../random/fuzz.ts';
import { MergeError, mergeReports, missingShards } from '../random/merge.ts';
import { checkedCampaign } from './campaign-check.ts';
import { type Campaign, readCampaign } from './campaign-file.ts';
import { type CampaignReportOptions, exitCodeOfCampaign, reportCampaign } from './campaign-text.ts';
import type { Instance } from './instance.ts';
import { interruptible } from './interrupt.ts';
import { prepareTraceDirectory } from './trace-files.ts';
import { UsageError } from './usage-error.ts';

/** Puts files together. */
export async function runMerge(files: readonly string[], options: CampaignReportOptions): Promise<void> {
  const campaigns = await Promise.all(files.map(readCampaign));
  const instances = files.map((file, place) => checkedCampaign(file, campaigns[place] as Campaign));
  const campaign = mergeCampaigns(files, campaigns);
  if (options.traceDir !== undefined) await prepareTraceDirectory(options.traceDir);
  const missing = missingShards(campaign.reports[0] as FuzzReport);
  const [first] = campaign.reports;
  const exitCode = exitCodeOfCampaign(campaign);
  process.exitCode = exitCode === 0 && missing.length > 0 ? 3 : exitCode;
  if (missing.length > 0)
    process.stderr.write(
      `note: of ${first?.shards[0]?.of} shards ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing\n`,
    );
  await interruptible((signal) => reportCampaign(instances[0] as Instance, campaign, options, signal));
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
    if (error instanceof MergeError)
      throw new UsageError(
        `${files.join(', ')}: ${error.message} All shards of a campaign have the same --seed, --runs and --steps.`,
      );
    throw error;
  }
}
