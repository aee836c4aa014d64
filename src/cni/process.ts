/** The plugin as a process: what a runtime executes. */
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { Claims } from './claims.ts';
import { IprouteNetwork } from './iproute-pod-network.ts';
import { answer } from './plugin.ts';

/**
 * Answers the call that this process is: the result or the error on standard output, lines of what is done on standard error,
 * and 1 as the exit code after an error.
 */
export async function runPlugin(): Promise<void> {
  const { env, stdin, stdout, stderr } = process;
  const { stdout: said, exitCode } = await answer(
    // Whoever calls it by hand has no configuration to give, and shall not be waited for.
    { env, stdin: stdin.isTTY ? '' : await text(stdin) },
    {
      network: new IprouteNetwork(),
      claims: (directory) => new Claims(directory),
      // The client of the store takes half of the start, and VERSION and what is refused need none.
      registry: async (configuration) => (await import('./etcd-registry.ts')).openRegistry(configuration),
      crash: async () => {
        process.kill(process.pid, 'SIGKILL');
        // The signal ends the process before this is over.
        await once(process, 'exit');
        throw new Error('outlived SIGKILL');
      },
      log: (line) => void stderr.write(`routeproof-cni ${env.CNI_COMMAND ?? ''} ${line}\n`),
    },
  );
  if (said !== '') stdout.write(`${said}\n`);
  process.exitCode = exitCode;
}
