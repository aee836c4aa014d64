/** What a validation says that cannot look at all that may be behind a trace, and what is read of old ones. */
import { expect, it } from 'vitest';
import { type Design, findDesign } from '../../../models/index.ts';
import { readAgentTrace } from '../../../src/validate/agent-trace.ts';
import { TooManyStates } from '../../../src/validate/model-graph.ts';
import { Validator } from '../../../src/validate/validate.ts';

const fenced = findDesign('fenced') as Design;
const design = { ...fenced, parameters: { ...fenced.parameters, retryDelay: 10 } };

it('is no verdict if more states fit than are looked at', () => {
  const lines = [
    {
      ...{ at: 0, step: 'connection.opened' as const },
      state: { watcher: { reconnecting: { listing: 'bounded' } }, apply: 'unsynced' },
    },
  ];
  expect(() => new Validator(design, 100).validate({ lines })).toThrow(TooManyStates);
  expect(new Validator(design).validate({ lines })).toMatchObject({ valid: true, compared: 1 });
});

it('a trace from before waits could grow is one whose wait does not grow', () => {
  const { retryDelayMax: _, ...parameters } = design.parameters;
  const head = {
    ...{ format: 'routeproof agent trace', version: 1, design: 'fenced', node: 'n1' },
    parameters,
  };
  const read = readAgentTrace(`${JSON.stringify(head)}\n`);
  expect(read.head.parameters).toEqual({ ...parameters, retryDelayMax: parameters.retryDelay });
});
