import { describe, expect, it } from 'vitest';
import {
  alertSteps,
  expectedRenewal,
  isShortLived,
  type Renewable,
  renewalOverdueAt,
  tighterStepReachedAt,
} from './alert-steps.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOT_AFTER = Date.UTC(2026, 10, 22, 14, 32);

function certificate(lifetimeMs: number, renewalWindow: Renewable['renewalWindow'] = null): Renewable {
  return { notBefore: NOT_AFTER - lifetimeMs, notAfter: NOT_AFTER, renewalWindow };
}

function leftAtSteps(lifetimeMs: number, unit: number): number[] {
  return alertSteps(certificate(lifetimeMs)).map(({ at }) => (NOT_AFTER - at) / unit);
}

describe('alertSteps', () => {
  it('returns 22.5, 14, 7, 3, 1 and 0 days before expiry for a 90-day certificate', () => {
    expect(leftAtSteps(90 * DAY, DAY)).toEqual([22.5, 14, 7, 3, 1, 0]);
  });
  it('returns 40, 32, 16, 8, 3.2 and 0 hours before expiry for a 160-hour certificate', () => {
    expect(leftAtSteps(160 * HOUR, HOUR)).toEqual([40, 32, 16, 8, 3.2, 0]);
  });
  it('returns 30, 14, 7, 3, 1 and 0 days before expiry for a 398-day certificate', () => {
    expect(leftAtSteps(398 * DAY, DAY)).toEqual([30, 14, 7, 3, 1, 0]);
  });
  it('places renewal_overdue at the end of the CA’s renewal window, but at least 14 days before expiry', () => {
    const window = { start: NOT_AFTER - 35 * DAY, end: NOT_AFTER - 33 * DAY };
    const left = alertSteps(certificate(90 * DAY, window)).map(({ at }) => (NOT_AFTER - at) / DAY);
    expect(left).toEqual([33, 14, 7, 3, 1, 0]);
    const late = alertSteps(certificate(90 * DAY, { start: NOT_AFTER - DAY, end: NOT_AFTER + DAY }));
    expect(late[0]).toEqual({ step: 'renewal_overdue', at: NOT_AFTER - 14 * DAY });
  });
  it('returns no step after expiry, even if a certificate ends before it begins', () => {
    expect(leftAtSteps(-5 * DAY, DAY)).toEqual([0, 0, 0, 0, 0, 0]);
  });
});

describe('tighterStepReachedAt', () => {
  const at = (daysLeft: number) => NOT_AFTER - daysLeft * DAY;
  const passed = (sent: string, sentAt: number, now: number, chosen: ['20d'] | null = null) =>
    tighterStepReachedAt(certificate(90 * DAY), { sent, sentAt, now, chosen });

  it('returns when the latest step was reached after the alert was sent', () => {
    expect(passed('warning', at(14), at(6.9))).toBe(at(7));
    expect(passed('warning', at(14), at(0))).toBe(NOT_AFTER);
  });
  it('returns null before the next step, and if the alert was sent after that step', () => {
    expect(passed('warning', at(14), at(7.1))).toBeNull();
    expect(passed('critical', at(7), at(6.9))).toBeNull();
    expect(passed('warning', at(6.95), at(6.9))).toBeNull();
  });
  it('uses the steps that the account chose', () => {
    expect(passed('20d', at(20), at(6.9), ['20d'])).toBeNull();
    expect(passed('20d', at(20), at(-1), ['20d'])).toBe(NOT_AFTER);
  });
});

describe('renewalOverdueAt', () => {
  const windows = [null, { start: -35, end: -33 }, { start: -1, end: 1 }].map(
    (days) => days && { start: NOT_AFTER + days.start * DAY, end: NOT_AFTER + days.end * DAY },
  );
  it.each([0.5, 6, 10, 29, 47, 90, 398])('is the first alert step of a certificate of %d days', (days) => {
    for (const window of windows) {
      const one = certificate(days * DAY, window);
      expect(renewalOverdueAt(one)).toBe(alertSteps(one)[0]?.at);
    }
  });
});

describe('isShortLived', () => {
  it('is true for lifetimes below 30 days', () => {
    expect([29.9, 30].map((days) => isShortLived(certificate(days * DAY)))).toEqual([true, false]);
  });
});

describe('expectedRenewal', () => {
  it('is the last third of the lifetime', () => {
    expect(expectedRenewal(certificate(90 * DAY))).toEqual({ from: NOT_AFTER - 30 * DAY, to: NOT_AFTER });
  });
  it('is the renewal window of the CA if it is known', () => {
    const window = { start: NOT_AFTER - 35 * DAY, end: NOT_AFTER - 33 * DAY };
    expect(expectedRenewal(certificate(90 * DAY, window))).toEqual({ from: window.start, to: window.end });
  });
  it('is the last half of a lifetime below ten days', () => {
    expect(expectedRenewal(certificate(160 * HOUR)).from).toBe(NOT_AFTER - 80 * HOUR);
  });
});
