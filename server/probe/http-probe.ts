import { isIP } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { isExpectedStatus } from '../core/expected-status.ts';
import type { Http2Fault, HttpObservation } from '../core/observation.ts';
import { createResponseReader } from '../egress/http-response.ts';
import { withTimeout } from '../egress/with-timeout.ts';
import { http2Farewell, Http2Reader, http2Request } from './http2-exchange.ts';
import {
  closeConnection,
  type ConnectOptions,
  handshakeFailure,
  mayDemandClientCertificate,
} from './handshake.ts';
import type { OpenConnection } from './address-probe.ts';

export interface HttpProbeOptions {
  /** `probeHttp` always closes this connection. */
  open: OpenConnection;
  endpoint: { host: string; port: number };
  /** Statuses that count as up, as in `isExpectedStatus`. */
  expectedStatus: string | null;
  /** Time limit for GET in ms. The HEAD request before it gets `HEAD_SHARE` of this time. */
  timeoutMs: number;
  signal: AbortSignal;
}

/** Share of the GET timeout that HEAD gets. Some servers never answer HEAD, and a user may wait for the result. */
const HEAD_SHARE = 0.4;
/** Maximum number of body bytes to read. Closing before the body ends makes the server log a broken request. */
const MAX_BODY_BYTES = 64 * 1024;
/** Maximum time in ms to wait for the rest of the body. */
const DRAIN_MS = 1_000;

/**
 * Sends HEAD / with the agreed protocol, and GET / on a new connection if the server may not support HEAD. If HTTP/2 fails, sends a request
 * with HTTP/1.1 too. Redirects count as answers. Returns null if the server requires a client certificate. `durationMs` is the time to the status.
 */
export async function probeHttp(options: HttpProbeOptions): Promise<HttpObservation | null> {
  const { open, endpoint, expectedStatus, timeoutMs, signal } = options;
  const { address } = open;

  let alpn: Pick<ConnectOptions, 'alpn'> = {};
  let demand: Http2Fault[] | null = null;
  const { reconnect: connectAgain } = open;
  if (connectAgain === null) {
    const limit = { ms: HEAD_SHARE * timeoutMs, signal };
    return (await request({ method: 'HEAD', address, endpoint, limit, tls: open.tls })).seen;
  }
  const reconnect = async (): Promise<TLSSocket | null> => {
    const again = await connectAgain(alpn);
    return again.ok ? again.tls : null;
  };
  const ask = async (tls: Request['tls'], method: Request['method'], ms: number): Promise<Result> => {
    const asked = { method, address, endpoint, limit: { ms, signal } };
    const result = await request({ ...asked, tls });
    if (!result.wantsHttp1) return result;
    // Retry with HTTP/1.1, as browsers do (RFC 9113 §7). Some servers have pages that demand a client certificate, and HTTP/2 cannot ask
    // for one after the handshake.
    demand = ['http1_required'];
    alpn = HTTP_1_1;
    const again = await reconnect();
    return again === null ? result : request({ ...asked, tls: again });
  };

  let last = await ask(open.tls, 'HEAD', HEAD_SHARE * timeoutMs);
  if (last.seen !== null && needsGet(last.seen, expectedStatus)) {
    const second = await reconnect();
    if (second !== null) last = await ask(second, 'GET', timeoutMs);
  }
  const { seen } = last;
  if (seen?.outcome === 'answered' && demand !== null) return { ...seen, http2Faults: demand };
  // An answer that exceeds our own limits does not show how clients react to it.
  if (seen?.outcome !== 'failed' || seen.reason === 'too_large') return seen;
  if (open.tls.alpnProtocol !== 'h2' || demand !== null) return seen;

  alpn = HTTP_1_1;
  const third = await reconnect();
  const byHttp1 = third && (await ask(third, 'GET', timeoutMs)).seen;
  if (byHttp1?.outcome !== 'answered' || !isExpectedStatus(byHttp1.status, expectedStatus)) return seen;
  // Try HTTP/2 again: the server may have been busy only for a moment.
  alpn = {};
  const fourth = await reconnect();
  if (fourth === null) return seen;
  const again = await ask(fourth, 'GET', HEAD_SHARE * timeoutMs);
  if (again.seen?.outcome !== 'failed') return again.seen;
  return { ...again.seen, http2Faults: lastingFaults(again.faults, again.seen.reason) };
}

/** Returns the faults because of which clients get no answer by HTTP/2. `reason`: how the request failed. */
function lastingFaults(faults: readonly Http2Fault[], reason: Failure): readonly Http2Fault[] {
  if (faults.includes('late_settings')) return ['no_settings'];
  return reason === 'not_http2' ? faults : [...faults, 'no_answer'];
}

