import { isIP } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type HttpObservation, isExpectedStatus } from '../core/index.ts';
import { createResponseReader, withTimeout } from '../egress/index.ts';
import { handshakeFailure, closeTls, mayDemandClientCertificate } from './handshake.ts';
import type { OpenConnection } from './address-probe.ts';

export interface HttpProbeOptions {
  /** `probeHttp` always closes this connection. */
  open: OpenConnection;
  endpoint: { host: string; port: number };
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
 * Sends HEAD /, and then GET / on a new connection if the server may not support HEAD. Redirects count as answers. Returns
 * null if the server requires a client certificate. The `durationMs` of an answer ends with the status line.
 */
export async function probeHttp(options: HttpProbeOptions): Promise<HttpObservation | null> {
  const { open, endpoint, timeoutMs, signal } = options;
  const { address } = open;

  const headLimit = { ms: HEAD_SHARE * timeoutMs, signal };
  const head = await request({ tls: open.tls, method: 'HEAD', address, endpoint, limit: headLimit });
  if (head === null || !needsGet(head)) return head;
  const second = await open.reconnect();
  if (!second.ok || second.tls === null) return head;
  return await request({
    tls: second.tls,
    method: 'GET',
    address,
    endpoint,
    limit: { ms: timeoutMs, signal },
  });
}

/** Returns whether to retry with GET: servers without HEAD answer 405 or 5xx, close the connection or stay silent. */
function needsGet(head: HttpObservation): boolean {
  return head.outcome === 'failed'
    ? head.reason === 'closed' || head.reason === 'timeout'
    : head.status === 405 || !isExpectedStatus(head.status, null);
}

interface Limit {
  ms: number;
  signal: AbortSignal;
}

interface Request {
  tls: TLSSocket;
  method: 'HEAD' | 'GET';
  address: string;
  endpoint: { host: string; port: number };
  limit: Limit;
}

async function request({ tls, method, address, endpoint, limit }: Request): Promise<HttpObservation | null> {
  const startedAt = performance.now();
  const since = (): number => Math.round(performance.now() - startedAt);
  const failed = (reason: 'timeout' | 'closed' | 'not_http' | 'too_large'): HttpObservation => ({
    outcome: 'failed',
    address,
    reason,
    durationMs: since(),
  });

  const { promise: answered, resolve: answer } = Promise.withResolvers<HttpObservation | null>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const reader = createResponseReader();
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
    answer(state === 'done' ? known : failed(state));
    if (state !== 'done' || method === 'HEAD') end();
  };
  const stop = (): void => {
    // A status line counts as an answer, even if the connection breaks afterwards.
    answer(known ?? failed('closed'));
    end();
  };
  tls.on('data', read).once('end', stop).once('close', stop);
  tls.once('error', (error: NodeJS.ErrnoException) => {
    const { tlsAlert } = handshakeFailure(error);
    if (known === null && mayDemandClientCertificate(tlsAlert)) answer(null);
    stop();
  });
  if (tls.destroyed) stop();
  else tls.write(requestText(method, endpoint));

  const result = await withTimeout(answered, limit, 'late' as const);
  if (result !== 'late') await withTimeout(ended, { ...limit, ms: DRAIN_MS }, undefined);
  tls.off('data', read);
  await closeTls(tls, limit.signal);
  return result === 'late' ? failed('timeout') : result;
}

function requestText(method: 'HEAD' | 'GET', { host, port }: { host: string; port: number }): string {
  const name = isIP(host) === 6 ? `[${host}]` : host;
  const lines = [
    `${method} / HTTP/1.1`,
    `Host: ${port === 443 ? name : `${name}:${port}`}`,
    'User-Agent: Certlantern (uptime)',
    'Accept: */*',
    'Connection: close',
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}
