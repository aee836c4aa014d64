/** `routeproof compare`: every shipped design against every property. */
import { type Command, Option } from 'commander';
import { designs } from '../../models/index.ts';
import { type Costs, type Duration, propertyList } from '../../properties/index.ts';
import { describeUncovered, ruledOutBy } from '../report/coverage.ts';
import { legend, type Matrix, matrixMarkdown, matrixTable } from '../report/matrix.ts';
import { startProgress } from '../report/progress.ts';
import type { System } from '../system.ts';
import { type ComparedDesign, compareDesigns } from './comparison.ts';
import {
  addInstanceOptions,
  collect,
  constantsOf,
  faultWords,
  type InstanceOptions,
  instancesOf,
  isWhole,
  propertiesOf,
  referencesOf,
  wholeNumber,
} from './instance.ts';
import { interruptedCode, interruptible } from './interrupt.ts';
import { page } from './page.ts';

interface CompareCommandOptions extends InstanceOptions {
  readonly property?: readonly string[];
  readonly costs: boolean;
  readonly maxStates?: number;
  readonly format: 'pretty' | 'json' | 'md';
}

/** Adds the command. */
export function addCompare(program: Command): void {
  const command = program
    .command('compare')
    .summary('check every shipped design and print the matrix of verdicts')
    .description(
      'Checks every shipped design against every property, and finds what each costs. A red cell has the length of the shortest run that violates the property.',
    );
  addInstanceOptions(command)
    .option('--property <id>', 'only this property; can be repeated', collect)
    .option('--no-costs', 'leave out what each design costs')
    .optionsGroup('How far:')
    .option('--max-states <n>', 'stop each search after so many states', wholeNumber('--max-states', 1))
    .optionsGroup('What is printed:')
    .addOption(new Option('--format <format>', 'how').choices(['pretty', 'json', 'md']).default('pretty'))
    .addHelpText(
      'after',
      '\nExit codes:\n  0    every cell is decided, whatever the verdicts\n  2    the command or the tool is at fault\n  3    some cell is incomplete\n  130  interrupted; what was decided so far is printed\n',
    )
    .action(runCompare);
}

async function runCompare(options: CompareCommandOptions): Promise<void> {
  const instances = instancesOf(
    designs.map(({ id }) => id),
    options,
  );
  const wanted = propertiesOf(options.property);
  const progress = startProgress(process.stderr);
  let tick: NodeJS.Timeout | undefined;
  const compared = await interruptible(async (signal) => {
    let text = '';
    tick = setInterval(() => progress.show(text), 200);
    const found = await compareDesigns(instances, {
      wanted,
      costs: options.costs,
      maxStates: options.maxStates,
      signal,
      onProgress: (done, all, running) => {
        text = `${done} of ${all} done · ${running.join(' · ')}`;
      },
    });
    if (signal.aborted) process.exitCode = interruptedCode;
    return found;
  }).finally(() => {
    clearInterval(tick);
    progress.clear();
  });
  const decided = compared.every(({ result }) =>
    result?.properties.every(({ verdict }) => verdict !== 'incomplete'),
  );
  process.exitCode ??= decided ? 0 : 3;
  const columns = wanted ?? propertyList.map(({ id }) => id);
  process.stdout.write(
    options.format === 'json' ? compareJson(compared) : compareText(compared, columns, options),
  );
}

/** What no design's search ever saw happen, without what the budget of faults rules out in all of them. */
function neverHappened(compared: readonly ComparedDesign[]): string[] {
  const { instance } = compared[0] as ComparedDesign;
  const [system] = referencesOf(instance) as [System];
  const off = ruledOutBy(constantsOf(instance), system);
  const happened = new Set(compared.flatMap(({ coverage }) => coverage?.happened ?? []));
  const known = compared.flatMap(({ coverage }) => [
    ...(coverage?.uncovered ?? []),
    ...(coverage?.offByDesign ?? []),
  ]);
  return [...new Set(known)].filter((id) => !happened.has(id) && !off.has(id));
}

function compareJson(compared: readonly ComparedDesign[]): string {
  const comparison = {
    designs: compared.flatMap(({ result, costs }) => {
      if (result === undefined) return [];
      const { design, parameters, endpoints, faults, strikes, properties, systems } = result;
      const { states, edges, depth, elapsedMs } = result;
      return [
        {
          design,
          parameters,
          endpoints,
          faults,
          strikes,
          properties: properties.map(({ id, verdict, traceLength }) => ({ id, verdict, traceLength })),
          states,
          edges,
          depth,
          elapsedMs,
          systems: systems.map(({ id, states, edges }) => ({ id, states, edges })),
          costs,
        },
      ];
    }),
    uncovered: neverHappened(compared),
  };
  return `${JSON.stringify(comparison, null, 2)}\n`;
}

const costLegend = [
  'agent writes: to the store. suspects after: the longest time for which a silent watch is believed.',
  'outage up to: the longest time without a route that one silent death of the connection costs an endpoint.',
];

function compareText(
  compared: readonly ComparedDesign[],
  columns: readonly string[],
  { format, costs: withCosts }: CompareCommandOptions,
): string {
  const { colors } = page();
  const matrix: Matrix = {
    corner: 'design',
    columns,
    extras: withCosts ? ['agent writes', 'suspects after', 'outage up to'] : [],
    rows: compared.map(({ instance, result, costs }) => ({
      name: instance.design.id,
      cells: columns.map((id) => result?.properties.find((property) => property.id === id)),
      extras: withCosts ? costWords(costs) : [],
    })),
  };
  const complete = compared.every(({ result }) => result?.complete);
  const { instance } = compared[0] as ComparedDesign;
  const [system] = referencesOf(instance) as [System];
  const remarks = [
    legend,
    ...(withCosts ? costLegend : []),
    `${instance.endpoints} ${instance.endpoints === 1 ? 'endpoint' : 'endpoints'}; faults: ${faultWords(instance)}.`,
    ...(complete ? [] : ['Some searches did not end: what they did not see is not proved.']),
    ...(complete && isWhole(instance) ? neverHappened(compared) : []).map(
      (id) =>
        `${format === 'md' ? '' : colors.yellow('– ')}never happened in any design: ${describeUncovered(id, system)}`,
    ),
  ];
  const table = format === 'md' ? matrixMarkdown(matrix) : matrixTable(matrix, colors);
  return `${table}\n\n${remarks.join(format === 'md' ? '  \n' : '\n')}\n`;
}

function costWords(costs: Costs | undefined): string[] {
  const words = (duration: Duration): string => (duration === 'never' ? 'never' : `${duration} s`);
  if (costs === undefined) return ['?', '?', '?'];
  return [costs.agentWrites ? 'yes' : 'no', words(costs.suspectSeconds), words(costs.outageSeconds)];
}
