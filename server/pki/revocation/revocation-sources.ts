import { hash } from 'node:crypto';
import type { Certificate } from '../certificate.ts';
import { WEEK_MS } from '../../../contract/durations.ts';

const SHORT_LIVED_MS = WEEK_MS;

/**
 * Returns whether the CA intentionally provides no revocation information: the certificate says so (RFC 9608), or it is
 * valid for at most seven days and names no source (short-lived certificate, BR §4.9.10).
 */
export function hasNoRevocationInformation(certificate: Certificate): boolean {
  if (certificate.isCertificateAuthority) return false;
  if (certificate.hasNoRevAvail) return true;
  const namesSource = certificate.crlDistributionPoints.length > 0 || certificate.ocspUrls.length > 0;
  return !namesSource && certificate.notAfter - certificate.notBefore <= SHORT_LIVED_MS;
}

/** Returns the SHA-256 of SubjectPublicKeyInfo in lower-case hex. Equal for all certificates with the same key. */
export function subjectPublicKeyHash({ key }: Certificate): string {
  return hash('sha256', key.der, 'hex');
}
