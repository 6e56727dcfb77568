const DAY_MS = 86_400_000;
const SHORT_LIVED_MS = 10 * DAY_MS;

export type Step = 'renewal_overdue' | 'warning' | 'critical' | 'three_days' | 'one_day' | 'expired';

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

/** When a certificate is valid, and when its CA wants it renewed (RFC 9773) where that is known; ms UTC. */
export interface Renewable {
  notBefore: number;
  notAfter: number;
  renewalWindow?: { start: number; end: number } | null;
}

/** A broken certificate may end before it begins; its steps then all fall on notAfter, never behind it. */
function lifetimeMs(certificate: Renewable): number {
  return Math.max(0, certificate.notAfter - certificate.notBefore);
}

/**
 * When to speak up about a certificate: instants in ms UTC, loosest step first. A renewal is overdue at the end of the CA's
 * window, where there is one.
 */
export function alertSteps(certificate: Renewable): { step: Step; at: number }[] {
  const lifetime = lifetimeMs(certificate);
  const steps = STEPS.map(({ step, days, share }) => ({
    step,
    at: certificate.notAfter - Math.floor(Math.min(days * DAY_MS, share * lifetime)),
  }));
  const { renewalWindow } = certificate;
  if (!renewalWindow) return steps;
  const [, warning] = steps;
  return steps.map((one) =>
    one.step === 'renewal_overdue' ? { ...one, at: Math.min(renewalWindow.end, warning?.at ?? one.at) } : one,
  );
}

/**
 * From when on and until when a renewal is expected: in the CA's window where that is known, else in the last third of the
 * lifetime, the last half under 10 days.
 */
export function expectedRenewal(certificate: Renewable): { from: number; to: number } {
  const { renewalWindow } = certificate;
  if (renewalWindow) return { from: renewalWindow.start, to: renewalWindow.end };
  const lifetime = lifetimeMs(certificate);
  const used = lifetime < SHORT_LIVED_MS ? 1 / 2 : 2 / 3;
  return { from: certificate.notAfter - Math.round(lifetime * (1 - used)), to: certificate.notAfter };
}

/** True when `step` is the same as or closer to the end than `other`. */
export function isAtLeastAsTight(step: Step, other: Step): boolean {
  return (TIGHTNESS.get(step) ?? 0) >= (TIGHTNESS.get(other) ?? 0);
}
