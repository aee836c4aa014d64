/**
 * Whether the model allows what an agent did. The trace tells the agent's own steps and what it saw; the store, the
 * plugin, the link and the kernel move unseen, in any way that the model allows. So all states that fit what was told are
 * kept, line by line, and a trace is not allowed when none is left.
 *
 * Interfaces are looked at one by one, each as the one endpoint of a model of its own, with the events of others as an
 * environment: endpoints touch each other only through the shared parts, which every such model has.
 *
 * What a trace cannot tell: the model's agent hears of an interface at once, a real one when it looks, so the grace of the
 * model may begin earlier, and what is told of a route that has gone by then is taken as nothing. Addresses of two pods of
 * one name are not told apart. A process that is late is one that was paused; a timer that is early is refused.
 */
import { createHash } from 'node:crypto';
import { type Design, nodeSystem, type Parameter, parametersInPlay } from '../../models/index.ts';
import type { FoundEndpoint, FoundInterface, Line } from '../agent/record.ts';
import type { TraceHead } from '../agent/trace-file.ts';
import { describePick, type Emission } from '../semantics/world.ts';
import type { System } from '../system.ts';
import type { AgentTrace } from './agent-trace.ts';
import { contradiction } from './contradiction.ts';
import { earlyTimer } from './early-timer.ts';
import { ModelGraph, type SeenStep } from './model-graph.ts';

/** What a validation found. */
export interface Validation {
  /** Whether the model allows every line. */
  readonly valid: boolean;
  /** The interfaces that were looked at. */
  readonly interfaces: readonly string[];
  /** Lines that were compared, over all interfaces. */
  readonly compared: number;
  /** States of the model that were met. */
  readonly states: number;
  /** The first line that it does not allow, if there is one. */
  readonly refusal?: Refusal;
}

/** The first line that the model does not allow. */
export interface Refusal {
  /** 0 is the first step of the trace. */
  readonly line: number;
  /** The interface as which it was looked at; none for a trace that knows of none. */
  readonly interface: string | undefined;
  /** The line itself. */
  readonly told: Line;
  /** What the model would have allowed there, a sentence each. */
  readonly allowed: readonly string[];
}

/** Which states of the model are possible, and what is after which line. */
interface Belief {
  readonly states: Int32Array;
  readonly after: Map<string, Belief | undefined>;
}

/** These take half a minute, and 1 GB. */
const mostStates = 1_000_000;

const one = 'cleanup[1]';
const foreign = 'event.delivered[other]';

/** Validates traces of a design; keeps what it has learnt of the model for the next trace. */
export class Validator {
  readonly #design: Design;
  readonly #graph: ModelGraph;
  readonly #beliefs = new Map<string, Belief>();
  readonly #first: Belief;

