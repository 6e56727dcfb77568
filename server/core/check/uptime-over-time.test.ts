import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  followUptime,
  isHeldBack,
  isUptimeConfirmed,
  recentChecks,
  type Uptime,
  uptimePercent,
  type UptimeStanding,
} from './uptime.ts';

const NOW = Date.UTC(2026, 0, 15);
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const UP: UptimeStanding = { uptime: 'up', suspectedSince: null, downSince: null, downSeenAt: null };
const NEW: UptimeStanding = { ...UP, uptime: null };

const DOWN: UptimeStanding = { ...UP, uptime: 'down', downSince: NOW, downSeenAt: NOW };

describe('followUptime', () => {
  it('suspects an outage after one failure and rechecks after 30 s', () => {
    expect(followUptime(UP, { state: 'down', now: NOW })).toEqual({
      standing: { ...UP, suspectedSince: NOW },
      incident: null,
      endedAt: null,
      recheckAt: NOW + 30 * SECOND,
    });
  });

  it('ends an outage that was last seen while the clock ran 400 days ahead, and suspects a new one', () => {
    const ahead = { ...DOWN, downSeenAt: NOW + 400 * DAY };
    expect(followUptime(ahead, { state: 'down', now: NOW + MINUTE })).toEqual({
      standing: { ...UP, uptime: 'unknown', suspectedSince: NOW + MINUTE },
      incident: 'end',
      endedAt: NOW + MINUTE,
      recheckAt: NOW + MINUTE + 30 * SECOND,
    });
  });

  it('drops a suspicion after a successful check', () => {
    const { standing } = followUptime(UP, { state: 'down', now: NOW });
    expect(followUptime(standing, { state: 'up', now: NOW + 30 * SECOND })).toEqual({
      standing: UP,
      incident: null,
      endedAt: null,
      recheckAt: null,
    });
  });

  it('begins an incident at the first of two failures and ends it at the first success', () => {
    const suspected = followUptime(NEW, { state: 'down', now: NOW });
    expect(suspected.standing.uptime).toBeNull();
    const confirmed = followUptime(suspected.standing, { state: 'down', now: NOW + 30 * SECOND });
    expect(confirmed).toEqual({
      standing: { ...UP, uptime: 'down', downSince: NOW, downSeenAt: NOW + 30 * SECOND },
      incident: 'begin',
      endedAt: null,
      recheckAt: null,
    });
    const still = followUptime(confirmed.standing, { state: 'down', now: NOW + HOUR });
    expect(still).toEqual({
      standing: { ...confirmed.standing, downSeenAt: NOW + HOUR },
      incident: null,
      endedAt: null,
      recheckAt: null,
    });
    expect(followUptime(still.standing, { state: 'up', now: NOW + 2 * HOUR })).toEqual({
      standing: UP,
      incident: 'end',
      endedAt: NOW + 2 * HOUR,
      recheckAt: null,
    });
  });

  it('keeps the known state after an unknown result', () => {
    const suspected = followUptime(UP, { state: 'down', now: NOW }).standing;
    for (const standing of [UP, suspected, DOWN])
      expect(followUptime(standing, { state: 'unknown', now: NOW + MINUTE })).toEqual({
        standing,
        incident: null,
        endedAt: null,
        recheckAt: null,
      });
    expect(followUptime(NEW, { state: 'unknown', now: NOW }).standing.uptime).toBe('unknown');
  });

  it('returns unknown if a host that was up asks us to come back later, and down if it was down', () => {
    const refused = { state: 'unknown', isRefused: true, now: NOW + MINUTE } as const;
    const step = followUptime(UP, refused);
    expect(step).toEqual({
      standing: { ...UP, uptime: 'unknown' },
      incident: null,
      endedAt: null,
      recheckAt: null,
    });
    expect(followUptime(step.standing, { state: 'up', now: NOW + HOUR })).toMatchObject({
      standing: UP,
      incident: null,
    });
    expect(followUptime(DOWN, refused).standing).toEqual(DOWN);
  });

  it('suspects a new outage if the second failure comes 11 minutes later or the clock was set back', () => {
    const suspected = followUptime(UP, { state: 'down', now: NOW }).standing;
    for (const now of [NOW + 11 * MINUTE, NOW - HOUR])
      expect(followUptime(suspected, { state: 'down', now })).toMatchObject({
        standing: { uptime: 'up', suspectedSince: now, downSince: null },
        incident: null,
      });
  });

  it.each([
    ['up', UP],
    ['unknown', { ...UP, uptime: 'unknown' }],
    ['down', { ...UP, uptime: 'unknown', suspectedSince: NOW + DAY }],
  ] as const)(
    'ends an incident at the last failed check if the next check comes 23 hours later and is "%s"',
    (state, standing) => {
      const seen = { ...DOWN, downSeenAt: NOW + HOUR };
      expect(followUptime(seen, { state, now: NOW + DAY })).toEqual({
        standing,
        incident: 'end',
        endedAt: NOW + HOUR,
        recheckAt: state === 'down' ? NOW + DAY + 30 * SECOND : null,
      });
      expect(followUptime(seen, { state: 'down', now: NOW + 4 * HOUR }).incident).toBeNull();
    },
  );

  it('reports a host as down exactly while one incident is open', () => {
    const states = fc.array(
      fc.tuple(fc.constantFrom<Uptime>('up', 'down', 'unknown'), fc.oneof(fc.nat(20 * MINUTE), fc.nat(DAY))),
    );
    fc.assert(
      fc.property(states, (checks) => {
        let [standing, now, open] = [NEW, NOW, 0];
        for (const [state, later] of checks) {
          now += later;
          const step = followUptime(standing, { state, now });
          ({ standing } = step);
          open += step.incident === 'begin' ? 1 : step.incident === 'end' ? -1 : 0;
          expect([0, 1]).toContain(open);
          expect(standing.uptime === 'down').toBe(open === 1);
          expect(standing.downSince === null).toBe(open === 0);
        }
      }),
    );
  });
});

