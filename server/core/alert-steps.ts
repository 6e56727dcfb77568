import { DAY_MS, HOUR_MS } from '../../contract/durations.ts';
import { count } from './long-date.ts';

/** A certificate valid for less is renewed at half of its lifetime, others at two thirds. */
const RENEWED_AT_HALF_MS = 10 * DAY_MS;
const SHORT_LIVED_MS = 30 * DAY_MS;
/** A step that somebody chose in days falls into the second half of a lifetime: before it nobody has to act yet. */
const EARLIEST_SHARE = 0.5;

type OwnStep = 'renewal_overdue' | 'warning' | 'critical' | 'three_days' | 'one_day' | 'expired';
/** What somebody chose instead: so many days before notAfter, or so much of the lifetime left. */
export type ChosenStep = `${number}d` | `${number}%`;
export type Step = OwnStep | ChosenStep;

/** Each step comes at a number of days before notAfter, sooner where that is more than its share of the lifetime. */
const STEPS: readonly { step: OwnStep; days: number; share: number }[] = [
  { step: 'renewal_overdue', days: 30, share: 0.25 },
  { step: 'warning', days: 14, share: 0.2 },
  { step: 'critical', days: 7, share: 0.1 },
  { step: 'three_days', days: 3, share: 0.05 },
  { step: 'one_day', days: 1, share: 0.02 },
  { step: 'expired', days: 0, share: 0 },
];

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
 * When to speak up about a certificate: instants in ms UTC, loosest step first, the end of its validity last. `chosen`
 * replaces the steps before that; null leaves them as they are. A renewal is overdue at the end of the CA's window, where
 * there is one.
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

/**
 * When a step tighter than `told`, which was decided on at `toldAt`, came since then and before `now`: null where none did. All
 * are ms UTC. What says the looser step now, says what the tighter one is about to say.
 */
export function passedSince(
  certificate: Renewable,
  {
    told,
    toldAt,
    now,
    chosen,
  }: {
    told: string;
    toldAt: number;
    now: number;
    chosen: readonly ChosenStep[] | null;
  },
): number | null {
  const last = alertSteps(certificate, chosen).findLast(({ at }) => at <= now);
  return last !== undefined && last.step !== told && last.at > toldAt ? last.at : null;
}

/** The instant of one step, ms UTC, also of one that was chosen once and is no more. */
function stepAt(step: Step, certificate: Renewable): number {
  const lifetime = lifetimeMs(certificate);
  const own = STEPS.find((one) => one.step === step);
  if (own === undefined) return certificate.notAfter - Math.floor(leftAt(step as ChosenStep, lifetime));
  const at = certificate.notAfter - Math.floor(Math.min(own.days * DAY_MS, own.share * lifetime));
  const { renewalWindow } = certificate;
  if (step !== 'renewal_overdue' || !renewalWindow) return at;
  return Math.min(renewalWindow.end, stepAt('warning', certificate));
}

function leftAt(step: ChosenStep, lifetime: number): number {
  const number = Number.parseFloat(step);
  return step.endsWith('%')
    ? (number / 100) * lifetime
    : Math.min(number * DAY_MS, EARLIEST_SHARE * lifetime);
}

/**
 * From when on and until when a renewal is expected: in the CA's window where that is known, else in the last third of the
 * lifetime, the last half under 10 days.
 */
export function expectedRenewal(certificate: Renewable): { from: number; to: number } {
  const { renewalWindow } = certificate;
  if (renewalWindow) return { from: renewalWindow.start, to: renewalWindow.end };
  const lifetime = lifetimeMs(certificate);
  const used = lifetime < RENEWED_AT_HALF_MS ? 1 / 2 : 2 / 3;
  return { from: certificate.notAfter - Math.round(lifetime * (1 - used)), to: certificate.notAfter };
}

/**
 * Returns when the renewal of a certificate is overdue, ms UTC: at the end of the CA's window where there is one, else when 30
 * days or a quarter of the lifetime are left. Findings, alerts, pages, counts and mails all go by this instant.
 */
export function renewalOverdueAt(certificate: Renewable): number {
  return stepAt('renewal_overdue', certificate);
}

/**
 * Tells whether a certificate is valid for less than 30 days. The badge of such a certificate is red or yellow from its first
 * day on, so only `renewalOverdueAt` says whether somebody has to act.
 */
export function isShortLived(certificate: Renewable): boolean {
  return lifetimeMs(certificate) < SHORT_LIVED_MS;
}

/** Whether a step is in the last stretch, in which a quiet hour is no reason to wait. */
export function isCriticalStep(step: Step, certificate: Renewable): boolean {
  return stepAt(step, certificate) >= stepAt('critical', certificate);
}

const OWN: Partial<Record<Step, string>> = {
  renewal_overdue: 'when its renewal is overdue',
  expired: 'when it expires',
};
/** How many days before the end each is; less for short lifetimes. */
const OWN_DAYS: Partial<Record<Step, number>> = { warning: 14, critical: 7, three_days: 3, one_day: 1 };

/**
 * When a step comes, for people: "14 days before", "20 % of its lifetime left", "when it expires". `leftMs`, where known, is how
 * long before the end it comes for the certificate at hand, as the product's own steps come sooner for short lifetimes.
 */
export function stepLabel(step: Step, leftMs: number | null = null): string {
  const own = OWN[step];
  if (own !== undefined) return own;
  const chosen = /^(\d+)([d%])$/.exec(step);
  if (chosen?.[2] === '%') return `${chosen[1]} % of its lifetime left`;
  const days = chosen === null ? (OWN_DAYS[step] ?? 0) : Number(chosen[1]);
  if (leftMs === null || leftMs >= days * DAY_MS) return `${count(days, 'day')} before`;
  return leftMs >= DAY_MS
    ? `${count(Math.floor(leftMs / DAY_MS), 'day')} before`
    : `${count(Math.max(1, Math.floor(leftMs / HOUR_MS)), 'hour')} before`;
}
