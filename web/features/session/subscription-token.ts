import { subscriptionClaimsSchema } from '../../../contract/account.ts';
import { subscription } from '../../../contract/calls/session.ts';
import { SUBSCRIPTION_SECRET_PREFIX } from '../../../contract/words.ts';
import { callForResponse } from '../../lib/api-client.ts';
import { fromBase64Url, jsonOf } from '../../lib/browser/base64url.ts';
import { answerOf } from '../../lib/http.ts';

export interface SubscriptionClaims {
  isSubscribed: boolean;
  /** In ms UTC. */
  expiresAt: number;
}

/** Fetches the signed token with the plan, which is not verified yet, and the server's time (ms UTC), by which its expiry is judged. */
export async function fetchSubscriptionToken(signal: AbortSignal): Promise<{ token: string; now: number }> {
  const response = await callForResponse(subscription, { signal });
  const now = Date.parse(response.headers.get('Date') ?? '');
  const token = await answerOf(subscription, response, signal);
  return { token, now: Number.isNaN(now) ? Date.now() : now };
}

/** Thrown for a token that is not signed for this user or has expired. */
export class RefusedToken extends Error {
  override readonly name = 'RefusedToken';
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
 * Verifies the HS256 token of `GET /user/sub` for this user. The token only affects what the page shows: anybody who reads this
 * file can forge one, so the server never accepts it. On plain HTTP there is no WebCrypto, and the signature is not checked.
 */
export async function readSubscriptionToken(
  token: string,
  { userId, now, subtle }: { userId: string; now: number; subtle: SubtleCrypto | undefined },
): Promise<SubscriptionClaims> {
  if (userId === '') throw new RefusedToken('Failed to fetch client secret');
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
    throw new RefusedToken('Invalid or expired token', { cause: error });
  }
}
