/**
 * The route reconciler for real: the machines of `models/` decide, and what is written here is input and output. A
 * design is run as it is, with its faults.
 */
import type { Logger } from 'pino';
import type { StateValue } from 'xstate';
import type { Design } from '../../models/index.ts';
import type { Store } from '../etcd/store.ts';
import { type Kernel, KernelError } from '../kernel/kernel.ts';
import { reasonOf } from '../reason-of.ts';
import { Actors, cleanupOf, interfaceOfPart } from './actors.ts';
import { Deciding, type RouteCounts } from './deciding.ts';
import type { Deed, Line } from './record.ts';
import { Steps } from './steps.ts';
import { View } from './view.ts';
import { Watching } from './watching.ts';

/** What an agent is made of. */
export interface AgentOptions {
  /** Its numbers are taken as seconds, and need not be whole. */
  readonly design: Design;
  /** Where the endpoints are. It stays open when the agent stops. */
  readonly store: Store;
  /** Where the routes are. It stays open when the agent stops. */
  readonly kernel: Kernel;
  /** The node whose endpoints are its own. */
  readonly node: string;
  /** Whether an interface, and what is routed over it, is its own. */
  readonly owns: (interfaceName: string) => boolean;
  /** The container whose ADD claims an interface of this name; asked by designs that check claims. */
  readonly claimOf: (interfaceName: string) => Promise<string | undefined>;
  /** Seconds between two applies that nothing else causes. */
  readonly refresh: number;
  /** Seconds between two full resyncs, of which only designs that keep the grace by name know. */
  readonly resync: number;
  /** Takes what it has to say: pino's, or one like it. */
  readonly log: Logger;
  /** Hears of what was done to routes. */
  readonly counts: RouteCounts;
  /** Its steps wait to be released, from the first on. */
  readonly held?: boolean;
  /** Takes each line of its trace. If it throws, the trace ends there and the agent goes on. */
  readonly trace?: (line: Line) => void;
}

/** What an agent can say of itself. */
export interface AgentStatus {
  /** It has listed, believes its watch, and applies; and the kernel could be listed when that was tried last. */
  readonly ready: boolean;
  /** The state of its watcher. */
  readonly watcher: StateValue;
  /** The state of its apply. */
  readonly apply: StateValue;
  /** Seconds since the view was last proven level with the store; none if it never was. */
  readonly freshness: number | undefined;
  /** How many endpoints of the node its view has. */
  readonly endpoints: number;
  /** How many interfaces it decides about. */
  readonly interfaces: number;
  /** Keys of records that cannot be read. */
  readonly unreadable: readonly string[];
}

/** A running agent. It begins when it is made. */
export class Agent {
  /** Its steps, which a test may hold and release one by one. */
  readonly steps: Steps;
  readonly #actors: Actors;
  readonly #watching: Watching;
  readonly #deciding: Deciding;
  readonly #view: View;
  readonly #log: Logger;
  #trace: ((line: Line) => void) | undefined;
  readonly #began = performance.now();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #unwatch: () => void;
  #noticing = false;
  #ended = false;

