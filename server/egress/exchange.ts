import type { X509Certificate } from 'node:crypto';
import {
  type ExchangeFailure,
  type ExchangeOptions,
  type ExchangeResult,
  type SecureSocket,
  sendRequest,
} from './exchange-request.ts';
import { type Connection, openConnection } from './open-connection.ts';
import { withTimeout } from './with-timeout.ts';
import { isIP } from 'node:net';
import {
  connect,
  createSecureContext,
  type DetailedPeerCertificate,
  getCACertificates,
  type TLSSocket,
} from 'node:tls';

const MAX_ADDRESSES = 3;
const CONNECT_MS = 5_000;
const MAX_URL_LENGTH = 2_048;
const USUAL_PORTS = [80, 443];
const FIRST_HIGH_PORT = 1_024;
/** Allowance for certificates, headers and other bytes beside the body. */
const MAX_OVERHEAD_BYTES = 256 * 1024;

/**
 * Sends one HTTP/1.1 request, only to addresses that the policy permits, within size limits and one deadline. Decodes the body,
 * follows no redirects, and never rejects because of what a peer does.
 */
export async function exchange(options: ExchangeOptions): Promise<ExchangeResult> {
  const { url, signal } = options;
  if (!isPlainWebUrl(url)) return failed('not_allowed');
  const deadline = new AbortController();
  const end = (): void => deadline.abort();
  const timer = setTimeout(end, options.deadlineMs);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    const limit = { ms: options.deadlineMs, signal: deadline.signal };
    return await withTimeout(
      connectAndSend({ ...options, signal: deadline.signal }),
      limit,
      failed('timeout'),
    );
  } finally {
    clearTimeout(timer);
    // Close open connections, so that none outlives its request.
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

async function connectAndSend(options: ExchangeOptions): Promise<ExchangeResult> {
  const { url, signal, secure = publicTls } = options;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const connection = await connectTo(host, options);
  if (!connection.ok) {
    if (connection.stage === 'policy') return failed('not_allowed');
    return failed(connection.reason === 'timeout' ? 'timeout' : 'unreachable');
  }
  const { socket } = connection;
  if (url.protocol === 'http:') return sendRequest(socket, socket, options);
  const tls = secure(socket, host);
  // Error listeners stay attached: an unhandled late error would end the process.
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

async function connectTo(host: string, options: ExchangeOptions): Promise<Connection> {
  const { url, resolver, policy, signal, maxBytes } = options;
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  const resolution = await resolver.resolve(host, { signal });
  if (!resolution.ok && resolution.stage === 'policy') return REFUSED;
  let connection: Connection = NO_ADDRESS;
  for (const address of resolution.ok ? resolution.addresses.slice(0, MAX_ADDRESSES) : []) {
    options.onAddress?.(address);
    connection = isPortAllowed(address, port, options)
      ? await openConnection({
          address,
          port,
          policy,
          signal,
          timeoutMs: CONNECT_MS,
          maxBytes: maxBytes + MAX_OVERHEAD_BYTES,
        })
      : REFUSED;
    if (!connection.ok && connection.stage === 'connect') options.onFailedConnection?.(connection.reason);
    if (connection.ok || signal.aborted) break;
  }
  return connection;
}

function isPortAllowed(
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

function failed(reason: ExchangeFailure): ExchangeResult {
  return { ok: false, reason };
}

/**
 * Returns a function that starts TLS and verifies the peer against only these trust anchors (PEM) and the host name.
 * Ignores the system's trust store and environment variables, so that every machine accepts the same peers.
 */
export function createVerifiedTls(anchors: readonly string[]): SecureSocket {
  // Created on first use and reused: parsing all roots costs more than a handshake.
  let context: ReturnType<typeof createSecureContext> | null = null;
  return (socket, host) => {
    context ??= createSecureContext({ ca: [...anchors], minVersion: 'TLSv1.2' });
    const tls: TLSSocket = connect({
      socket,
      host,
      checkServerIdentity: () =>
        isFor(host, tls.getPeerX509Certificate()) ? undefined : new Error('other host'),
      // SNI must not contain an IP address (RFC 6066 §3). Node then verifies the certificate against `host`.
      servername: isIP(host) === 0 ? host : '',
      secureContext: context,
      rejectUnauthorized: true,
      ALPNProtocols: ['http/1.1'],
    });
    // Node.js reads the peer's certificate for `checkServerIdentity`, and crashes if its key is on a curve without a NIST name.
    tls.getPeerCertificate = () => ({}) as DetailedPeerCertificate;
    return tls;
  };
}

/** Returns whether a verified certificate is for the host, by its alternative names only (RFC 9525 §2). */
function isFor(host: string, certificate: X509Certificate | undefined): boolean {
  const found =
    isIP(host) === 0
      ? certificate?.checkHost(host, { subject: 'never', partialWildcards: false })
      : certificate?.checkIP(host);
  return found !== undefined;
}

/** Returns a function that performs TLS handshakes and trusts the roots of Mozilla that Node bundles, and the roots `more` (PEM). */
export function createPublicTls(more: readonly string[]): SecureSocket {
  return createVerifiedTls([...getCACertificates('bundled'), ...more]);
}

const publicTls = createPublicTls([]);
