import { BoundedMap } from './bounded-map.ts';
import type { Certificate } from './certificate.ts';
import { verifySignature } from './signature.ts';
import type { WorkBudget } from './work-budget.ts';

/**
 * Caches signature checks: results never change, they cost more than all other checks together, and the intermediates
 * of a few dozen CAs sign nearly all certificates.
 */
const cache = new BoundedMap<string, boolean>(8_192);

/** Returns whether `issuer`'s key made the signature on `certificate`. Also returns false if `work` is exhausted. */
export function isSignedBy(certificate: Certificate, issuer: Certificate, work: WorkBudget): boolean {
  if (!work.spendSignature(certificate, issuer)) return false;
  // The key includes the issuer, because several issuers may have the same name.
  const key = `${certificate.fingerprint} ${issuer.fingerprint}`;
  const cached = cache.get(key);
  if (cached !== null) return cached;
  const { algorithm, signed, octets } = certificate.signature;
  const result = verifySignature(algorithm, signed, octets, issuer.key);
  cache.set(key, result);
  return result;
}
