import { exchange } from '../../egress/index.ts';
import type { AddressPolicy, Resolver, SecureSocket } from '../../egress/index.ts';

/** The way to services that speak JSON over verified https. */
export interface JsonWay {
  resolver: Resolver;
  policy: AddressPolicy;
  /** Ends every request. */
  stop: AbortSignal;
  /** How https shakes hands; verified against the public roots where absent. */
  secure?: SecureSocket;
}

export type JsonAnswer =
  | { status: number; content: unknown; body: Buffer; retryAfterMs: number | null }
  /** Nobody answered, or not in JSON. */
  | { status: null; retryAfterMs: null };

const DEADLINE_MS = 15_000;
const NOBODY: JsonAnswer = { status: null, retryAfterMs: null };

/** GETs JSON over https; nothing is followed. `content` is null for what is not 2xx. `now`: ms UTC, for dates in headers. */
export async function askForJson(
  url: string,
  way: JsonWay,
  { accept, maxBytes, now }: { accept: string; maxBytes: number; now: number },
): Promise<JsonAnswer> {
  const parsed = URL.parse(url);
  if (parsed?.protocol !== 'https:') return NOBODY;
  const { stop, ...rest } = way;
  const options = {
    ...rest,
    url: parsed,
    headers: { accept },
    signal: stop,
    deadlineMs: DEADLINE_MS,
    maxBytes,
  };
  const answer = await exchange(options);
  if (!answer.ok) return NOBODY;
  const { status, body } = answer;
  const retryAfterMs = retryAfter(answer.headers['retry-after'], now);
  if (status < 200 || status > 299) return { status, content: null, body, retryAfterMs };
  try {
    const content: unknown = JSON.parse(body.toString('utf8'));
    return { status, content, body, retryAfterMs };
  } catch (error) {
    if (error instanceof SyntaxError) return NOBODY;
    throw error;
  }
}

/** RFC 9110 §10.2.3: seconds, or a date. */
function retryAfter(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(at - now, 0);
}
