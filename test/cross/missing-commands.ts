/** Says which commands of another checker cannot be run here. */
import { execa } from 'execa';

/** Empty if all can be run; else a reason to show with the tests that are skipped. */
export async function missingCommands(commands: readonly string[]): Promise<string> {
  const found = await Promise.all(
    commands.map((command) => execa('which', [command], { reject: false }).then(({ failed }) => !failed)),
  );
  const missing = commands.filter((_, place) => !found[place]);
  return missing.length === 0 ? '' : ` (skipped: no ${missing.join(', ')} on this machine)`;
}
