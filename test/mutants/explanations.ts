/**
 * Mutants that nothing tells from the model although it answers otherwise somewhere, and why. A gap is no excuse: it is
 * something that the model means, and that no property, trace or coverage notices.
 */
import type { Explanation } from './explanation.ts';

/** The explanations, in the order in which they are printed. */
export const explanations: readonly Explanation[] = [
  {
    kind: 'gap',
    group: 'the list is not needed',
    reason:
      'In the model a watch that does not resume loses nothing: an event that is pending when its connection dies is delivered by the next watch. So in `fenced` the list after a reconnection may be dropped, row by row or as a whole, and every property is still proved.',
    proposal:
      'Let `stream.broken` make pending events `lost` in designs that do not resume, as it does for a backlog. Tried: `fenced` stays proved, and without the list `route-repaired` is violated in 14 steps.',
    mutants: [
      'record:content.absent view.listed removed',
      'record:content.absent view.listed action seeAbsent dropped',
      'record:delivery view.listed removed',
    ],
  },
  {
    kind: 'gap',
    group: 'fail-static asks the part that it judges',
    reason:
      '`fail-static` reads whether `apply` is in `unsynced`. An `apply` that never goes back there after a restart is never caught.',
    proposal:
      'State it against the events: a part that only listens, like the stopwatch, and goes to `unsynced` at `agent.restarted` and to `synced` at `view.listed`.',
    mutants: ['apply:(root) agent.restarted removed'],
  },
  {
    kind: 'gap',
    group: 'what is forgotten at a restart',
    reason:
      'A restarted agent lists before it applies, so its old view, what it had seen, and its old grace clocks are overwritten before they can do harm; and every interface gets no grace at all if the kernel does not name it again. No property asks for a grace after a restart.',
    proposal:
      'An effect rule on `route.deleted`: the interface has been known to this process for at least its grace, kept by a part that hears `agent.restarted` and `interface.appeared`.',
    mutants: [
      'cleanup:view agent.restarted target known instead of unknown',
      'cleanup:view agent.restarted removed',
      'cleanup:clock agent.restarted removed',
      'record:delivery agent.restarted removed',
      'record:delivery agent.restarted action forgetSeen dropped',
      'kernel:stale agent.restarted removed',
      'kernel:stale agent.restarted action sayAppeared dropped',
    ],
  },
  {
    kind: 'gap',
    group: 'when the world may turn calm',
    reason:
      'Liveness is promised from `calm` on. If calm can no longer begin in some situation (an interface absent, a peer gone, a stall that never ends), less is promised, and nothing notices.',
    proposal:
      'A witness for each: calm begins while the interface is absent, up, down, left over; while the connection is open, closed, half-open; while ADD runs.',
    mutants: [
      'cni:absent changes.stopped removed',
      'cni:present changes.stopped guard dropped',
      'cni:present.adding exit action resume dropped',
      'link:closed changes.stopped removed',
      'link:open.attached.stalled stream.resumed target stalled instead of up',
      'link:open.halfOpen.pingPending changes.stopped target pinging instead of pingPending',
      'link:open.halfOpen.pingPending changes.stopped removed',
      'link:open.halfOpen.pinging changes.stopped removed',
      'kernel:stale changes.stopped target staleRouted instead of stale',
      'kernel:stale changes.stopped removed',
      'kernel:up changes.stopped target routed instead of up',
      'kernel:up changes.stopped removed',
      'store:quorum.lost leader.elected target lost instead of held',
    ],
  },
  {
    kind: 'gap',
    group: 'a fault that strikes in fewer places',
    reason:
      'The fault no longer strikes here, and still does elsewhere, or here by a detour (pause first, then restart). A world with fewer faults breaks no property, and the shortest story of a broken one is another.',
    proposal: 'A witness for each fault and each state of the part that it strikes.',
    mutants: [
      'cni:present.adding cni.stalled guard dropped',
      'cni:present.adding.creatingInterface cni.made.interface guard dropped',
      "cni:present.adding.addingRoute cni.added.route[0] guard term 'not stalled' dropped",
      "cni:present.adding.writingEndpoint cni.wrote.endpoint[0] guard term 'not stalled' dropped",
      'cni:present.running del.repeated removed',
      'cni:present.running del.repeated action cleanSandbox dropped',
      'cni:present.removing cni.crashed target removing instead of failed',
      'cni:present.removing cni.crashed removed',
      'link:open.attached.stalled peer.vanished removed',
      'link:open.attached.stalled peer.vanished action saySilenced dropped',
      'kernel:stale sandbox.cleaned target stale instead of absent',
      'kernel:stale sandbox.cleaned removed',
      'kernel:staleRouted sandbox.cleaned target stale instead of absent',
      'kernel:staleRouted sandbox.cleaned removed',
      'kernel:up interface.flapped removed',
      'wiring:backup.restored to store dropped',
      'agent:running process.restarted target paused instead of running',
      'agent:running process.restarted removed',
      'agent:running process.restarted action sayRestarted dropped',
      'agent:paused process.restarted target paused instead of running',
      'agent:paused process.restarted removed',
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
      'cleanup:decision.idle routes.listed branches 0 and 1 swapped',
      'cleanup:decision.awaitingProof routes.listed[2] target suspecting instead of idle',
      'cleanup:decision.awaitingProof routes.listed[2] removed',
      'watcher:reconnecting.dialling dial.failed target dialling instead of backingOff',
      'watcher:reconnecting.listing list.failed target dialling instead of backingOff',
      'watcher:stale connection.closed target listing instead of dialling',
      'watcher:stale connection.closed removed',
      'watcher:delay callDeadline one tick longer',
      'watcher:delay retryDelay one tick longer',
      'watcher:delay retryDelay one tick shorter',
      'link:delay keepaliveTime one tick shorter',
      'link:delay keepaliveTimeout one tick shorter',
      'link:delay leaderTimeout one tick longer',
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
      'cleanup:view endpoint.reported[1] removed',
      'cleanup:view endpoint.reported[2] target unknown instead of clashing',
      'cleanup:view endpoint.reported[2] removed',
      "cleanup:decision.awaitingProof routes.listed[1] guard term 'not viewClashes' dropped",
      'record:content.stale pod.superseded[0] action shiftSeen dropped',
      'record:content.stale pod.superseded[1] removed',
      'record:content.stale pod.superseded[1] action shiftSeen dropped',
      'record:content.stale event.delivered guard dropped',
      'record:content.stale event.delivered guard negated',
      'record:content.stale event.delivered removed',
      'record:content.stale event.delivered action seeStale dropped',
      'record:content.stale event.delivered action report dropped',
      'record:content.stale view.listed removed',
      'record:content.stale view.listed action seeStale dropped',
      'record:content.stale view.listed action report dropped',
      'record:content.committed pod.superseded[1] action shiftSeen dropped',
      'record:content.forgotten pod.superseded removed',
      'record:content.forgotten pod.superseded action shiftSeen dropped',
      'record:content.stale exit action noteSame dropped',
      'kernel:stale interface.created action sayVanished dropped',
      'kernel:stale sandbox.cleaned action sayVanished dropped',
      'kernel:staleRouted route.deleteRequested guard dropped',
      'kernel:staleRouted route.deleteRequested action sayStaleDeleted dropped',
      'kernel:up pod.superseded removed',
      'kernel:down pod.superseded removed',
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
    group: 'the grace of a new interface',
    reason:
      'The clock is not set back, or set back wrongly, when the interface is gone, so that the next one has no grace, or another. Every design that rests on its grace is refuted in as few steps without that.',
    proposal: 'The same rule on `route.deleted` as for the grace after a restart.',
    mutants: [
      'cleanup:clock.counting apply.started target unseen instead of over',
      'cleanup:clock.over pod.superseded target counting instead of unseen',
      "cleanup:clock.over routes.listed guard term 'nameGone' dropped",
      'cleanup:clock.over routes.listed target counting instead of unseen',
      'cleanup:clock.over routes.listed removed',
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
      "cleanup:decision.deleting pod.superseded guard term 'targetGone' dropped",
      "cleanup:decision.deleting pod.superseded guard term 'not keepsAddress' dropped",
      'kernel:routed route.deleteRequested[1] guard dropped',
      'kernel:routed route.deleteRequested[1] target routed instead of up',
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
    group: 'an event although nothing has changed',
    reason:
      'The watch delivers what the view has already, or answers a probe with an event still on its way. Nothing forbids it, and it lets a watch look alive.',
    proposal:
      'A rule on what the watcher hears: an event is delivered only while the view lags behind the record, and a probe is answered only while it does not.',
    mutants: [
      'record:content.absent event.delivered guard dropped',
      'record:delivery.flowing stream.drained guard dropped',
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
      "record:delivery.flowing store.restarted guard term 'not level' dropped",
      'record:delivery.flowing store.restarted target flowing instead of lost',
      'record:delivery.flowing store.restarted removed',
      'record:delivery.flowing store.overtook guard dropped',
      'record:delivery.flowing store.overtook guard negated',
      'record:delivery.flowing store.overtook target flowing instead of lost',
      'record:delivery.flowing store.overtook removed',
      'record:delivery.flowing record.forgotten target flowing instead of lost',
      'record:delivery.flowing record.forgotten removed',
      'record:delivery.flowing resume.advanced guard dropped',
      'record:delivery.backlog event.delivered target backlog instead of flowing',
      'record:delivery.backlog event.delivered removed',
      'record:delivery.backlog endpoint.written target backlog instead of flowing',
      'record:delivery.backlog endpoint.written removed',
      'record:delivery.backlog endpoint.erased target backlog instead of flowing',
      'record:delivery.backlog endpoint.erased removed',
      'record:delivery.backlog store.restarted target flowing instead of lost',
      'record:delivery.backlog store.restarted removed',
      'record:delivery.backlog record.forgotten target flowing instead of lost',
      'record:delivery.backlog record.forgotten removed',
      'record:delivery.lost endpoint.erased removed',
      'link:open.halfOpen entry action sayBroken dropped',
      'store:history.compacted backup.restored target whole instead of ahead',
      'store:history.compacted backup.restored removed',
      'store:history.compacted watch.requested target ahead instead of compacted',
    ],
  },
];
