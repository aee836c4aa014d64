/**
 * Where a trace contradicts itself. The model has one endpoint and one address, and a pod of it may be replaced unseen; so it
 * does not see whether a delete is of the route that the store was asked about. The trace tells that by names.
 */
import type { FoundEndpoint, Line } from '../agent/record.ts';
import type { Refusal } from './validate.ts';

/** What was told of an interface so far. */
interface Told {
  /** What the store has for it. */
  endpoint: FoundEndpoint;
  /** The same when the decision began that is going on. */
  atBeginning: FoundEndpoint;
  deciding: boolean;
  /** The route that the store was asked about last. */
  asked?: string;
  index?: number;
}

/** @returns the first line that what was told before does not allow */
export function contradiction(lines: readonly Line[]): Refusal | undefined {
  const all = new Map<string, Told>();
  const of = (name: string): Told => {
    const told = all.get(name) ?? { endpoint: null, atBeginning: null, deciding: false };
    all.set(name, told);
    return told;
  };
  let at = 0;
  for (const [place, line] of lines.entries()) {
    if (line.at < at) return refused(place, line, undefined, `a step that is not before ${at} ms`);
    at = line.at;
    if (line.step === 'list.completed') {
      for (const told of all.values()) told.endpoint = null;
      for (const [name, endpoint] of Object.entries(line.endpoints)) of(name).endpoint = endpoint;
    }
    if ('interface' in line && line.interface !== undefined) {
      const allowed = take(line, of(line.interface));
      if (allowed !== undefined) return refused(place, line, line.interface, allowed);
    }
    for (const [name, cleanup] of Object.entries(line.state.cleanup ?? {})) {
      const told = of(name);
      const { view, decision } = cleanup as { view?: unknown; decision?: unknown };
      if ((view === 'unknown') !== (told.endpoint === null))
        return refused(place, line, name, `a view in which the endpoint is ${inWords(told.endpoint)}`);
      if (decision !== 'idle' && !told.deciding) told.atBeginning = told.endpoint;
      told.deciding = decision !== 'idle';
    }
  }
  return undefined;
}

/** @returns what would have been allowed, if the line is not */
function take(line: Line, told: Told): string | undefined {
  switch (line.step) {
    case 'event.delivered':
      told.endpoint = line.endpoint ?? null;
      return undefined;
    case 'interface.appeared':
      told.index = line.index;
      return undefined;
    case 'fence.polled':
      told.asked = line.destination;
      return isOf(told.endpoint, line.destination) && isOf(told.atBeginning, line.destination)
        ? 'a question about a route that its view does not expect'
        : undefined;
    case 'delete.executed': {
      const { asked } = told;
      delete told.asked;
      if (asked !== undefined && asked !== line.destination)
        return `a delete of ${asked}, which the store was asked about`;
      if (line.outcome === 'done' && line.index !== undefined && told.index !== line.index)
        return `a delete over the interface as it is, whose index is ${told.index ?? 'not known'}`;
      return undefined;
    }
    default:
      return undefined;
  }
}

const isOf = (endpoint: FoundEndpoint, destination: string): boolean =>
  endpoint === 'unreadable' || endpoint?.includes(destination) === true;

const inWords = (endpoint: FoundEndpoint): string =>
  endpoint === null ? 'not there' : endpoint === 'unreadable' ? endpoint : `there, with ${endpoint.join()}`;

const refused = (line: number, told: Line, name: string | undefined, allowed: string): Refusal => ({
  line,
  interface: name,
  told,
  allowed: [allowed],
});
