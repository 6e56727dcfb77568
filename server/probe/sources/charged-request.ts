import type { IncomingHttpHeaders } from 'node:http';
import type { AddressPolicy } from '../../egress/address-policy.ts';
import { exchange } from '../../egress/exchange.ts';
import type { Resolver } from '../../egress/resolver.ts';
import { type QuotaCharge, quotasFor, type RequestQuotas } from './request-quotas.ts';
import type { Requester } from './sources.ts';

export interface ChargedRequestContext {
  resolver: Resolver;
  policy: AddressPolicy;
  quotas: RequestQuotas;
  /** Aborting it ends every request. */
  stop: AbortSignal;
}

export interface ChargedRequest {
  url: string;
  /**
   * Check whose quota is charged; null if a public CA vouches for the request. The request is then charged to the quota of the
   * host.
   */
  requester: Requester | null;
  /** Body to send by POST. If absent, the request is a GET. */
  body?: { type: string; bytes: Uint8Array };
}

export interface Validators {
  etag: string | null;
  lastModified: string | null;
}

export type ChargedResponse =
  /**
   * `bytes`: body; null after status 304, because the cached bytes are still current. `charges`: quota charges to
   * refund if the answer is verified.
   */
  | (Validators & { bytes: Buffer | null; charges: QuotaCharge[] })
  | { why: 'unreachable' | 'too_large' | 'malformed' };

export interface ChargedRequestOptions {
  context: ChargedRequestContext;
  withPermit: <T>(task: () => Promise<T>) => Promise<T>;
  accept: string;
  maxBytes: number;
  deadlineMs: number;
}

/** Status codes of redirects with a Location header (RFC 9110 §15.4). */
const REDIRECTS = [301, 302, 303, 307, 308];
/** Maximum number of addresses that `exchange` tries. */
const MAX_ADDRESSES = 3;

/**
 * Sends the request and charges it to the quotas of its requester or host. Follows one redirect of a GET; its target passes
 * the same address checks and is charged too. Returns null if a quota is used up. Never rejects because of a failed request.
 */
export async function sendChargedRequest(
  request: ChargedRequest,
  known: Validators | null,
  options: ChargedRequestOptions,
): Promise<ChargedResponse | null> {
  const first = await sendCharged(request.url, request, known, options);
  if (first === null || !('location' in first)) return first;
  const target = request.body ? null : URL.parse(first.location, request.url);
  if (target === null) return { why: 'unreachable' };
  const second = await sendCharged(target.href, request, known, options);
  if (second === null || 'why' in second) return second;
  if ('location' in second) return { why: 'unreachable' };
  return { ...second, charges: [...first.charges, ...second.charges] };
}

interface Redirect {
  location: string;
  charges: QuotaCharge[];
}

async function sendCharged(
  text: string,
  { requester, body }: ChargedRequest,
  known: Validators | null,
  { context, withPermit, accept, maxBytes, deadlineMs }: ChargedRequestOptions,
): Promise<ChargedResponse | Redirect | null> {
  const url = URL.parse(text);
  if (url === null) return { why: 'unreachable' };
  if (requester?.takeRequest() === false) return null;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  // Resolve only once, so that the charged addresses are the contacted ones.
  const resolution = await context.resolver.resolve(host, { signal: context.stop });
  const addresses = resolution.ok ? resolution.addresses.slice(0, MAX_ADDRESSES) : [];
  const charges = quotasFor(requester, host, addresses);
  if (!context.quotas.take(charges)) return null;
  const answer = await withPermit(() =>
    exchange({
      url,
      resolver: { resolve: () => Promise.resolve(resolution) },
      policy: context.policy,
      signal: context.stop,
      headers: {
        accept,
        ...(body && { 'content-type': body.type }),
        ...condition(known),
      },
      ...(body && { method: 'POST', body: body.bytes }),
      deadlineMs,
      maxBytes,
    }),
  );
  if (!answer.ok) {
    const { reason } = answer;
    return { why: reason === 'too_large' || reason === 'malformed' ? reason : 'unreachable' };
  }
  if (answer.status === 304 && known !== null) {
    const { etag, lastModified } = known;
    return { etag, lastModified, bytes: null, charges };
  }
  const { location } = answer.headers;
  if (location !== undefined && REDIRECTS.includes(answer.status)) return { location, charges };
  if (answer.status !== 200) return { why: 'unreachable' };
  return { bytes: answer.body, ...validatorsIn(answer.headers), charges };
}

/** Returns the headers that make a request conditional (RFC 9110 §13.1); none without validators. */
export function condition(known: Validators | null): Record<string, string> {
  return {
    ...(known?.etag && { 'if-none-match': known.etag }),
    ...(known?.lastModified && { 'if-modified-since': known.lastModified }),
  };
}

/** Returns the validators of an answer. Those of more than 256 characters are null, because every later request would send them back. */
export function validatorsIn({ etag, 'last-modified': lastModified }: IncomingHttpHeaders): Validators {
  const withinLimit = (validator: string | undefined) =>
    validator !== undefined && validator.length <= 256 ? validator : null;
  return { etag: withinLimit(etag), lastModified: withinLimit(lastModified) };
}
