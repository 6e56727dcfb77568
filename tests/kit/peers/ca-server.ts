import { createHash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { listening } from './tls-server.ts';

/** Faulty behaviour of a CA. Faults without an end last until the client closes the connection. */
export type CaFault =
  /** Reads the request and never responds. */
  | 'silent'
  /** Sends one byte of the body every 20 ms. */
  | 'drip'
  /** Sends an endless body as fast as the client reads it. */
  | 'endless'
  /** Announces a body of 40 MB and sends none of it. */
  | 'lying-length'
  /** Announces 1,000 bytes, sends 100 and closes the connection. */
  | 'cut'
  | 'endless-headers'
  /** Sends 64 MB of zeros, compressed to 64 kB. */
  | 'gzip-bomb'
  /** Redirects (302) to `/elsewhere` on the same server. */
  | 'redirect'
  | 'reset'
  | 'not-found'
  | 'error';

export interface CaRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Status of the response; null while the request is held, and for faults that send no status. */
  status: number | null;
}

/** Response body, or a function that returns it for a request body. */
type Answer = Uint8Array | ((request: Buffer) => Uint8Array);

export interface CaServer {
  port: number;
  /** `http://127.0.0.1:PORT`. Start the server first: certificates that point at it need its port. */
  origin: string;
  /** All requests so far, oldest first. */
  requests: readonly CaRequest[];
  requestsTo(path: string): readonly CaRequest[];
  /** Serves a CRL, with the hash of its bytes as ETag. A second call for a path replaces the CRL. Returns the URL. */
  crl(path: string, der: Uint8Array): string;
  /**
   * Serves OCSP by POST at this path. `response` is the DER for every request, or a function that returns it for the DER of a
   * request. Returns the URL.
   */
  ocsp(path: string, response: Answer): string;
  /** Serves a CA certificate as AIA caIssuers URLs do (RFC 5280 §4.2.2.1). Returns the URL. */
  issuer(path: string, der: Uint8Array): string;
  /** Responds to requests for this path with a fault. Returns the URL. */
  fault(path: string, fault: CaFault): string;
  /** Compresses the CRLs, OCSP responses and certificates of this path with gzip, although no client asks for it. */
  compress(path: string): void;
  /** Holds requests to this path until the returned function is called. */
  hold(path: string): () => void;
  stop(): Promise<void>;
}

interface Resource {
  contentType: string;
  answer: Answer;
  hasEtag: boolean;
}

/** The body of 'gzip-bomb': compressed zeros. Compressing takes up to a second, so the first request for the body starts it. */
let packed: Buffer | null = null;
const bomb = (): Buffer => (packed ??= gzipSync(Buffer.alloc(64 * 1024 * 1024)));

/** Starts the HTTP server of a CA on a free loopback port: CRLs, an OCSP responder and CA certificates. */
export async function startCaServer({ host = '127.0.0.1' }: { host?: string } = {}): Promise<CaServer> {
  const resources = new Map<string, Resource | CaFault>();
  const held = new Map<string, Promise<void>>();
  const compressed = new Set<string>();
  const requests: CaRequest[] = [];
  const respond = async (response: ServerResponse, entry: CaRequest): Promise<void> => {
    await held.get(entry.path);
    const resource = resources.get(entry.path) ?? 'not-found';
    if (typeof resource === 'string') sendFault(response, resource);
    else answer(response, resource, entry, compressed.has(entry.path));
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
    compress: (path) => void compressed.add(path),
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
  isCompressed: boolean,
): void {
  const der = typeof body === 'function' ? body(request.body) : body;
  const bytes = isCompressed ? gzipSync(der) : der;
  const etag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}"`;
  const headers = {
    'content-type': contentType,
    ...(hasEtag && { etag }),
    ...(isCompressed && { 'content-encoding': 'gzip' }),
  };
  if (hasEtag && request.headers['if-none-match'] === etag) response.writeHead(304, headers).end();
  else response.writeHead(200, { ...headers, 'content-length': bytes.length }).end(bytes);
}

function sendFault(response: ServerResponse, fault: CaFault): void {
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

/** Writes `bytes` again and again until the stream is destroyed. Waits while its buffer is full. */
function pour(to: Writable, bytes: Buffer): void {
  const more = (): void => {
    while (!to.destroyed && to.write(bytes));
  };
  to.on('drain', more);
  more();
}
