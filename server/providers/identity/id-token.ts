import type { AuthContext } from 'better-auth';
import { createLocalJWKSet, errors, type JSONWebKeySet, jwtVerify } from 'jose';
import type { IdentityClaims, TokenVerification } from './identity-provider.ts';
import { AUDIENCE } from './library-options.ts';

/** Name of the built-in provider in claims and stored identities. */
export const BUILT_IN = 'built-in';

/** Returns a function that verifies the built-in provider's tokens. A token is valid only while its session exists. */
export function createTokenVerifier({
  context,
  keys,
  issuer,
  now,
}: {
  context: Promise<{ adapter: Pick<AuthContext['adapter'], 'findOne'> }>;
  keys: () => Promise<JSONWebKeySet>;
  issuer: string;
  now: () => number;
}): (token: string) => Promise<TokenVerification> {
  return async (token) => {
    const payload = await jwtVerify(token, createLocalJWKSet(await keys()), {
      issuer,
      audience: AUDIENCE,
      // The algorithm list prevents `none` and algorithm confusion (RFC 8725 §3.1).
      algorithms: ['EdDSA'],
      requiredClaims: ['sub', 'exp', 'iat'],
      currentDate: new Date(now()),
    }).then((verified) => verified.payload, refusalOf);
    if (typeof payload === 'string') return { ok: false, reason: payload };
    const claims = readClaims(payload);
    if (claims === null) return { ok: false, reason: 'invalid' };
    // A token may outlive its session by minutes. Without this check it could open a new session after a password reset
    // or recreate a deleted account.
    const { adapter } = await context;
    const session = await adapter.findOne<{ createdAt: Date }>({
      model: 'session',
      where: [
        { field: 'id', value: claims.sessionId },
        { field: 'userId', value: claims.subject },
      ],
    });
    if (session === null) return { ok: false, reason: 'session_over' };
    return { ok: true, claims: { ...claims, signedInAt: new Date(session.createdAt).getTime() } };
  };
}

function refusalOf(error: unknown): 'expired' | 'invalid' {
  if (error instanceof errors.JWTExpired) return 'expired';
  if (error instanceof errors.JOSEError) return 'invalid';
  throw error;
}

type TokenClaims = Omit<IdentityClaims, 'signedInAt'> & { sessionId: string };

function readClaims(payload: Record<string, unknown>): TokenClaims | null {
  const { sub, email, email_verified: emailVerified, name, picture, sid, company, trial } = payload;
  if (typeof sub !== 'string' || typeof email !== 'string' || typeof sid !== 'string') return null;
  return {
    provider: BUILT_IN,
    subject: sub,
    email: email.toLowerCase(),
    emailVerified: emailVerified === true,
    name: typeof name === 'string' ? name : '',
    photoUrl: typeof picture === 'string' ? picture : null,
    signUp: { company: typeof company === 'string' ? company : '', trial: trial === true },
    sessionId: sid,
  };
}
