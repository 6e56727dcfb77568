import { createHash } from 'node:crypto';
import { extendTrustStore, parseReadable, type TrustStore } from '../pki/index.ts';

/** Sets of authorities, not accounts: those of one company's accounts are mostly the same. */
const REMEMBERED = 200;

/** Gives the trust store for what an account trusts of its own (DER) beside `base`; equal sets share one. */
export function createAccountTrust(base: TrustStore): (authorities: readonly Uint8Array[]) => TrustStore {
  const known = new Map<string, TrustStore>();
  return (authorities) => {
    if (authorities.length === 0) return base;
    const fingerprints = authorities.map((der) => createHash('sha256').update(der).digest('hex'));
    const key = fingerprints.toSorted().join(' ');
    const trustStore =
      known.get(key) ??
      // Rows of an older version may hold what this one reads no more.
      extendTrustStore(
        base,
        authorities.filter((der) => parseReadable(der) !== null),
      );
    known.delete(key);
    known.set(key, trustStore);
    const [oldest] = known.keys();
    if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
    return trustStore;
  };
}
