/** What a validation says that cannot look at all that may be behind a trace. */
import { expect, it } from 'vitest';
import { type Design, findDesign } from '../../../models/index.ts';
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
