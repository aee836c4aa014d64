/** Calls to any member that answers. */
import type { CallOptions } from '@grpc/grpc-js';
import type { Etcd3 } from 'etcd3';
import { Member } from './member.ts';
import type { StoreOptions } from './options.ts';
import { StoreError } from './store.ts';

/** A connection to each member, made when first needed. After a failure it is given up: it may have died silently. */
export class MemberTurns {
  readonly #options: StoreOptions;
  readonly #members = new Map<number, Member>();
  /** The last that answered. */
  #first = 0;
  #closed = false;

  constructor(options: StoreOptions) {
    if (options.endpoints.length === 0) throw new RangeError('a store needs at least one endpoint');
    this.#options = options;
  }

  /**
   * Makes a call to one member after the other until one answers, each with an equal part of the time that is left. A call
   * that was not answered may have been carried out.
   *
   * @throws StoreError of the last member that was tried; at once if it is not one that another member could do better
   */
  async call<T>(
    make: (client: Etcd3, options: CallOptions) => Promise<T>,
    end = Date.now() + this.#options.callTimeout,
  ): Promise<T> {
    const { endpoints } = this.#options;
    let failure: unknown;
    const first = this.#first;
    for (let turn = 0; turn < endpoints.length; turn++) {
      const now = Date.now();
      if (now >= end) break;
      const index = (first + turn) % endpoints.length;
      const member = this.#member(index);
      try {
        const answer = await member.call(now + Math.ceil((end - now) / (endpoints.length - turn)), make);
        this.#first = index;
        return answer;
      } catch (error) {
        failure = error;
        if (!(error instanceof StoreError && (error.fault === 'deadline' || error.fault === 'unavailable')))
          break;
        if (this.#members.get(index) === member) this.#members.delete(index);
        member.close();
      }
    }
    throw failure ?? new StoreError('deadline', 'no time was left for the call');
  }

  close(): void {
    this.#closed = true;
    for (const member of this.#members.values()) member.close();
    this.#members.clear();
  }

  #member(index: number): Member {
    if (this.#closed) throw new StoreError('unavailable', 'the store has been closed');
    const known = this.#members.get(index);
    if (known !== undefined) return known;
    const endpoint = this.#options.endpoints[index];
    if (endpoint === undefined) throw new RangeError(`there is no endpoint ${index}`);
    const made = new Member(endpoint, this.#options);
    this.#members.set(index, made);
    return made;
  }
}
