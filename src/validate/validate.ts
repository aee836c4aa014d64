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
import type { Part, System } from '../system.ts';
import type { AgentStep } from './agent-steps.ts';
import type { AgentTrace } from './agent-trace.ts';
import { contradiction } from './contradiction.ts';
import { earlyTimer } from './early-timer.ts';
import { ModelGraph } from './model-graph.ts';

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

/** A line of a trace, as the story of an interface. */
interface Told {
  readonly line: Line;
  readonly name: string | undefined;
  /** The agent's watcher and its routes' upkeep after it, as JSON. */
  readonly watcher: string;
  readonly apply: string;
  /** What was found of the steps that it may tell. */
  readonly fits: Map<AgentStep, boolean>;
}

/** These take some twenty seconds, and 500 MB. */
const mostStates = 4_000_000;

const one = 'cleanup[1]';
const foreign = 'event.delivered[other]';

/** Validates traces of a design; keeps what it has learnt of the model for the next trace. */
export class Validator {
  readonly #design: Design;
  readonly #graph: ModelGraph;
  readonly #beliefs = new Map<string, Belief>();
  readonly #first: Belief;
  readonly #parts: Record<'watcher' | 'apply' | 'cleanup', Part>;

  /**
   * @param design - with the numbers that the agent ran with
   * @param most - so many states of the model are looked at, over all traces
   */
  constructor(design: Design, most = mostStates) {
    this.#design = design;
    this.#graph = new ModelGraph(
      asSeen(nodeSystem({ ...design, parameters: exact(design) }, { endpoints: 1 })),
      ['watcher', 'apply', one],
      most,
    );
    const graph = this.#graph;
    this.#parts = { watcher: graph.part('watcher'), apply: graph.part('apply'), cleanup: graph.part(one) };
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
    const [watcher, apply] = [JSON.stringify(line.state.watcher), JSON.stringify(line.state.apply)];
    const told: Told = { line, name, watcher, apply, fits: new Map() };
    const next = new Set<number>();
    for (const state of belief.states) this.#after(state, told, next);
    const found = next.size === 0 ? undefined : this.#belief(next);
    belief.after.set(said, found);
    return found;
  }

  /** The belief that these states, or what the world makes of them, are possible. Equal ones are one. */
  #belief(states: Iterable<number>): Belief {
    const closed = this.#graph.closure(states);
    const key = createHash('sha256').update(closed).digest('base64');
    const known = this.#beliefs.get(key);
    if (known !== undefined) return known;
    const belief: Belief = { states: closed, after: new Map() };
    this.#beliefs.set(key, belief);
    return belief;
  }

  /** Adds the states that a line can lead to. */
  #after(state: number, told: Told, next: Set<number>): void {
    const { line, name, fits } = told;
    if (this.#isNothing(state, line, name)) {
      next.add(state);
      return;
    }
    for (const step of this.#picked(state, line, name)) {
      if (!fits.has(step)) fits.set(step, this.#fits(step, line, name));
      if (fits.get(step) === false) continue;
      // A route that the agent did not add after all is all that such an apply would have changed.
      const to = isRepair(step) && !repairs(line, name) ? state : this.#graph.after(state, step);
      if (this.#agrees(to, told)) next.add(to);
    }
  }

  /** What is another interface's business, or comes too late for the model's agent, which has heard before. */
  #isNothing(state: number, line: Line, name: string | undefined): boolean {
    if (line.step === 'interface.appeared' || line.step === 'interface.vanished') return true;
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
    return (this.#graph.value(state, this.#parts.cleanup) as Record<string, unknown>)[region] === value;
  }

  /** The steps of the model that may be the one that a line tells, going by what was picked. */
  #picked(state: number, line: Line, name: string | undefined): readonly AgentStep[] {
    const graph = this.#graph;
    // The agent ends its connection for reasons of its own too.
    if (line.step === 'connection.closed') return graph.seen(state);
    if (line.step !== 'timer') return choicesOf(line, name).flatMap((id) => graph.choice(state, id) ?? []);
    const fired = graph.timer(state, line.part === 'watcher' ? line.part : one, line.timer);
    return fired === undefined ? [] : [fired];
  }

  /** Whether such a step told the agent what the line says. */
  #fits({ pick, emissions }: AgentStep, line: Line, name: string | undefined): boolean {
    const said = (type: string): Emission | undefined => emissions.find(({ event }) => event.type === type);
    switch (line.step) {
      case 'connection.closed':
        return said('connection.closed') !== undefined;
      case 'event.delivered':
        return isChoice(pick, foreign) || reports(emissions, line.endpoint ?? null);
      case 'list.completed':
        return name === undefined || reports(emissions, line.endpoints[name] ?? null);
      case 'watch.attempted': {
        const created = said('watch.created')?.event as { revision?: string } | undefined;
        return line.answer === 'refused'
          ? said('watch.refused') !== undefined
          : created?.revision === line.answer;
      }
      case 'apply.ran':
      case 'resync.ran':
        return name === undefined || this.#applies(emissions, line, name);
      case 'fence.polled':
        return isChoice(pick, 'fence.misled[1]')
          ? line.answer?.expected === false
          : this.#fenced(emissions, line.answer);
      case 'delete.executed':
        return (said('route.deleted') !== undefined) === (line.outcome === 'done');
      default:
        return true;
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
    emissions: readonly Emission[],
    told: { readonly expected: boolean; readonly claimed: boolean } | undefined,
  ): boolean {
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
  #agrees(state: number, { line, name, watcher, apply }: Told): boolean {
    const graph = this.#graph;
    if (graph.text(state, this.#parts.watcher) !== watcher) return false;
    if (graph.text(state, this.#parts.apply) !== apply) return false;
    const cleanup = name === undefined ? undefined : line.state.cleanup?.[name];
    if (cleanup === undefined) return true;
    const [is, was] = [graph.value(state, this.#parts.cleanup), cleanup] as Record<
      'view' | 'decision',
      unknown
    >[];
    return is?.decision === was?.decision && (is?.view === 'unknown') === (was?.view === 'unknown');
  }

  /** What the model would have allowed. */
  #allowed(belief: Iterable<number>): string[] {
    const sentences = new Map<string, string>();
    const { system } = this.#graph.world;
    for (const state of belief) {
      for (const step of this.#graph.seen(state)) {
        const { pick } = step;
        const next = this.#graph.after(state, step);
        const says =
          pick.kind === 'choice' ? system.choices.find(({ id }) => id === pick.id)?.says : undefined;
        const watcher = words(this.#graph.value(next, this.#parts.watcher));
        const { decision: value } = this.#graph.value(next, this.#parts.cleanup) as Record<string, unknown>;
        const decision = words(value);
        const text = `${says ?? describePick(pick)} (watcher ${watcher}, cleanup ${decision})`;
        sentences.set(text, text);
      }
    }
    return [...sentences.keys()].sort();
  }
}

/** The choices of the model that a line may tell. */
function choicesOf(line: Line, name: string | undefined): readonly string[] {
  switch (line.step) {
    case 'event.delivered':
      // A record that is written again as it was tells the model nothing.
      return line.interface !== name || name === undefined ? [foreign] : [foreign, 'event.delivered[1]'];
    case 'probe.returned':
      return [line.step, 'probe.echoed'];
    case 'fence.polled':
      return ['fence.polled[1]', 'fence.misled[1]'];
    case 'delete.executed':
      return ['delete.executed[1]'];
    default:
      return [line.step];
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

const isChoice = (pick: AgentStep['pick'], id: string): boolean => pick.kind === 'choice' && pick.id === id;

/** Whether the record said what the agent heard. An endpoint that is not heard of again says nothing. */
function reports(emissions: readonly Emission[], told: FoundEndpoint): boolean {
  const reported = emissions.find(({ event }) => event.type === 'endpoint.reported')?.event as
    | { content: string }
    | undefined;
  return reported !== undefined && (reported.content === 'absent') === (told === null);
}

const isRepair = ({ emissions }: Pick<AgentStep, 'emissions'>): boolean =>
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

/** The system, in which the events of endpoints that it does not have may be delivered too, and nothing happens that no trace can have. */
function asSeen(system: System): System {
  const other = {
    id: foreign,
    says: 'the watch delivers an event of another endpoint',
    deliver: [
      { to: 'link', event: { type: 'event.carried' } },
      { to: 'store', event: { type: 'event.sent' } },
      { to: 'watcher', event: { type: 'event.delivered' } },
    ],
  };
  const choices = system.choices.filter(({ id }) => id !== 'process.restarted' && id !== 'changes.stopped');
  return { ...system, choices: [...choices, other] };
}