  /**
   * @param design - with the numbers that the agent ran with
   * @param most - so many states of the model are looked at, over all traces
   */
  constructor(design: Design, most = mostStates) {
    this.#design = design;
    this.#graph = new ModelGraph(
      withOthers(nodeSystem({ ...design, parameters: exact(design) }, { endpoints: 1 })),
      ['watcher', 'apply', one],
      ['process.restarted', 'changes.stopped'],
      most,
    );
    this.#first = this.#belief([this.#graph.initial]);
  }

  /**
   * Compares a trace with the model.
   *
   * @param head - whose numbers tell how long timers run; without it, nothing is said about their times
   * @throws TooManyStates if that would take more states than were allowed; then neither is known
   */
  validate({
    lines,
    head,
  }: Pick<AgentTrace, 'lines'> & { readonly head?: Pick<TraceHead, 'parameters'> }): Validation {
    const named = new Set(lines.flatMap(interfacesOf));
    const interfaces: readonly (string | undefined)[] = named.size === 0 ? [undefined] : [...named];
    let compared = 0;
    let refusal = contradiction(lines);
    if (head !== undefined)
      refusal =
        earlyTimer(lines.slice(0, refusal?.line), { ...this.#design, parameters: head.parameters }) ??
        refusal;
    for (const name of interfaces) {
      const end = refusal?.line ?? lines.length;
      const found = this.#follow(lines.slice(0, end), name);
      compared += found?.line ?? end;
      refusal = found ?? refusal;
    }
    return {
      valid: refusal === undefined,
      interfaces: [...named],
      compared,
      states: this.#graph.size,
      ...(refusal === undefined ? {} : { refusal }),
    };
  }

  #follow(lines: readonly Line[], name: string | undefined): Refusal | undefined {
    let belief = this.#first;
    for (const [place, line] of lines.entries()) {
      const next = this.#step(belief, line, name);
      if (next === undefined)
        return { line: place, interface: name, told: line, allowed: this.#allowed(belief.states) };
      belief = next;
    }
    return undefined;
  }

  /** What may be so after a line; remembered, for an agent does the same again and again. @returns nothing if nothing may */
  #step(belief: Belief, line: Line, name: string | undefined): Belief | undefined {
    const said = essence(line, name);
    if (belief.after.has(said)) return belief.after.get(said);
    const next = new Set<number>();
    for (const state of belief.states) for (const to of this.#after(state, line, name)) next.add(to);
    const found = next.size === 0 ? undefined : this.#belief(next);
    belief.after.set(said, found);
    return found;
  }

  /** The belief that these states, or what the world makes of them, are possible. Equal ones are one. */
  #belief(states: Iterable<number>): Belief {
    const closed = Int32Array.from(this.#graph.closure(states)).sort();
    const key = createHash('sha256').update(closed).digest('base64');
    const known = this.#beliefs.get(key);
    if (known !== undefined) return known;
    const belief: Belief = { states: closed, after: new Map() };
    this.#beliefs.set(key, belief);
    return belief;
  }

  /** The states that a line can lead to. */
  #after(state: number, line: Line, name: string | undefined): number[] {
    if (line.step === 'interface.appeared' || line.step === 'interface.vanished') return [state];
    if (this.#isNothing(state, line, name)) return [state];
    return this.#graph.seen(state).flatMap((step) => {
      if (!this.#fits(step, line, name)) return [];
      // A route that the agent did not add after all is all that such an apply would have changed.
      const to = isRepair(step) && !repairs(line, name) ? state : step.next;
      return this.#agrees(to, line, name) ? to : [];
    });
  }

  /** What is another interface's business, or comes too late for the model's agent, which has heard before. */
  #isNothing(state: number, line: Line, name: string | undefined): boolean {
    if (line.step === 'timer') {
      if (line.part === 'watcher') return false;
      return line.part !== `cleanup[${name}]` || !this.#in(state, 'clock', 'counting');
    }
    if (line.step !== 'fence.polled' && line.step !== 'delete.executed') return false;
    if (line.interface !== name) return true;
    const gone = line.step === 'fence.polled' ? line.answer === undefined : line.outcome === 'absent';
    return gone && this.#in(state, 'decision', 'idle');
  }

  #in(state: number, region: 'clock' | 'decision', value: string): boolean {
    return (this.#graph.value(state, one) as Record<string, unknown>)[region] === value;
  }

  /** Whether a step of the model is the one that the line tells. */
  #fits({ pick, emissions }: SeenStep, line: Line, name: string | undefined): boolean {
    const said = (type: string): Emission | undefined => emissions.find(({ event }) => event.type === type);
    if (line.step === 'timer')
      return (
        pick.kind === 'timer' &&
        pick.timer === line.timer &&
        pick.part === (line.part === 'watcher' ? 'watcher' : one)
      );
    if (line.step === 'connection.closed') return said('connection.closed') !== undefined;
    if (pick.kind !== 'choice') return false;
    switch (line.step) {
      case 'event.delivered':
        if (line.interface !== name || name === undefined) return pick.id === foreign;
        // A record that is written again as it was tells the model nothing.
        return (
          pick.id === foreign ||
          (pick.id === 'event.delivered[1]' && reports(emissions, line.endpoint ?? null))
        );
      case 'list.completed':
        return (
          pick.id === line.step && (name === undefined || reports(emissions, line.endpoints[name] ?? null))
        );
      case 'watch.attempted': {
        if (pick.id !== line.step) return false;
        const created = said('watch.created')?.event as { revision?: string } | undefined;
        return line.answer === 'refused'
          ? said('watch.refused') !== undefined
          : created?.revision === line.answer;
      }
      case 'probe.returned':
        return pick.id === line.step || pick.id === 'probe.echoed';
      case 'apply.ran':
      case 'resync.ran':
        return pick.id === line.step && (name === undefined || this.#applies(emissions, line, name));
      case 'fence.polled':
        return this.#fenced(pick.id, emissions, line.answer);
      case 'delete.executed':
        return (
          pick.id === 'delete.executed[1]' &&
          (said('route.deleted') !== undefined) === (line.outcome === 'done')
        );
      default:
        return pick.id === line.step;
    }
  }

  #applies(
    emissions: readonly Emission[],
    line: Extract<Line, { step: 'apply.ran' | 'resync.ran' }>,
    name: string,
  ): boolean {
    const listed = emissions.find(({ event }) => event.type === 'routes.listed')?.event as
      | { found: string }
      | undefined;
    if (repairs(line, name) && !isRepair({ emissions })) return false;
    // In the midst of a decision the cleanup asks for nothing.
    return listed === undefined || line.found[name] === undefined || finds(line.found[name], listed.found);
  }

  #fenced(
    id: string,
    emissions: readonly Emission[],
    told: { readonly expected: boolean; readonly claimed: boolean } | undefined,
  ): boolean {
    if (id === 'fence.misled[1]') return told?.expected === false;
    if (id !== 'fence.polled[1]') return false;
    const answer = emissions.find(({ event }) => event.type === 'fence.answered')?.event as
      | { expected: boolean; current: boolean }
      | undefined;
    if (told === undefined || answer === undefined) return told === answer;
    if (answer.expected !== told.expected) return false;
    return (
      told.expected || !this.#design.switches.includes('checksClaims') || answer.current === told.claimed
    );
  }

  /** Whether a state is as the line says that the agent is then. */
  #agrees(state: number, { state: told }: Line, name: string | undefined): boolean {
    const graph = this.#graph;
    if (!same(graph.value(state, 'watcher'), told.watcher) || !same(graph.value(state, 'apply'), told.apply))
      return false;
    const cleanup = name === undefined ? undefined : told.cleanup?.[name];
    if (cleanup === undefined) return true;
    const [is, was] = [graph.value(state, one), cleanup] as Record<'view' | 'decision', unknown>[];
    return is?.decision === was?.decision && (is?.view === 'unknown') === (was?.view === 'unknown');
  }

  /** What the model would have allowed. */
  #allowed(belief: Iterable<number>): string[] {
    const sentences = new Map<string, string>();
    const { system } = this.#graph.world;
    for (const state of belief) {
      for (const { pick, next } of this.#graph.seen(state)) {
        const says =
          pick.kind === 'choice' ? system.choices.find(({ id }) => id === pick.id)?.says : undefined;
        const watcher = words(this.#graph.value(next, 'watcher'));
        const decision = words((this.#graph.value(next, one) as Record<string, unknown>).decision);
        const text = `${says ?? describePick(pick)} (watcher ${watcher}, cleanup ${decision})`;
        sentences.set(text, text);
      }
    }
    return [...sentences.keys()].sort();
  }
}

/** What a line says as the story of an interface, without what differs from run to run. */
function essence(line: Line, name: string | undefined): string {
  const mine = 'interface' in line && line.interface !== undefined ? line.interface === name : undefined;
  const { watcher, apply, cleanup } = line.state;
  const own = name === undefined ? undefined : cleanup?.[name];
  return JSON.stringify([line.step, mine, detailOf(line, name), watcher, apply, own]);
}

function detailOf(line: Line, name: string | undefined): unknown {
  switch (line.step) {
    case 'list.completed':
      return name !== undefined && isThere(line.endpoints[name] ?? null);
    case 'event.delivered':
      return isThere(line.endpoint ?? null);
    case 'apply.ran':
    case 'resync.ran':
      return name !== undefined && [shapeOf(line.found[name]), repairs(line, name)];
    case 'timer':
      return [line.part === 'watcher' ? line.part : line.part === `cleanup[${name}]`, line.timer];
    case 'watch.attempted':
      return line.answer;
    case 'fence.polled':
      return line.answer;
    case 'delete.executed':
      return line.outcome;
    default:
      return undefined;
  }
}

const shapeOf = (found: FoundInterface | null | undefined): unknown =>
  found === undefined ? 'untold' : found === null ? null : [found.up, found.routes.length > 0];

const isThere = (endpoint: FoundEndpoint): boolean => endpoint !== null;

const words = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : Object.entries(value as object)
        .map(([key, inner]) => `${key}.${words(inner)}`)
        .join(' ');

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Whether the record said what the agent heard. An endpoint that is not heard of again says nothing. */
function reports(emissions: readonly Emission[], told: FoundEndpoint): boolean {
  const reported = emissions.find(({ event }) => event.type === 'endpoint.reported')?.event as
    | { content: string }
    | undefined;
  return reported !== undefined && (reported.content === 'absent') === (told === null);
}

const isRepair = ({ emissions }: Pick<SeenStep, 'emissions'>): boolean =>
  emissions.some(({ event }) => event.type === 'route.repaired');

const repairs = (line: Line, name: string | undefined): boolean =>
  name !== undefined && 'repaired' in line && line.repaired[name] !== undefined;

/** Whether the kernel of the model has what the agent's had. */
function finds(told: FoundInterface | null, found: string): boolean {
  if (told === null) return found === 'noInterface';
  if (told.routes.length > 0) return ['current', 'same', 'renumbered'].includes(found);
  return found === 'nothing' || (told.up && found === 'noRoute');
}

function interfacesOf(line: Line): readonly string[] {
  if ('interface' in line && line.interface !== undefined) return [line.interface];
  if (line.step === 'list.completed') return Object.keys(line.endpoints);
  return line.step === 'apply.ran' || line.step === 'resync.ran' ? Object.keys(line.found) : [];
}

/** The design's numbers, with a tick of which each of those in play is a whole multiple. */
function exact(design: Design): Design['parameters'] {
  const micro = (name: Parameter): number => Math.max(1, Math.round(design.parameters[name] * 1e6));
  const inPlay = parametersInPlay(design).filter((name) => name !== 'tick');
  const tick = inPlay.map(micro).reduce((a, b) => {
    let [x, y] = [a, b];
    while (y > 0) [x, y] = [y, x % y];
    return x;
  });
  const whole = Object.entries(design.parameters).map(([name, value]) => [name, Math.round(value * 1e6)]);
  return { ...(Object.fromEntries(whole) as unknown as Design['parameters']), tick };
}

/** The system, in which the events of endpoints that it does not have may be delivered too. */
function withOthers(system: System): System {
  const other = {
    id: foreign,
    says: 'the watch delivers an event of another endpoint',
    deliver: [
      { to: 'link', event: { type: 'event.carried' } },
      { to: 'store', event: { type: 'event.sent' } },
      { to: 'watcher', event: { type: 'event.delivered' } },
    ],
  };
  return { ...system, choices: [...system.choices, other] };
}
