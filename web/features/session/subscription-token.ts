import { subscriptionClaimsSchema } from '../../../contract/account.ts';
import { SUBSCRIPTION_SECRET_PREFIX } from '../../../contract/words.ts';
import { fromBase64Url, jsonOf } from '../../lib/base64url.ts';

export interface SubscriptionClaims {
  isSubscribed: boolean;
  /** ms UTC */
  expiresAt: number;
}

const encoder = new TextEncoder();

async function isSigned(token: string, secret: string, subtle: SubtleCrypto): Promise<boolean> {
  const cut = token.lastIndexOf('.');
  const key = await subtle.importKey(
    'raw',
    encoder.encode(secret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  );
  return subtle.verify('HMAC', key, fromBase64Url(token.slice(cut + 1)), encoder.encode(token.slice(0, cut)));
}

/**
 * Verifies the HS256 token of `GET /user/sub` for this user. It only drives what the page shows: whoever reads this file
 * can mint one, so the server takes it from nobody. On plain http WebCrypto is missing and the signature goes unchecked.
 */
export async function readSubscriptionToken(
  token: string,
  { userId, now, subtle }: { userId: string; now: number; subtle: SubtleCrypto | undefined },
): Promise<SubscriptionClaims> {
  if (userId === '') throw new Error('Failed to fetch client secret');
  try {
    const [header, payload, signature, ...rest] = token.split('.');
    if (!header || !payload || !signature || rest.length > 0) throw new Error('not a signed token');
    if ((jsonOf(header) as { alg?: unknown }).alg !== 'HS256') throw new Error('another algorithm');
    if (subtle && !(await isSigned(token, SUBSCRIPTION_SECRET_PREFIX + userId, subtle)))
      throw new Error('bad signature');
    const claims = subscriptionClaimsSchema.parse(jsonOf(payload));
    if (claims.sub !== userId) throw new Error('for another user');
    if (claims.exp * 1000 <= now) throw new Error('expired');
    return { isSubscribed: claims.status !== '', expiresAt: claims.exp * 1000 };
  } catch (error) {
    throw new Error('Invalid or expired token', { cause: error });
  }
}
