import type { ExpiringCertificate } from './verdict.ts';

export type Step = 'renewal_overdue' | 'warning' | 'critical' | 'three_days' | 'one_day' | 'expired';

const DAY_MS = 86_400_000;
const SHORT_LIVED_MS = 10 * DAY_MS;

/** Each step comes at a number of days before notAfter, sooner where that is more than its share of the lifetime. */
const STEPS: readonly { step: Step; days: number; share: number }[] = [
  { step: 'renewal_overdue', days: 30, share: 0.25 },
  { step: 'warning', days: 14, share: 0.2 },
  { step: 'critical', days: 7, share: 0.1 },
  { step: 'three_days', days: 3, share: 0.05 },
  { step: 'one_day', days: 1, share: 0.02 },
  { step: 'expired', days: 0, share: 0 },
];
const TIGHTNESS = new Map(STEPS.map(({ step }, index) => [step, index]));

interface Validity {
  notBefore: number;
  notAfter: number;
}

/** A broken certificate may end before it begins; its steps then all fall on notAfter, never behind it. */
function lifetimeMs(certificate: Validity): number {
  return Math.max(0, certificate.notAfter - certificate.notBefore);
}

/** When to speak up about a certificate: instants in ms UTC, loosest step first. */
export function alertSteps(certificate: Validity): { step: Step; at: number }[] {
  const lifetime = lifetimeMs(certificate);
  return STEPS.map(({ step, days, share }) => ({
    step,
    at: certificate.notAfter - Math.floor(Math.min(days * DAY_MS, share * lifetime)),
  }));
}

/** From when on and until when a renewal is expected: the last third of the lifetime, the last half under 10 days. */
export function expectedRenewal(certificate: Validity): { from: number; to: number } {
  const lifetime = lifetimeMs(certificate);
  const used = lifetime < SHORT_LIVED_MS ? 1 / 2 : 2 / 3;
  return { from: certificate.notAfter - Math.round(lifetime * (1 - used)), to: certificate.notAfter };
}

/** True when `step` is the same as or closer to the end than `other`. */
export function isAtLeastAsTight(step: Step, other: Step): boolean {
  return (TIGHTNESS.get(step) ?? 0) >= (TIGHTNESS.get(other) ?? 0);
}

export interface PlannedAlert {
  kind: 'expiry';
  fingerprint: string;
  step: Step;
  notBefore: number;
  notAfter: number;
  role: 'leaf' | 'intermediate';
  name: string;
  /** When the certificate was last seen; before `now` when the host could not be reached since. */
  asOf: number;
}

/**
 * The alerts that are due: for each certificate the tightest step crossed, unless that or a tighter one was planned before.
 * `certificates` are those last seen, also when the check at hand reached nobody; `asOf` says when that was.
 */
export function planAlerts(input: {
  certificates: readonly ExpiringCertificate[];
  alreadyAlerted: readonly { fingerprint: string; step: Step }[];
  asOf: number;
  now: number;
}): PlannedAlert[] {
  const alerts: PlannedAlert[] = [];
  for (const certificate of input.certificates) {
    const crossed = alertSteps(certificate).findLast(({ at }) => at <= input.now);
    if (crossed === undefined) continue;
    const told = [...input.alreadyAlerted, ...alerts].some(
      ({ fingerprint, step }) =>
        fingerprint === certificate.fingerprint && isAtLeastAsTight(step, crossed.step),
    );
    if (told) continue;
    const { fingerprint, notBefore, notAfter, role, name } = certificate;
    alerts.push({
      kind: 'expiry',
      fingerprint,
      step: crossed.step,
      notBefore,
      notAfter,
      role,
      name,
      asOf: input.asOf,
    });
  }
  return alerts;
}
