import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../contract/durations.ts';
import { concernOf, type DigestDomain, isExpiring, nextDigestAt } from './digest.ts';

const NOW = Date.UTC(2026, 10, 20, 14);
const FINE: DigestDomain = {
  notAfter: NOW + 60 * DAY_MS,
  revoked: false,
  isDown: false,
  problem: null,
  renewFrom: null,
  overdueAt: null,
};

describe('the weekly digest', () => {
  it('is sent on Monday at 08:00 in the time zone of the account', () => {
    expect(new Date(nextDigestAt(NOW, null)).toISOString()).toBe('2026-11-23T08:00:00.000Z');
    expect(new Date(nextDigestAt(NOW, 'Europe/Oslo')).toISOString()).toBe('2026-11-23T07:00:00.000Z');
  });

  it('names the worst concern of a domain', () => {
    const bad = { ...FINE, revoked: true, isDown: true, problem: 'untrusted', notAfter: NOW } as const;
    expect(concernOf(bad, NOW)).toBe('revoked');
    expect(concernOf({ ...bad, revoked: false }, NOW)).toBe('expiry');
    expect(concernOf({ ...bad, revoked: false, notAfter: null }, NOW)).toBe('down');
    expect(concernOf({ ...bad, revoked: false, notAfter: null, isDown: false }, NOW)).toBe('untrusted');
    expect(concernOf(FINE, NOW)).toBeNull();
  });

  it('names an expiry within a week, unless the renewal is on schedule', () => {
    const inDays = (days: number) => ({ ...FINE, notAfter: NOW + days * DAY_MS });
    expect(concernOf(inDays(7), NOW)).toBeNull();
    expect(concernOf(inDays(6.9), NOW)).toBe('expiry');
    expect(concernOf({ ...inDays(6), overdueAt: NOW + 1 }, NOW)).toBeNull();
    expect(concernOf({ ...inDays(6), overdueAt: NOW }, NOW)).toBe('expiry');
  });

  it('lists certificates that end within 30 days and are due for renewal', () => {
    expect(isExpiring({ ...FINE, notAfter: NOW + 30 * DAY_MS }, NOW)).toBe(false);
    const near = { ...FINE, notAfter: NOW + 29 * DAY_MS };
    expect(isExpiring(near, NOW)).toBe(true);
    expect(isExpiring({ ...near, renewFrom: NOW + 1 }, NOW)).toBe(false);
    expect(isExpiring({ ...near, notAfter: null }, NOW)).toBe(false);
  });
});
