/** The agent's own HTTP server: `/healthz` (it runs), `/readyz` (its view can be relied on) and `/metrics`. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AgentStatus } from './agent.ts';
import type { Metrics } from './metrics.ts';

/** The server. */
export class HealthServer {
  readonly #server: Server;

  constructor(status: () => AgentStatus | undefined, { registry }: Metrics) {
    this.#server = createServer((request, response) => {
      const answer = (code: number, type: string, text: string): void => {
        response.writeHead(code, { 'content-type': type }).end(text);
      };
      const now = status();
      if (request.method !== 'GET') return answer(405, 'text/plain', 'only GET is answered\n');
      if (request.url === '/healthz') return answer(200, 'text/plain', 'ok\n');
      if (request.url === '/readyz')
        return answer(now?.ready === true ? 200 : 503, 'application/json', `${JSON.stringify(now ?? {})}\n`);
      if (request.url !== '/metrics')
        return answer(404, 'text/plain', 'there are /healthz, /readyz and /metrics\n');
      registry.metrics().then(
        (text) => answer(200, registry.contentType, text),
        (error: unknown) => answer(500, 'text/plain', `${error}\n`),
      );
    });
  }

  /** Begins to listen. @returns the port, which is another one than asked for if that was 0 */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => resolve((this.#server.address() as AddressInfo).port));
    });
  }

  /** Ends it. */
  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
