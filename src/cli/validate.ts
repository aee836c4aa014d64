/** `routeproof validate`: whether the model allows what an agent did. */
import { type Command, Option } from 'commander';

/** The options of the command, as commander collects them. */
export interface ValidateCommandOptions {
  readonly design?: string;
  readonly format: 'pretty' | 'json';
}

/** Adds the command. */
export function addValidate(program: Command): void {
  program
    .command('validate')
    .summary('say whether the model allows what an agent did')
    .description(
      "Compares the trace of 'routeproof agent --trace' with the model: is there a run in which the agent does and sees the same, whatever the store, the plugin and the kernel did unseen?",
    )
    .argument('<file>', "written by 'routeproof agent --trace'")
    .option('--design <id>', 'compare with this design (default: the one that the agent ran)')
    .addOption(new Option('--format <format>', 'how').choices(['pretty', 'json']).default('pretty'))
    .addHelpText(
      'after',
      '\nExit codes:\n  0    the model allows it\n  1    it does not\n  2    no trace, or not of a known design\n  3    incomplete: too many states of the model may be behind what was told\n  4    vacuous: the trace has no step\n',
    )
    .action(async (file: string, options: ValidateCommandOptions) => {
      const { runValidate } = await import('./run-validate.ts');
      await runValidate(file, options);
    });
}
