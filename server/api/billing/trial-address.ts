import { createHmac } from 'node:crypto';
import { normaliseAddress } from '../../core/index.ts';
import { derivedKey } from '../auth/derived-keys.ts';

/** Recognises an address that had its trial, in any of its spellings; without this deployment's secret it says nothing. */
export function trialAddressHash(secret: string, email: string): string {
  return createHmac('sha256', derivedKey(secret, 'trial-address'))
    .update(normaliseAddress(email))
    .digest('hex');
}
