import { STATUS_CODES } from 'node:http';
import {
  type AddressPolicy,
  exchange,
  type ExchangeResult,
  type ExchangeFailure,
  type Resolver,
  type SecureSocket,
} from '../egress/index.ts';
import type { DeliveryOutcome, OutgoingAlert, Receiver } from './definition.ts';
import { definitionOf, type StoredChannelConfig } from './kinds/index.ts';

export interface HttpChannels {
  /**
   * Makes one attempt. Never rejects because of what a receiver does. `detail` gives the status of the answer and contains neither
   * secrets nor anything that the receiver wrote. @throws TypeError for mail.
   */
  deliver(
    config: StoredChannelConfig,
    outgoing: OutgoingAlert,
    signal: AbortSignal,
  ): Promise<DeliveryOutcome>;
}

export interface HttpChannelsOptions {
  resolver: Resolver;
  policy: AddressPolicy;
  /** TLS for https. Omitted: verified against the public roots. */
  secure?: SecureSocket;
  /** For one attempt, with the resolution of the name. */
  deadlineMs?: number;
  /** Test servers to call instead of services with a fixed address, by the origin of the service. */
  standIns?: Readonly<Record<string, URL>>;
}

const DEADLINE_MS = 15_000;

/** Posts alerts through the guarded egress. It follows no redirect and reads no body. */
export function createHttpChannels(options: HttpChannelsOptions): HttpChannels {
  const { standIns = {}, deadlineMs = DEADLINE_MS, ...egress } = options;
  return {
    async deliver(config, outgoing, signal) {
      const { name, receiver } = definitionOf(config.kind);
      if (receiver === undefined) throw new TypeError(`A channel of the kind ${config.kind} takes no HTTP.`);
      const { url: address, headers, body } = receiver.posting(config, outgoing);
      const url = URL.parse(address);
      if (url === null) return unanswered('not_allowed', false);
      const standIn = standIns[url.origin];
      const answer = await exchange({
        ...egress,
        url: standIn ? new URL(`${url.pathname}${url.search}`, standIn) : url,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: Buffer.from(body),
        signal,
        deadlineMs,
        maxBytes: 0,
        ports: 'high',
      });
      if (!answer.ok) return unanswered(answer.reason, signal.aborted);
      return outcomeOf({ subject: name, ...receiver }, answer, outgoing.now);
    },
  };
}

const UNANSWERED: Record<ExchangeFailure, string> = {
  not_allowed: 'This address may not be called from here.',
  unreachable: 'No connection: the name was not found, or nothing listens there.',
  timeout: 'No answer in time.',
  insecure: 'No secure connection: the certificate there could not be verified.',
  malformed: 'What answered does not speak HTTP.',
  too_large: 'The answer was too large.',
};

function unanswered(reason: ExchangeFailure, isStopped: boolean): DeliveryOutcome {
  if (isStopped) return { outcome: 'retry', detail: 'The attempt was interrupted.' };
  return { outcome: reason === 'not_allowed' ? 'failed' : 'retry', detail: UNANSWERED[reason] };
}

/** Like every 5xx, these say nothing about the message, so it is retried: timeout, too early, too many requests. */
const RETRIED = [408, 425, 429];

function outcomeOf(
  {
    subject,
    refusals,
    otherRefusals,
  }: Pick<Receiver<never>, 'refusals' | 'otherRefusals'> & { subject: string },
  { status, headers }: ExchangeResult & { ok: true },
  now: number,
): DeliveryOutcome {
  const answered = `${subject} answered ${[status, STATUS_CODES[status]].join(' ').trim()}`;
  if (status >= 200 && status <= 299) return { outcome: 'delivered', detail: `${answered}.` };
  const refusal = refusals[status];
  if (refusal !== undefined) {
    const { why, cause } = refusal;
    return { outcome: 'failed', detail: `${answered}: ${why}.`, ...(cause && { cause }) };
  }
  const isRefusal = status >= 400 && status <= 499 && !RETRIED.includes(status);
  if (isRefusal && otherRefusals === 'failed') return { outcome: 'failed', detail: `${answered}.` };
  const moved = status >= 300 && status <= 399 ? '; redirects are not followed' : '';
  const afterMs = retryAfterMs(headers['retry-after'], now);
  return { outcome: 'retry', detail: `${answered}${moved}.`, ...(afterMs !== null && { afterMs }) };
}

/** Reads Retry-After (RFC 9110 §10.2.3): seconds, with or without a fraction, or a date. */
function retryAfterMs(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(header)) return Math.ceil(Number(header) * 1_000);
  const at = header.endsWith(' GMT') ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
