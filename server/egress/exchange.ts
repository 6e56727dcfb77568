import type { IncomingHttpHeaders } from 'node:http';
import type { AddressPolicy } from './address-policy.ts';
import { sendRequest } from './exchange-request.ts';
import { type Connection, openConnection } from './open-connection.ts';
import type { Resolver } from './resolver.ts';
import { within } from './within.ts';
import { isIP, type Socket } from 'node:net';
import { connect, createSecureContext, getCACertificates, type TLSSocket } from 'node:tls';

export interface ExchangeOptions {
  url: URL;
  method?: 'GET' | 'POST';
  /**
   * Beside Host, Accept-Encoding, Connection and the length of the body. No credentials but those of the host in the URL:
   * nothing is followed, so nobody else gets them.
   */
  headers?: Readonly<Record<string, string>>;
  body?: Uint8Array;
  resolver: Resolver;
  policy: AddressPolicy;
  signal: AbortSignal;
  /** For everything, the resolution included, by the wall clock. */
  deadlineMs: number;
  /** Of the body. 0: nobody wants it, and the answer is complete with its head. */
  maxBytes: number;
  /** What becomes of a longer body; `refuse` where absent. */
  longer?: 'refuse' | 'cut';
  /**
   * `usual`: 80 and 443, and at an address in a range that the operator opened any port, since services of an own network
   * sit anywhere. `high`: these, and everywhere those from 1024 on, where people run what is not a system's own service. A
   * list allows its ports alone, wherever they are.
   */
  ports?: 'usual' | 'high' | readonly number[];
  /** How https shakes hands; verified against the public roots where absent. */
  secure?: SecureSocket;
}

/** Why there is no answer. `not_allowed`: the URL, its port or an address behind its name may not be asked. */
export type ExchangeFailure =
  'not_allowed' | 'unreachable' | 'timeout' | 'insecure' | 'malformed' | 'too_large';

/**
 * Any status is an answer, redirects too: whoever follows them validates each hop anew. The body of one that is not 2xx is
 * left where it is, and empty here.
 */
export type Exchanged =
  | { ok: true; status: number; headers: IncomingHttpHeaders; body: Buffer }
  | { ok: false; reason: ExchangeFailure };

const MOST_ADDRESSES = 3;
const CONNECT_MS = 5_000;
const MAX_URL_LENGTH = 2_048;
const USUAL_PORTS = [80, 443];
const FIRST_HIGH_PORT = 1_024;
/** Certificates, headers and whatever else stands around a body. */
const MAX_EXTRA_BYTES = 256 * 1024;

/**
 * One HTTP/1.1 request over the guarded way: resolved once, every address judged, pinned, capped, within one deadline.
 * Nothing is followed and nothing unpacked. Never rejects for what a peer does.
 */
export async function exchange(options: ExchangeOptions): Promise<Exchanged> {
  const { url, signal } = options;
  if (!isPlainWebUrl(url)) return failed('not_allowed');
  const deadline = new AbortController();
  const end = (): void => deadline.abort();
  const timer = setTimeout(end, options.deadlineMs);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    const limit = { ms: options.deadlineMs, signal: deadline.signal };
    return await within(ask({ ...options, signal: deadline.signal }), limit, failed('timeout'));
  } finally {
    clearTimeout(timer);
    // Whatever is still open: nothing outlives its request.
    end();
    signal.removeEventListener('abort', end);
  }
}

function isPlainWebUrl({ protocol, username, password, hostname, href }: URL): boolean {
  return (
    (protocol === 'http:' || protocol === 'https:') &&
    username === '' &&
    password === '' &&
    hostname !== '' &&
    href.length <= MAX_URL_LENGTH
  );
}

async function ask(options: ExchangeOptions): Promise<Exchanged> {
  const { url, signal, secure = publicTls } = options;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const connection = await connectionTo(host, options);
  if (!connection.ok) {
    if (connection.stage === 'policy') return failed('not_allowed');
    return failed(connection.reason === 'timeout' ? 'timeout' : 'unreachable');
  }
  const { socket } = connection;
  if (url.protocol === 'http:') return sendRequest(socket, socket, options);
  const tls = secure(socket, host);
  // The error listeners of this and of the request stay: a late error must not end the process.
  const secured = new Promise<boolean>((resolve) => {
    tls.once('secureConnect', () => resolve(true));
    for (const one of [tls, socket])
      one.on('error', () => resolve(false)).once('close', () => resolve(false));
  });
  try {
    if (await secured) return await sendRequest(tls, socket, options);
    return failed(signal.aborted ? 'timeout' : 'insecure');
  } finally {
    tls.destroy();
    socket.destroy();
  }
}

async function connectionTo(host: string, options: ExchangeOptions): Promise<Connection> {
  const { url, resolver, policy, signal, maxBytes } = options;
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  const resolution = await resolver.resolve(host, { signal });
  if (!resolution.ok && resolution.stage === 'policy') return REFUSED;
  let connection: Connection = NO_ADDRESS;
  for (const address of resolution.ok ? resolution.addresses.slice(0, MOST_ADDRESSES) : []) {
    connection = mayAsk(address, port, options)
      ? await openConnection({
          address,
          port,
          policy,
          signal,
          timeoutMs: CONNECT_MS,
          maxBytes: maxBytes + MAX_EXTRA_BYTES,
        })
      : REFUSED;
    if (connection.ok || signal.aborted) break;
  }
  return connection;
}

function mayAsk(
  address: string,
  port: number,
  { policy, ports = 'usual' }: Pick<ExchangeOptions, 'policy' | 'ports'>,
): boolean {
  if (typeof ports !== 'string') return ports.includes(port);
  if (ports === 'high' && port >= FIRST_HIGH_PORT) return true;
  return USUAL_PORTS.includes(port) || policy.opens(address);
}

const REFUSED: Connection = { ok: false, stage: 'policy', reason: 'address_refused', detail: null };
const NO_ADDRESS: Connection = { ok: false, stage: 'connect', reason: 'unroutable', detail: null };

function failed(reason: ExchangeFailure): Exchanged {
  return { ok: false, reason };
}

/** Starts TLS over a connected socket for this host; the result emits `secureConnect` only once the peer is good enough. */
export type SecureSocket = (socket: Socket, host: string) => TLSSocket;

/**
 * TLS verified against these anchors (PEM) alone, and against the name of the host. Never the system's store and never
 * what the environment says: the same peer is believed or not on every machine.
 */
export function createVerifiedTls(anchors: readonly string[]): SecureSocket {
  // Made at its first use, and once: parsing all roots costs more than a handshake.
  let context: ReturnType<typeof createSecureContext> | null = null;
  return (socket, host) => {
    context ??= createSecureContext({ ca: [...anchors], minVersion: 'TLSv1.2' });
    return connect({
      socket,
      host,
      // An address is no server name (RFC 6066 §3); the certificate is then compared with `host`.
      servername: isIP(host) === 0 ? host : '',
      secureContext: context,
      rejectUnauthorized: true,
      ALPNProtocols: ['http/1.1'],
    });
  };
}

/** Verified against Mozilla's roots as bundled with Node. */
const publicTls: SecureSocket = createVerifiedTls(getCACertificates('bundled'));
