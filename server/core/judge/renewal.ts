import type { Certificate } from '../../pki/certificate.ts';
import { expectedRenewal, isShortLived, type Renewable, renewalOverdueAt } from '../alert-steps.ts';
import { certificateName } from '../facts.ts';
import type { ChainFinding } from '../finding.ts';
import type { RenewalEvidence } from '../observation.ts';
import type { ExpiringCertificate, RenewalVerdict, Verdict } from '../verdict.ts';

type Window = Extract<RenewalEvidence, { outcome: 'window' }>;

/** A CA's window counts as far earlier than usual if it ends more than this share of the lifetime before the usual renewal time. */
const FAR_EARLIER = 1 / 6;

/** Returns the renewal window that the CA publishes for this certificate; null if there is no usable one. */
export function renewalWindow(
  { fingerprint, notAfter }: Certificate,
  evidence: readonly RenewalEvidence[],
): Window | null {
  const found = evidence.find((one) => one.fingerprint === fingerprint && one.outcome === 'window');
  return found?.outcome === 'window' && found.start <= found.end && found.start < notAfter ? found : null;
}

/**
 * Returns when a certificate should be renewed: by its CA's window if that is known, else by its lifetime. `isReplaced`:
 * another address already shows the renewed certificate.
 */
export function renewalVerdict(
  certificate: Certificate,
  window: Window | null,
  isReplaced: boolean,
): RenewalVerdict {
  const renewable = { ...validity(certificate), renewalWindow: window };
  return {
    ...expectedRenewal(renewable),
    source: window === null ? 'lifetime' : 'ari',
    explanationUrl: webUrl(window?.explanationUrl ?? null),
    overdueAt: isReplaced ? null : renewalOverdueAt(renewable),
  };
}

/**
 * Reports a renewal that is overdue, and a replacement that the CA explains or wants far before the usual time. Reports
 * nothing about an expired certificate.
 */
export function renewalFindings(
  certificate: Certificate,
  window: Window | null,
  now: number,
): ChainFinding[] {
  const { fingerprint, notAfter, serialNumber } = certificate;
  if (now >= notAfter) return [];
  const findings: ChainFinding[] = [];
  const published = window && {
    start: window.start,
    end: window.end,
    explanationUrl: webUrl(window.explanationUrl),
  };
  if (published !== null && (published.explanationUrl !== null || isFarEarlier(certificate, published))) {
    const hasBegun = now >= published.start;
    const facts = { kind: 'replacement_wanted' as const, window: published, hasBegun };
    findings.push({ code: 'replacement_wanted', severity: 'warning', fingerprint, facts });
  }
  const dueAt = renewalOverdueAt({ ...validity(certificate), renewalWindow: window });
  if (now >= dueAt) {
    const evidence = { serialNumber, window: published };
    const facts = { kind: 'renewal_overdue' as const, dueAt, notAfter, evidence };
    findings.push({ code: 'renewal_overdue', severity: 'warning', fingerprint, facts });
  }
  return findings;
}

function isFarEarlier(certificate: Certificate, { end }: { end: number }): boolean {
  const usual = expectedRenewal(validity(certificate)).from;
  return end < usual - FAR_EARLIER * (certificate.notAfter - certificate.notBefore);
}

function validity({ notBefore, notAfter }: Certificate): { notBefore: number; notAfter: number } {
  return { notBefore, notAfter };
}

/** Returns the URL if it is http or https, else null, because the URL is shown as a link. */
function webUrl(url: string | null): string | null {
  return url !== null && /^https?:\/\//i.test(url) && URL.canParse(url) ? new URL(url).href : null;
}

/** Returns the data of a certificate that alerts need. */
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

/** Returns the certificate that expires first, the first listed if several do; null for an empty list. */
export function earliest<One extends { notAfter: number }>(certificates: readonly One[]): One | null {
  const [first, ...rest] = certificates;
  return rest.reduce<One | null>(
    (soonest, one) => (soonest !== null && one.notAfter < soonest.notAfter ? one : soonest),
    first ?? null,
  );
}

/**
 * Returns until when the renewal of a certificate that an address serves is on schedule (ms UTC). Null if that is unknown, and for
 * certificates that are long-lived or not trusted: their badges do not depend on it.
 */
export function onScheduleUntil(
  {
    trusted,
    renewal,
    leafFingerprint,
    lastSeen,
  }: Pick<Verdict, 'trusted' | 'renewal' | 'leafFingerprint' | 'lastSeen'>,
  certificate: Renewable & { fingerprint: string },
): number | null {
  if (!trusted || !isShortLived(certificate)) return null;
  const { fingerprint } = certificate;
  if (fingerprint === leafFingerprint) return renewal?.overdueAt ?? null;
  const seen = lastSeen?.expiring.find((one) => one.fingerprint === fingerprint);
  return seen === undefined ? null : renewalOverdueAt(seen);
}
