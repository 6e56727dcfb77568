import type { Certificate } from '../../pki/index.ts';
import { certificateName } from '../facts.ts';
import type { RenewalEvidence } from '../observation.ts';
import { renewalWindow } from './renewal.ts';
import type { ExpiringCertificate } from '../verdict.ts';

/** What alerts need to know of a certificate. */
export function expiringCertificate(
  certificate: Certificate,
  role: ExpiringCertificate['role'],
  renewal: readonly RenewalEvidence[],
): ExpiringCertificate {
  const { fingerprint, notBefore, notAfter } = certificate;
  const window = role === 'leaf' ? renewalWindow(certificate, renewal) : null;
  return {
    fingerprint,
    notBefore,
    notAfter,
    role,
    name: certificateName(certificate),
    renewalWindow: window && { start: window.start, end: window.end },
  };
}

/** The one that expires first; the first of equals. */
export function earliest<One extends { notAfter: number }>(certificates: readonly One[]): One | null {
  const [first, ...rest] = certificates;
  return rest.reduce<One | null>(
    (soonest, one) => (soonest !== null && one.notAfter < soonest.notAfter ? one : soonest),
    first ?? null,
  );
}
