/**
 * The network between the members of a cluster, out of which a member can be cut. It needs no privileges: etcd speaks to
 * its peers through the HTTP proxy that its environment names, and each member is given one of its own. So it is known of
 * each exchange who asks, which a proxy in front of the one who answers could not know.
 */
import { once } from 'node:events';
import {
  request as ask,
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';

/** Where a member listens for its peers. */
interface Place {
  readonly host: string;
  readonly port: number;
}

/** What one member asks of another; that includes the streams on which they send each other messages. */
interface Exchange {
  readonly from: number;
  readonly to: number;
  end(): void;
}

/** Proxies for the members' peer traffic. */
export class PeerNetwork {
  readonly #places: readonly Place[];
  readonly #servers: readonly Server[];
  readonly #exchanges = new Set<Exchange>();
  readonly #cut = new Set<number>();

  /** @param places - where each member listens for its peers */
  static async start(places: readonly Place[]): Promise<PeerNetwork> {
    const network = new PeerNetwork(places);
    for (const server of network.#servers) server.listen(0);
    await Promise.all(network.#servers.map((server) => once(server, 'listening')));
    return network;
  }

  private constructor(places: readonly Place[]) {
    this.#places = places;
    this.#servers = places.map((_, from) =>
      createServer((request, response) => this.#carry(from, request, response)),
    );
  }

  /** A member's peer URL. Nobody has its address: a request to it has to go through a proxy. */
  url(index: number): string {
    return `http://${addressOf(index)}:2380`;
  }

  /** The URL of a member's proxy. @param host - where that member reaches this process */
  proxy(index: number, host: string): string {
    const address = this.#servers[index]?.address();
    if (typeof address !== 'object' || address === null) throw new RangeError(`no member ${index} listens`);
    const { port } = address;
    return `http://${host}:${port}`;
  }

  /** Nothing goes from a member to another or back any more, and what is on its way is lost. */
  cut(index: number): void {
    this.#cut.add(index);
    for (const exchange of this.#exchanges)
      if (exchange.from === index || exchange.to === index) exchange.end();
  }

  /** All members reach each other again. */
  mend(): void {
    this.#cut.clear();
  }

  async close(): Promise<void> {
    for (const exchange of this.#exchanges) exchange.end();
    await Promise.all(
      this.#servers.map(async (server) => {
        const closed = once(server, 'close');
        server.close();
        server.closeAllConnections();
        await closed;
      }),
    );
  }

  #carry(from: number, request: IncomingMessage, response: ServerResponse): void {
    const asked = URL.canParse(request.url ?? '') ? new URL(request.url ?? '') : undefined;
    const to = this.#places.findIndex((_, index) => addressOf(index) === asked?.hostname);
    const place = this.#places[to];
    if (asked === undefined || place === undefined || this.#cut.has(from) || this.#cut.has(to)) {
      request.socket.destroy();
      return;
    }
    const { method, headers } = request;
    const onward = ask({ ...place, method, headers, path: asked.pathname + asked.search, agent: false });
    const exchange: Exchange = {
      from,
      to,
      end: () => {
        this.#exchanges.delete(exchange);
        onward.destroy();
        request.socket.destroy();
      },
    };
    this.#exchanges.add(exchange);
    onward.on('error', exchange.end);
    response.on('close', () => {
      this.#exchanges.delete(exchange);
      onward.destroy();
    });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      // A stream's first message may come much later than its head.
      response.flushHeaders();
      answer.on('error', exchange.end);
      answer.pipe(response);
    });
    request.pipe(onward);
  }
}

/** Of a network that documents use and nobody has (RFC 5737): Go takes no proxy to a loopback address. */
const addressOf = (index: number): string => `192.0.2.${index + 1}`;
