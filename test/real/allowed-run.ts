/** What a test asks of each agent that it ran: that the model of its design allows what it did. */
import { readFileSync } from 'node:fs';
import { type Design, findDesign, type Parameter } from '../../models/index.ts';
import { scaled } from '../../src/agent/store-options.ts';
import type { TraceHead } from '../../src/agent/trace-file.ts';
import { readAgentTrace } from '../../src/validate/agent-trace.ts';
import { Validator } from '../../src/validate/validate.ts';

const validators = new Map<string, Validator>();

/**
 * The validator of a design with an agent's numbers. One for all of its traces: it remembers what it has learnt. It asks for the
 * order of steps and timers only, so the pace of an agent makes no difference.
 */
export function validatorOf({ design: id, parameters }: Pick<TraceHead, 'design' | 'parameters'>): Validator {
  const design = findDesign(id);
  if (design === undefined) throw new Error(`there is no design ${id}`);
  const own = isScaled(design, parameters) ? design.parameters : parameters;
  const key = JSON.stringify([id, own]);
  const known = validators.get(key);
  if (known !== undefined) return known;
  const validator = new Validator({ ...design, parameters: own });
  validators.set(key, validator);
  return validator;
}

/** Whether these are the design's own numbers, all multiplied by the same. */
function isScaled(design: Design, parameters: Design['parameters']): boolean {
  const factor = parameters.tick / design.parameters.tick;
  const theirs = Object.entries(scaled(design, factor).parameters);
  return theirs.every(([name, value]) => Math.abs(parameters[name as Parameter] - value) < 1e-9);
}

/** @throws if the model does not allow the trace in a file, with the line and what would have been allowed */
export function allowedRun(file: string): void {
  const trace = readAgentTrace(readFileSync(file, 'utf8'));
  if (trace.lines.length === 0) throw new Error(`${file}: the agent did nothing`);
  const { refusal } = validatorOf(trace.head).validate(trace);
  if (refusal === undefined) return;
  const { line, interface: name, told, allowed } = refusal;
  const before = trace.lines.slice(Math.max(0, line - 30), line).map((each) => JSON.stringify(each));
  throw new Error(
    [
      `${file}: the model does not allow step ${line + 1} of ${trace.lines.length}, as the story of ${name}`,
      ...before.map((each) => `    ${each}`),
      `>>> ${JSON.stringify(told)}`,
      'What it would have allowed:',
      ...allowed.map((each) => `  · ${each}`),
    ].join('\n'),
  );
}
