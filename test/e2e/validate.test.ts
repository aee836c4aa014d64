/** What `validate` says of a trace, by its exit code. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Design, findDesign } from '../../models/index.ts';
import { directory, run } from './command.ts';

const { parameters } = findDesign('fenced') as Design;
const head = {
  ...{ format: 'routeproof agent trace', version: 1, design: 'fenced', node: 'n1' },
  parameters: { ...parameters, retryDelay: 10, retryDelayMax: 10, leaderTimeout: 10 },
};
const step = (name: string, watcher: unknown) => ({
  ...{ at: 0, step: name },
  state: { watcher, apply: 'unsynced' },
});

test.each([
  ['an allowed step', [head, step('connection.opened', { reconnecting: { listing: 'bounded' } })], 0, /✓/],
  ['a step that is not allowed', [head, step('dial.failed', 'connected')], 1, /does not allow step 1 /],
  ['another step than there is', [head, step('dialled', 'connected')], 2, /line 2 is no line/],
  ['no step', [head], 4, /vacuous: the trace has no step/],
])('%s ends with its code', async (_, lines, code, message) => {
  await writeFile(join(directory, 'agent.trace'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const { exitCode, stdout, stderr } = await run(['validate', 'agent.trace']);
  expect(stdout + stderr).toMatch(message);
  expect(exitCode).toBe(code);
});
