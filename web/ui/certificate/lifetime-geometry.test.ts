import { describe, expect, it } from 'vitest';
import { lifetimeGeometry } from './lifetime-geometry.ts';
import { DAY_MS } from '../../../contract/durations.ts';

const notBefore = Date.UTC(2026, 8, 2, 12);
const lifetime = { notBefore, notAfter: notBefore + 90 * DAY_MS, renewalFrom: null, revoked: false };
const onDay = (day: number) => lifetimeGeometry(lifetime, notBefore + day * DAY_MS);

describe('a lifetime bar', () => {
  it.each([
    [0, 'ok', 0],
    [45, 'ok', 50],
    [75.5, 'soon', 83.89],
    [79, 'soon', 87.78],
    [83, 'critical', 92.22],
    [90, 'critical', 100],
  ])('on day %d is %s, with %d percent elapsed', (day, status, percent) => {
    const geometry = onDay(day);
    expect(geometry.status).toBe(status);
    expect(geometry.elapsedPercent).toBeCloseTo(percent, 1);
    expect(geometry.renewalPercent).toBeCloseTo(66.67, 1);
  });

  it('has no warning colour while a short-lived certificate is on schedule', () => {
    const isOnSchedule = true;
    const late = (day: number) => lifetimeGeometry({ ...lifetime, isOnSchedule }, notBefore + day * DAY_MS);
    expect([late(83).status, late(91).status]).toEqual(['ok', 'expired']);
  });

  it('stays inside its track before notBefore', () => {
    expect(onDay(-3)).toMatchObject({ status: 'ok', elapsedPercent: 0 });
  });

  it("draws the server's renewal window", () => {
    const renewalFrom = notBefore + 45 * DAY_MS;
    expect(lifetimeGeometry({ ...lifetime, renewalFrom }, notBefore).renewalPercent).toBe(50);
  });

  it('moves the expiry line left each day after the expiry', () => {
    const first = onDay(90.1);
    const later = onDay(120);
    expect(first).toMatchObject({ status: 'expired', renewalPercent: null });
    expect(first.elapsedPercent).toBeLessThan(100);
    expect(later.elapsedPercent).toBeLessThan(first.elapsedPercent);
  });

  it('stays revoked after the expiry', () => {
    expect(lifetimeGeometry({ ...lifetime, revoked: true }, notBefore + 100 * DAY_MS).status).toBe('revoked');
  });

  it('has a label that describes the drawing', () => {
    expect(onDay(79).label).toBe(
      'Issued 2 September 2026, 79 of 90 days used, renewal window opened 1 November 2026, expires 1 December 2026',
    );
    expect(onDay(10).label).toContain('10 of 90 days used, renewal window opens 1 November 2026');
    expect(onDay(95).label).toBe('Issued 2 September 2026, expired 1 December 2026');
  });

  it('has no elapsed part if the certificate ends before it begins', () => {
    const broken = { ...lifetime, notAfter: notBefore - DAY_MS };
    expect(lifetimeGeometry(broken, notBefore - 2 * DAY_MS).elapsedPercent).toBe(0);
  });
});
