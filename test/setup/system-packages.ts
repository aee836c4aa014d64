import { execa } from 'execa';
import { missingCommands } from '../cross/missing-commands.ts';

/**
 * Installs iproute2, etcd, its command, curl and CNI's own plugins where that is ours to do: in CI, as root, on a system with Debian's
 * packages. Elsewhere, and where it fails, the tests that need them are skipped, and it is said once what would have them
 * run.
 */
export async function setup(): Promise<void> {
  const commands = ['ip', 'etcd', 'etcdctl', 'curl', '/usr/lib/cni/host-local'];
  if ((await missingCommands(commands)) === '') return;
  const packages = ['iproute2', 'etcd-server', 'etcd-client', 'curl', 'containernetworking-plugins'];
  if (process.env.CI === 'true' && process.getuid?.() === 0) {
    const options = { reject: false, stdio: 'inherit', env: { DEBIAN_FRONTEND: 'noninteractive' } } as const;
    await execa('apt-get', ['update', '-qq'], options);
    await execa('apt-get', ['install', '-y', '-qq', ...packages], options);
  }
  const missing = await missingCommands(commands);
  if (missing !== '')
    console.warn(`Tests of real parts are left out${missing}: apt-get install ${packages.join(' ')}`);
}
