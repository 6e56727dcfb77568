import { describe, expect, it } from 'vitest';
import { addCheckToHour, hoursOf, type OpenHour, packHour, parseHour, withHour } from './day-figures.ts';
import { HOUR_MS } from '../../../contract/durations.ts';

const DAY = Date.UTC(2026, 0, 15);
const check = (at: number, responseMs: number | null = 20) => ({
  at,
  responseMs,
  state: responseMs === null ? ('down' as const) : ('up' as const),
});

describe('the figures of hours and days', () => {
  it('count the checks of an hour until another hour starts', () => {
    const first = addCheckToHour(null, check(DAY + 1, 10));
    expect(first.finished).toBeNull();
    const second = addCheckToHour(first.open, check(DAY + HOUR_MS - 1, 30));
    const third = addCheckToHour(second.open, check(DAY + HOUR_MS, null));
    expect(third.finished).toEqual({
      at: DAY,
      figures: { checks: 2, up: 2, down: 0, unknown: 0, answered: 2, responseSum: 40, responseMax: 30 },
    });
    expect(third.open).toMatchObject({ at: DAY + HOUR_MS, figures: { checks: 1, down: 1, answered: 0 } });
    expect(parseHour({ hour_at: third.open.at, hour: packHour(third.open) })).toEqual(third.open);
  });

  it('add up to those of the day, which lists only hours in which the host answered', () => {
    const hour = (at: number, responseMs: number | null): OpenHour =>
      addCheckToHour(null, check(at, responseMs)).open;
    let day = withHour(undefined, hour(DAY, 10));
    day = withHour(day, hour(DAY + HOUR_MS, null));
    day = withHour(day, hour(DAY + 23 * HOUR_MS, 50));
    // The clock was set back, so the last check is again in the first hour.
    day = withHour(day, hour(DAY + 1, 90));
    expect(day).toMatchObject({
      day_at: DAY,
      checks: 4,
      up: 3,
      down: 1,
      unknown: 0,
      answered: 3,
      response_sum: 150,
      response_max: 90,
    });
    expect(hoursOf(day)).toEqual([
      { at: DAY, answered: 2, responseSum: 100, responseMax: 90 },
      { at: DAY + 23 * HOUR_MS, answered: 1, responseSum: 50, responseMax: 50 },
    ]);
  });
});
