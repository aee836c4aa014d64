/** `routeproof list`: what can be named on the command line. */
import { type Command, Option } from 'commander';
import { designs, faults, machines } from '../../models/index.ts';
import { propertyList } from '../../properties/index.ts';
import { wrap } from '../report/timeline-text.ts';
import { page } from './page.ts';

/** Adds the command. */
export function addList(program: Command): void {
  program
    .command('list')
    .summary('name designs, properties, faults and machines')
    .description(
      'Names designs with their source and their parameters, properties, faults and machines with their meaning.',
    )
    .addOption(new Option('--format <format>', 'how').choices(['pretty', 'json']).default('pretty'))
    .action(({ format }: { readonly format: 'pretty' | 'json' }) => {
      process.stdout.write(format === 'json' ? listJson() : listText());
    });
}

const machineList = Object.entries(machines).map(([id, machine]) => ({
  id,
  says: machine.root.description ?? '',
}));

function listJson(): string {
  const list = {
    designs: designs.map(({ id, says, source, switches, parameters }) => ({
      id,
      says,
      source,
      switches,
      parameters,
    })),
    properties: propertyList,
    faults: faults.map(({ id, says }) => ({ id, says })),
    machines: machineList,
  };
  return `${JSON.stringify(list, null, 2)}\n`;
}

function listText(): string {
  const { width, colors } = page();
  const entry = (id: string, ...texts: string[]): string[] => [
    `  ${colors.bold(id)}`,
    ...texts.flatMap((text) => wrap(text, width - 4).map((line) => `    ${line}`)),
  ];
  const seconds = (parameters: object): string =>
    Object.entries(parameters)
      .map(([name, value]) => `${name} ${value} s`)
      .join(', ');
  return `${[
    colors.bold('Designs'),
    ...designs.flatMap(({ id, says, source, parameters }) =>
      entry(id, says, `source: ${source}`, seconds(parameters)),
    ),
    '',
    colors.bold('Properties'),
    ...propertyList.flatMap(({ id, says }) => entry(id, says)),
    '',
    colors.bold('Faults'),
    ...faults.flatMap(({ id, says }) => entry(id, says)),
    '',
    colors.bold('Machines'),
    ...machineList.flatMap(({ id, says }) => entry(id, says)),
  ].join('\n')}\n`;
}
