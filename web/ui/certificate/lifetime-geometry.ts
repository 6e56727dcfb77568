import { daysLeft, expiryBadge } from '../../../contract/state/badge.ts';
import { DAY_MS } from '../../../contract/durations.ts';
import { longDate } from '../../lib/format.ts';

export interface Lifetime {
  notBefore: number;
  notAfter: number;
  /** When renewal is expected; null means after two thirds of the lifetime. In ms UTC, as are `notBefore` and `notAfter`. */
  renewalFrom: number | null;
  revoked: boolean;
  /**
   * True for a short-lived certificate whose renewal is not overdue. It always has few days left, so that is no reason for a
   * warning colour.
   */
  isOnSchedule?: boolean;
}

export type LifetimeStatus = 'ok' | 'soon' | 'critical' | 'expired' | 'revoked';

export interface LifetimeGeometry {
  status: LifetimeStatus;
  /** Elapsed share of the lifetime, 0 to 100. For an expired certificate, the place of the wall in the drawing. */
  elapsedPercent: number;
  /** Start of the renewal window in percent, 0 to 100; null once the certificate has expired. */
  renewalPercent: number | null;
  label: string;
}

// Space after the wall of an expired certificate, so that the overrun is visible from the first day.
const EXPIRED_RUN_MS = 4 * DAY_MS;

function clamp(value: number): number {
  return Math.min(100, Math.max(0, value));
}

/** Returns the positions of ring, wall and renewal window at `now`, and the label. */
export function lifetimeGeometry(lifetime: Lifetime, now: number): LifetimeGeometry {
  const { notBefore, notAfter } = lifetime;
  const length = Math.max(1, notAfter - notBefore);
  const renewalFrom = lifetime.renewalFrom ?? notBefore + (length * 2) / 3;
  const badge = expiryBadge(notAfter, now);

  if (badge?.status === 'expired' && !lifetime.revoked) {
    return {
      status: 'expired',
      elapsedPercent: clamp((100 * length) / (length + (now - notAfter) + EXPIRED_RUN_MS)),
      renewalPercent: null,
      label: `Issued ${longDate(notBefore)}, expired ${longDate(notAfter)}`,
    };
  }

  const totalDays = Math.round(length / DAY_MS);
  const usedDays = Math.min(totalDays, Math.max(0, totalDays - Math.max(0, daysLeft(notAfter, now))));
  const opens = now < renewalFrom ? 'opens' : 'opened';
  return {
    status: lifetime.revoked ? 'revoked' : lifetime.isOnSchedule ? 'ok' : (badge?.status ?? 'ok'),
    elapsedPercent: clamp((100 * (now - notBefore)) / length),
    renewalPercent: clamp((100 * (renewalFrom - notBefore)) / length),
    label:
      `Issued ${longDate(notBefore)}, ${usedDays} of ${totalDays} days used, ` +
      `renewal window ${opens} ${longDate(renewalFrom)}, expires ${longDate(notAfter)}`,
  };
}
