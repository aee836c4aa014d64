/** `routeproof merge`: puts the parts of a campaign together. */
import { type Command, Option } from 'commander';
import type { CampaignReportOptions } from './campaign-text.ts';
import { exitCodes } from './fuzz.ts';

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
    .option(
      '--trace-dir <dir>',
      "write each shrunk run there, as <design>.<property>.fuzz.itf.json, for 'routeproof replay'",
    )
    .option('--no-compare', 'do not compare with an exhaustive search of one endpoint')
    .addHelpText('after', exitCodes)
    .action(async (files: readonly string[], options: CampaignReportOptions) => {
      const { runMerge } = await import('./run-merge.ts');
      await runMerge(files, options);
    });
}
