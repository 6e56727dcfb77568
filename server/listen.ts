import { createAdaptorServer } from '@hono/node-server';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from './config.ts';

/** Error for a port that the server cannot listen on. The message is one line for the operator. */
export class ListenError extends Error {
  override name = 'ListenError';
}

export interface HttpServer {
  port: number;
  /**
   * Sets the request handler. Earlier requests get 503. `admits` is called once for each later connection, which is answered with 429
   * and closed if it returns false.
   */
  use(
    app: { fetch(request: Request, ...rest: never[]): Response | Promise<Response> },
    admits?: (socket: Socket) => boolean,
  ): void;
  /** Stops accepting connections, waits up to `graceMs` for open requests, then closes every connection. */
  close(graceMs: number): Promise<void>;
}

/**
 * Deadlines for receiving the headers of a request, and for receiving it with its body, and how often Node looks for connections that
 * have missed them. They are closed, usually after the answer 408. A body has at most 1 MB, which takes 42 s at 200 kbit/s.
 */
const DEADLINES = { headersMs: 20_000, requestMs: 60_000, intervalMs: 5_000 };
const TOO_MANY = 'HTTP/1.1 429 Too Many Requests\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

/** Binds a port. Call it before the worker starts, so that nothing is checked or sent if it fails. @throws ListenError */
export async function listen({
  variable = 'PORT',
  deadlines = DEADLINES,
  ...config
}: Pick<Config, 'host' | 'port'> & {
  variable?: 'PORT' | 'WORKER_PORT';
  deadlines?: typeof DEADLINES;
}): Promise<HttpServer> {
  let handler: Parameters<typeof createAdaptorServer>[0]['fetch'] = () =>
    new Response('Starting', { status: 503 });
  let admitsConnection: (socket: Socket) => boolean = () => true;
  const server = createAdaptorServer({
    fetch: (request, env) => handler(request, env),
    serverOptions: {
      headersTimeout: deadlines.headersMs,
      requestTimeout: deadlines.requestMs,
      connectionsCheckingInterval: deadlines.intervalMs,
    },
  }) as Server;
  server.on('connection', (socket: Socket) => {
    if (admitsConnection(socket)) return;
    socket.write(TOO_MANY);
    socket.destroySoon();
  });
  // This is longer than most proxies keep idle connections. If we closed first, a request already on its way would fail.
  server.keepAliveTimeout = 75_000;
  server.listen(config.port, config.host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new ListenError(listenErrorMessage(config, variable, error), { cause: error });
  }
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : config.port;
  return {
    port,
    use(app, admits = () => true) {
      handler = app.fetch.bind(app) as typeof handler;
      admitsConnection = admits;
    },
    async close(graceMs) {
      const closed = once(server, 'close');
      server.close();
      // Close keep-alive connections as they become idle, because they would stay open otherwise.
      const idle = setInterval(() => server.closeIdleConnections(), 20);
      await Promise.race([closed, delay(graceMs, undefined, { ref: false })]);
      clearInterval(idle);
      server.closeAllConnections();
      await closed;
    },
  };
}

function listenErrorMessage(
  config: Pick<Config, 'host' | 'port'>,
  variable: 'PORT' | 'WORKER_PORT',
  error: unknown,
): string {
  const code = error instanceof Error ? Reflect.get(error, 'code') : null;
  if (code === 'EADDRINUSE')
    return `Port ${config.port} is in use by another program. Choose another one: ${variable}=${config.port === 65_535 ? 8080 : config.port + 1} npm start`;
  if (code === 'EACCES')
    return `Port ${config.port} needs privileges that this user does not have. Choose one above 1023: ${variable}=8080 npm start`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `HOST=${config.host} is not an address of this machine. Use 127.0.0.1, or 0.0.0.0 for every network.`;
  return `The server cannot listen on ${config.host}:${config.port}: ${String(error)}`;
}
