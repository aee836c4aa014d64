/** `routeproof check`: decides the properties of designs. */
import { availableParallelism } from 'node:os';
import { type Command, Option } from 'commander';
import { parametersInPlay } from '../../models/index.ts';
import type { SearchMethod } from '../check.ts';
import { printCheck } from '../report/check-text.ts';
import { exitCodeOf, type Outcome } from '../report/outcome.ts';
import { searchProgress, startProgress } from '../report/progress.ts';
import { checkInstance } from './check-instance.ts';
import { type CheckResult, checkResult } from './check-json.ts';
import {
  addInstanceOptions,
  collect,
  faultWords,
  type Instance,
  type InstanceOptions,
  instancesOf,
  propertiesOf,
  wholeNumber,
} from './instance.ts';
import { interruptedCode, interruptible } from './interrupt.ts';
import { page } from './page.ts';
import { prepareTraceDirectory, writeTraces } from './trace-files.ts';
import { UsageError } from './usage-error.ts';

interface CheckCommandOptions extends InstanceOptions {
  readonly property?: readonly string[];
  readonly format: 'pretty' | 'json';
  readonly maxStates?: number;
  readonly search: 'auto' | SearchMethod;
  readonly symmetry?: true;
  readonly threads: number;
  readonly traceDir?: string;
}

/** Adds the command. */
export function addCheck(program: Command): void {
  const command = program
    .command('check')
    .summary('decide every property of designs, with a shortest counterexample for what fails')
    .description(
      'Searches the whole reachable space of each design and decides its properties. What fails is told as a timeline of a shortest run.',
    )
    .argument('[design...]', "ids of designs, see 'routeproof list'", ['fenced']);
  addInstanceOptions(command)
    .option('--property <id>', 'decide only this property; can be repeated', collect)
    .optionsGroup('How far:')
    .option(
      '--max-states <n>',
      'stop after so many states, with verdict incomplete',
      wholeNumber('--max-states', 1),
    )
    .optionsGroup('How it is searched:')
    .addOption(
      new Option(
        '--search <method>',
        'hashed: a table of the states that were found; dense: a bit for each state that may be; auto: dense for large spaces where the bits fit',
      )
        .choices(['auto', 'hashed', 'dense'])
        .default('auto'),
    )
    .option('--threads <n>', 'threads of a dense search', wholeNumber('--threads', 1), availableParallelism())
    .option(
      '--symmetry',
      'look at one of the states that differ only in which endpoint is which: fewer states, and liveness is left incomplete',
    )
    .optionsGroup('What is printed:')
    .addOption(new Option('--format <format>', 'how').choices(['pretty', 'json']).default('pretty'))
    .option(
      '--trace-dir <dir>',
      "write each counterexample there, as <design>.<property>.itf.json, for 'routeproof replay'",
    )
    .addHelpText('after', exitCodes)
    .action(runCheck);
}

const exitCodes = `
Exit codes:
  0    everything is proved
  1    something is violated, or the model has a deadlock or a time-lock
  2    the command or the tool is at fault
  3    incomplete: a limit was hit
  4    vacuous, or some transition never happened though nothing rules it out
  130  interrupted; what was found so far is printed
`;

async function runCheck(ids: readonly string[], options: CheckCommandOptions): Promise<void> {
  const instances = instancesOf(ids, options);
  const wanted = propertiesOf(options.property);
  if (options.symmetry && options.endpoints < 2) {
    throw new UsageError(
      '--symmetry: one endpoint has nobody to change places with. Add --endpoints 2, or leave --symmetry out.',
    );
  }
  if (options.traceDir !== undefined) await prepareTraceDirectory(options.traceDir);
  const outcomes: Outcome[] = [];
  const results: CheckResult[] = [];
  await interruptible(async (signal) => {
    for (const instance of instances) {
      if (signal.aborted) {
        process.exitCode = interruptedCode;
        break;
      }
      const outcome = await checkWithProgress(instance, wanted, options, signal);
      const traceFiles =
        options.traceDir === undefined
          ? new Map<string, string>()
          : await writeTraces(options.traceDir, instance, outcome);
      outcomes.push(outcome);
      process.exitCode = exitCodeOf(outcomes);
      results.push(checkResult(instance, outcome, traceFiles));
      if (options.format === 'pretty') {
        const separator = outcomes.length > 1 ? '\n' : '';
        process.stdout.write(
          separator + printCheck(outcome, { ...page(), ...about(instance, outcome), traceFiles }),
        );
      }
    }
  });
  if (options.format === 'json') process.stdout.write(`${JSON.stringify({ results }, null, 2)}\n`);
}

async function checkWithProgress(
  instance: Instance,
  wanted: readonly string[] | undefined,
  { maxStates, search, symmetry, threads }: CheckCommandOptions,
  signal: AbortSignal,
): Promise<Outcome> {
  const progress = startProgress(process.stderr);
  try {
    return await checkInstance(instance, wanted, {
      signal,
      search,
      threads,
      ...(maxStates === undefined ? {} : { maxStates }),
      ...(symmetry === undefined ? {} : { symmetry }),
      onProgress: (how) => progress.show(searchProgress(instance.design.id, how)),
    });
  } finally {
    progress.clear();
  }
}

/** What was searched without bound, and what was not: the three kinds of "unbounded" are told apart. */
function about(instance: Instance, { checks }: Outcome): { says: string; scope: [string, string][] } {
  const complete = checks.every(({ report }) => report.complete);
  const { parameters: seconds } = instance.design;
  const parameters = parametersInPlay(instance.design).map((name) => `${name} ${seconds[name]} s`);
  return {
    says: instance.design.says,
    scope: [
      [
        'in steps',
        complete ? 'closed: the whole reachable space was seen' : 'not closed: only a part was seen',
      ],
      ['in endpoints', `this number: ${instance.endpoints}`],
      ['in parameters', `these values: ${parameters.join(', ')}`],
      ['faults', faultWords(instance)],
    ],
  };
}
