/** Commands that do not outlive this process, however it ends. */
import { spawnSync } from 'node:child_process';

let known: boolean | undefined;

/** What runs a command that the kernel kills when its parent dies; the command as it is where there is no `setpriv`. */
export function mortal(command: readonly string[]): [string, ...string[]] {
  known ??= spawnSync('setpriv', ['--pdeathsig', 'KILL', 'true']).status === 0;
  const [first, ...rest] = known ? ['setpriv', '--pdeathsig', 'KILL', ...command] : command;
  if (first === undefined) throw new RangeError('there is no command');
  return [first, ...rest];
}
