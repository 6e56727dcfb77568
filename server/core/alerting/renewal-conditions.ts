import type { RenewalCause } from '../forecast/forecast-causes.ts';
import type { ExpiringCertificate, Verdict } from '../verdict.ts';
import type { AlertFacts } from './alert.ts';
import { type Condition, NO_FACTS, toAlertCertificate } from './conditions.ts';

/** What forecasts say about the next renewal of a certificate that an endpoint served before the current check. */
export interface RenewalOutlook {
  fingerprint: string;
  /** Why the renewal fails; empty if it does not, or if there is no forecast. */
  causes: readonly RenewalCause[];
  /** When the renewal is expected, ms UTC; null if there is no forecast. */
  expectedAt: number | null;
}

const shownCertificate = (verdict: Verdict, fingerprint: string | null): ExpiringCertificate | undefined =>
  verdict.lastSeen?.expiring.find((one) => one.fingerprint === fingerprint);

/**
 * Returns one condition per certificate and cause for which its next renewal fails. If the check read no certificate, those last seen count: a
 * host that is down does not change whether a renewal fails.
 */
export function renewalConditions(verdict: Verdict, renewals: readonly RenewalOutlook[]): Condition[] {
  return renewals.flatMap((renewal) => conditionsOfOne(verdict, renewal));
}

function conditionsOfOne(verdict: Verdict, { fingerprint, causes, expectedAt }: RenewalOutlook): Condition[] {
  const certificate = shownCertificate(verdict, fingerprint);
  if (certificate === undefined || expectedAt === null) return [];
  return causes.map(({ key, message, fix, zoneRecord }): Condition => ({
    problem: 'renewal_fails',
    fingerprint: `${fingerprint} ${key}`,
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
  renewals: readonly RenewalOutlook[],
): boolean {
  return (
    certificate !== null &&
    renewals.some(({ fingerprint }) => fingerprint === certificate.fingerprint) &&
    shownCertificate(verdict, certificate.fingerprint) !== undefined
  );
}

/**
 * Returns the certificate that a host serves after an incident. After a failing renewal, this is the certificate of the incident if only the
 * cause is gone, otherwise the newest one of the addresses.
 */
export function successorOf(
  verdict: Verdict,
  { problem, facts: { certificate } }: { problem: string; facts: Pick<AlertFacts, 'certificate'> },
): AlertFacts['successor'] {
  const current =
    problem === 'renewal_fails'
      ? (shownCertificate(verdict, certificate?.fingerprint ?? null) ?? newestOf(verdict))
      : shownCertificate(verdict, verdict.leafFingerprint);
  return current === undefined ? null : toAlertCertificate(current);
}

function newestOf(verdict: Verdict): ExpiringCertificate | undefined {
  const served = verdict.addresses.flatMap(({ fingerprint }) => shownCertificate(verdict, fingerprint) ?? []);
  return served.toSorted((one, other) => other.notBefore - one.notBefore)[0];
}

/** Returns whether the forecasts of an incident's certificate were deleted, because the operator turned them off. Its cause may still exist. */
export function isRenewalForgotten(
  { certificate }: Pick<AlertFacts, 'certificate'>,
  renewals: readonly RenewalOutlook[],
): boolean {
  return renewals.some(
    ({ fingerprint, expectedAt }) => fingerprint === certificate?.fingerprint && expectedAt === null,
  );
}
