import { hkdfSync } from 'node:crypto';
import type { UnsubscribePair } from '../../core/index.ts';

/** What keys are for. A label never changes: what was made with its key would not be recognised any more. */
export type KeyLabel =
  | 'bounce'
  | 'checkout-reference'
  | 'test-payments'
  | 'trial-address'
  // Of tokens mailed before migration 0019, which one key made for every place.
  | 'unsubscribe'
  | 'unsubscribe-one-click'
  | 'unsubscribe-page';

const KEY_BYTES = 32;

/** A key of its own for one use, from the secret of this deployment (HKDF-SHA256, RFC 5869). */
export function derivedKey(secret: string, label: KeyLabel): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `certlantern ${label}`, KEY_BYTES));
}

/** The keys of unsubscribe tokens, from the secret of this deployment. */
export const unsubscribeKeys = (secret: string): UnsubscribePair<Buffer> => ({
  page: derivedKey(secret, 'unsubscribe-page'),
  oneClick: derivedKey(secret, 'unsubscribe-one-click'),
});
