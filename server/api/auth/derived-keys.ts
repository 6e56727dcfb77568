import { createHmac, hkdfSync } from 'node:crypto';
import type { UnsubscribePair } from '../../core/account-mail.ts';
import { normaliseAddress } from '../../core/mail-address.ts';

/** Purposes of derived keys. A label must never change: everything made with its key would become invalid. */
export type KeyLabel =
  | 'bounce'
  | 'checkout-reference'
  | 'test-payments'
  | 'trial-address'
  // For unsubscribe tokens mailed before schema level 19, when one key served both the page and one-click requests.
  | 'unsubscribe'
  | 'unsubscribe-one-click'
  | 'unsubscribe-page';

const KEY_BYTES = 32;

/** Derives a 256-bit key for one purpose from the deployment's secret (HKDF-SHA256, RFC 5869). */
export function derivedKey(secret: string, label: KeyLabel): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `certlantern ${label}`, KEY_BYTES));
}

/** Derives the keys of unsubscribe tokens from the deployment's secret. */
export const unsubscribeKeys = (secret: string): UnsubscribePair<Buffer> => ({
  page: derivedKey(secret, 'unsubscribe-page'),
  oneClick: derivedKey(secret, 'unsubscribe-one-click'),
});

/**
 * Returns a keyed hash (HMAC-SHA256) that is equal for all spellings of an address, to detect a second trial. Without the key,
 * the hash reveals nothing about the address.
 */
export function trialAddressHash(secret: string, email: string): string {
  return createHmac('sha256', derivedKey(secret, 'trial-address'))
    .update(normaliseAddress(email))
    .digest('hex');
}