const HTTP_1_1 = { alpn: ['http/1.1'] };

/**
 * Returns whether to retry with GET, because HEAD found the site down: servers without HEAD answer 405 or 5xx, or another status
 * than expected, close the connection, stay silent or break HTTP/2.
 */
export function needsGet(head: HttpObservation, expectedStatus: string | null): boolean {
  return head.outcome === 'failed'
    ? ['closed', 'timeout', 'not_http2'].includes(head.reason)
    : head.status === 405 || !isExpectedStatus(head.status, expectedStatus);
}

type Failure = Extract<HttpObservation, { outcome: 'failed' }>['reason'];

interface Limit {
  ms: number;
  signal: AbortSignal;
}

interface Request {
  tls: OpenConnection['tls'];
  method: 'HEAD' | 'GET';
  address: string;
  endpoint: { host: string; port: number };
  limit: Limit;
}

interface Result {
  seen: HttpObservation | null;
  /** Whether the server refused to answer by HTTP/2 and demands HTTP/1.1. */
  wantsHttp1: boolean;
  /** Faults of its HTTP/2, without `no_answer`. */
  faults: Http2Fault[];
}

async function request({ tls, method, address, endpoint, limit }: Request): Promise<Result> {
  const startedAt = performance.now();
  const since = (): number => Math.round(performance.now() - startedAt);
  const failed = (reason: Failure): HttpObservation => ({
    outcome: 'failed',
    address,
    reason,
    durationMs: since(),
  });

  const { promise: answered, resolve: answer } = Promise.withResolvers<HttpObservation | null>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const http2 = tls.alpnProtocol === 'h2' ? new Http2Reader((frame) => tls.write(frame)) : null;
  const reader = http2 ?? createResponseReader();
  let known: HttpObservation | null = null;
  let inBody = false;

  const read = (chunk: Buffer): void => {
    const state = reader.push(chunk);
    if (reader.bodyBytes() > MAX_BODY_BYTES) end();
    if (inBody) return;
    const status = reader.status();
    if (status !== null) known ??= { outcome: 'answered', address, method, status, durationMs: since() };
    if (state === 'more') return;
    inBody = true;
    // A status counts even if the headers after it exceed our limit, which is far below that of browsers.
    if (known !== null || state === 'done') answer(known);
    else answer(failed(http2 !== null && state === 'not_http' ? 'not_http2' : state));
    if (state !== 'done' || method === 'HEAD') end();
  };
  const readChunk = (chunk: Buffer): void => {
    read(chunk);
    if (http2?.hasEnded()) stop();
  };
  const stop = (): void => {
    // A status line counts as an answer, even if the connection breaks afterwards.
    answer(known ?? failed('closed'));
    end();
  };
  tls.on('data', readChunk).once('end', stop).once('close', stop);
  tls.once('error', (error: NodeJS.ErrnoException) => {
    const { tlsAlert } = handshakeFailure(error);
    if (known === null && mayDemandClientCertificate(tlsAlert)) answer(null);
    stop();
  });
  if (tls.destroyed) stop();
  else if (http2 === null) tls.write(requestText(method, endpoint));
  else tls.write(http2Request(method, authorityOf(endpoint), USER_AGENT));

  const result = await withTimeout(answered, limit, 'late' as const);
  if (result !== 'late') await withTimeout(ended, { ...limit, ms: DRAIN_MS }, undefined);
  tls.off('data', readChunk);
  if (http2 !== null && tls.writable) tls.write(http2Farewell(!http2.hasEnded()));
  await closeConnection(tls, limit.signal);
  const seen = result === 'late' ? failed('timeout') : result;
  const faults = http2?.faults() ?? [];
  return {
    seen: seen?.outcome === 'answered' && faults.length > 0 ? { ...seen, http2Faults: faults } : seen,
    wantsHttp1: http2?.wantsHttp1() ?? false,
    faults,
  };
}

const USER_AGENT = 'Certlantern (uptime)';

/** Returns the host, with its port unless that is 443. */
function authorityOf({ host, port }: { host: string; port: number }): string {
  const name = isIP(host) === 6 ? `[${host}]` : host;
  return port === 443 ? name : `${name}:${port}`;
}

function requestText(method: 'HEAD' | 'GET', endpoint: { host: string; port: number }): string {
  const lines = [
    `${method} / HTTP/1.1`,
    `Host: ${authorityOf(endpoint)}`,
    `User-Agent: ${USER_AGENT}`,
    'Accept: */*',
    'Connection: close',
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}
