import { z } from 'zod';
import type { ChannelConfig } from '../../contract/channel-config.ts';
import type { AlertContent } from './messages/alert-input.ts';
import type { ChannelKindName } from '../../contract/words.ts';

/** What a person enters for a channel of this kind, as the API accepts it. */
export type EnteredConfig<Kind extends ChannelKindName> = Extract<ChannelConfig, { kind: Kind }>;

/** Everything the server knows about one kind of channel. Nothing in it opens a connection, so the API may use it too. */
export interface ChannelDefinition<Entered, Stored = Entered> {
  /** As people call the kind. */
  name: string;
  /** Decodes what the database holds. It checks the shape only: rows stay valid when the contract becomes stricter. */
  stored: z.ZodType<Stored>;
  /** Returns the address among what a person entered; the API refuses private and malformed hosts. Omitted for fixed addresses. */
  enteredAddress?(entered: Entered): string;
  /** Returns what to store. `before` is the config that this one replaces; null for a new channel, or if it cannot be decoded. */
  toStored(entered: Entered, before: Stored | null): Stored;
  /** Returns a text that is equal for two configs of this kind if they reach the same receiver. */
  placeOf(config: Stored): string;
  /** Returns what the owner recognises the channel by. It contains no secret. */
  maskedTarget(config: Stored): string;
  /** Names a channel that was given no name. Omitted: it gets the name of the kind. */
  defaultName?(config: Stored): string;
  /** How to post an alert. Omitted for email, which goes by SMTP. */
  receiver?: Receiver<Stored>;
}

/** How a kind takes alerts by HTTP, and what its answers mean. Every 2xx is a delivery. */
export interface Receiver<Stored> {
  /** Subject of the sentences in receipts, as in "Slack answered 404 Not Found". Omitted: the name of the kind. */
  subject?: string;
  /** Renders the request. Pure: the same alert gives the same request. */
  posting(config: Stored, outgoing: OutgoingAlert): Posting;
  /** Statuses that are final. */
  refusals: Readonly<Record<number, Refusal>>;
  /** Whether the other 4xx are final. 408, 425 and 429 never are. */
  otherRefusals: 'failed' | 'retry';
}

/** One JSON document to post. */
export interface Posting {
  url: string;
  /** In addition to the content type. */
  headers?: Readonly<Record<string, string>>;
  body: string;
}

/** Why a status is final, in words for people. `gone`: the receiver no longer exists. */
interface Refusal {
  why: string;
  cause?: 'gone';
}

/** One alert on its way to one receiver. */
export interface OutgoingAlert {
  content: AlertContent;
  /**
   * The same on every attempt and replay, so that receivers can drop duplicates. Contains letters, digits and hyphens only: a full stop
   * would make the signature of a webhook ambiguous.
   */
  messageId: string;
  /** When this attempt is made, ms UTC. */
  now: number;
}

/**
 * Result of one attempt. Causes: `gone`: the receiver no longer exists; `refused_address`: the address takes no mail; `operator`: only
 * the operator can fix it; `unencrypted`: also for the operator, as the connection to the mail server could not be encrypted.
 * `afterMs`: the receiver asked to wait that long.
 */
export type DeliveryOutcome =
  | { outcome: 'delivered'; detail: string }
  | { outcome: 'retry'; detail: string; afterMs?: number; cause?: 'operator' | 'unencrypted' }
  | { outcome: 'failed'; detail: string; cause?: 'gone' | 'refused_address' | 'operator' };

/** Decodes a stored web address. */
export const storedAddress = z.string().refine((text) => URL.canParse(text), 'is not an address');

/** Defines the config of a kind whose address is itself the secret, as of an incoming webhook in a chat. */
export function withSecretAddress<Kind extends ChannelKindName>(kind: Kind) {
  return {
    stored: z.object({ kind: z.literal(kind), url: storedAddress }),
    enteredAddress: ({ url }: { url: string }) => url,
    placeOf: ({ url }: { url: string }) => new URL(url).href,
    maskedTarget: ({ url }: { url: string }) => `${new URL(url).host} ${lastFour(url)}`,
  };
}

/** Returns the last four characters of a secret, enough to tell it from others. */
export const lastFour = (secret: string): string => `…${secret.slice(-4)}`;
