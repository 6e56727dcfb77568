import { STATUS_CODES } from 'node:http';
import type { ChannelConfig } from '../../contract/channel.ts';
import { exchange } from '../egress/index.ts';
import type { AddressPolicy, Exchanged, ExchangeFailure, Resolver, SecureSocket } from '../egress/index.ts';
import type { DeliveryOutcome, OutgoingAlert } from './channel.ts';
import { discord } from './discord/discord.ts';
import { ntfy } from './ntfy/ntfy.ts';
import { createPagerduty } from './pagerduty/pagerduty.ts';
import type { Receiver } from './receiver.ts';
import { slack } from './slack/slack.ts';
import { teams } from './teams/teams.ts';
import { createTelegram } from './telegram/telegram.ts';
import { webhook } from './webhook/webhook.ts';
import type { WebhookConfig } from './webhook/webhook.ts';

/** What is kept of a channel that is reached by HTTP. */
export type StoredChannelConfig =
  Exclude<ChannelConfig, { kind: 'email' | 'webhook' }> | ({ kind: 'webhook' } & WebhookConfig);

export interface HttpChannels {
  /**
   * One attempt. Never rejects for what a receiver does, and says of its answer the status alone: `detail` holds no secret
   * and nothing that the receiver wrote.
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
  /** How https shakes hands; verified against the public roots where absent. */
  secure?: SecureSocket;
  /** For one attempt, the resolution included. */
  deadlineMs?: number;
  /** Of the services whose address is not the person's to choose. */
  addresses?: { telegram: URL; pagerduty: Record<'us' | 'eu', URL> };
}

const DEADLINE_MS = 15_000;
const ADDRESSES = {
  telegram: new URL('https://api.telegram.org'),
  pagerduty: { us: new URL('https://events.pagerduty.com'), eu: new URL('https://events.eu.pagerduty.com') },
};

/** Alerts by HTTP to whoever takes them, through the guarded way out: nothing is followed and no answer is read. */
export function createHttpChannels(options: HttpChannelsOptions): HttpChannels {
  const { addresses = ADDRESSES, deadlineMs = DEADLINE_MS, ...way } = options;
  const receivers: Receivers = {
    webhook,
    slack,
    discord,
    teams,
    telegram: createTelegram(addresses.telegram),
    pagerduty: createPagerduty(addresses.pagerduty),
    ntfy,
  };
  return {
    async deliver(config, outgoing, signal) {
      // The table pairs each kind with its own config, which no type can say of a lookup.
      const receiver = receivers[config.kind] as Receiver<StoredChannelConfig>;
      const { url: address, headers, body } = receiver.posting(config, outgoing);
      const url = URL.parse(address);
      if (url === null) return unanswered('not_allowed', false);
      const answer = await exchange({
        ...way,
        url,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: Buffer.from(body),
        signal,
        deadlineMs,
        maxBytes: 0,
        ports: 'high',
      });
      if (!answer.ok) return unanswered(answer.reason, signal.aborted);
      return outcomeOf(receiver, answer, outgoing.now);
    },
  };
}

type Receivers = {
  [Kind in StoredChannelConfig['kind']]: Receiver<Extract<StoredChannelConfig, { kind: Kind }>>;
};

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

/** 408, 425 and 429 ask for patience; with every 5xx they are no verdict on what was sent. */
const IMPATIENT = [408, 425, 429];

function outcomeOf(
  { name, refusals, otherRefusals }: Pick<Receiver<never>, 'name' | 'refusals' | 'otherRefusals'>,
  { status, headers }: Exchanged & { ok: true },
  now: number,
): DeliveryOutcome {
  const answered = `${name} answered ${[status, STATUS_CODES[status]].join(' ').trim()}`;
  if (status >= 200 && status <= 299) return { outcome: 'delivered', detail: `${answered}.` };
  const refusal = refusals[status];
  if (refusal !== undefined) {
    const { why, cause } = refusal;
    return { outcome: 'failed', detail: `${answered}: ${why}.`, ...(cause && { cause }) };
  }
  const isRefusal = status >= 400 && status <= 499 && !IMPATIENT.includes(status);
  if (isRefusal && otherRefusals === 'failed') return { outcome: 'failed', detail: `${answered}.` };
  const moved = status >= 300 && status <= 399 ? '; redirects are not followed' : '';
  const afterMs = patience(headers['retry-after'], now);
  return { outcome: 'retry', detail: `${answered}${moved}.`, ...(afterMs !== null && { afterMs }) };
}

/** Retry-After (RFC 9110 §10.2.3): seconds, also broken ones, or a date. */
function patience(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(header)) return Math.ceil(Number(header) * 1_000);
  const at = header.endsWith(' GMT') ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
