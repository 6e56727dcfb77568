import { describe, expect, it } from 'vitest';
import { localTime, nextLocalTime } from './local-time.ts';
import { maintenanceUntil, sendAt } from './silence.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const at = (text: string) => Date.parse(text);
const OSLO = 'Europe/Oslo';
const NEW_YORK = 'America/New_York';

describe('local time', () => {
  it('follows daylight saving time, and is UTC in an unknown zone', () => {
    expect(localTime(at('2026-07-01T10:00Z'), OSLO)).toEqual({ minute: 12 * 60, weekday: 3 });
    expect(localTime(at('2026-12-31T23:30Z'), OSLO)).toEqual({ minute: 30, weekday: 5 });
    expect(localTime(at('2026-12-31T23:30Z'), 'Nowhere/Atlantis').minute).toBe(23 * 60 + 30);
  });

  it('recurs today if it is still ahead, otherwise tomorrow or on the given weekday', () => {
    const now = at('2026-11-21T10:00Z');
    expect(nextLocalTime(now, OSLO, { minute: 12 * 60 })).toBe(at('2026-11-21T11:00Z'));
    expect(nextLocalTime(now, OSLO, { minute: 11 * 60 })).toBe(at('2026-11-22T10:00Z'));
    expect(nextLocalTime(now, OSLO, { minute: 8 * 60, weekday: 1 })).toBe(at('2026-11-23T07:00Z'));
  });

  it('that clocks skip is taken an hour later that day, east and west of UTC', () => {
    expect(nextLocalTime(at('2026-03-28T22:00Z'), OSLO, { minute: 150 })).toBe(at('2026-03-29T01:30Z'));
    expect(nextLocalTime(at('2026-03-08T03:00Z'), NEW_YORK, { minute: 150 })).toBe(at('2026-03-08T07:30Z'));
  });

  it('that occurs twice when clocks go back means the second occurrence, east and west of UTC', () => {
    const inOslo = at('2026-10-25T01:30Z');
    expect(nextLocalTime(at('2026-10-24T22:00Z'), OSLO, { minute: 150 })).toBe(inOslo);
    expect(nextLocalTime(inOslo, OSLO, { minute: 420 })).toBe(at('2026-10-25T06:00Z'));
    const inNewYork = at('2026-11-01T06:30Z');
    expect(nextLocalTime(at('2026-11-01T02:00Z'), NEW_YORK, { minute: 90 })).toBe(inNewYork);
    expect(nextLocalTime(inNewYork, NEW_YORK, { minute: 420 })).toBe(at('2026-11-01T12:00Z'));
  });
});

describe('quiet hours', () => {
  const night = { fromMinute: 22 * 60, toMinute: 7 * 60, criticalAlways: true };
  const leaves = (
    now: string,
    severity: 'warning' | 'critical',
    quietHours = night,
    timeZone: string = OSLO,
  ) => new Date(sendAt(at(now), severity, { quietHours, timeZone })).toISOString();

  it('hold back warnings until morning, across midnight and clock changes', () => {
    expect(leaves('2026-11-21T22:30Z', 'warning')).toBe('2026-11-22T06:00:00.000Z');
    expect(leaves('2026-11-22T02:00Z', 'warning')).toBe('2026-11-22T06:00:00.000Z');
    expect(leaves('2026-03-28T22:30Z', 'warning')).toBe('2026-03-29T05:00:00.000Z');
    expect(leaves('2026-11-22T06:00Z', 'warning')).toBe('2026-11-22T06:00:00.000Z');
  });

  it('hold back warnings for one more hour, not a day, if clocks skip or repeat the end of the quiet hours', () => {
    const half = { ...night, toMinute: 150 };
    expect(leaves('2026-03-08T06:45Z', 'warning', half, NEW_YORK)).toBe('2026-03-08T07:30:00.000Z');
    const early = { ...night, toMinute: 90 };
    expect(leaves('2026-11-01T05:15Z', 'warning', early, NEW_YORK)).toBe('2026-11-01T06:30:00.000Z');
    expect(leaves('2026-11-01T06:15Z', 'warning', early, NEW_YORK)).toBe('2026-11-01T06:30:00.000Z');
  });

  it('let critical alerts through, unless the settings hold these back too', () => {
    expect(leaves('2026-11-21T22:30Z', 'critical')).toBe('2026-11-21T22:30:00.000Z');
    expect(leaves('2026-11-21T22:30Z', 'critical', { ...night, criticalAlways: false })).toBe(
      '2026-11-22T06:00:00.000Z',
    );
  });

  it('can begin and end on the same day', () => {
    const siesta = { fromMinute: 13 * 60, toMinute: 15 * 60, criticalAlways: true };
    expect(leaves('2026-11-21T12:30Z', 'warning', siesta)).toBe('2026-11-21T14:00:00.000Z');
    expect(leaves('2026-11-21T14:30Z', 'warning', siesta)).toBe('2026-11-21T14:30:00.000Z');
  });
});

describe('a maintenance window', () => {
  const once = {
    startsAt: at('2026-11-21T10:00Z'),
    endsAt: at('2026-11-21T12:00Z'),
    repeats: 'never',
  } as const;
  const weekly = { ...once, repeats: 'weekly' } as const;

  it('lasts from its start to its end, and overlapping windows last until the latest end', () => {
    expect(maintenanceUntil([once], once.startsAt - 1, OSLO)).toBeNull();
    expect(maintenanceUntil([once], once.startsAt, OSLO)).toBe(once.endsAt);
    expect(maintenanceUntil([once], once.endsAt, OSLO)).toBeNull();
    expect(maintenanceUntil([once, { ...once, endsAt: once.endsAt + HOUR }], once.startsAt, OSLO)).toBe(
      once.endsAt + HOUR,
    );
  });

  it('repeats each week at the same local time, in summer too', () => {
    expect(maintenanceUntil([weekly], once.startsAt + 7 * DAY + HOUR, OSLO)).toBe(once.endsAt + 7 * DAY);
    expect(maintenanceUntil([weekly], once.startsAt + 3 * DAY, OSLO)).toBeNull();
    // 11:00 in Oslo is 10:00 UTC in winter and 09:00 in summer.
    expect(maintenanceUntil([weekly], at('2026-07-04T10:59Z'), OSLO)).toBeNull();
    expect(
      maintenanceUntil(
        [{ ...weekly, startsAt: at('2025-11-22T10:00Z'), endsAt: at('2025-11-22T12:00Z') }],
        at('2026-07-04T09:30Z'),
        OSLO,
      ),
    ).toBe(at('2026-07-04T11:00Z'));
  });
});
