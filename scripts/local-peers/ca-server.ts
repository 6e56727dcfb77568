import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';

import { listening } from './tls-server.ts';

/** What a CA may do wrong when it is asked; each goes on until the client hangs up. */
export type CaFault =
  /** Takes the request and says nothing. */
  | 'silent'
  /** A byte of the body every 20 ms. */
  | 'drip'
  /** Body without end, as fast as it is taken. */
  | 'endless'
  /** Announces 40 MB and sends nothing of them. */
  | 'lying-length'
  /** Announces more than it sends before it hangs up. */
  | 'cut'
  | 'endless-headers'
  /** 64 MB in 64 kB. */
  | 'gzip-bomb'
  /** 302 to the path `/elsewhere` of the same server. */
  | 'redirect'
  | 'reset'
  | 'not-found'
  | 'error';

export interface CaRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** What it was answered with; null while it is held back or for faults without a status. */
  status: number | null;
}

type Answer = Uint8Array | ((request: Buffer) => Uint8Array);

export interface CaServer {
  port: number;
  /** `http://127.0.0.1:PORT`: start the server before minting what points at it. */
  origin: string;
  /** Every request so far, oldest first. */
  requests: readonly CaRequest[];
  requestsTo(path: string): readonly CaRequest[];
  /** Serves a CRL with an ETag of its bytes; called again, another one at the same address. Returns the URL. */
  crl(path: string, der: Uint8Array): string;
  /** Answers OCSP requests (POST, DER), the same for all or by the request. Returns the URL. */
  ocsp(path: string, response: Answer): string;
  /** Serves a CA certificate for AIA caIssuers. Returns the URL. */
  issuer(path: string, der: Uint8Array): string;
  /** Goes wrong at this path from now on. Returns the URL. */
  fault(path: string, fault: CaFault): string;
  /** Lets requests to this path wait until the returned function is called. */
  hold(path: string): () => void;
  stop(): Promise<void>;
}

interface Resource {
  contentType: string;
  answer: Answer;
  hasEtag: boolean;
}

/** Made once and before anybody waits: packing takes up to a second. */
let packed: Buffer | null = null;
const bomb = (): Buffer => (packed ??= gzipSync(Buffer.alloc(64 * 1024 * 1024)));

/** What a CA has in the web: CRLs, an OCSP responder and its certificates, over plain HTTP on loopback. */
export async function startCaServer({ host = '127.0.0.1' }: { host?: string } = {}): Promise<CaServer> {
  const resources = new Map<string, Resource | CaFault>();
  const held = new Map<string, Promise<void>>();
  const requests: CaRequest[] = [];
  const respond = async (response: ServerResponse, entry: CaRequest): Promise<void> => {
    await held.get(entry.path);
    const resource = resources.get(entry.path) ?? 'not-found';
    if (typeof resource === 'string') goWrong(response, resource);
    else answer(response, resource, entry);
    entry.status = response.headersSent ? response.statusCode : null;
  };
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = (request.url ?? '/').split('?')[0] ?? '/';
      const { method = '', headers } = request;
      const entry: CaRequest = { method, path, headers, body: Buffer.concat(chunks), status: null };
      requests.push(entry);
      void respond(response, entry);
    });
  });
  const peer = await listening(server, host);
  const { port } = peer;
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const put = (path: string, resource: Resource | CaFault): string => {
    resources.set(path, resource);
    return origin + path;
  };
  return {
    port,
    origin,
    requests,
    requestsTo: (wanted) => requests.filter(({ path }) => path === wanted),
    crl: (path, der) => put(path, { contentType: 'application/pkix-crl', answer: der, hasEtag: true }),
    ocsp: (path, response) =>
      put(path, { contentType: 'application/ocsp-response', answer: response, hasEtag: false }),
    issuer: (path, der) => put(path, { contentType: 'application/pkix-cert', answer: der, hasEtag: true }),
    fault(path, fault) {
      if (fault === 'gzip-bomb') bomb();
      return put(path, fault);
    },
    hold(path) {
      const { promise, resolve } = Promise.withResolvers<void>();
      held.set(path, promise);
      return () => {
        held.delete(path);
        resolve();
      };
    },
    stop: () => peer.stop(),
  };
}

function answer(
  response: ServerResponse,
  { contentType, answer: body, hasEtag }: Resource,
  request: CaRequest,
): void {
  const bytes = typeof body === 'function' ? body(request.body) : body;
  const etag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}"`;
  const headers = { 'content-type': contentType, ...(hasEtag && { etag }) };
  if (hasEtag && request.headers['if-none-match'] === etag) response.writeHead(304, headers).end();
  else response.writeHead(200, { ...headers, 'content-length': bytes.length }).end(bytes);
}

function goWrong(response: ServerResponse, fault: CaFault): void {
  const { socket } = response;
  switch (fault) {
    case 'silent':
      return;
    case 'drip': {
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      const timer = setInterval(() => response.write('0'), 20);
      response.on('close', () => clearInterval(timer));
      return;
    }
    case 'endless':
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      return pour(response, Buffer.alloc(65_536));
    case 'lying-length':
      response.writeHead(200, { 'content-length': 40 * 1024 * 1024 }).flushHeaders();
      return;
    case 'cut':
      response.writeHead(200, { 'content-length': 1000 }).write('0'.repeat(100), () => socket?.destroy());
      return;
    case 'endless-headers':
      socket?.write('HTTP/1.1 200 OK\r\n');
      if (socket) pour(socket, Buffer.from(`x-padding: ${'0'.repeat(4_000)}\r\n`));
      return;
    case 'gzip-bomb':
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb());
      return;
    case 'redirect':
      response.writeHead(302, { location: '/elsewhere' }).end();
      return;
    case 'reset':
      socket?.resetAndDestroy();
      return;
    case 'not-found':
      response.writeHead(404).end();
      return;
    case 'error':
      response.writeHead(500).end();
  }
}

/** Writes the same bytes for as long as the other side takes them. */
function pour(to: Writable, bytes: Buffer): void {
  const more = (): void => {
    while (!to.destroyed && to.write(bytes));
  };
  to.on('drain', more);
  more();
}
