import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { listening, type Peer, type ServerCertificate } from './tls-server.ts';

export interface SunkRequest {
  method: string;
  /** With its query. */
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** How the sink answers. Parts that are missing mean: status 200, at once. With `drop`, it resets the connection instead. */
export interface SinkAnswer {
  status?: number;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  delayMs?: number;
  drop?: boolean;
}

export interface WebhookSink extends Peer {
  /** `http://127.0.0.1:port`, or https. */
  url: string;
  /** All complete requests, oldest first. */
  requests: SunkRequest[];
  /** Called for every request; may be replaced at any time. */
  answer: (request: SunkRequest) => SinkAnswer;
}

export interface WebhookSinkOptions {
  port?: number;
  /** Serves HTTPS with this certificate. */
  certificate?: ServerCertificate;
  /**
   * A file that gets a line of JSON for each request. The line is on disk before the request is answered, so the file has
   * everything that was acknowledged.
   */
  ledger?: string;
}

/**
 * Starts a receiver of webhooks: an HTTP server on loopback that keeps requests and answers as configured. It verifies nothing.
 */
export async function startWebhookSink({
  port = 0,
  certificate,
  ledger,
}: WebhookSinkOptions = {}): Promise<WebhookSink> {
  const file = ledger === undefined ? null : openSync(ledger, 'a');
  const requests: SunkRequest[] = [];
  const onRequest: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const sunk = { method, path: url, headers, body: Buffer.concat(chunks).toString('utf8') };
      requests.push(sunk);
      if (file !== null) {
        writeSync(file, `${JSON.stringify(sunk)}\n`);
        fsyncSync(file);
      }
      const { status = 200, headers: more, body, delayMs = 0, drop = false } = sink.answer(sunk);
      setTimeout(() => {
        if (drop) request.socket.resetAndDestroy();
        else response.writeHead(status, more).end(body);
      }, delayMs);
    });
  };
  const server =
    certificate === undefined
      ? createServer(onRequest)
      : createTlsServer(
          { cert: certificate.certificatePem + (certificate.chainPem ?? ''), key: certificate.keyPem },
          onRequest,
        );
  const peer = await listening(server, '127.0.0.1', port);
  const sink: WebhookSink = {
    port: peer.port,
    url: `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${peer.port}`,
    requests,
    answer: () => ({}),
    async stop() {
      await peer.stop();
      if (file !== null) closeSync(file);
    },
  };
  return sink;
}
