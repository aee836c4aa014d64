/**
 * What is to be checked: a design with its numbers, how many endpoints, and which faults strike how often. Read from
 * the command line or from a trace file, and looked over before anything is searched.
 */
import type { Command } from 'commander';
import {
  type Design,
  designs,
  type FaultId,
  faults,
  type Parameter,
  type Parameters,
  switches,
} from '../../models/index.ts';
import { type Obligation, obligations, propertyList } from '../../properties/index.ts';
import type { System } from '../system.ts';
import { lookUp } from './suggest.ts';
import { UsageError } from './usage-error.ts';

/** A design as it is checked. */
export interface Instance {
  /** With the parameters in force. */
  readonly design: Design;
  readonly endpoints: number;
  /** The faults that may strike, in the catalogue's order. */
  readonly faults: readonly FaultId[];
  /** How many faults may strike in all; any number if left out. */
  readonly strikes?: number;
}

/** What a parameter may be, in seconds. */
export const secondsRange = { min: 1, max: 86_400 } as const;

/** The options that make instances, as commander collects them. */
export interface InstanceOptions {
  readonly endpoints: number;
  readonly param?: Partial<Parameters>;
  readonly fault?: readonly string[];
  readonly strikes?: number;
}

/** A system of more endpoints is not made: it would take minutes, and a kubelet runs 110 pods unless it is told otherwise. */
export const endpointsMax = 1000;

/** Adds the options that make instances. */
export function addInstanceOptions(command: Command, endpoints = 1): Command {
  return command
    .optionsGroup('What is checked:')
    .option(
      '-n, --endpoints <n>',
      'endpoints of the node, each with its own pod',
      wholeNumber('--endpoints', 1, endpointsMax),
      endpoints,
    )
    .option('-p, --param <name=seconds>', 'a number of the design; can be repeated', collectParameter)
    .option('--fault <id>', "let only this fault strike; can be repeated, 'none' for no faults", collect)
    .option('--strikes <n>', 'let at most so many faults strike in all', wholeNumber('--strikes', 0));
}

/** The instances that the options make of designs. */
export function instancesOf(ids: readonly string[], options: InstanceOptions): Instance[] {
  const chosen = faultsOf(options.fault);
  return [...new Set(ids)].map((id) => {
    const design = designOf(id);
    return {
      design: { ...design, parameters: { ...design.parameters, ...options.param } },
      endpoints: options.endpoints,
      faults: chosen,
      ...(options.strikes === undefined ? {} : { strikes: options.strikes }),
    };
  });
}

/** The systems of an instance with what must hold in them. */
export function obligationsOf(
  { design, endpoints, faults: chosen, strikes }: Instance,
  wanted?: readonly string[],
): Obligation[] {
  return obligations(
    design,
    { endpoints, faults: chosen, ...(strikes === undefined ? {} : { strikes }) },
    wanted,
  );
}

/** The same systems with every choice that any design and any fault offers: what the machines are written for. */
export function referencesOf({ design, endpoints }: Instance): System[] {
  const everything: Design = { ...design, switches, probeAnswer: 'progress', fenceRead: 'serializable' };
  return obligations(everything, { endpoints }).map(({ system }) => system);
}

/** Whether every fault may strike at any time: only then must everything in the machines happen. */
export const isWhole = ({ faults: chosen, strikes }: Instance): boolean =>
  chosen.length === faults.length && strikes === undefined;

/** Which faults may strike, in words. */
export function faultWords({ faults: chosen, strikes }: Instance): string {
  if (chosen.length === 0) return 'none';
  const which = chosen.length === faults.length ? `all ${faults.length} of the catalogue` : chosen.join(', ');
  return `${which}, ${strikes === undefined ? 'any number of times' : `at most ${strikes} in all`}`;
}

/** Guards that the budget of faults makes constant. */
export function constantsOf({ strikes }: Instance): Record<string, boolean> {
  return strikes === undefined ? { unbounded: true, strikesLeft: false } : { unbounded: false };
}

/** The design with this id. */
export function designOf(id: string): Design {
  const names = designs.map((design) => design.id);
  lookUp(id, { place: 'design', noun: 'design', names, listedBy: "'routeproof list'" });
  return designs.find((design) => design.id === id) as Design;
}

/** The faults with these ids; the whole catalogue if none is named. */
export function faultsOf(ids: readonly string[] | undefined): FaultId[] {
  const names = faults.map(({ id }) => id);
  if (ids === undefined) return names;
  if (ids.includes('none')) {
    if (ids.length > 1)
      throw new UsageError("--fault none: it excludes the others. Name faults, or 'none' alone.");
    return [];
  }
  const vocabulary = {
    place: '--fault',
    noun: 'fault',
    names: [...names, 'none'],
    listedBy: "'routeproof list'",
  };
  const wanted = new Set(ids.map((id) => lookUp(id, vocabulary)));
  return names.filter((name) => wanted.has(name));
}

/** The ids of the properties that are wanted; undefined for all. */
export function propertiesOf(ids: readonly string[] | undefined): string[] | undefined {
  const names = propertyList.map(({ id }) => id);
  return ids?.map((id) =>
    lookUp(id, { place: '--property', noun: 'property', names, listedBy: "'routeproof list'" }),
  );
}

/** Collects an option that can be repeated. */
export const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

/** Collects `--param name=seconds`. */
export function collectParameter(text: string, before: Partial<Parameters> = {}): Partial<Parameters> {
  const [, name, value] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new UsageError(`--param ${text}: expected name=seconds, such as grace=10.`);
  }
  return {
    ...before,
    ...parameterOf(name, value.trim() === '' ? Number.NaN : Number(value), `--param ${text}`),
  };
}

/** A parameter that has been looked over. */
function parameterOf(name: string, seconds: number, place: string): Partial<Parameters> {
  const names = Object.keys((designs[0] as Design).parameters) as Parameter[];
  lookUp(name, { place: place.startsWith('--') ? '--param' : place, noun: 'parameter', names });
  const { min, max } = secondsRange;
  if (!(seconds >= min && seconds <= max)) {
    throw new UsageError(`${place}: expected a number of seconds from ${min} to ${max}.`);
  }
  return { [name]: seconds };
}

/** Reads a whole number that is not less than `min` and not more than `max`. */
export function wholeNumber(
  option: string,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) {
      const most = max < Number.MAX_SAFE_INTEGER ? ` and ${max.toLocaleString('en')} or less` : '';
      throw new UsageError(`${option} ${text}: expected a whole number, ${min} or more${most}.`);
    }
    return value;
  };
}

/** Reads a number above 0, which need not be whole. */
export function positive(option: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!(value > 0 && Number.isFinite(value)))
      throw new UsageError(`${option} ${text}: expected a number above 0.`);
    return value;
  };
}
