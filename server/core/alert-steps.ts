import { DAY_MS, HOUR_MS } from '../../contract/durations.ts';
import {
  count,
  CRITICAL_DAYS,
  DEFAULT_ALERT_STEPS,
  EARLIEST_STEP_SHARE,
  REFUSAL_STEP_DAYS,
  REGISTRATION_STEP_DAYS,
  RENEWAL_REMINDER_DAYS,
} from '../../contract/words.ts';

/**
 * Lifetime below which a certificate should be renewed after half of its lifetime; others should be renewed after two thirds.
 */
const RENEWED_AT_HALF_MS = 10 * DAY_MS;
const SHORT_LIVED_MS = 30 * DAY_MS;

type DefaultStep = 'renewal_overdue' | 'warning' | 'critical' | 'three_days' | 'one_day' | 'expired';
/** A step that a user chose: a number of days before notAfter, or the percentage of the lifetime that is left. */
export type ChosenStep = `${number}d` | `${number}%`;
export type Step = DefaultStep | ChosenStep;

const STEPS: readonly { step: DefaultStep; days: number; share: number }[] = [
  ...DEFAULT_ALERT_STEPS,
  { step: 'expired', days: 0, share: 0 },
];

/** The validity of a certificate, and its CA's renewal window (RFC 9773) if known; ms UTC. */
export interface Renewable {
  notBefore: number;
  notAfter: number;
  renewalWindow?: { start: number; end: number } | null;
}

/** Returns the lifetime in ms. It is 0 if notAfter is before notBefore, so that no step comes after notAfter. */
function lifetimeMs(certificate: Renewable): number {
  return Math.max(0, certificate.notAfter - certificate.notBefore);
}

/**
 * Returns the alert steps of a certificate with their times (ms UTC), earliest first. `chosen` replaces all default steps
 * except `expired`; null keeps them.
 */
export function alertSteps(
  certificate: Renewable,
  chosen: readonly ChosenStep[] | null = null,
): { step: Step; at: number }[] {
  const steps: Step[] = chosen === null ? STEPS.map(({ step }) => step) : [...chosen, 'expired'];
  return steps
    .map((step) => ({ step, at: stepAt(step, certificate) }))
    .toSorted((left, right) => left.at - right.at);
}

/** A time that alerts count down to (ms UTC): when a registration ends, when clients begin to refuse a certificate, or when a renewal is expected. */
export type AlertDay = { kind: 'registration' | 'refusal' | 'renewal'; at: number };

/** Returns the alert steps before a day with their times (ms UTC), earliest first. */
export function stepsBefore({ kind, at }: AlertDay): { step: ChosenStep | 'opened'; at: number }[] {
  const daysBefore = (days: number) => ({ step: `${days}d` as const, at: at - days * DAY_MS });
  // A failing renewal is reported at once, however far ahead it is.
  if (kind === 'renewal') return [{ step: 'opened', at: 0 }, daysBefore(RENEWAL_REMINDER_DAYS)];
  const steps = kind === 'registration' ? REGISTRATION_STEP_DAYS : REFUSAL_STEP_DAYS;
  return steps.map(daysBefore);
}

/** Returns whether the day is at most a week away at `now` (ms UTC). In that week, alerts about the day are critical. */
export function isLastWeek({ at }: AlertDay, now: number): boolean {
  return at - now <= CRITICAL_DAYS * DAY_MS;
}

/**
 * Returns when the latest step up to `now` was reached, if it is tighter than the step `sent`: another step, reached after `sentAt`. A
 * message about `sent` is then redundant. Returns null otherwise. All times in ms UTC.
 */
export function tighterStepReachedAt(
  certificate: Renewable,
  {
    sent,
    sentAt,
    now,
    chosen,
  }: {
    sent: string;
    sentAt: number;
    now: number;
    chosen: readonly ChosenStep[] | null;
  },
): number | null {
  const last = alertSteps(certificate, chosen).findLast(({ at }) => at <= now);
  return last !== undefined && last.step !== sent && last.at > sentAt ? last.at : null;
}

