import type { Receiver } from '../receiver.ts';
import { signatureHeaders } from './signature.ts';
import type { WebhookSecret } from './signature.ts';

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