it('recentChecks keeps the last 90 checks', () => {
  expect(recentChecks('', 'up')).toBe('u');
  expect(recentChecks('u', 'down')).toBe('ud');
  expect(recentChecks(`d${'u'.repeat(89)}`, 'unknown')).toBe(`${'u'.repeat(89)}?`);
});

describe('uptimePercent', () => {
  const from = NOW - 1_000 * HOUR;
  it.each([
    [0, 100],
    [1, 99.9],
    [HOUR, 99.9],
    [500 * HOUR, 50],
    [999.9 * HOUR, 0],
    [2_000 * HOUR, 0],
  ])('uptimePercent with %i ms of downtime in 1,000 hours is %d', (downMs, percent) => {
    expect(uptimePercent({ from, now: NOW, downMs })).toBe(percent);
  });

  it('is 100 when monitoring has just begun', () => {
    expect(uptimePercent({ from: NOW, now: NOW, downMs: 0 })).toBe(100);
  });
});

it('isUptimeConfirmed needs a success or a confirmed outage', () => {
  const unknown = { uptime: 'unknown', recentChecks: '?d', downMs: 0 } as const;
  expect(isUptimeConfirmed({ ...unknown, uptime: null })).toBe(false);
  expect(isUptimeConfirmed(unknown)).toBe(false);
  expect(isUptimeConfirmed({ ...unknown, recentChecks: '?du?' })).toBe(true);
  expect(isUptimeConfirmed({ ...unknown, downMs: 1 })).toBe(true);
  expect(isUptimeConfirmed({ ...unknown, uptime: 'up' })).toBe(true);
  expect(isUptimeConfirmed({ ...unknown, uptime: 'down' })).toBe(true);
});

it('isHeldBack is true if the last result is unknown and the verdict does not explain it', () => {
  const failure = { stage: 'connect', detail: null } as const;
  const timedOut = { failure: { ...failure, reason: 'timeout' } } as const;
  expect(isHeldBack({ recentChecks: '', verdict: null })).toBe(false);
  expect(isHeldBack({ recentChecks: 'uu', verdict: { failure: null } })).toBe(false);
  expect(isHeldBack({ recentChecks: '?', verdict: null })).toBe(true);
  expect(isHeldBack({ recentChecks: 'u?', verdict: { failure: null } })).toBe(true);
  expect(isHeldBack({ recentChecks: 'd?', verdict: timedOut })).toBe(true);
  expect(isHeldBack({ recentChecks: 'ud', verdict: timedOut })).toBe(false);
  const noRoute = { failure: { ...failure, reason: 'no_route_here' } } as const;
  expect(isHeldBack({ recentChecks: 'u?', verdict: noRoute })).toBe(false);
  const detail = { kind: 'refusal', code: '421', refusedSince: NOW } as const;
  const busy = { failure: { stage: 'starttls', reason: 'server_refused', detail } } as const;
  expect(isHeldBack({ recentChecks: 'u?', verdict: busy })).toBe(false);
});
