/** `routeproof replay`: plays a trace file step by step in plain XState, and says whether it still shows what it showed. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { confirmDeadlock, confirmLasso, confirmViolation, TraceMismatch } from '../explore/confirm.ts';
import type { Property } from '../property.ts';
import { reasonOf } from '../reason-of.ts';
import { timeline } from '../report/timeline.ts';
import { printTimeline, wrap } from '../report/timeline-text.ts';
import { type System, SystemError } from '../system.ts';
import { writeState } from '../trace/itf.ts';
import { type RecordedRun, readItf, TraceFormatError } from '../trace/read-itf.ts';
import { moments } from '../trace/run.ts';
import type { Trace } from '../trace/trace.ts';
import { positive } from './instance.ts';
import { page } from './page.ts';
import { UsageError } from './usage-error.ts';

/** What a replay found. */
interface ReplayResult {
  readonly file: string;
  readonly system: string;
  readonly property: string;
  /** Steps in the file. */
  readonly steps: number;
  readonly reproduced: boolean;
  /** The step at which the replay and the file part; 0 is the first state. */
  readonly differsAt?: number;
  readonly reason?: string;
}

/** Adds the command. */
export function addReplay(program: Command): void {
  program
    .command('replay')
    .summary('play a trace file step by step')
    .description(
      "Plays a trace file step by step through XState's own transition(), compares each state with the recorded one, and asks the property again.",
    )
    .argument('<file>', "written by 'routeproof check' or 'routeproof fuzz', with --trace-dir")
    .addOption(
      new Option('--on <parts>', 'play it against a running agent instead, on real parts').choices([
        'etcd',
        'kernel',
      ]),
    )
    .option(
      '--design <id>',
      "with --on: let the trace's faults strike an agent of this design, which runs freely",
    )
    .option(
      '--time-scale <factor>',
      'with --on: seconds for each second of the trace',
      positive('--time-scale'),
      0.05,
    )
    .option('--trace <file>', "with --on: write what the agent does there, for 'routeproof validate'")
    .addOption(new Option('--format <format>', 'how').choices(['pretty', 'json']).default('pretty'))
    .addHelpText('after', exitCodes)
    .action(replayFile);
}

const exitCodes = `
'--on etcd' has a real etcd behind a proxy, and routes in memory; '--on kernel'
has kernel routes as well, in a network namespace of its own. With --design,
what takes no time in the trace must take less than a tick of it: where it takes
longer, the trace is played again, up to 8 times slower, and stderr says so.

Exit codes:
  0    reproduced; with --design: every live route stayed in place
  1    not reproduced; with --design: a live route was lost
  2    no trace file, or not of a known design; no etcd, or no namespace
  4    vacuous: with --design, no pod ever had a route that could be lost
  130  interrupted; etcd, the namespace and all temporary files are gone
`;

interface ReplayCommandOptions {
  readonly format: 'pretty' | 'json';
  readonly on?: 'etcd' | 'kernel';
  readonly design?: string;
  readonly timeScale: number;
  readonly trace?: string;
}

async function replayFile(file: string, options: ReplayCommandOptions, command: Command): Promise<void> {
  const { format, on, design } = options;
  if (design !== undefined && on === undefined)
    throw new UsageError('--design: a trace of one design is no run of another. It goes with --on.');
  for (const [name, option] of [
    ['trace', '--trace'],
    ['timeScale', '--time-scale'],
  ] as const) {
    if (on === undefined && command.getOptionValueSource(name) === 'cli')
      throw new UsageError(`${option}: without --on no agent runs. It goes with --on.`);
  }
  if (options.trace !== undefined && resolve(options.trace) === resolve(file))
    throw new UsageError(`--trace ${options.trace}: it is the file that is played. Name another.`);
  const recorded = await readTrace(file);
  if (on === 'kernel') {
    const { inOwnNamespace, isInOwnNamespace, noOwnNamespace } = await import('../rig/own-namespace.ts');
    if (!isInOwnNamespace()) {
      const reason = noOwnNamespace();
      if (reason !== undefined)
        throw new UsageError(
          `--on kernel: ${reason}. '--on etcd' needs no rights: its routes are in memory.`,
        );
      process.exitCode = await inOwnNamespace(process.argv.slice(1));
      return;
    }
  }
  const { recordedInstance, recordedSystem } = await import('./recorded-system.ts');
  const { system, property } = recordedSystem(file, recorded.meta);
  const differs = firstDifference(system, recorded);
  if (on !== undefined) {
    const { runReplayForReal } = await import('./run-replay-for-real.ts');
    const { timeScale, trace } = options;
    const replay = {
      ...{ file, on, timeScale, format },
      ...(design === undefined ? {} : { against: design }),
      ...(trace === undefined ? {} : { trace }),
    };
    const ofTrace = recordedInstance(file, recorded.meta).design;
    process.exitCode = await runReplayForReal(replay, recorded, system, ofTrace, differs);
    return;
  }
  const difference = differs ?? refutation(system, property, recorded);
  const result: ReplayResult = {
    file,
    system: system.id,
    property: recorded.meta.property,
    steps: recorded.picks.length,
    reproduced: difference === undefined,
    ...(difference === undefined ? {} : { differsAt: difference.step, reason: difference.reason }),
  };
  process.exitCode = result.reproduced ? 0 : 1;
  const text =
    format === 'json'
      ? `${JSON.stringify(result, null, 2)}\n`
      : printReplay(result, system, property, recorded, difference);
  process.stdout.write(text);
}

