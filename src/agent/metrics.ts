/** What Prometheus reads. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { AgentStatus } from './agent.ts';
import type { RouteCounts } from './deciding.ts';

/** The states that the watch is in by turns, as the gauge names them. */
const watchStates = ['reconnecting', 'connected', 'stale'] as const;

/** What became of deletes, and what each says. */
const outcomes: Readonly<Record<Parameters<RouteCounts['deleted']>[0], string>> = {
  done: 'the route is removed',
  absent: 'the kernel had no such route',
  failed: 'the kernel refused',
};

/** What was found out before deletes, and what each says. */
const answers: Readonly<Record<Parameters<RouteCounts['fenced']>[0], string>> = {
  expected: 'the store has its endpoint',
  claimed: "only the plugin's claim stands",
  unexpected: 'neither, so it may be deleted',
  gone: 'it was gone already, and the store was not asked',
  failed: 'the store or the claim could not be read',
};

const explained = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([value, says]) => `${value}: ${says}`)
    .join('; ');

/** The metrics of one agent. */
export class Metrics {
  readonly registry = new Registry();
  /** To be given to the agent. */
  readonly counts: RouteCounts;

  /** @param status - asked whenever the metrics are read */
  constructor(status: () => AgentStatus | undefined) {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    const deletes = new Counter({
      name: 'routeproof_route_deletes_total',
      help: `Deletes of unexpected routes, by what became of them. ${explained(outcomes)}.`,
      labelNames: ['reason', 'outcome'],
      registers,
    });
    const repairs = new Counter({
      name: 'routeproof_route_repairs_total',
      help: 'Routes of known endpoints that were missing and were added.',
      registers,
    });
    const fences = new Counter({
      name: 'routeproof_fences_total',
      help: `Routes that were looked over before their delete, by what was found out. ${explained(answers)}.`,
      labelNames: ['answer'],
      registers,
    });
    // A series that begins with its first event has no increase then, and an alert would miss it.
    for (const outcome of Object.keys(outcomes)) deletes.inc({ reason: 'unexpected', outcome }, 0);
    for (const answer of Object.keys(answers)) fences.inc({ answer }, 0);
    this.counts = {
      deleted: (outcome) => deletes.inc({ reason: 'unexpected', outcome }),
      repaired: () => repairs.inc(),
      fenced: (answer) => fences.inc({ answer }),
    };
    const gauge = (name: string, help: string, read: (status: AgentStatus) => number): Gauge =>
      new Gauge({
        name,
        help,
        registers,
        collect() {
          const now = status();
          if (now !== undefined) this.set(read(now));
        },
      });
    gauge(
      'routeproof_view_proof_age_seconds',
      'Time since the view was last proven level with the store; not a number before the first list.',
      ({ freshness }) => freshness ?? Number.NaN,
    );
    gauge(
      'routeproof_ready',
      '1 while the agent has listed, believes its watch, and applies.',
      ({ ready }) => (ready ? 1 : 0),
    );
    gauge('routeproof_endpoints', 'Records of this node in the view.', ({ endpoints }) => endpoints);
    gauge(
      'routeproof_unreadable_endpoints',
      'Records that cannot be read.',
      ({ unreadable }) => unreadable.length,
    );
    const watch = new Gauge({
      name: 'routeproof_watch_state',
      help: '1 for the state that the watch is in.',
      labelNames: ['state'],
      registers,
      collect() {
        const value = status()?.watcher;
        const state = typeof value === 'string' ? value : Object.keys(value ?? {})[0];
        for (const each of watchStates) watch.set({ state: each }, each === state ? 1 : 0);
      },
    });
  }
}
