import { randomBytes } from 'node:crypto';

const KEY_BYTES = 32;

/** A key for signatures of webhooks, in the form of Standard Webhooks. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(KEY_BYTES).toString('base64')}`;
