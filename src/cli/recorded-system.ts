/** Builds the system that a trace file was recorded in, from what the file says of the design. */

import { z } from 'zod';
import { type Design, designs, type Parameter } from '../../models/index.ts';
import { propertyList } from '../../properties/index.ts';
import type { Property } from '../property.ts';
import type { System } from '../system.ts';
import { designOf, endpointsMax, faultsOf, type Instance, obligationsOf, secondsRange } from './instance.ts';
import { lookUp } from './suggest.ts';
import { UsageError } from './usage-error.ts';

const seconds = z.number().min(secondsRange.min).max(secondsRange.max);
const names = Object.keys((designs[0] as Design).parameters) as Parameter[];
const parameters = z.strictObject(
  Object.fromEntries(names.map((name) => [name, seconds])) as Record<Parameter, typeof seconds>,
);

/** How many endpoints a file may say. */
export const recordedEndpoints = z.int().positive().max(endpointsMax);

const about = z.object({
  design: z.string(),
  parameters,
  endpoints: recordedEndpoints,
  faults: z.array(z.string()),
  strikes: z.union([z.int().nonnegative(), z.literal('unbounded')]),
});

/**
 * The instance that a file says it is of.
 *
 * @param file - named in messages
 * @throws UsageError if the file names a design, a parameter or a fault that is not known
 */
export function recordedInstance(file: string, meta: object): Instance {
  const read = about.safeParse(meta);
  if (!read.success) {
    const where = z.prettifyError(read.error).replaceAll('→ at ', '→ at ["#meta"].');
    throw new UsageError(`${file}: it does not say what it is a run of\n${where}`);
  }
  const { endpoints, faults, strikes, design, parameters } = read.data;
  return {
    design: { ...within(file, () => designOf(design)), parameters },
    endpoints,
    faults: within(file, () => faultsOf(faults.length === 0 ? ['none'] : faults)),
    ...(strikes === 'unbounded' ? {} : { strikes }),
  };
}

/**
 * Builds the system.
 *
 * @param file - named in messages
 * @param meta - the file's `#meta`
 * @returns the system, and the property that the run violates; none for deadlocks and time-locks
 * @throws UsageError if the file names a design, a parameter, a fault or a property that is not known
 */
export function recordedSystem(
  file: string,
  meta: Readonly<Record<string, unknown>> & { readonly system: string; readonly property: string },
): { readonly system: System; readonly property?: Property } {
  const instance = recordedInstance(file, meta);
  const { property: id } = meta;
  if (id !== 'deadlock' && id !== 'time-lock') {
    const names = propertyList.map((each) => each.id);
    within(file, () =>
      lookUp(id, { place: 'property', noun: 'property', names, listedBy: "'routeproof list'" }),
    );
  }
  const found = obligationsOf(instance).find(({ system }) => system.id === meta.system);
  const property = found?.properties.find((each) => each.id === id);
  if (found === undefined || (property === undefined && id !== 'deadlock' && id !== 'time-lock')) {
    throw new UsageError(
      `${file}: there is no system '${meta.system}' in which '${id}' is decided. Was the file edited?`,
    );
  }
  return { system: found.system, ...(property === undefined ? {} : { property }) };
}

/** Names the file in what a look-up complains of. */
function within<T>(file: string, look: () => T): T {
  try {
    return look();
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${file}: ${error.message}`);
    throw error;
  }
}
