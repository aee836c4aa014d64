/** One TCP connection to one member, which etcd3's generated clients speak over. */
import {
  type ChannelOptions,
  credentials,
  InterceptingCall,
  type Interceptor,
  type CallOptions as Options,
  status,
} from '@grpc/grpc-js';
import { noop } from 'cockatiel';
import { Etcd3, GRPCUnauthenticatedError } from 'etcd3';
import type { StoreOptions } from './options.ts';
import { OwnChannel } from './own-channel.ts';
import { storeError } from './store-fault.ts';

/**
 * A member by one connection of its own. It does not retry, and etcd3's policies that would (or that would refuse to call
 * for a while) are off.
 *
 * It logs in by itself: etcd3 does that over connections which it never closes and which take no channel options, so that
 * one that has died silently would hold up all later attempts. What etcd says of a token that has run out is kept from
 * etcd3, which would make the call again for ever.
 */
export class Member {
  /** Such as `10.0.0.1:2379`. */
  readonly name: string;
  readonly client: Etcd3;
  readonly #channel: OwnChannel;
  readonly #user: { readonly name: string; readonly password: string } | undefined;
  #token: string | undefined;

  constructor(endpoint: string, options: StoreOptions) {
    const { tls, username, password = '', requireLeader, keepalive, streamInterceptors = [] } = options;
    this.name = endpoint.replace(/^https?:\/\//, '').replace(/\/$/, '');
    this.#user = username === undefined ? undefined : { name: username, password };
    const secure = endpoint.startsWith('https:') || (tls !== undefined && !endpoint.startsWith('http:'));
    const channelOptions: ChannelOptions = {
      'grpc.use_local_subchannel_pool': 1,
      'grpc.enable_retries': 0,
      // A list of all endpoints is one message, and grpc-js refuses those above 4 MiB by itself.
      'grpc.max_receive_message_length': -1,
      ...(keepalive && {
        'grpc.keepalive_time_ms': keepalive.time,
        'grpc.keepalive_timeout_ms': keepalive.timeout,
      }),
    };
    this.#channel = new OwnChannel(
      this.name,
      secure ? credentials.createSsl(tls?.ca, tls?.key, tls?.cert) : credentials.createInsecure(),
      channelOptions,
    );
    // Only streams ask for a leader: a serializable read is to be answered without one.
    const header = (stream: boolean): Interceptor => {
      return (callOptions, next) =>
        new InterceptingCall(next(callOptions), {
          start: (metadata, _, start) => {
            if (stream && requireLeader) metadata.set('hasleader', 'true');
            const token = this.#token;
            if (token !== undefined) metadata.set('token', token);
            start(metadata, {
              onReceiveStatus: (received, pass) => {
                if (!received.details.includes('etcdserver: invalid auth token')) {
                  pass(received);
                  return;
                }
                if (this.#token === token) this.#token = undefined;
                pass({
                  ...received,
                  code: status.UNAUTHENTICATED,
                  details: 'the token is not valid any more',
                });
              },
            });
          },
        });
    };
    const unary = { interceptors: [header(false)] };
    const streaming = { interceptors: [header(true), ...streamInterceptors] };
    this.client = new Etcd3({
      hosts: endpoint,
      grpcOptions: { channelOverride: this.#channel } as ChannelOptions,
      faultHandling: { host: () => noop, global: noop },
      defaultCallOptions: (context) => (context.isStream ? streaming : unary),
    });
  }

  /**
   * Makes a call, after logging in if that has to be.
   *
   * @param deadline - the time by `Date.now()` by which it has to be done; none if left out
   * @throws StoreError
   */
  async call<T>(
    deadline: number | undefined,
    make: (client: Etcd3, options: Options) => Promise<T>,
  ): Promise<T> {
    const options = deadline === undefined ? {} : { deadline };
    try {
      await this.#logIn(options);
      try {
        return await make(this.client, options);
      } catch (error) {
        // A token lasts some minutes after its last use, and no longer than the process that gave it.
        const again = error instanceof GRPCUnauthenticatedError && this.#token === undefined;
        if (!again || this.#user === undefined) throw error;
        await this.#logIn(options);
        return await make(this.client, options);
      }
    } catch (error) {
      throw storeError(this.name, error);
    }
  }

  /** When the connection that there is now has ended, also if nothing is asked over it; at once if there is none. */
  ended(): Promise<void> {
    return this.#channel.ended();
  }

  /** Ends the connection. Calls that it carries fail. */
  close(): void {
    this.client.close();
    this.#channel.destroy();
  }

  async #logIn(options: Options): Promise<void> {
    if (this.#user === undefined || this.#token !== undefined) return;
    try {
      this.#token = (await this.client.auth.authenticate(this.#user, options)).token;
    } catch (error) {
      const needless = error instanceof Error && error.message.includes('authentication is not enabled');
      if (!needless) throw error;
    }
  }
}
