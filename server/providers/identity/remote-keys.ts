import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose';
import { boundedFetch } from './bounded-fetch.ts';

/** The keys that would judge a token could not be had. */
export class KeysUnreachable extends Error {
  override name = 'KeysUnreachable';
}

/** A key that is not in the set means a token that is not theirs; every other failure is the key server's. */
const ABOUT_THE_TOKEN = [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported];

/** Keys as an issuer publishes them (RFC 7517): kept for an hour, asked for anew at an unknown key at most every 30 s. */
export function createRemoteKeys(url: URL): JWTVerifyGetKey {
  const remote = createRemoteJWKSet(url, {
    cooldownDuration: 30_000,
    cacheMaxAge: 3_600_000,
    [customFetch]: (address, init) => boundedFetch(address, { headers: init.headers }),
  });
  return async (header, token) => {
    try {
      return await remote(header, token);
    } catch (error) {
      if (ABOUT_THE_TOKEN.some((kind) => error instanceof kind)) throw error;
      throw new KeysUnreachable(`The keys at ${url.origin} cannot be had`, { cause: error });
    }
  };
}
