/**
 * Mutants that nothing tells from the model although it answers otherwise somewhere, and why. A gap is no excuse: it is
 * something that the model means, and that no property, trace or coverage notices.
 */
import type { Explanation } from './explanation.ts';

/** The explanations, in the order in which they are printed. */
export const explanations: readonly Explanation[] = [
  {
    kind: 'gap',
    group: 'what the list says of an absent endpoint',
    reason:
      'A broken stream loses what was pending, and only the list tells it. Of an endpoint that is absent the list need say nothing in `fenced`: its fence asks the store before a delete, and a view that still knows a removed endpoint keeps a route whose interface the plugin removes.',
    proposal:
      'A property that the view is level with the store once calm lasts, whether or not a route depends on it.',
    mutants: [
      'record:content.absent view.listed removed',
      'record:content.absent view.listed action seeAbsent dropped',
    ],
  },
  {
    kind: 'gap',
    group: 'when the world may turn calm',
    reason:
      'Liveness is promised from `calm` on. If calm can no longer begin in some situation (an interface absent, a peer gone, a stall that never ends), less is promised, and nothing notices.',
    proposal:
      'A witness for each: calm begins while the interface is absent, up, down, left over; while the connection is open, closed, half-open; while ADD runs.',
    mutants: ['store:quorum.lost leader.elected target lost instead of held'],
  },
  {
    kind: 'gap',
    group: 'a fault that strikes in fewer places',
    reason:
      'The fault no longer strikes here, and still does elsewhere, or here by a detour (pause first, then restart). A world with fewer faults breaks no property, and the shortest story of a broken one is another.',
    proposal: 'A witness for each fault and each state of the part that it strikes.',
    mutants: [
      'kernel:stale sandbox.cleaned target stale instead of absent',
      'kernel:stale sandbox.cleaned removed',
      'kernel:staleRouted sandbox.cleaned target stale instead of absent',
      'kernel:staleRouted sandbox.cleaned removed',
      'agent:running process.restarted target paused instead of running',
      'agent:running process.restarted action sayRestarted dropped',
      'agent:paused process.restarted target paused instead of running',
      'agent:paused process.restarted action sayRestarted dropped',
    ],
  },
  {
    kind: 'gap',
    group: 'how soon the agent is back',
    reason:
      'It comes back, and later or sooner: after a back-off, a deadline, a poll or a grace that the model as it is does not wait for, or waits for. Liveness has no bound, and `staleness-detected` bounds only the suspicion.',
    proposal:
      'A bound on the time from a closed connection to `watch.synced` without further faults, found as the costs are.',
    mutants: [
      'cleanup:decision.awaitingProof routes.listed[2] target suspecting instead of idle',
      'cleanup:decision.awaitingProof routes.listed[2] removed',
      'watcher:reconnecting.listing list.failed target dialling instead of backingOff',
    ],
  },
  {
    kind: 'gap',
    group: 'the fence’s “the store knows it” is not needed',
    reason:
      'In `fenced` the plugin’s claim already protects the newest pod’s route. What the store says decides only over routes of older pods, of which no safety property speaks: without `fence.answered[0]`, or with another question at once, all eight properties of `fenced` hold.',
    proposal:
      'A rule that no route of an older pod is deleted while its endpoint is in the store. As the model is, `fenced` violates that rule in 12 steps (10 without the answer), perhaps because a record and an interface of two different older pods are taken to belong together; then the model has to tell two older pods apart first.',
    mutants: [
      'cleanup:decision.fencing fence.answered[0] target suspecting instead of idle',
      'cleanup:decision.fencing fence.answered[1] target suspecting instead of idle',
    ],
  },
  {
    kind: 'out-of-scope',
    group: 'an older pod’s endpoint and route',
    reason:
      'A superseded pod is dead: only the newest pod’s route is judged by safety, and `orphan-removed` asks no more than that an older one goes in the end. Here the agent, the store or the kernel knows less, or something else, of an older pod.',
    mutants: [
      "cleanup:decision.awaitingProof routes.listed[1] guard term 'not viewClashes' dropped",
      'record:content.stale pod.superseded[1] removed',
      'record:content.stale pod.superseded[1] action shiftSeen dropped',
      'kernel:staleRouted route.deleteRequested guard dropped',
      'kernel:staleRouted route.deleteRequested action sayStaleDeleted dropped',
    ],
  },
  {
    kind: 'equivalent',
    group: 'nothing is decided from that answer',
    reason:
      'The kernel’s answer says that there is no route. Cleanup does nothing with it but to give up a suspicion, and a suspicion that is not given up is asked about again and deletes nothing.',
    mutants: [
      'kernel:stale routes.asked removed',
      'kernel:stale routes.asked action listNothing dropped',
      'kernel:stale fence.asked removed',
      'kernel:stale fence.asked action listNothing dropped',
      'kernel:down routes.asked removed',
      'kernel:down routes.asked action listNothing dropped',
      'kernel:down fence.asked removed',
      'kernel:down fence.asked action listNothing dropped',
    ],
  },
  {
    kind: 'gap',
    group: 'a delete that outlives its interface',
    reason:
      'Only `felix-3.29` deletes by destination. When such a request is dropped, whom it then meets, and whether the kernel that says `route.deleted` has really removed the route, changes none of its verdicts and no length: the properties judge what the kernel says.',
    proposal: 'Judge the route itself: routed before `delete.executed` and not after it.',
    mutants: [
      "cleanup:decision.deleting interface.vanished[0] guard term 'addressSame' dropped",
      "cleanup:decision.deleting pod.superseded guard term 'deletesByKey' dropped",
      'kernel:routed route.deleteRequested[1] guard dropped',
    ],
  },
  {
    kind: 'equivalent',
    group: 'branches that exclude each other',
    reason:
      'No event satisfies the guards of both branches, or both lead to the same, so their order means nothing.',
    mutants: [
      'cleanup:view endpoint.reported branches 0 and 1 swapped',
      'cleanup:view endpoint.reported branches 1 and 2 swapped',
      'cleanup:decision.idle routes.listed branches 2 and 3 swapped',
      'cleanup:decision.suspecting always branches 0 and 1 swapped',
      'cleanup:decision.fencing fence.answered branches 0 and 1 swapped',
      'cleanup:decision.awaitingProof routes.listed branches 0 and 1 swapped',
      'environment:changing fault.struck branches 0 and 1 swapped',
    ],
  },
  {
    kind: 'equivalent',
    group: 'a term that another one implies',
    reason:
      'What the term says is so whenever the rest of the guard holds: only a watch that resumes remembers that it has listed; only a design that keys its grace by name applies after a resync; faults without a budget are unbounded.',
    mutants: [
      "cleanup:clock.over routes.listed guard term 'keysGraceByName' dropped",
      "watcher:reconnecting.dialling connection.opened[0] guard term 'watchResumes' dropped",
      'environment:changing fault.struck[0] guard dropped',
    ],
  },
  {
    kind: 'out-of-scope',
    group: 'the budget of faults',
    reason: 'No instance here has a budget of faults (`--strikes`), and this branch counts it.',
    mutants: [
      'environment:changing fault.struck[1] guard dropped',
      'environment:changing fault.struck[1] guard negated',
      'environment:changing fault.struck[1] target calm instead of changing',
      'environment:changing fault.struck[1] removed',
      'environment:changing fault.struck[1] action countStrike dropped',
    ],
  },
  {
    kind: 'gap',
    group: 'what a resuming watch has lost',
    reason:
      'Every design that resumes is refuted by the same restored backup, in few steps. What else it loses on its way (a backlog, an event before a restart or a compaction) makes the story of no property shorter.',
    proposal:
      'A design that resumes and is proved when `backup-restored` is left out, with its verdicts recorded: what is lost otherwise then changes a verdict.',
    mutants: [
      'record:delivery.flowing store.restarted target flowing instead of lost',
      'record:delivery.flowing store.restarted removed',
      'record:delivery.backlog endpoint.written target backlog instead of flowing',
      'record:delivery.backlog endpoint.written removed',
      'record:delivery.backlog store.restarted target flowing instead of lost',
      'record:delivery.backlog store.restarted removed',
      'record:delivery.backlog record.forgotten target flowing instead of lost',
      'store:history.compacted backup.restored target whole instead of ahead',
    ],
  },
  {
    kind: 'equivalent',
    group: 'a watch that began behind a list has lost nothing',
    reason:
      'A watch that does not resume begins behind a list, and a list puts the record back to `flowing`. So no such watch stands while the record is `lost`, and nothing drains there.',
    mutants: ['record:delivery.lost stream.drained guard dropped'],
  },
];
