/**
 * Mutants that nothing tells from the model although it answers otherwise somewhere, and why. A gap is no excuse: it is
 * something that the model means, and that no property, trace, coverage or size notices. Those that answer everything as
 * the model does need no reason here; docs/mutants.md lists them.
 */
import type { Explanation } from './explanation.ts';

/** The explanations, in the order in which they are printed. */
export const explanations: readonly Explanation[] = [
  {
    kind: 'gap',
    group: 'a suspicion that is not given up',
    reason:
      'The agent goes on asking about a route that the store knows, or that has gone, instead of becoming idle. Each delete still follows a fresh answer, so no safety property is touched; but an agent that suspects does not apply, and its suspicion may last for ever.',
    proposal:
      'A property that once faults stop the agent suspects, for good, no route that the store knows and none that does not stand. Tried: `fenced` satisfies it, and violates it in 12 steps if `fence.answered[0]` ends nothing, and in 18 if an interface left over does not answer the fence. That a claimed route ends a suspicion (`fence.answered[1]`) it does not ask for.',
    mutants: [
      'cleanup:decision.fencing fence.answered[0] target suspecting instead of idle',
      'cleanup:decision.fencing fence.answered[1] target suspecting instead of idle',
      'kernel:stale routes.asked removed',
      'kernel:stale routes.asked action listNothing dropped',
      'kernel:stale fence.asked removed',
      'kernel:stale fence.asked action listNothing dropped',
    ],
  },
  {
    kind: 'gap',
    group: 'what the list says of an absent endpoint',
    reason:
      'The list makes the record flow again, so a removal that it did not tell is told by the next event of the watch. Until then the view knows an endpoint that is gone, which deletes nothing.',
    proposal:
      'A rule that after a list no event changes the view unless the record has changed since, kept by a part that only listens. Tried with few faults and with all: `fenced` satisfies it. With few faults it violates it in 12 steps with either mutant.',
    mutants: [
      'record:content.absent view.listed removed',
      'record:content.absent view.listed action seeAbsent dropped',
    ],
  },
  {
    kind: 'gap',
    group: 'a fault that strikes by a detour only',
    reason:
      'What the fault brings about can no longer come this way, and still comes by another: a late DEL after the route has gone or before it, a restart after the pause, a restored backup without the compaction. The same states are reached, by a longer story that is no shortest one.',
    proposal:
      'A witness for each fault in each state that it strikes; a witness can be an effect, but it sees only the state before the step, so most of these need a part that listens.',
    mutants: [
      'kernel:stale sandbox.cleaned target stale instead of absent',
      'kernel:stale sandbox.cleaned removed',
      'kernel:staleRouted sandbox.cleaned target stale instead of absent',
      'kernel:staleRouted sandbox.cleaned removed',
      'store:history.compacted backup.restored target whole instead of ahead',
      'agent:paused process.restarted target paused instead of running',
      'agent:paused process.restarted action sayRestarted dropped',
    ],
  },
  {
    kind: 'gap',
    group: 'what a resuming watch has lost',
    reason:
      'A write behind a backlog is lost along with it. `stock-client` loses the backlog itself in as few steps, so no verdict and no length changes.',
    proposal: 'A rule that a change is lost only if it was pending when the watch resumed.',
    mutants: [
      'record:delivery.backlog endpoint.written target backlog instead of flowing',
      'record:delivery.backlog endpoint.written removed',
    ],
  },
  {
    kind: 'gap',
    group: 'a delete that the kernel does not announce',
    reason:
      'Safety is judged by what the kernel says. Of the route of an older pod only `fail-static` could be broken, and a delete that is not announced breaks nothing.',
    proposal: 'Judge the route itself: routed before `delete.executed` and not after it.',
    mutants: ['kernel:staleRouted route.deleteRequested action sayStaleDeleted dropped'],
  },
  {
    kind: 'out-of-scope',
    group: 'an older pod’s endpoint and route',
    reason:
      'A superseded pod is dead: only the newest pod’s route is judged by safety, and `orphan-removed` asks no more than that an older one goes in the end. Here an older pod’s route is deleted although its endpoint has been reported meanwhile, or by a request that was meant for another.',
    mutants: [
      "cleanup:decision.awaitingProof routes.listed[1] guard term 'not viewClashes' dropped",
      'kernel:staleRouted route.deleteRequested guard dropped',
    ],
  },
  {
    kind: 'equivalent',
    group: 'nothing is decided from that answer',
    reason:
      'An interface that is down does not answer that it has no route. That only gives up a suspicion, and one that is not given up is asked about again before anything is deleted. The interface does not stay so: it comes up, and answers, or it is gone, which ends the suspicion too; and calm cannot begin before. Sooner or later the same is decided, in states that are reached anyway.',
    mutants: [
      'kernel:down routes.asked removed',
      'kernel:down routes.asked action listNothing dropped',
      'kernel:down fence.asked removed',
      'kernel:down fence.asked action listNothing dropped',
    ],
  },
  {
    kind: 'equivalent',
    group: 'branches that lead to the same',
    reason: 'Both branches make the agent idle and do nothing else, so their order means nothing.',
    mutants: ['cleanup:decision.fencing fence.answered branches 0 and 1 swapped'],
  },
  {
    kind: 'equivalent',
    group: 'what was seen of an older pod stays so',
    reason:
      'Removed, the row gives way to the machine’s own `pod.superseded`, which does the same. With its action dropped: a pod that is neither of the name nor renumbered needs an empty record (`slot.reused`), so the relation here is `same`; what was seen is never the newest pod’s endpoint, and `shiftSeen` leaves the rest as it is.',
    mutants: [
      'record:content.stale pod.superseded[1] removed',
      'record:content.stale pod.superseded[1] action shiftSeen dropped',
    ],
  },
  {
    kind: 'equivalent',
    group: 'a restored store delivers nothing until it has passed the resume point',
    reason:
      'A restart of the store that a resuming watch would notice puts its history `ahead`. There nothing is delivered, so it makes no difference whether what is pending is `lost` already: a list tells all, and when the store passes the resume point `store.overtook` makes it `lost`. A backlog is lost with its connection, which the restart closes; and a record that is `lost` and level behaves as one that flows and is level.',
    mutants: [
      'record:delivery.flowing store.restarted target flowing instead of lost',
      'record:delivery.flowing store.restarted removed',
      'record:delivery.backlog store.restarted target flowing instead of lost',
      'record:delivery.backlog store.restarted removed',
      'record:delivery.backlog record.forgotten target flowing instead of lost',
    ],
  },
  {
    kind: 'equivalent',
    group: 'a watch that began behind a list has lost nothing',
    reason:
      'A watch that does not resume begins behind a list, and a list puts the record back to `flowing`. So no probe of such a watch is answered while the record is `lost`: the only one that stands then has lost its peer.',
    mutants: ['record:delivery.lost stream.drained guard dropped'],
  },
];
