import { exchange } from '../../egress/exchange.ts';
import type { AddressPolicy } from '../../egress/address-policy.ts';
import type { SecureSocket } from '../../egress/exchange-request.ts';
import type { Resolver } from '../../egress/resolver.ts';

/** Settings for requests to JSON services over verified https. */
export interface JsonContext {
  resolver: Resolver;
  policy: AddressPolicy;
  /** Aborting it ends every request. */
  stop: AbortSignal;
  /** Performs the TLS handshake. Default: verifies against the public roots. */
  secure?: SecureSocket;
}

export type JsonResponse =
  | { status: number; content: unknown; body: Buffer; retryAfterMs: number | null }
  /** The URL is not https, there was no answer, or a 2xx answer is not JSON. */
  | { status: null; retryAfterMs: null };

const DEADLINE_MS = 15_000;
const NO_ANSWER: JsonResponse = { status: null, retryAfterMs: null };

/**
 * Fetches JSON over https and follows no redirects. `content` is null unless the status is 2xx. `now` (ms UTC) is the
 * base for dates in headers.
 */
export async function fetchJson(
  url: string,
  context: JsonContext,
  { accept, maxBytes, now }: { accept: string; maxBytes: number; now: number },
): Promise<JsonResponse> {
  const parsed = URL.parse(url);
  if (parsed?.protocol !== 'https:') return NO_ANSWER;
  const { stop, ...rest } = context;
  const options = {
    ...rest,
    url: parsed,
    headers: { accept },
    signal: stop,
    deadlineMs: DEADLINE_MS,
    maxBytes,
  };
  const answer = await exchange(options);
  if (!answer.ok) return NO_ANSWER;
  const { status, body } = answer;
  const retryAfterMs = retryAfter(answer.headers['retry-after'], now);
  if (status < 200 || status > 299) return { status, content: null, body, retryAfterMs };
  try {
    const content: unknown = JSON.parse(body.toString('utf8'));
    return { status, content, body, retryAfterMs };
  } catch (error) {
    if (error instanceof SyntaxError) return NO_ANSWER;
    throw error;
  }
}

/**
 * Parses Retry-After, which is seconds or a date (RFC 9110 §10.2.3), into ms from now. Returns null if
 * it is missing or invalid.
 */
function retryAfter(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(at - now, 0);
}
