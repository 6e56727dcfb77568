import { hash } from 'node:crypto';
import type { Certificate } from '../certificate.ts';
import { WEEK_MS } from '../../../contract/durations.ts';

const SHORT_LIVED_MS = WEEK_MS;

/**
 * Whether there is nothing to ask about this certificate's revocation, by its CA's own decision: it says so (RFC 9608), or it
 * lives for seven days at most and names no source (BR §4.9.10 and its definition of short-lived).
 */
export function hasNoRevocationInformation(certificate: Certificate): boolean {
  if (certificate.isCertificateAuthority) return false;
  if (certificate.hasNoRevAvail) return true;
  const namesSource = certificate.crlDistributionPoints.length > 0 || certificate.ocspUrls.length > 0;
  return !namesSource && certificate.notAfter - certificate.notBefore <= SHORT_LIVED_MS;
}

/** SHA-256 of SubjectPublicKeyInfo, lower-case hex: the same key under whatever certificate. */
export function subjectPublicKeyHash({ key }: Certificate): string {
  return hash('sha256', key.der, 'hex');
}
