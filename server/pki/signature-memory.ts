import { BoundedMap } from './bounded-map.ts';
import type { Certificate } from './certificate.ts';
import { verifySignature } from './signature.ts';
import type { WorkBudget } from './work-budget.ts';

/**
 * Results of signature checks, which never change and cost more than everything else together: the intermediates of a
 * few dozen CAs sign nearly everything.
 */
const results = new BoundedMap<string, boolean>(8_192);

/** Whether `issuer`'s key made the signature on `certificate`. False too where `work` no longer pays for the answer. */
export function isSignedBy(certificate: Certificate, issuer: Certificate, work: WorkBudget): boolean {
  if (!work.spendSignature(certificate, issuer)) return false;
  // Both sides: a signature says nothing about another issuer of the same name.
  const id = `${certificate.fingerprint} ${issuer.fingerprint}`;
  const known = results.get(id);
  if (known !== null) return known;
  const { algorithm, signed, octets } = certificate.signature;
  const result = verifySignature(algorithm, signed, octets, issuer.key);
  results.set(id, result);
  return result;
}