/** Returns the time of a step, ms UTC. Also accepts chosen steps that the user has deselected since. */
function stepAt(step: Step, certificate: Renewable): number {
  const lifetime = lifetimeMs(certificate);
  const own = STEPS.find((one) => one.step === step);
  if (own === undefined) return certificate.notAfter - Math.floor(timeLeftAt(step as ChosenStep, lifetime));
  const at = certificate.notAfter - Math.floor(Math.min(own.days * DAY_MS, own.share * lifetime));
  const { renewalWindow } = certificate;
  if (step !== 'renewal_overdue' || !renewalWindow) return at;
  return Math.min(renewalWindow.end, stepAt('warning', certificate));
}

function timeLeftAt(step: ChosenStep, lifetime: number): number {
  const number = Number.parseFloat(step);
  return step.endsWith('%')
    ? (number / 100) * lifetime
    : Math.min(number * DAY_MS, EARLIEST_STEP_SHARE * lifetime);
}

/**
 * Returns the period in which a renewal is expected, ms UTC: the CA's window if known, else the last third of the lifetime
 * (the last half if the lifetime is under 10 days).
 */
export function expectedRenewal(certificate: Renewable): { from: number; to: number } {
  const { renewalWindow } = certificate;
  if (renewalWindow) return { from: renewalWindow.start, to: renewalWindow.end };
  const lifetime = lifetimeMs(certificate);
  const used = lifetime < RENEWED_AT_HALF_MS ? 1 / 2 : 2 / 3;
  return { from: certificate.notAfter - Math.round(lifetime * (1 - used)), to: certificate.notAfter };
}

/**
 * Returns when a renewal is overdue, ms UTC: at the end of the CA's window but not after `warning`, else when 30 days or a
 * quarter of the lifetime are left (the later one). Findings, alerts, pages, counts and mails use this instant.
 */
export function renewalOverdueAt(certificate: Renewable): number {
  return stepAt('renewal_overdue', certificate);
}

/**
 * Returns whether the lifetime of a certificate is less than 30 days. Its badge turns yellow before its renewal is due, so
 * only `renewalOverdueAt` shows whether somebody has to act.
 */
export function isShortLived(certificate: Renewable): boolean {
  return lifetimeMs(certificate) < SHORT_LIVED_MS;
}

/** Returns whether a step comes at the same time as `critical` or later. Alerts of such a step are critical, so quiet hours can let them pass. */
export function isCriticalStep(step: Step, certificate: Renewable): boolean {
  return stepAt(step, certificate) >= stepAt('critical', certificate);
}

const FIXED_LABELS: Partial<Record<Step, string>> = {
  renewal_overdue: 'renewal overdue',
  expired: 'when it expires',
};
/** Days before expiry of the other default steps. Short-lived certificates reach these steps later. */
const DEFAULT_DAYS: Partial<Record<Step, number>> = { warning: 14, critical: 7, three_days: 3, one_day: 1 };

/**
 * Returns when a step comes, in words such as "14 days before" or "when it expires". `leftMs`: time from the step to the expiry,
 * because steps in days come later for short lifetimes; null if there is no certificate.
 */
export function stepLabel(step: Step, leftMs: number | null = null): string {
  const own = FIXED_LABELS[step];
  if (own !== undefined) return own;
  const chosen = /^(\d+)([d%])$/.exec(step);
  if (chosen?.[2] === '%') return `${chosen[1]}% of its lifetime left`;
  const days = chosen === null ? (DEFAULT_DAYS[step] ?? 0) : Number(chosen[1]);
  if (leftMs === null || leftMs >= days * DAY_MS) return `${count(days, 'day')} before`;
  return leftMs >= 2 * DAY_MS
    ? `${count(Math.floor(leftMs / DAY_MS), 'day')} before`
    : `${count(Math.max(1, Math.floor(leftMs / HOUR_MS)), 'hour')} before`;
}