  constructor(options: AgentOptions) {
    const { design, store, kernel, node, owns, claimOf, log, counts } = options;
    this.#log = log;
    this.#trace = options.trace;
    this.#view = new View(node);
    const view = this.#view;
    const steps = new Steps((error, step) => {
      // Where in the agent it was that the kernel could not be asked explains nothing.
      const why = error instanceof KernelError ? { reason: error.message } : { err: error };
      log.error({ step, ...why }, 'a step failed');
    });
    this.steps = steps;
    if (options.held === true) steps.hold();
    const actors: Actors = new Actors(
      design,
      steps,
      ({ interfaceName, event }) =>
        interfaceName === undefined
          ? this.#watching.answer(event)
          : this.#deciding.answer(interfaceName, event),
      (part, timer) => this.#tell({ step: 'timer', part, timer }, namesOf(part)),
    );
    this.#actors = actors;
    const tell = (deed: Deed, interfaces?: readonly string[]): void => this.#tell(deed, interfaces);
    this.#deciding = new Deciding({
      ...{ design, node, kernel, reads: store.reads, actors, steps, view, owns, claimOf, counts, tell, log },
    });
    this.#watching = new Watching({
      ...{ design, store, actors, steps, view, tell, log },
      report: (interfaces) => this.#deciding.report(interfaces),
      lookAtKernel: () => this.#deciding.lookAtKernel(),
    });
    steps.afterEach(() => {
      this.#watching.look();
      this.#deciding.look();
    });
    this.#unwatch = kernel.watch(() => this.notice());
    this.#every(options.refresh, () => this.#deciding.want());
    if (design.switches.includes('keysGraceByName'))
      this.#every(options.resync, () => this.#deciding.want('resync.ran'));
    this.notice();
    this.#watching.look();
  }

  /** Looks at the kernel soon: something may have changed. */
  notice(): void {
    if (this.#noticing || this.#ended) return;
    this.#noticing = true;
    const look = async (): Promise<void> => {
      this.#noticing = false;
      await this.#deciding.lookAtKernel();
      this.#deciding.want();
    };
    this.steps.offer('kernel.noticed', look, true);
  }

  /** Offers an apply, as any unrelated event would. */
  want(kind: 'apply.ran' | 'resync.ran' = 'apply.ran'): void {
    this.#deciding.want(kind);
  }

  /** The state of one of its parts: `watcher`, `apply`, or `cleanup[<interface>]`; none if there is no such part now. */
  value(part: string): StateValue | undefined {
    return this.#actors.has(part) ? this.#actors.snapshot(part).value : undefined;
  }

  /** The member that its watch is on, such as `10.0.0.1:2379`; none if it is not connected. */
  get member(): string | undefined {
    return this.#watching.member;
  }

  /** Whether it has asked for a watch, and the server has not answered yet. */
  get asking(): boolean {
    return this.#watching.asking;
  }

  /** What it can say of itself. */
  status(): AgentStatus {
    const watcher = this.#actors.snapshot('watcher');
    const apply = this.#actors.snapshot('apply');
    const { provenAt } = this.#watching;
    return {
      ready: watcher.matches('connected') && apply.matches('ready') && this.#deciding.kernelAnswers,
      watcher: watcher.value,
      apply: apply.value,
      freshness: provenAt === undefined ? undefined : (performance.now() - provenAt) / 1000,
      endpoints: this.#view.size,
      interfaces: this.#actors.interfaces().length,
      unreadable: this.#view.unreadable(),
    };
  }

  /** Ends it. What it has begun in the kernel is ended first; no route is touched on the way out. */
  async stop(): Promise<void> {
    this.#ended = true;
    for (const timer of this.#timers) clearInterval(timer);
    this.#unwatch();
    this.#deciding.end();
    await this.steps.end();
    this.#watching.drop();
    this.#actors.stop();
  }

  #every(seconds: number, run: () => void): void {
    this.#timers.push(setInterval(run, seconds * 1000));
  }

  #tell(deed: Deed, interfaces: readonly string[] = []): void {
    this.#log.trace(deed, deed.step);
    if (this.#trace === undefined) return;
    const open = new Set(this.#actors.interfaces());
    const about = interfaces.filter((name) => open.has(name));
    const line: Line = {
      at: Math.round(performance.now() - this.#began),
      ...deed,
      state: {
        watcher: this.#actors.snapshot('watcher').value,
        apply: this.#actors.snapshot('apply').value,
        ...(about.length === 0
          ? {}
          : {
              cleanup: Object.fromEntries(
                about.map((name) => [name, this.#actors.snapshot(cleanupOf(name)).value]),
              ),
            }),
      },
    };
    try {
      this.#trace(line);
    } catch (error) {
      // A line that is missing in the middle would make a story of it that never was.
      this.#trace = undefined;
      this.#log.error(
        { reason: reasonOf(error) },
        'the trace cannot be written: it ends here, and the agent goes on',
      );
    }
  }
}

const namesOf = (part: string): readonly string[] => {
  const name = interfaceOfPart(part);
  return name === undefined ? [] : [name];
};