async function readTrace(file: string): Promise<RecordedRun> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const reason = reasonOf(error);
    throw new UsageError(
      `${file}: it cannot be read (${reason}). Name a file that 'routeproof check --trace-dir' wrote.`,
    );
  }
  try {
    return await readItf(text);
  } catch (error) {
    if (!(error instanceof TraceFormatError)) throw error;
    throw new UsageError(`${file}: ${error.message}\nName a file that 'routeproof check --trace-dir' wrote.`);
  }
}

interface Difference {
  readonly step: number;
  readonly reason: string;
  /** How many of the steps were played. */
  readonly played: number;
}

/** The first step that is not offered, or whose state is not as recorded. */
function firstDifference(system: System, { picks, states }: RecordedRun): Difference | undefined {
  let step = 0;
  try {
    for (const { index, state } of moments(system, picks)) {
      const replayed = writeState(system, state);
      for (const { name } of system.parts) {
        const [was, is] = [JSON.stringify(states[index]?.[name]), JSON.stringify(replayed[name])];
        if (was !== is) {
          return {
            step: index,
            played: index,
            reason: `part '${name}' was recorded as ${was ?? 'nothing'} and is ${is}`,
          };
        }
      }
      step = index + 1;
    }
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
    return { step, played: step - 1, reason: error.message };
  }
  return undefined;
}

/** Why the run, though it can be played, does not show what the file says. */
function refutation(
  system: System,
  property: Property | undefined,
  recorded: RecordedRun,
): Difference | undefined {
  const trace = traceOf(recorded);
  const step = trace.picks.length;
  try {
    if (property === undefined) {
      if (trace.property === 'deadlock') confirmDeadlock(system, trace);
    } else if (property.kind === 'eventually-always') confirmLasso(system, property, trace);
    else confirmViolation(system, property, trace);
  } catch (error) {
    if (!(error instanceof TraceMismatch)) throw error;
    return { step, played: step, reason: `the run does not violate '${trace.property}'` };
  }
  return undefined;
}

const traceOf = ({ meta, picks, loop }: RecordedRun): Trace => ({
  system: meta.system,
  property: meta.property,
  picks,
  ...(loop === undefined ? {} : { loop }),
});

function printReplay(
  result: ReplayResult,
  system: System,
  property: Property | undefined,
  recorded: RecordedRun,
  difference: Difference | undefined,
): string {
  const options = page();
  const { green, red, bold } = options.colors;
  const whole = traceOf(recorded);
  const trace: Trace =
    difference === undefined || difference.played === whole.picks.length
      ? whole
      : {
          system: whole.system,
          property: whole.property,
          picks: whole.picks.slice(0, Math.max(0, difference.played)),
        };
  const story = timeline(system, trace, difference === undefined ? property : undefined);
  const verdict =
    difference === undefined
      ? [
          `${green('✓')} ${bold('reproduced')}: every state is as recorded, and ${property === undefined ? 'the last is such a state' : 'the property is violated'}`,
        ]
      : [
          `${red('✗')} ${bold(`not reproduced at step ${difference.step}`)}`,
          ...wrap(difference.reason, options.width - 2).map((line) => `  ${line}`),
        ];
  return `${[
    `${bold(result.property)} in ${system.id}, ${result.steps} steps`,
    '',
    printTimeline(story, options),
    '',
    ...(difference === undefined ? [...wrap(story.ending, options.width), ''] : []),
    ...verdict,
  ].join('\n')}\n`;
}
