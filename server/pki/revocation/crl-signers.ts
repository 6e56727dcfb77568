import { type Certificate, isSameName } from '../certificate.ts';
import { hasOnlyKnownCriticalExtensions, isSignedBy, validityFailure } from '../certificate-checks.ts';
import { equalBytes } from '../der/der-values.ts';
import { isWeakKey } from '../public-key.ts';
import { isWeakSignature } from '../signature.ts';
import type { WorkBudget } from '../work-budget.ts';

/** Maximum number of certificates whose signature is verified, so that a server cannot use up the work of a check. */
const MAX_CANDIDATES = 4;

/** Returns whether the key of a certificate may sign CRLs (RFC 5280 §6.3.3 f). */
export function maySignCrls({ keyUsage }: Certificate): boolean {
  return keyUsage === null || keyUsage.has('cRLSign');
}

/** A certificate that may sign CRLs if its own status is good, as Java demands. */
interface CrlSigner {
  readonly certificate: Certificate;
  /** Certificates that may sign CRLs about this one: the CAs above it and, as in Java, itself. */
  readonly authorities: readonly Certificate[];
}

/**
 * Returns the certificates outside a path that may sign CRLs about its first one (RFC 5280 §6.3.3 f): a CA of the path issued them
 * for another key of the issuer or for a CRL issuer that the certificate names. Java, and OpenSSL with `-extended_crl`, accept them.
 */
export function crlSigners({
  certificate,
  authorities,
  others,
  now,
  work,
}: {
  readonly certificate: Certificate;
  /** The CAs above it, anchor last. */
  readonly authorities: readonly Certificate[];
  /** Certificates that the server sent, in any order. Those that have the same key as a certificate of the path are skipped. */
  readonly others: readonly Certificate[];
  /** Time of the check, ms UTC. */
  readonly now: number;
  readonly work: WorkBudget;
}): CrlSigner[] {
  const names = new Set([
    certificate.issuer.comparisonKey,
    ...certificate.crlDistributionPoints.flatMap(({ crlIssuerKeys }) => crlIssuerKeys ?? []),
  ]);
  return others
    .filter((one) => names.has(one.subject.comparisonKey))
    .filter(({ key }) => ![certificate, ...authorities].some((known) => equalBytes(known.key.der, key.der)))
    .filter((one) => maySignCrls(one) && isTrustworthy(one, now))
    .slice(0, MAX_CANDIDATES)
    .flatMap((signer) => {
      const issuer = authorities.findIndex(
        (authority) => isSameName(signer.issuer, authority.subject) && isSignedBy(signer, authority, work),
      );
      const above = authorities.slice(issuer);
      return issuer === -1 ? [] : [{ certificate: signer, authorities: [...above, signer] }];
    });
}

/** Returns whether a certificate is valid, apart from its issuer's signature. */
function isTrustworthy(certificate: Certificate, now: number): boolean {
  return (
    validityFailure(certificate, now) === null &&
    hasOnlyKnownCriticalExtensions(certificate) &&
    !isWeakKey(certificate.key) &&
    !isWeakSignature(certificate.signature.algorithm)
  );
}
