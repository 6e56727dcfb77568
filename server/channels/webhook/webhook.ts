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

/** A signing key of a webhook in the format of Standard Webhooks: `whsec_` and base64. */
export interface WebhookSecret {
  secret: string;
  /** When the key stops signing, in ms UTC; null for the current key. */
  until: number | null;
}

/**
 * Returns the headers of Standard Webhooks 1.0.0 for one attempt at `now`, signed with every key that is valid then. During a rotation
 * two keys are valid, so the receiver can switch at any time.
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
