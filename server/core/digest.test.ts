import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../contract/durations.ts';
import {
  composeDigest,
  type DigestDomain,
  type DigestIncident,
  followDigest,
  isExpiring,
  nextDigestAt,
  urgencyOf,
} from './digest.ts';

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

  it('names the most urgent reason of a domain, as the dashboard does', () => {
    const bad = { ...FINE, revoked: true, isDown: true, problem: 'untrusted', notAfter: NOW } as const;
    expect(urgencyOf(bad, NOW)).toBe('revoked');
    expect(urgencyOf({ ...bad, revoked: false }, NOW)).toBe('expired');
    expect(urgencyOf({ ...bad, revoked: false, notAfter: null }, NOW)).toBe('untrusted');
    const near = { ...FINE, notAfter: NOW + DAY_MS, problem: 'unreachable' } as const;
    expect(urgencyOf({ ...near, isDown: true }, NOW)).toBe('down');
    expect(urgencyOf(near, NOW)).toBe('critical');
    expect(urgencyOf(FINE, NOW)).toBeNull();
  });

  it('names an expiry within a week, unless the renewal is on schedule', () => {
    const inDays = (days: number) => ({ ...FINE, notAfter: NOW + days * DAY_MS });
    expect(urgencyOf(inDays(7), NOW)).toBeNull();
    expect(urgencyOf(inDays(6.9), NOW)).toBe('critical');
    expect(urgencyOf({ ...inDays(6), overdueAt: NOW + 1 }, NOW)).toBeNull();
    expect(urgencyOf({ ...inDays(6), overdueAt: NOW }, NOW)).toBe('critical');
  });

  it('lists certificates that end within 30 days and are due for renewal', () => {
    expect(isExpiring({ ...FINE, notAfter: NOW + 30 * DAY_MS }, NOW)).toBe(false);
    const near = { ...FINE, notAfter: NOW + 29 * DAY_MS };
    expect(isExpiring(near, NOW)).toBe(true);
    expect(isExpiring({ ...near, renewFrom: NOW + 1 }, NOW)).toBe(false);
    expect(isExpiring({ ...near, notAfter: null }, NOW)).toBe(false);
  });
});

describe('followDigest', () => {
  const monday = Date.UTC(2026, 10, 23, 8);
  const at = (now: number, timeZone: string | null = null, plannedAt = monday) =>
    followDigest(plannedAt, { now, timeZone });

  it('sends a digest at its time and plans the next one for a week later', () => {
    expect(at(monday - 1)).toEqual({ isDue: false, nextAt: monday });
    expect(at(monday)).toEqual({ isDue: true, nextAt: monday + 7 * DAY_MS });
    expect(at(monday + 2 * DAY_MS)).toEqual({ isDue: true, nextAt: monday + 7 * DAY_MS });
  });

  it('waits for Monday morning in the new time zone if the account has changed it', () => {
    expect(at(monday, 'America/New_York')).toEqual({ isDue: false, nextAt: monday + 5 * HOUR_MS });
    expect(at(monday, 'Asia/Tokyo').isDue).toBe(true);
  });

  it('plans the digest anew if a wrong clock had planned it weeks too late', () => {
    expect(at(NOW, null, monday + 28 * DAY_MS)).toEqual({ isDue: false, nextAt: monday });
  });
});

describe('composeDigest', () => {
  const name = (host: string) => ({ host, port: 443 });
  const down: DigestIncident = {
    ...name('a.example'),
    monitorId: 'a',
    problem: 'down',
    startedAt: NOW - 2 * DAY_MS,
    endedAt: NOW - DAY_MS,
    uptimeSince: 0,
  };
  const compose = (change: Partial<Parameters<typeof composeDigest>[0]>) =>
    composeDigest({ domains: [], failing: [], renewed: [], incidents: [], ...change }, NOW);

  it('lists a domain at most once, as urgent or as expiring', () => {
    const soon = NOW + 20 * DAY_MS;
    const domains = [
      { ...FINE, ...name('down.example'), isDown: true, notAfter: soon },
      { ...FINE, ...name('soon.example'), notAfter: soon },
      { ...FINE, ...name('fine.example') },
    ];
    expect(compose({ domains })).toMatchObject({
      from: NOW - 7 * DAY_MS,
      until: NOW,
      watched: 3,
      attention: { first: [{ ...name('down.example'), concern: 'down', notAfter: soon }], more: 0 },
      expiring: { first: [{ ...name('soon.example'), notAfter: soon }], more: 0 },
    });
  });

  it('lists the worst domains first', () => {
    const domains = [
      { ...FINE, ...name('near.example'), notAfter: NOW + DAY_MS },
      { ...FINE, ...name('down.example'), isDown: true },
      { ...FINE, ...name('expired.example'), notAfter: NOW },
    ];
    expect(compose({ domains }).attention.first.map(({ host, concern }) => [host, concern])).toEqual([
      ['expired.example', 'expiry'],
      ['down.example', 'down'],
      ['near.example', 'expiry'],
    ]);
  });

  it('lists at most ten domains per section and counts the others', () => {
    const renewed = Array.from({ length: 12 }, (_, index) => ({
      ...name(`${index}.example`),
      notAfter: NOW,
    }));
    const listed = compose({ renewed }).renewed;
    expect(listed.first).toEqual(renewed.slice(0, 10));
    expect(listed.more).toBe(2);
  });

  it('computes the uptime of the week, or since monitoring began, from the outages', () => {
    const earlier = { ...down, startedAt: NOW - 10 * DAY_MS, endedAt: NOW - 6 * DAY_MS };
    const open = { ...down, ...name('b.example'), monitorId: 'b', startedAt: NOW - HOUR_MS, endedAt: null };
    const incidents = [
      { ...open, uptimeSince: NOW - 4 * HOUR_MS },
      down,
      earlier,
      { ...down, ...name('c.example'), monitorId: 'c', problem: 'wrong_name' as const },
      { ...down, ...name('d.example'), monitorId: 'd', uptimeSince: null },
    ];
    const digest = compose({ incidents });
    expect(digest.uptime).toEqual([
      { ...name('a.example'), percent: 71.4 },
      { ...name('b.example'), percent: 75 },
    ]);
    expect(digest.incidents.first).toHaveLength(5);
    expect(digest.incidents.first[0]).toEqual({
      ...name('b.example'),
      problem: 'down',
      startedAt: NOW - HOUR_MS,
      endedAt: null,
    });
  });

  it('shows the five lowest uptimes', () => {
    const incidents = [1, 2, 3, 4, 5, 6].map((hours) => ({
      ...down,
      ...name(`${hours}.example`),
      monitorId: `${hours}`,
      startedAt: NOW - hours * HOUR_MS,
      endedAt: NOW,
    }));
    const hosts = compose({ incidents }).uptime.map(({ host }) => host);
    expect(hosts).toEqual([6, 5, 4, 3, 2].map((hours) => `${hours}.example`));
  });
});
