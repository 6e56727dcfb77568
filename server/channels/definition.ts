import { z } from 'zod';
import type { ChannelConfig } from '../../contract/channel-config.ts';
import type { AlertContent } from './messages/alert-input.ts';
import type { ChannelKindName } from '../../contract/words.ts';

/** Config that a person enters for a channel of this kind, as the API accepts it. */
export type EnteredConfig<Kind extends ChannelKindName> = Extract<ChannelConfig, { kind: Kind }>;

/** Definition of one kind of channel. It opens no connections, so the API may use it too. */
export interface ChannelDefinition<Entered, Stored = Entered> {
  /**
   * Schema of the stored config. It accepts more than the contract, so that stored rows stay valid if the contract becomes
   * stricter.
   */
  stored: z.ZodType<Stored>;
  /**
   * Returns the URL that a person entered, so that the API can refuse private and malformed hosts. Absent for kinds without such
   * a URL.
   */
  enteredAddress?(entered: Entered): string;
  /**
   * Returns the config to store. `before` is the stored config that it replaces: null for a new channel, or if the old config is
   * of another kind or cannot be decoded.
   */
  toStored(entered: Entered, before: Stored | null): Stored;
  /** Returns a key that is equal for two configs of this kind if they reach the same receiver. */
  receiverKey(config: Stored): string;
  /** Returns a string by which the owner recognises the channel, with its secrets masked. */
  maskedTarget(config: Stored): string;
  /** Returns the name of a channel for which nobody entered a name. Default: the name of the kind. */
  defaultName?(config: Stored): string;
  /** HTTP requests to the receiver and the meaning of its responses. Absent for email, which is sent by SMTP. */
  receiver?: Receiver<Stored>;
}

/**
 * HTTP requests that deliver alerts to one kind of channel, and the meaning of the responses. Every 2xx response means delivered.
 */
export interface Receiver<Stored> {
  /** Subject of the sentences in receipts, as in "Slack answered 404 Not Found". Default: the name of the kind. */
  subject?: string;
  /** Renders the request. A pure function: the same input always gives the same request. */
  posting(config: Stored, outgoing: OutgoingAlert): ReceiverRequest;
  /** Response statuses after which the delivery fails without a retry. */
  refusals: Readonly<Record<number, PermanentFailure>>;
  /** Outcome of the other 4xx statuses. 408, 425 and 429 are always retried. */
  otherRefusals: 'failed' | 'retry';
}

/** HTTP request with a JSON body. */
export interface ReceiverRequest {
  /** Default: POST. */
  method?: 'POST' | 'PUT';
  url: string;
  /** Headers in addition to Content-Type. */
  headers?: Readonly<Record<string, string>>;
  body: string;
}

/** Reason why a status is final, in words for people. `gone`: the receiver no longer exists. */
interface PermanentFailure {
  why: string;
  cause?: 'gone';
}

/** One attempt to deliver an alert to one receiver. */
export interface OutgoingAlert {
  content: AlertContent;
  /**
   * Id of the message, the same on every attempt and replay, so that receivers can drop duplicates. It contains only
   * letters, digits and hyphens, because a full stop would make the signature of a webhook ambiguous.
   */
  messageId: string;
  /** Time of this attempt, ms UTC. */
  now: number;
}

/**
 * Result of one attempt. `gone`: the receiver no longer exists. `refused_address`: the address is invalid or accepts no mail. `operator`,
 * `unencrypted` (no TLS to the mail server) and `no_reply` (the mail was sent completely) are also reported to the operator.
 */
export type DeliveryOutcome =
  | { outcome: 'delivered'; detail: string }
  /** `afterMs`: delay that the receiver requested. */
  | { outcome: 'retry'; detail: string; afterMs?: number; cause?: 'operator' | 'unencrypted' | 'no_reply' }
  | { outcome: 'failed'; detail: string; cause?: 'gone' | 'refused_address' | 'operator' };

/** Schema of a stored URL. */
export const storedAddress = z.string().refine((text) => URL.canParse(text), 'is not an address');

/** Returns the definition fields shared by channel kinds whose URL is the secret, such as Slack and Discord. */
export function withSecretAddress<Kind extends ChannelKindName>(kind: Kind) {
  return {
    stored: z.object({ kind: z.literal(kind), url: storedAddress }),
    enteredAddress: ({ url }: { url: string }) => url,
    receiverKey: ({ url }: { url: string }) => new URL(url).href,
    maskedTarget: ({ url }: { url: string }) => `${new URL(url).host} ${lastFour(url)}`,
  };
}

/** Returns an ellipsis and the last four characters of a secret, enough to distinguish it from others. */
export const lastFour = (secret: string): string => `…${secret.slice(-4)}`;
