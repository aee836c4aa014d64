import { expect, test } from 'vitest';
import { designs } from '../../../models/index.ts';
import { lookUp, nearest } from '../../../src/cli/suggest.ts';
import { UsageError } from '../../../src/cli/usage-error.ts';

const names = ['felix-3.0.1', 'felix-3.29', 'fenced', 'never-delete', 'linearizable-fence'];

test.each([
  ['fenecd', 'fenced'],
  ['FENCED', 'fenced'],
  ['felix', 'felix-3.0.1'],
  ['felx-3.29', 'felix-3.29'],
  ['neverdelete', 'never-delete'],
  ['linear', 'linearizable-fence'],
  ['linearisable', 'linearizable-fence'],
  ['fencd', 'fenced'],
  ['kettle', undefined],
  // One letter of a beginning is much in a word of four.
  ['mine', undefined],
  ['felk', undefined],
  ['', undefined],
])('%j means %j', (word, meant) => {
  expect(nearest(word, names)).toBe(meant);
});

test('words that have nothing to do with a name of a design suggest none', () => {
  const ids = designs.map(({ id }) => id);
  for (const word of ['mine', 'test', 'foo', 'calico', 'design', 'cilium', 'all', 'none', 'route', 'default'])
    expect([word, nearest(word, ids)]).toEqual([word, undefined]);
});

test('a known name passes, an unknown one is told with the place and the way out', () => {
  const vocabulary = { place: '--fault', noun: 'fault', names: ['half-open'] };
  expect(lookUp('half-open', vocabulary)).toBe('half-open');
  expect(() => lookUp('halfopen', vocabulary)).toThrow(
    new UsageError(
      "--fault 'halfopen': there is no such fault. Did you mean 'half-open'? There are half-open.",
    ),
  );
  expect(() => lookUp('x', { ...vocabulary, listedBy: "'list'" })).toThrow(
    "no such fault. 'list' names them all.",
  );
});
