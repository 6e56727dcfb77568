import type { Certificate } from './certificate.ts';
import { verifySignature } from './signature.ts';

/**
 * Results of signature checks, which never change and cost more than everything else together: the intermediates of a
 * few dozen CAs sign nearly everything. Bounded; the oldest entry goes first.
 */
const results = new Map<string, boolean>();
const MAX_RESULTS = 8_192;

/** Whether `issuer`'s key made the signature on `certificate`. */
export function isSignedBy(certificate: Certificate, issuer: Certificate): boolean {
  // Both sides: a signature says nothing about another issuer of the same name.
  const id = `${certificate.fingerprint} ${issuer.fingerprint}`;
  const known = results.get(id);
  if (known !== undefined) return known;
  const { algorithm, signed, octets } = certificate.signature;
  const result = verifySignature(algorithm, signed, octets, issuer.key);
  const oldest = results.size < MAX_RESULTS ? undefined : results.keys().next().value;
  if (oldest !== undefined) results.delete(oldest);
  results.set(id, result);
  return result;
}
