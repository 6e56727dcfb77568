import type { AlertContent } from './messages/index.ts';

/** One alert on its way to one receiver. */
export interface OutgoingAlert {
  content: AlertContent;
  /**
   * The same on every attempt and every replay: receivers tell a repetition by it. Letters, digits and hyphens; a full stop
   * would blur what a webhook's signature covers.
   */
  messageId: string;
  /** When this attempt is made, ms UTC. */
  now: number;
}

/**
 * `retry`: worth another attempt, not before `afterMs` where the receiver asked for that; `failed`: refused for good. `gone`: the
 * receiver said that it does not exist any more, so nothing else goes there; `refused_address`: the address takes no mail;
 * `operator`: only the operator can set it right, also where it is tried again; `unencrypted`: so is this, because the connection to
 * the mail server could not be encrypted.
 */
export type DeliveryOutcome =
  | { outcome: 'delivered'; detail: string }
  | { outcome: 'retry'; detail: string; afterMs?: number; cause?: 'operator' | 'unencrypted' }
  | { outcome: 'failed'; detail: string; cause?: 'gone' | 'refused_address' | 'operator' };
