import { alertSteps, isAtLeastAsTight, type Step } from './alert-steps.ts';
import type { ExpiringCertificate, LastSeen, RevokedCertificate } from './verdict.ts';

/** What an alert is told once for: a step before the end, or that the certificate was revoked. */
export type AlertStep = Step | 'revoked';

export interface PlannedAlert {
  kind: 'expiry' | 'revoked';
  step: AlertStep;
  fingerprint: string;
  notBefore: number;
  notAfter: number;
  role: 'leaf' | 'intermediate';
  name: string;
  /** When the certificate was last seen; before `now` when the host could not be reached since. */
  asOf: number;
}

/**
 * The alerts that are due, from what was last seen, also when the check at hand reached nobody: for each certificate the
 * tightest step crossed, unless that or a tighter one was planned before; and once for each that was revoked.
 */
export function planAlerts(input: {
  lastSeen: Pick<LastSeen, 'at' | 'expiring' | 'revoked'> | null;
  alreadyAlerted: readonly { fingerprint: string; step: AlertStep }[];
  now: number;
}): PlannedAlert[] {
  const { lastSeen, alreadyAlerted, now } = input;
  if (lastSeen === null) return [];
  const alerts: PlannedAlert[] = [];
  for (const certificate of lastSeen.revoked) {
    const told = [...alreadyAlerted, ...alerts].some(
      ({ fingerprint, step }) => step === 'revoked' && fingerprint === certificate.fingerprint,
    );
    if (certificate.served && !told)
      alerts.push({ kind: 'revoked', step: 'revoked', ...planned(certificate, lastSeen.at) });
  }
  for (const certificate of lastSeen.expiring) {
    const crossed = alertSteps(certificate).findLast(({ at }) => at <= now);
    if (crossed === undefined) continue;
    const told = [...alreadyAlerted, ...alerts].some(
      ({ fingerprint, step }) =>
        fingerprint === certificate.fingerprint && step !== 'revoked' && isAtLeastAsTight(step, crossed.step),
    );
    if (!told) alerts.push({ kind: 'expiry', step: crossed.step, ...planned(certificate, lastSeen.at) });
  }
  return alerts;
}

function planned(
  certificate: ExpiringCertificate | RevokedCertificate,
  asOf: number,
): Omit<PlannedAlert, 'kind' | 'step'> {
  const { fingerprint, notBefore, notAfter, role, name } = certificate;
  return { fingerprint, notBefore, notAfter, role, name, asOf };
}
