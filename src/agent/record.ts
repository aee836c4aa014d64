/**
 * What the agent did and saw, a line for each step, in absolute terms: names, addresses and indexes. It is what
 * `routeproof validate` compares with the model, so it says nothing of what the agent believes to be right.
 */
import type { StateValue } from 'xstate';

/** What the kernel had of an interface. */
export interface FoundInterface {
  /** Its index. */
  readonly index: number;
  /** Administratively up. */
  readonly up: boolean;
  /** Destinations of the routes over it. */
  readonly routes: readonly string[];
}

/** What the store said of an interface: the addresses of its endpoint, none, or a record that cannot be read. */
export type FoundEndpoint = readonly string[] | 'unreadable' | null;

/** What a step was, and what it saw. */
export type Deed =
  | {
      /** What became of the connection, or of the probe over it. */
      readonly step: 'connection.opened' | 'connection.closed' | 'connection.abandoned' | 'probe.returned';
    }
  | {
      /** What did not work, or was ended by the server. */
      readonly step: 'dial.failed' | 'list.failed' | 'watch.cancelled';
    }
  | {
      /** The list has come. */
      readonly step: 'list.completed';
      /** By interface; an interface that is not named has no endpoint. */
      readonly endpoints: Readonly<Record<string, FoundEndpoint>>;
    }
  | {
      /** The member has answered that it was asked for a watch. */
      readonly step: 'watch.attempted';
      /** Where the member was, or that it no longer has the history. */
      readonly answer: 'level' | 'behind' | 'refused';
    }
  | {
      /** The watch has told of a change. */
      readonly step: 'event.delivered';
      /** Left out: it was about no interface of this agent's. */
      readonly interface?: string;
      /** What the view has of it then. */
      readonly endpoint?: FoundEndpoint;
    }
  | {
      /** An interface was seen first, or no more. */
      readonly step: 'interface.appeared' | 'interface.vanished';
      /** Its name. */
      readonly interface: string;
      /** Its index. */
      readonly index: number;
    }
  | {
      /** All interfaces were looked at, by an apply or by a full resync. */
      readonly step: 'apply.ran' | 'resync.ran';
      /** What the kernel had, by interface; null for one that is not there. */
      readonly found: Readonly<Record<string, FoundInterface | null>>;
      /** Destinations that were added, by interface. */
      readonly repaired: Readonly<Record<string, readonly string[]>>;
    }
  | {
      /** The store and the claims were asked about a route that is to be deleted. */
      readonly step: 'fence.polled';
      /** The interface that it goes over. */
      readonly interface: string;
      /** Where it goes to. */
      readonly destination: string;
      /** Left out: the route had gone. */
      readonly answer?: {
        /** An endpoint in the store has the route. */
        readonly expected: boolean;
        /** The plugin holds the interface. */
        readonly claimed: boolean;
      };
    }
  | {
      /** A route was to be deleted. */
      readonly step: 'delete.executed';
      /** The interface that it went over when that was decided. */
      readonly interface: string;
      /** Where it goes to. */
      readonly destination: string;
      /** Left out: the delete named the destination only. */
      readonly index?: number;
      /** What became of it. */
      readonly outcome: 'done' | 'absent' | 'failed';
    }
  | {
      /** A timer of a machine was due. */
      readonly step: 'timer';
      /** Whose timer. */
      readonly part: string;
      /** XState's id of the timer. */
      readonly timer: string;
    };

/** A line of the agent's trace. */
export type Line = Deed & {
  /** Milliseconds since the agent began. */
  readonly at: number;
  /** What the watcher and the apply came to, and the cleanups that the step was about, by interface. */
  readonly state: {
    /** The watcher's. */
    readonly watcher: StateValue;
    /** The apply's. */
    readonly apply: StateValue;
    /** The cleanups', by interface. */
    readonly cleanup?: Readonly<Record<string, StateValue>>;
  };
};

/** Takes what the agent did. */
export type Tell = (deed: Deed, interfaces?: readonly string[]) => void;
