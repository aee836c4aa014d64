/** What liveness asks of a search that is complete, whichever way the states are kept. */
import type { Engine } from './engine.ts';
import type { Expander } from './expander.ts';

/** The states of a search, numbered from 0. */
export interface KnownStates {
  /** 32-bit words in a packed state. */
  readonly words: number;
  /** How many states there are. */
  readonly count: number;
  /** The bytes that they take. */
  readonly bytes: number;
  /** Words in which a state lies; they may change when another state is asked for. */
  chunk(state: number): Int32Array;
  /** Where in those it begins. */
  offset(state: number): number;
  /** The number of the state at a place in an array of words, or -1. */
  find(source: Int32Array, at: number): number;
  /** Finds the numbers of a batch of states, or -1. */
  findBatch(batch: Int32Array, count: number, numbers: Int32Array): void;
}

/** A search that is complete. */
export interface Explored {
  readonly engine: Engine;
  /** Makes steps of its packed states. */
  readonly expander: Expander;
  readonly states: KnownStates;
  /** How many steps its states have. */
  readonly edges: number;
  /** The bytes that may be used. */
  readonly limits: { readonly bytesMax: number };
  /** Some timer runs in some state. */
  readonly timed: boolean;
  /** The places of the parts of which some timer has fired. */
  partsWithTimers(): ReadonlySet<number>;
}
