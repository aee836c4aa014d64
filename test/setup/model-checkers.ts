import { execa } from 'execa';
import { missingCommands } from '../cross/missing-commands.ts';

/**
 * Installs the other model checkers where that is ours to do: in CI, as root, on a system with Debian's packages.
 * Elsewhere, and where it fails, their tests are skipped and say so.
 */
export async function setup(): Promise<void> {
  const missing = await missingCommands(['spin', 'rumur', 'gcc']);
  if (missing === '' || process.env.CI !== 'true' || process.getuid?.() !== 0) return;
  const options = { reject: false, stdio: 'inherit', env: { DEBIAN_FRONTEND: 'noninteractive' } } as const;
  await execa('apt-get', ['update', '-qq'], options);
  await execa('apt-get', ['install', '-y', '-qq', 'spin', 'rumur', 'gcc', 'libc6-dev'], options);
}
