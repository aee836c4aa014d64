/**
 * The designs: the same machines with other switches and parameters. Facts and numbers are those of the released
 * systems; each design names its source.
 */

/** Switches that turn a guard of the machines on. Each is described at its guard. */
export const switches = [
  'sendsKeepalive',
  'requiresLeader',
  'watchResumes',
  'checksRevision',
  'resumesFromHeader',
  'probes',
  'boundsCalls',
  'gatesOnStatus',
  'usesGrace',
  'keysGraceByName',
  'forcesExpiry',
  'fences',
  'awaitsProof',
  'checksClaims',
  'neverDeletes',
  'deletesByKey',
  'writesEndpointFirst',
  'erasesEndpointLast',
] as const;

/** The name of a switch. */
export type Switch = (typeof switches)[number];

/** The numbers of a design, in seconds. */
export interface Parameters {
  /** The unit of discrete time. Every other number is rounded up to whole ticks. */
  readonly tick: number;
  /** How long an unexpected route of a new interface is left alone. */
  readonly grace: number;
  /** How long a connection is idle before it is pinged. */
  readonly keepaliveTime: number;
  /** How long a ping may stay unanswered. */
  readonly keepaliveTimeout: number;
  /** How long a member without a leader lets a watch stand that requires one: three election timeouts. */
  readonly leaderTimeout: number;
  /** How long a connected watch may be silent before it is probed. */
  readonly probePeriod: number;
  /** How long a probe may stay unanswered before the watch is stale. */
  readonly probeTimeout: number;
  /** How long a list or a watch request may take. */
  readonly callDeadline: number;
  /** How long the watcher waits after a failed dial or list. */
  readonly retryDelay: number;
  /**
   * How long it waits at the most: each further failure doubles the wait, and a connected watch sets it back. What is less
   * than `retryDelay` counts as `retryDelay`, so that the wait does not grow.
   */
  readonly retryDelayMax: number;
}

/** The names of the parameters. */
export type Parameter = keyof Parameters;

/** The switches that bring a parameter into play; those that are not listed always are. */
const parameterSwitches: Readonly<Partial<Record<Parameter, Switch>>> = {
  grace: 'usesGrace',
  keepaliveTime: 'sendsKeepalive',
  keepaliveTimeout: 'sendsKeepalive',
  leaderTimeout: 'requiresLeader',
  probePeriod: 'probes',
  probeTimeout: 'probes',
  callDeadline: 'boundsCalls',
};

/** The parameters that make a difference to a design, in their order. */
export function parametersInPlay(design: Design): readonly Parameter[] {
  const { retryDelay, retryDelayMax } = design.parameters;
  return (Object.keys(design.parameters) as Parameter[]).filter((name) => {
    if (name === 'retryDelayMax') return retryDelayMax > retryDelay;
    const needed = parameterSwitches[name];
    return needed === undefined || design.switches.includes(needed);
  });
}

/** What brings an answer while a connected watch is being probed. */
export type ProbeAnswer =
  /** Nothing: only an event ends the silence. */
  | 'none'
  /** A key that the agent writes itself, and its own watch brings back. */
  | 'heartbeat'
  /** A progress notification; a member cut off from its quorum sends them too, with its old revision. */
  | 'progress'
  /** A linearizable read of the revision, which the watch must then reach. */
  | 'revision';

/** A design of the reconciler. */
export interface Design {
  /** As on the command line. */
  readonly id: string;
  /** One sentence on what it is. */
  readonly says: string;
  /** Where it comes from. */
  readonly source: string;
  /** The switches that are on; all others are off. */
  readonly switches: readonly Switch[];
  /** What ends the silence of a probed watch. */
  readonly probeAnswer: ProbeAnswer;
  /** How the fence reads, if the design fences. */
  readonly fenceRead: 'linearizable' | 'serializable';
  /** Whether the agent writes to the store, which some operators forbid it. */
  readonly agentWrites: boolean;
  /** The numbers that it is checked with unless others are given. */
  readonly parameters: Parameters;
}

/**
 * The numbers of Calico and etcd, in seconds: grace 10 (felix `routetable`, hard-coded); keepalive 30 and 10
 * (libcalico-go #777); a list is retried after 1 (`watchercache`); a member cancels a watch that requires a leader after
 * three election timeouts of 1 (etcd's default). Those below a tick count as one tick.
 */
const real: Parameters = {
  tick: 10,
  grace: 10,
  keepaliveTime: 30,
  keepaliveTimeout: 10,
  leaderTimeout: 3,
  probePeriod: 10,
  probeTimeout: 10,
  callDeadline: 10,
  retryDelay: 1,
  retryDelayMax: 1,
};

const felix: readonly Switch[] = ['watchResumes', 'usesGrace', 'keysGraceByName'];
const keepalive: readonly Switch[] = [...felix, 'sendsKeepalive'];

