/**
 * The shape of a trace file. What it holds may come from anywhere, so it is looked over before anything is done with it,
 * and a message names the place in the file.
 */
import { z } from 'zod';
import { reasonOf } from '../reason-of.ts';
import type { Pick } from '../semantics/world.ts';
import { actionTaken, type ItfState, nondetPicks } from './itf.ts';
import { type RecordedRun, TraceFormatError } from './read-itf.ts';

const option = z.union([
  z.object({ tag: z.literal('None') }),
  z.object({ tag: z.literal('Some'), value: z.string() }),
]);

const state = z
  .looseObject({
    '#meta': z.looseObject({ index: z.int().nonnegative() }),
    [actionTaken]: z.string(),
    [nondetPicks]: z.object({ choice: option, part: option, timer: option }),
  })
  .superRefine((each, context) => {
    if (each['#meta'].index > 0 && readPick(each) === undefined) {
      context.addIssue({
        code: 'custom',
        path: [nondetPicks],
        message: `Invalid input: expected a choice, or a part and its timer, or '${actionTaken}' to be "time"`,
      });
    }
  });

const schema = z
  .looseObject({
    '#meta': z.looseObject({
      format: z.literal('ITF'),
      system: z.string(),
      property: z.string(),
    }),
    vars: z.array(z.string()),
    states: z.array(state).nonempty(),
    loop: z.int().nonnegative().optional(),
  })
  .superRefine(({ states, loop }, context) => {
    for (const [place, { '#meta': meta }] of states.entries()) {
      if (meta.index === place) continue;
      context.addIssue({
        code: 'custom',
        path: ['states', place, '#meta', 'index'],
        message: `Invalid input: expected ${place}, the place of the state, received ${meta.index}`,
      });
      return;
    }
    if (loop !== undefined && loop >= states.length) {
      context.addIssue({
        code: 'custom',
        path: ['loop'],
        message: `Invalid input: expected the index of a state, 0 to ${states.length - 1}, received ${loop}`,
      });
    }
  });

/**
 * Reads the text of a trace file.
 *
 * @throws TraceFormatError
 */
export function parseItf(text: string): RecordedRun {
  if (text.trim() === '') throw new TraceFormatError('it is empty');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new TraceFormatError(`it is not JSON: ${reasonOf(error)}`);
  }
  const read = schema.safeParse(json);
  if (!read.success)
    throw new TraceFormatError(`it is no ITF trace of routeproof\n${z.prettifyError(read.error)}`);
  const { '#meta': meta, states, loop } = read.data;
  return {
    meta,
    picks: states.slice(1).map((each) => readPick(each) as Pick),
    states: states.map(
      ({ '#meta': _, [actionTaken]: __, [nondetPicks]: ___, ...parts }) => parts as ItfState,
    ),
    ...(loop === undefined ? {} : { loop }),
  };
}

function readPick(each: {
  readonly [actionTaken]: string;
  readonly [nondetPicks]: Record<'choice' | 'part' | 'timer', z.infer<typeof option>>;
}): Pick | undefined {
  const { choice, part, timer } = each[nondetPicks];
  if (choice.tag === 'Some') return { kind: 'choice', id: choice.value };
  if (part.tag === 'Some' && timer.tag === 'Some')
    return { kind: 'timer', part: part.value, timer: timer.value };
  return each[actionTaken] === 'time' ? { kind: 'time' } : undefined;
}
