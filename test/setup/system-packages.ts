import { execa } from 'execa';
import { missingCommands } from '../cross/missing-commands.ts';

/**
 * Installs what the tests on real systems run, where that is ours to do: in CI, as root, on a system with Debian's packages.
 * Elsewhere, and where it fails, the tests are skipped and say so.
 */
export async function setup(): Promise<void> {
  const missing = await missingCommands(['ip', 'etcd', '/usr/lib/cni/host-local']);
  if (missing === '' || process.env.CI !== 'true' || process.getuid?.() !== 0) return;
  const options = { reject: false, stdio: 'inherit', env: { DEBIAN_FRONTEND: 'noninteractive' } } as const;
  await execa('apt-get', ['update', '-qq'], options);
  await execa(
    'apt-get',
    ['install', '-y', '-qq', 'iproute2', 'etcd-server', 'containernetworking-plugins'],
    options,
  );
}
