import { SignJWT } from 'jose';
import { SUBSCRIPTION_SECRET_PREFIX } from '../../../contract/constants.ts';
import type { Entitlement } from '../../core/index.ts';

const ENTITLED_MS = 86_400_000;
const NOT_ENTITLED_MS = 300_000;

/**
 * What the page shows of an entitlement, as a JWT: good for a day at most, and never longer than Premium or the period
 * that is paid. Everybody who reads the page's source can make one: it decides what is shown, never what is allowed.
 */
export function subscriptionToken(
  accountId: string,
  { plan, status, endsAt }: Entitlement,
  { paidUntil, now }: { paidUntil: number | null; now: number },
): Promise<string> {
  const lifetime = plan === 'premium' ? ENTITLED_MS : NOT_ENTITLED_MS;
  const ends = [now + lifetime, endsAt, paidUntil].filter((end) => end !== null);
  return new SignJWT({ status })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(accountId)
    .setExpirationTime(Math.floor(Math.min(...ends) / 1000))
    .sign(new TextEncoder().encode(`${SUBSCRIPTION_SECRET_PREFIX}${accountId}`));
}
