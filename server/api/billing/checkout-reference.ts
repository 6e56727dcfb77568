import { createHmac, timingSafeEqual } from 'node:crypto';
import { derivedKey } from '../auth/derived-keys.ts';

export interface CheckoutReferences {
  /** Says in the payment provider's webhooks whose checkout it was. */
  of(accountId: string): string;
  /** The account's id; null where we never wrote the reference. */
  read(reference: string): string | null;
}

/** Account ids with our signature: the custom data of a checkout is whatever the browser says. */
export function createCheckoutReferences(secret: string): CheckoutReferences {
  const key = derivedKey(secret, 'checkout-reference');
  const sign = (accountId: string) => createHmac('sha256', key).update(accountId).digest();
  return {
    of: (accountId) => `${accountId}.${sign(accountId).toString('base64url')}`,
    read(reference) {
      const [accountId = '', signature = '', ...rest] = reference.split('.');
      const shown = Buffer.from(signature, 'base64url');
      const own = sign(accountId);
      const isOurs = rest.length === 0 && shown.length === own.length && timingSafeEqual(shown, own);
      return isOurs ? accountId : null;
    },
  };
}
