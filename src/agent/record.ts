/**
 * What the agent did and saw, a line for each step, in absolute terms: names, addresses and indexes. It is what
 * `routeproof validate` compares with the model, so it says nothing of what the agent believes to be right.
 */
import type { StateValue } from 'xstate';

/** What the kernel had of an interface. */
export interface FoundInterface {
  readonly index: number;
  readonly up: boolean;
  /** Destinations of the routes over it. */
  readonly routes: readonly string[];
}

/** What the store said of an interface: the addresses of its endpoint, none, or a record that cannot be read. */
export type FoundEndpoint = readonly string[] | 'unreadable' | null;

/** What a step was, and what it saw. */
export type Deed =
  | { readonly step: 'connection.opened' | 'connection.closed' | 'connection.abandoned' | 'probe.returned' }
  | { readonly step: 'dial.failed' | 'list.failed' | 'watch.cancelled' }
  | {
      readonly step: 'list.completed';
      /** By interface; an interface that is not named has no endpoint. */
      readonly endpoints: Readonly<Record<string, FoundEndpoint>>;
    }
  | { readonly step: 'watch.attempted'; readonly answer: 'level' | 'behind' | 'refused' }
  | {
      readonly step: 'event.delivered';
      /** Left out: it was about no interface of this agent's. */
      readonly interface?: string;
      /** What the view has of it then. */
      readonly endpoint?: FoundEndpoint;
    }
  | {
      readonly step: 'interface.appeared' | 'interface.vanished';
      readonly interface: string;
      readonly index: number;
    }
  | {
      readonly step: 'apply.ran' | 'resync.ran';
      readonly found: Readonly<Record<string, FoundInterface | null>>;
      /** Destinations that were added, by interface. */
      readonly repaired: Readonly<Record<string, readonly string[]>>;
    }
  | {
      readonly step: 'fence.polled';
      readonly interface: string;
      readonly destination: string;
      /** Left out: the route had gone. */
      readonly answer?: { readonly expected: boolean; readonly claimed: boolean };
    }
  | {
      readonly step: 'delete.executed';
      readonly interface: string;
      readonly destination: string;
      /** Left out: the delete named the destination only. */
      readonly index?: number;
      readonly outcome: 'done' | 'absent' | 'failed';
    }
  | { readonly step: 'timer'; readonly part: string; readonly timer: string };

/** A line of the agent's trace. */
export type Line = Deed & {
  /** Milliseconds since the agent began. */
  readonly at: number;
  /** What the watcher and the apply came to, and the cleanups that the step was about, by interface. */
  readonly state: {
    readonly watcher: StateValue;
    readonly apply: StateValue;
    readonly cleanup?: Readonly<Record<string, StateValue>>;
  };
};

/** Takes what the agent did. */
export type Tell = (deed: Deed, interfaces?: readonly string[]) => void;
