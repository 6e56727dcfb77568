import { isIP } from 'node:net';
import type { TLSSocket } from 'node:tls';

import type { HttpObservation } from '../core/index.ts';
import { createAnswerReader, within } from '../egress/index.ts';
import { hangUp } from './handshake.ts';
import { handshakeFailure, isForClientCertificate } from './handshake-failure.ts';
import type { OpenLook } from './look.ts';

export interface HttpLookOptions {
  /** It is hung up in any case. */
  open: OpenLook;
  endpoint: { host: string; port: number };
  /** For GET. The HEAD request before it gets `HEAD_SHARE` of this time. */
  timeoutMs: number;
  signal: AbortSignal;
}

/** Fraction of the GET timeout that HEAD gets. Simple servers never answer HEAD, and a user may be waiting for the result. */
const HEAD_SHARE = 0.4;
/** After an answer, for the rest of it: a server that is cut off has a broken request to log. */
const MAX_BODY_BYTES = 64 * 1024;
const DRAIN_MS = 1_000;

/**
 * Asks for `/` over the open connection: HEAD, and GET on a connection of its own where HEAD is refused or fares in a way
 * that would count as down. A redirect is an answer like any other. null where clients without a certificate get no
 * answer at all, which says nothing. `durationMs` runs from the request to the end of the status line.
 */
export async function lookAtHttp(options: HttpLookOptions): Promise<HttpObservation | null> {
  const { open, endpoint, timeoutMs, signal } = options;
  const { address } = open;

  const headLimit = { ms: HEAD_SHARE * timeoutMs, signal };
  const head = await ask({ tls: open.tls, method: 'HEAD', address, endpoint, limit: headLimit });
  if (head === null || !isRefusal(head)) return head;
  const again = await open.reconnect();
  if (!again.ok || again.tls === null) return head;
  return await ask({ tls: again.tls, method: 'GET', address, endpoint, limit: { ms: timeoutMs, signal } });
}

/** Whether to retry with GET. Servers without HEAD answer 405 or 5xx, close the connection, or do not answer. */
function isRefusal(head: HttpObservation): boolean {
  return head.outcome === 'failed'
    ? head.reason === 'closed' || head.reason === 'timeout'
    : head.status === 405 || head.status >= 500;
}

interface Limit {
  ms: number;
  signal: AbortSignal;
}

interface Question {
  tls: TLSSocket;
  method: 'HEAD' | 'GET';
  address: string;
  endpoint: { host: string; port: number };
  limit: Limit;
}

async function ask({ tls, method, address, endpoint, limit }: Question): Promise<HttpObservation | null> {
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
  const reader = createAnswerReader();
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
    // A status line is an answer, however the connection fares afterwards.
    answer(known ?? failed('closed'));
    end();
  };
  tls.on('data', read).once('end', stop).once('close', stop);
  tls.once('error', (error: NodeJS.ErrnoException) => {
    const { tlsAlert } = handshakeFailure(error);
    if (known === null && isForClientCertificate(tlsAlert)) answer(null);
    stop();
  });
  if (tls.destroyed) stop();
  else tls.write(requestText(method, endpoint));

  const result = await within(answered, limit, 'late' as const);
  if (result !== 'late') await within(ended, { ...limit, ms: DRAIN_MS }, undefined);
  tls.off('data', read);
  await hangUp(tls, limit.signal);
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
