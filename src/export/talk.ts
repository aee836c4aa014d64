/** How much the components of a program can say to each other within one step. */
import { deliveriesMax } from '../semantics/world.ts';
import type { Program } from './program.ts';

/**
 * An upper bound on the events that travel within one step, from what each can lead to at the worst.
 *
 * @param first - how many events a step begins with at the most
 */
export function longestTalk({ deliveries, talks, choices, timers }: Program, first: number): number {
  const known = new Map<number, number>();
  const open = new Set<number>();
  /** One event and all that it leads to; without bound if it can lead to itself. */
  const ofDelivery = (delivery: number): number => {
    const before = known.get(delivery);
    if (before !== undefined) return before;
    if (open.has(delivery)) return deliveriesMax;
    open.add(delivery);
    const most = 1 + mostSaid(deliveries[delivery]?.talk ?? []);
    open.delete(delivery);
    known.set(delivery, most);
    return most;
  };
  const mostSaid = (column: readonly number[]): number => {
    let most = 0;
    for (const talk of new Set(column)) {
      const said = talks[talk] ?? [];
      most = Math.max(
        most,
        said.reduce((sum, each) => Math.min(deliveriesMax, sum + ofDelivery(each)), 0),
      );
    }
    return most;
  };
  const begun = [...choices, ...timers].map(({ move }) =>
    'deliveries' in move
      ? move.deliveries.reduce((sum, each) => sum + ofDelivery(each), 0)
      : 1 + mostSaid(move.talk),
  );
  return Math.min(
    deliveriesMax,
    begun.reduce((most, each) => Math.max(most, each), first),
  );
}
