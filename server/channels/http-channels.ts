import { STATUS_CODES } from 'node:http';
import { CHANNEL_LABELS } from '../../contract/words.ts';
import type { AddressPolicy } from '../egress/address-policy.ts';
import type { ExchangeFailure, ExchangeResult, SecureSocket } from '../egress/exchange-request.ts';
import { exchange } from '../egress/exchange.ts';
import type { Resolver } from '../egress/resolver.ts';
import type { DeliveryOutcome, OutgoingAlert, Receiver } from './definition.ts';
import { definitionOf, type StoredChannelConfig } from './kinds/index.ts';

export interface HttpChannels {
  /**
   * Makes one delivery attempt. Never rejects because of what a receiver does. `detail` names the status of the response,
   * or why there is none, and contains neither secrets nor text from the receiver. @throws TypeError for an email channel.
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
  /** Starts TLS for https. Default: TLS verified against the public roots. */
  secure?: SecureSocket;
  /**
   * Whether strangers may have accounts. If the operator has also opened address ranges, failed attempts to reach non-public
   * addresses get no reason and are retried: reasons would reveal names and ports of the operator's network. Default: false.
   */
  isForStrangers?: boolean;
  /** Deadline of one attempt including name resolution, ms. Default: 15,000. */
  deadlineMs?: number;
  /** For tests: URLs of servers that replace a service, by the origin of the service. */
  standIns?: Readonly<Record<string, URL>>;
}

const DEADLINE_MS = 15_000;

/** Creates the channels that post alerts through `egress`. They follow no redirects and read no response bodies. */
export function createHttpChannels(options: HttpChannelsOptions): HttpChannels {
  const { standIns = {}, deadlineMs = DEADLINE_MS, isForStrangers = false, ...egress } = options;
  const { policy } = options;
  return {
    async deliver(config, outgoing, signal) {
      const { receiver } = definitionOf(config.kind);
      if (receiver === undefined) throw new TypeError(`Channels of the kind ${config.kind} do not use HTTP.`);
      const { method = 'POST', url: address, headers, body } = receiver.posting(config, outgoing);
      const url = URL.parse(address);
      if (url === null) return exchangeFailure('not_allowed', false);
      const testServer = standIns[url.origin];
      let isToldWhy = !isForStrangers || !policy.permitsLocalNames;
      const answer = await exchange({
        ...egress,
        url: testServer ? new URL(`${url.pathname}${url.search}`, testServer) : url,
        method,
        headers: { 'content-type': 'application/json', ...headers },
        body: Buffer.from(body),
        signal,
        deadlineMs,
        maxBytes: 0,
        ports: 'high',
        onAddress: (address) => void (isToldWhy ||= !policy.opens(address)),
      });
      const outcome = answer.ok
        ? outcomeOf({ subject: CHANNEL_LABELS[config.kind], ...receiver }, answer, outgoing.now)
        : exchangeFailure(answer.reason, signal.aborted);
      return isToldWhy || outcome.outcome === 'delivered' ? outcome : UNEXPLAINED;
    },
  };
}

const FAILURE_DETAILS: Record<ExchangeFailure, string> = {
  not_allowed: 'The address policy of this server blocks this address.',
  unreachable: 'No connection: the name was not found, or nothing is listening there.',
  timeout: 'No response in time.',
  insecure: 'No secure connection: the receiver’s certificate could not be verified.',
  malformed: 'The receiver did not answer with HTTP.',
  too_large: 'The response was too large.',
};

const UNEXPLAINED: DeliveryOutcome = { outcome: 'retry', detail: 'The message could not be delivered.' };

function exchangeFailure(reason: ExchangeFailure, isAborted: boolean): DeliveryOutcome {
  if (isAborted) return { outcome: 'retry', detail: 'The attempt was interrupted.' };
  return { outcome: reason === 'not_allowed' ? 'failed' : 'retry', detail: FAILURE_DETAILS[reason] };
}

/**
 * 4xx statuses that are retried, like every 5xx, because they do not refuse the message: timeout (408), too early (425) and too
 * many requests (429).
 */
const RETRIED_STATUSES = [408, 425, 429];

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
  const isRefusal = status >= 400 && status <= 499 && !RETRIED_STATUSES.includes(status);
  if (isRefusal && otherRefusals === 'failed') return { outcome: 'failed', detail: `${answered}.` };
  const redirectNote = status >= 300 && status <= 399 ? '; redirects are not followed' : '';
  const afterMs = retryAfterMs(headers['retry-after'], now);
  return { outcome: 'retry', detail: `${answered}${redirectNote}.`, ...(afterMs !== null && { afterMs }) };
}

/**
 * Returns the delay of a Retry-After header in ms (RFC 9110 §10.2.3): seconds, with or without a fraction, or a date.
 * Returns null if the header is missing or invalid.
 */
function retryAfterMs(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(header)) return Math.ceil(Number(header) * 1_000);
  const at = header.endsWith(' GMT') ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
