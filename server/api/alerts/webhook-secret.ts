import { randomBytes } from 'node:crypto';

const KEY_BYTES = 32;

/** Creates a signing key for webhooks, in the format of Standard Webhooks. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(KEY_BYTES).toString('base64')}`;
