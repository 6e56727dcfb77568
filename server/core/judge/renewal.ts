import type { Certificate } from '../../pki/index.ts';
import { expectedRenewal, renewalOverdueAt } from '../alert-steps.ts';
import type { ChainFinding } from './chain-finding.ts';
import { longDate, longInstant } from '../long-date.ts';
import type { RenewalEvidence } from '../observation.ts';
import type { RenewalVerdict } from '../verdict.ts';

type Window = Extract<RenewalEvidence, { outcome: 'window' }>;

/** A window counts as far earlier than normal when it ends by this much of the lifetime before renewals usually begin. */
const FAR_EARLIER = 1 / 6;

/** The window that the CA publishes for this certificate; null where it says nothing that can be used. */
export function renewalWindow(
  { fingerprint, notAfter }: Certificate,
  evidence: readonly RenewalEvidence[],
): Window | null {
  const found = evidence.find((one) => one.fingerprint === fingerprint && one.outcome === 'window');
  return found?.outcome === 'window' && found.start <= found.end && found.start < notAfter ? found : null;
}

/**
 * Returns when a certificate should be renewed: by its CA's window where that is known, else by its lifetime. `isReplaced`:
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

/** That the time to renew has passed, and that the CA wants a replacement before the usual time. */
export function renewalFindings(
  certificate: Certificate,
  window: Window | null,
  now: number,
): ChainFinding[] {
  const { fingerprint, notAfter } = certificate;
  if (now >= notAfter) return [];
  const findings: ChainFinding[] = [];
  const explanation = webUrl(window?.explanationUrl ?? null);
  const windowEvidence =
    window === null
      ? []
      : [
          {
            label: 'Window of the authority (RFC 9773)',
            value: `${longInstant(window.start)} to ${longInstant(window.end)}`,
          },
          ...(explanation === null ? [] : [{ label: 'Explanation', value: explanation }]),
        ];
  if (window !== null && (explanation !== null || isFarEarlier(certificate, window))) {
    const when = now < window.start ? `by ${longDate(window.end, 'UTC')}` : 'now';
    findings.push({
      code: 'replacement_wanted',
      severity: 'warning',
      message: `Your CA wants this certificate replaced ${when}${explanation === null ? ', long before the usual time' : ', and says why'}.`,
      fingerprint,
      evidence: windowEvidence,
    });
  }
  const due = renewalOverdueAt({ ...validity(certificate), renewalWindow: window });
  if (now >= due) {
    findings.push({
      code: 'renewal_overdue',
      severity: 'warning',
      message: `The certificate should have been renewed by ${longDate(due, 'UTC')}; it expires on ${longDate(notAfter, 'UTC')}.`,
      fingerprint,
      evidence: [
        { label: 'Serial number', value: certificate.serialNumber },
        { label: 'Renewal due', value: longInstant(due) },
        { label: 'Expires', value: longInstant(notAfter) },
        ...windowEvidence,
      ],
    });
  }
  return findings;
}

function isFarEarlier(certificate: Certificate, { end }: Window): boolean {
  const usual = expectedRenewal(validity(certificate)).from;
  return end < usual - FAR_EARLIER * (certificate.notAfter - certificate.notBefore);
}

function validity({ notBefore, notAfter }: Certificate): { notBefore: number; notAfter: number } {
  return { notBefore, notAfter };
}

/** It is shown as a link. */
function webUrl(url: string | null): string | null {
  return url !== null && /^https?:\/\//i.test(url) && URL.canParse(url) ? new URL(url).href : null;
}