function design(
  id: string,
  says: string,
  source: string,
  on: readonly Switch[],
  rest: Partial<Omit<Design, 'parameters'>> & { readonly parameters?: Partial<Parameters> } = {},
): Design {
  return {
    id,
    says,
    source,
    switches: on,
    probeAnswer: 'none',
    fenceRead: 'linearizable',
    agentWrites: false,
    ...rest,
    parameters: { ...real, ...rest.parameters },
  };
}

/** The designs that ship, in the order in which `compare` shows them. */
export const designs: readonly Design[] = [
  design(
    'felix-3.0.1',
    'As released in January 2018: a grace of 10 s by interface name, and no keepalive at all.',
    'projectcalico/felix 3.0.1, libcalico-go 7c2de5ed',
    felix,
  ),
  design(
    'grpc-keepalive',
    'The fix that shipped: a ping after 30 s of silence, 10 s to answer it, and the grace still 10 s.',
    'libcalico-go #777 and #780, Calico v3.0.2',
    keepalive,
  ),
  design(
    'keepalive-long-grace',
    'The same keepalive with a grace that is longer than detection and reconnection together.',
    'the inequality of kubernetes #126287, applied here',
    keepalive,
    { parameters: { grace: 60 } },
  ),
  design(
    'watchdog',
    'A watch that is silent for 90 s is restarted.',
    'proposed in projectcalico/calico #1632',
    [...felix, 'probes', 'boundsCalls'],
    { parameters: { probePeriod: 80 } },
  ),
  design(
    'heartbeat-writer',
    'The agent writes a key every 10 s, and restarts its watch when the write does not come back within 10 s.',
    'proposed in projectcalico/calico #1632',
    [...felix, 'probes', 'boundsCalls'],
    { probeAnswer: 'heartbeat', agentWrites: true },
  ),
  design(
    'progress-watchdog',
    'The agent asks its watch for a progress notification every 10 s, and restarts it after 10 s without one.',
    'etcd RequestProgress, since 3.4',
    [...felix, 'probes', 'boundsCalls'],
    { probeAnswer: 'progress' },
  ),
  design(
    'require-leader',
    'The keepalive, and a watch that a member without a leader cancels.',
    'etcd WithRequireLeader; cilium #23590',
    [...keepalive, 'requiresLeader'],
  ),
  design(
    'linearizable-fence',
    'The keepalive, and before each delete a linearizable read of the endpoint.',
    'proposed here',
    [...keepalive, 'fences'],
  ),
  design(
    'serializable-fence',
    'The same fence with a read that any member may answer from what it knows.',
    'the unsound read, for comparison',
    [...keepalive, 'fences'],
    { fenceRead: 'serializable' },
  ),
  design(
    'endpoint-first',
    'The keepalive, and a CNI plugin that writes the endpoint before it adds the route.',
    'proposed here; alone it proves nothing',
    [...keepalive, 'writesEndpointFirst', 'erasesEndpointLast'],
  ),
  design(
    'felix-3.29',
    'The grace by interface index, forced to expire by any endpoint of the name, and deletes by destination only.',
    'projectcalico/calico v3.29, f0deb44f25',
    ['watchResumes', 'usesGrace', 'sendsKeepalive', 'forcesExpiry', 'deletesByKey'],
  ),
  design(
    'fresh-grace',
    'After its grace a route is deleted only once the view has been proven level with the store.',
    'proposed here',
    [...felix, 'probes', 'boundsCalls', 'checksRevision', 'awaitsProof'],
    { probeAnswer: 'revision' },
  ),
  design(
    'status-gated',
    'The keepalive, and no apply while the watch is known to be down.',
    'the idea of projectcalico/calico #13158, applied to the cleanup',
    [...keepalive, 'gatesOnStatus'],
  ),
  design('never-delete', 'Unexpected routes are left alone for ever.', 'Calico RemoveExternalRoutes=false', [
    'watchResumes',
    'sendsKeepalive',
    'neverDeletes',
  ]),
  design(
    'stock-client',
    "The keepalive, and a client that resumes from the header's revision instead of the last delivered one.",
    'the Watcher of the etcd3 package, 1.1.2',
    [...keepalive, 'resumesFromHeader'],
  ),
  design(
    'fenced',
    'Recommended: the endpoint is written before its route and removed after it; a delete follows a linearizable read and the plugin’s claim, and names the interface; a new connection lists, and none resumes.',
    'proposed here',
    ['probes', 'boundsCalls', 'fences', 'checksClaims', 'writesEndpointFirst', 'erasesEndpointLast'],
    { probeAnswer: 'revision' },
  ),
];

/** The design with this id, if there is one. */
export function findDesign(id: string): Design | undefined {
  return designs.find((design) => design.id === id);
}
