import type { RenewalCause } from '../forecast/forecast-causes.ts';
import type { ExpiringCertificate, Verdict } from '../verdict.ts';
import type { AlertFacts } from './alert.ts';
import { type Condition, NO_FACTS, toAlertCertificate } from './conditions.ts';

/** What forecasts say about the next renewal of the certificate that an endpoint served before the current check. */
export interface RenewalOutlook {
  fingerprint: string;
  /** Why the renewal fails; empty if it does not, or if there is no forecast. */
  causes: readonly RenewalCause[];
  /** When the renewal is expected, ms UTC; null if there is no forecast. */
  expectedAt: number | null;
}

const shownCertificate = (verdict: Verdict, fingerprint: string): ExpiringCertificate | undefined =>
  verdict.lastSeen?.leafFingerprint === fingerprint
    ? verdict.lastSeen.expiring.find((one) => one.fingerprint === fingerprint)
    : undefined;

/**
 * Returns one condition per cause for which the next renewal fails. If the check read no certificate, the one last seen counts: a host that
 * is down does not change whether the renewal fails.
 */
export function renewalConditions(verdict: Verdict, renewal: RenewalOutlook | null): Condition[] {
  const certificate = renewal === null ? undefined : shownCertificate(verdict, renewal.fingerprint);
  const expectedAt = renewal?.expectedAt ?? null;
  if (renewal === null || certificate === undefined || expectedAt === null) return [];
  return renewal.causes.map(({ key, message, fix, zoneRecord }): Condition => ({
    problem: 'renewal_fails',
    fingerprint: `${renewal.fingerprint} ${key}`,
    expiring: null,
    severity: 'warning',
    facts: {
      ...NO_FACTS,
      certificate: toAlertCertificate(certificate),
      asOf: verdict.lastSeen?.at ?? verdict.judgedAt,
      message,
      fix,
      renewal: { expectedAt, zoneRecord },
    },
  }));
}

/** Returns whether the causes for an incident's certificate are known. If so, an incident without a condition of `renewalConditions` is over. */
export function isRenewalKnown(
  { certificate }: Pick<AlertFacts, 'certificate'>,
  verdict: Verdict,
  renewal: RenewalOutlook | null,
): boolean {
  return (
    certificate !== null &&
    certificate.fingerprint === renewal?.fingerprint &&
    shownCertificate(verdict, certificate.fingerprint) !== undefined
  );
}

/** Returns whether the forecasts of an incident's certificate were deleted, because the operator turned them off. Its cause may still exist. */
export function isRenewalForgotten(
  { certificate }: Pick<AlertFacts, 'certificate'>,
  renewal: RenewalOutlook | null,
): boolean {
  return (
    certificate !== null && certificate.fingerprint === renewal?.fingerprint && renewal.expectedAt === null
  );
}
