/**
 * A process that holds the lock of the network namespace that it is started in, for an agent outside. It says `held` or
 * `taken`, and ends when its standard input does: with the agent, however that ends.
 */
import { lockNode } from './node-lock.ts';

// What ends the agent often goes to its whole group. The lock is the agent's until it has done its last step.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.stdin.on('close', () => process.exit()).resume();
const lock = await lockNode();
process.stdout.write(lock === undefined ? 'taken\n' : 'held\n');
