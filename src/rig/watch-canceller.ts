/** Has etcd end the watches that are made over calls which pass here. */
import { InterceptingCall, type Interceptor } from '@grpc/grpc-js';
import type { IWatchResponse } from 'etcd3';

/**
 * etcd 3.4 ends a watch that it has accepted only after a compaction, or when it is asked to on the stream of the watch. This
 * asks, so that etcd itself ends the watch and says `canceled`, without a reason, on the connection that there is. The client
 * whose call it is knows nothing of the request.
 */
export class WatchCanceller {
  /** The watches that etcd has accepted and not ended, by their streams. */
  readonly #watches = new Map<InterceptingCall, Set<string>>();

  /** For the streams of one client. */
  readonly interceptor: Interceptor = (options, next) => {
    const watches = new Set<string>();
    const call = new InterceptingCall(next(options), {
      start: (metadata, _, start) => {
        this.#watches.set(call, watches);
        start(metadata, {
          onReceiveMessage: (response: IWatchResponse, pass) => {
            if (response.canceled) watches.delete(response.watch_id);
            else if (response.created) watches.add(response.watch_id);
            pass(response);
          },
          onReceiveStatus: (status, pass) => {
            this.#watches.delete(call);
            pass(status);
          },
        });
      },
    });
    return call;
  };

  /** Asks for the end of them all. */
  cancel(): void {
    for (const [call, watches] of this.#watches)
      for (const watch_id of watches) call.sendMessage({ cancel_request: { watch_id } });
  }
}
