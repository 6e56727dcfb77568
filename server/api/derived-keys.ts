import { hkdfSync } from 'node:crypto';

/** What keys are for. A label never changes: what was made with its key would not be recognised any more. */
export type KeyLabel = 'bounce' | 'checkout-reference' | 'test-payments' | 'trial-address' | 'unsubscribe';

const KEY_BYTES = 32;

/** A key of its own for one use, from the secret of this deployment (HKDF-SHA256, RFC 5869). */
export function derivedKey(secret: string, label: KeyLabel): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `certlantern ${label}`, KEY_BYTES));
}
