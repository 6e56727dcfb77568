import { createRemoteJWKSet, customFetch, errors, jwtVerify, type JWTVerifyGetKey, UnsecuredJWT } from 'jose';
import type { IdentityClaims, TokenFailure } from './identity-provider.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { HOUR_MS, type Monotonic } from '../../../contract/durations.ts';

/** Seconds by which Firebase's clock may be ahead of ours. */
const CLOCK_TOLERANCE_SECONDS = 60;
const KEYS_CACHE_MS = HOUR_MS;
const MAX_SUBJECT_LENGTH = 128;
const MAX_PHOTO_URL_LENGTH = 2048;

export interface FirebaseTokenOptions {
  projectId: string;
  /** True if tokens come from the emulator, which does not sign them. Then signed tokens of the real service are refused. */
  emulated: boolean;
  keysUrl: URL;
  /** Clock, ms UTC. */
  now: () => number;
  monotonic: Monotonic;
  log: { warn(context: object, message: string): void };
}

type Verification = { ok: true; claims: IdentityClaims } | { ok: false; reason: TokenFailure };

/** Returns a function that verifies ID tokens: RS256 signature (unless emulated), issuer, audience, times and subject. */
export function createFirebaseTokenVerifier(
  options: FirebaseTokenOptions,
): (token: string) => Promise<Verification> {
  const { projectId, emulated, now, log } = options;
  const keys = createRemoteKeys(options.keysUrl, options.monotonic);

  async function payloadOf(token: string): Promise<Record<string, unknown>> {
    const rules = {
      issuer: `https://securetoken.google.com/${projectId}`,
      audience: projectId,
      requiredClaims: ['sub', 'exp', 'iat', 'auth_time'],
      currentDate: new Date(now()),
    };
    if (emulated) return UnsecuredJWT.decode(token, rules).payload;
    // The algorithm list prevents `none` and algorithm confusion (RFC 8725 §3.1).
    return (await jwtVerify(token, keys, { ...rules, algorithms: ['RS256'] })).payload;
  }

  return async (token) => {
    try {
      return readClaims(await payloadOf(token), { projectId, now: now() });
    } catch (error) {
      if (error instanceof errors.JWTExpired) return { ok: false, reason: 'expired' };
      if (error instanceof errors.JOSEError) return { ok: false, reason: 'invalid' };
      if (!(error instanceof KeysUnreachable)) throw error;
      log.warn({ err: error }, 'Firebase tokens cannot be verified');
      return { ok: false, reason: 'unreachable' };
    }
  };
}

function readClaims(
  payload: Record<string, unknown>,
  { projectId, now }: { projectId: string; now: number },
): Verification {
  const { sub, aud, iat, auth_time: authTime, email, name, picture, firebase } = payload;
  const latest = now / 1000 + CLOCK_TOLERANCE_SECONDS;
  const isPast = (seconds: unknown) => typeof seconds === 'number' && seconds <= latest;
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT_LENGTH)
    return { ok: false, reason: 'invalid' };
  // `aud` must be the project and not a list: a token with a list of audiences was also issued for other clients.
  if (aud !== projectId || !isPast(iat) || !isPast(authTime)) return { ok: false, reason: 'invalid' };
  // Identity Platform tenants have their own users and providers but share issuer and audience, so refuse their tokens.
  if (typeof firebase === 'object' && firebase !== null && 'tenant' in firebase)
    return { ok: false, reason: 'invalid' };
  if (typeof email !== 'string' || email === '') return { ok: false, reason: 'no_email' };
  return {
    ok: true,
    claims: {
      provider: `firebase:${projectId}`,
      subject: sub,
      email: email.toLowerCase(),
      emailVerified: payload['email_verified'] === true,
      name: typeof name === 'string' ? name : '',
      // Firebase stores neither company nor trial; the page sends both with each sign-in attempt.
      signUp: { company: '', trial: false },
      photoUrl: typeof picture === 'string' && isPhotoUrl(picture) ? picture : null,
      sessionId: null,
      signedInAt: null,
    },
  };
}

function isPhotoUrl(value: string): boolean {
  return value.length <= MAX_PHOTO_URL_LENGTH && URL.parse(value)?.protocol === 'https:';
}

/** Failure to fetch the issuer's public keys. */
class KeysUnreachable extends Error {
  override name = 'KeysUnreachable';
}

/** Errors of tokens from another issuer. Every other error means that the keys could not be fetched. */
const TOKEN_ERRORS = [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported];

/**
 * Returns a function that fetches an issuer's public keys (RFC 7517). It caches them for 1 h; for an unknown key id it refetches
 * them at most every 30 s. It throws KeysUnreachable if the fetch fails.
 */
function createRemoteKeys(url: URL, monotonic: Monotonic): JWTVerifyGetKey {
  const begin = () => ({
    at: monotonic(),
    keys: createRemoteJWKSet(url, {
      cooldownDuration: 30_000,
      // Disable the library's expiry: it uses the system clock, and would keep keys for too long if that is set back.
      cacheMaxAge: Infinity,
      [customFetch]: (address, init) => boundedFetch(address, { headers: init.headers }),
    }),
  });
  let cache = begin();
  return async (header, token) => {
    if (monotonic() - cache.at >= KEYS_CACHE_MS) cache = begin();
    try {
      return await cache.keys(header, token);
    } catch (error) {
      if (TOKEN_ERRORS.some((kind) => error instanceof kind)) throw error;
      throw new KeysUnreachable(`The keys at ${url.origin} cannot be fetched`, { cause: error });
    }
  };
}
