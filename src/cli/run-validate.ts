/** Reads a trace, compares it and prints what came out. */
import { readFile } from 'node:fs/promises';
import type { Design } from '../../models/index.ts';
import { reasonOf } from '../reason-of.ts';
import { wrap } from '../report/timeline-text.ts';
import { type AgentTrace, AgentTraceError, readAgentTrace } from '../validate/agent-trace.ts';
import { TooManyStates } from '../validate/model-graph.ts';
import { type Validation, Validator } from '../validate/validate.ts';
import { designOf } from './instance.ts';
import { page } from './page.ts';
import { UsageError } from './usage-error.ts';
import type { ValidateCommandOptions } from './validate.ts';

/** Runs the command. */
export async function runValidate(file: string, options: ValidateCommandOptions): Promise<void> {
  const trace = await read(file);
  const design: Design = {
    ...designOf(options.design ?? trace.head.design),
    parameters: trace.head.parameters,
  };
  const tellNone = (exitCode: number, verdict: 'incomplete' | 'vacuous', why: string): void => {
    process.exitCode = exitCode;
    const { bold, yellow } = page().colors;
    process.stdout.write(
      options.format === 'json'
        ? `${JSON.stringify({ file, design: design.id, valid: null, [verdict]: why }, null, 2)}\n`
        : `${bold(file)}\n\n${yellow('?')} ${verdict}: ${why}\n`,
    );
  };
  if (trace.lines.length === 0) {
    tellNone(4, 'vacuous', 'the trace has no step, so there is nothing that the model could refuse.');
    return;
  }
  const validation = comparedWith(design, trace);
  if (typeof validation === 'string') {
    tellNone(3, 'incomplete', validation);
    return;
  }
  process.exitCode = validation.valid ? 0 : 1;
  process.stdout.write(
    options.format === 'json'
      ? `${JSON.stringify({ file, design: design.id, lines: trace.lines.length, cut: trace.cut, ...validation }, null, 2)}\n`
      : print(file, design, trace, validation),
  );
}

/** @returns a sentence on why neither is known, if it is not */
function comparedWith(design: Design, trace: AgentTrace): Validation | string {
  try {
    return new Validator(design).validate(trace);
  } catch (error) {
    if (error instanceof TooManyStates)
      return `${error.message}. Durations that have a larger common measure, and a wait that does not grow, need fewer: 'routeproof agent -p retryDelay=10 -p retryDelayMax=10 -p leaderTimeout=10'.`;
    throw error;
  }
}

async function read(file: string): Promise<AgentTrace> {
  const advice = "Name a file that 'routeproof agent --trace' wrote.";
  try {
    return readAgentTrace(await readFile(file, 'utf8'));
  } catch (error) {
    if (error instanceof AgentTraceError) throw new UsageError(`${file}: ${error.message}\n${advice}`);
    throw new UsageError(`${file}: it cannot be read (${reasonOf(error)}). ${advice}`);
  }
}

function print(file: string, design: Design, trace: AgentTrace, validation: Validation): string {
  const { colors, width } = page();
  const { green, red, bold } = colors;
  const { refusal, interfaces, compared, states } = validation;
  const about = `${trace.lines.length} step${trace.lines.length === 1 ? '' : 's'} of ${design.id}, ${interfaces.length} interface${interfaces.length === 1 ? '' : 's'}`;
  const head = [
    bold(file),
    `  ${about}${trace.cut ? '; its last line is cut off and was left out' : ''}`,
    `  ${compared.toLocaleString('en')} comparisons, ${states.toLocaleString('en')} states of the model met`,
    '',
  ];
  if (refusal === undefined) return `${[...head, `${green('✓')} the model allows it`].join('\n')}\n`;
  const { state: _, ...told } = refusal.told;
  const where = refusal.interface === undefined ? '' : `, looked at as the story of ${refusal.interface}`;
  return `${[
    ...head,
    `${red('✗')} ${bold(`the model does not allow step ${refusal.line + 1}`)} (line ${refusal.line + 2} of the file)${where}`,
    ...wrap(JSON.stringify(told), width - 4).map((line) => `    ${line}`),
    ...wrap(`and came to ${JSON.stringify(refusal.told.state)}`, width - 4).map((line) => `    ${line}`),
    '',
    '  What it would have allowed there:',
    ...refusal.allowed.flatMap((each) => {
      const [first = '', ...rest] = wrap(each, width - 6);
      return [`    · ${first}`, ...rest.map((line) => `      ${line}`)];
    }),
  ].join('\n')}\n`;
}
