import type { Receiver } from '../receiver.ts';
import { createHmac } from 'node:crypto';

export interface WebhookConfig {
  url: string;
  /** Newest first. */
  secrets: readonly WebhookSecret[];
}

/** Standard Webhooks: anybody's program. Only 410 is its last word; everything else may be mended within days. */
export const webhook: Receiver<WebhookConfig> = {
  name: 'The receiver',
  posting({ url, secrets }, { content, messageId: id, now }) {
    const body = JSON.stringify({
      type: content.event,
      timestamp: new Date(content.alertedAt).toISOString(),
      data: content.data,
    });
    return { url, headers: signatureHeaders({ id, now, body }, secrets), body };
  },
  refusals: { 410: { why: 'it wants no more of these', cause: 'gone' } },
  otherRefusals: 'retry',
};

const PREFIX = 'whsec_';

/** One of a webhook's keys, as Standard Webhooks writes them: `whsec_` and base64. */
export interface WebhookSecret {
  secret: string;
  /** Until when it still signs, ms UTC; null: it is the one that holds. */
  until: number | null;
}

/**
 * The headers of Standard Webhooks 1.0.0 for one attempt at `now`: signed with every key that holds then, so that a receiver
 * may change keys whenever it likes while two of them do.
 */
export function signatureHeaders(
  message: { id: string; now: number; body: string },
  secrets: readonly WebhookSecret[],
): Record<string, string> {
  const seconds = Math.floor(message.now / 1_000);
  const signed = `${message.id}.${seconds}.${message.body}`;
  const signatures = secrets
    .filter(({ until }) => until === null || until > message.now)
    .map(({ secret }) => `v1,${createHmac('sha256', keyOf(secret)).update(signed).digest('base64')}`);
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  };
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(PREFIX.length), 'base64');
}
