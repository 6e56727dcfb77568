import { describe, expect, it } from 'vitest';
import { alertSteps, expectedRenewal, type Renewable } from './alert-steps.ts';

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
  it('comes at 22.5, 14, 7, 3, 1 days and the end of a 90-day certificate', () => {
    expect(leftAtSteps(90 * DAY, DAY)).toEqual([22.5, 14, 7, 3, 1, 0]);
  });
  it('comes at 40, 32, 16, 8, 3.2 hours and the end of a 160-hour certificate', () => {
    expect(leftAtSteps(160 * HOUR, HOUR)).toEqual([40, 32, 16, 8, 3.2, 0]);
  });
  it('comes at 30, 14, 7, 3, 1 days and the end of a long one', () => {
    expect(leftAtSteps(398 * DAY, DAY)).toEqual([30, 14, 7, 3, 1, 0]);
  });
  it('calls a renewal overdue at the end of the CA’s window, and leaves the other steps alone', () => {
    const window = { start: NOT_AFTER - 35 * DAY, end: NOT_AFTER - 33 * DAY };
    const left = alertSteps(certificate(90 * DAY, window)).map(({ at }) => (NOT_AFTER - at) / DAY);
    expect(left).toEqual([33, 14, 7, 3, 1, 0]);
    const late = alertSteps(certificate(90 * DAY, { start: NOT_AFTER - DAY, end: NOT_AFTER + DAY }));
    expect(late[0]).toEqual({ step: 'renewal_overdue', at: NOT_AFTER - 14 * DAY });
  });
  it('never comes after the end, even of a certificate that ends before it begins', () => {
    expect(leftAtSteps(-5 * DAY, DAY)).toEqual([0, 0, 0, 0, 0, 0]);
  });
});

describe('expectedRenewal', () => {
  it('is the last third of the lifetime', () => {
    expect(expectedRenewal(certificate(90 * DAY))).toEqual({ from: NOT_AFTER - 30 * DAY, to: NOT_AFTER });
  });
  it('is the CA’s window where that is known', () => {
    const window = { start: NOT_AFTER - 35 * DAY, end: NOT_AFTER - 33 * DAY };
    expect(expectedRenewal(certificate(90 * DAY, window))).toEqual({ from: window.start, to: window.end });
  });
  it('is the last half under ten days', () => {
    expect(expectedRenewal(certificate(160 * HOUR)).from).toBe(NOT_AFTER - 80 * HOUR);
  });
});
