import { createPublicKey, diffieHellman, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { Surprise } from './wire.ts';

/** A key pair of X25519 (RFC 7748 §6.1). `share`: the public key, 32 bytes. */
export interface EphemeralKey {
  privateKey: KeyObject;
  share: Buffer;
}

/** How long a key pair is reused, in ms. That is safe because it protects only a HEAD request without credentials. */
const REUSE_MS = 60_000;

let current: { key: EphemeralKey; until: number } | null = null;

/** Returns the current key pair, or creates one if it is older than a minute. `now`: monotonic time in ms. */
export function ephemeralKey(now: number): EphemeralKey {
  if (current !== null && now < current.until) return current.key;
  const made = { key: createKey(), until: now + REUSE_MS };
  current = made;
  setTimeout(() => {
    if (current === made) current = null;
  }, REUSE_MS).unref();
  return made.key;
}

function createKey(): EphemeralKey {
  const { privateKey, publicKey } = generateKeyPairSync('x25519');
  return { privateKey, share: Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url') };
}

/** Computes the X25519 shared secret (32 bytes). `share`: public key of the peer. @throws Surprise if it is all zeros (RFC 8446 §7.4.2) */
export function sharedSecret({ privateKey }: EphemeralKey, share: Buffer): Buffer {
  const key = { kty: 'OKP', crv: 'X25519', x: share.toString('base64url') };
  let secret: Buffer;
  try {
    const publicKey = createPublicKey({ key, format: 'jwk' });
    secret = diffieHellman({ privateKey, publicKey });
  } catch {
    throw new Surprise('invalid', 'key share');
  }
  if (secret.every((byte) => byte === 0)) throw new Surprise('invalid', 'shared secret');
  return secret;
}
