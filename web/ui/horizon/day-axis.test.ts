import { afterEach, describe, expect, it, vi } from 'vitest';
import { dayAxis, dayOf, monthNames, ticksOf, xOf } from './day-axis.ts';

const inZone = (zone: string) => vi.stubEnv('TZ', zone);
const at = (iso: string) => new Date(iso).getTime();
const room = { short: false, left: 0, right: Infinity, widthOf: (text: string) => text.length * 7 };

afterEach(() => vi.unstubAllEnvs());

describe('the day axis', () => {
  it("starts at today's local midnight", () => {
    inZone('Asia/Tokyo');
    const axis = dayAxis(at('2026-11-20T16:00:00Z'), 30, { from: 100, to: 400 });
    expect(new Date(axis.midnights[0] ?? 0).toISOString()).toBe('2026-11-20T15:00:00.000Z');
    expect(xOf(axis, at('2026-11-20T15:00:00Z'))).toBe(100);
    expect(xOf(axis, at('2026-11-22T03:00:00Z'))).toBeCloseTo(115);
    expect(dayOf(axis, at('2026-11-22T03:00:00Z'))).toBe(1);
  });

  it('gives days of 23 and of 25 hours the same width', () => {
    inZone('Europe/Copenhagen');
    const spring = dayAxis(at('2026-03-28T12:00:00+01:00'), 10, { from: 0, to: 100 });
    expect(spring.midnights.map((midnight) => Math.round(xOf(spring, midnight) * 1000) / 1000)).toEqual(
      Array.from({ length: 11 }, (_, day) => day * 10),
    );
    expect(dayOf(spring, at('2026-03-30T00:00:00+02:00') - 1)).toBe(1);
    const autumn = dayAxis(at('2026-10-24T12:00:00+02:00'), 10, { from: 0, to: 100 });
    expect(xOf(autumn, at('2026-10-25T12:00:00+01:00'))).toBeCloseTo(15.2);
    expect(dayOf(autumn, at('2026-10-26T00:00:00+01:00') - 1)).toBe(1);
  });

  it('extrapolates positions before today and after the end of the axis', () => {
    inZone('UTC');
    const axis = dayAxis(at('2026-11-20T13:00:00Z'), 30, { from: 100, to: 400 });
    expect(xOf(axis, at('2026-11-18T00:00:00Z'))).toBe(80);
    expect(xOf(axis, at('2026-12-21T00:00:00Z'))).toBe(410);
  });
});

describe('the ruler of the day axis', () => {
  it('has a tick for every day, longer ones for Mondays and for the first of a month', () => {
    inZone('UTC');
    const ticks = ticksOf(dayAxis(at('2026-11-20T13:00:00Z'), 12, { from: 0, to: 120 }));
    expect(ticks.map(({ kind }) => kind)).toEqual([
      'day',
      'day',
      'monday',
      'day',
      'day',
      'day',
      'day',
      'day',
      'day',
      'monday',
      'month',
      'day',
    ]);
    expect(ticks[10]?.x).toBe(110);
  });

  it('omits day ticks, then week ticks, where they would touch', () => {
    inZone('UTC');
    const kinds = (width: number) =>
      new Set(
        ticksOf(dayAxis(at('2026-11-20T13:00:00Z'), 365, { from: 0, to: width })).map(({ kind }) => kind),
      );
    expect(kinds(1500)).toEqual(new Set(['day', 'monday', 'month']));
    expect(kinds(906)).toEqual(new Set(['monday', 'month']));
    expect(kinds(200)).toEqual(new Set(['month']));
  });

  it('names months, January with the year, with short names if the long ones do not fit', () => {
    inZone('UTC');
    const names = (days: number, to: number, short = false) =>
      monthNames(dayAxis(at('2026-11-20T13:00:00Z'), days, { from: 0, to }), { ...room, short }).map(
        ({ text }) => text,
      );
    expect(names(90, 900)).toEqual(['December', 'January 2027', 'February']);
    expect(names(90, 900, true)).toEqual(['Dec', 'Jan 2027', 'Feb']);
    expect(names(365, 800).slice(0, 4)).toEqual(['Dec', 'Jan 2027', 'Feb', 'Mar']);
    expect(names(365, 400).length).toBeLessThan(12);
  });

  it('moves a month name that would overlap Today, and omits names beyond the edge', () => {
    inZone('UTC');
    const axis = dayAxis(at('2026-11-29T13:00:00Z'), 40, { from: 100, to: 500 });
    const months = monthNames(axis, { ...room, left: 133, right: 470 });
    expect(months).toEqual([{ x: 133, text: 'December' }]);
  });

  it('omits a month name that Today would move past the start of the next month', () => {
    inZone('UTC');
    const axis = dayAxis(at('2026-11-29T13:00:00Z'), 365, { from: 100, to: 830 });
    expect(monthNames(axis, { ...room, left: 150 })[0]).toEqual({ x: 173, text: 'Jan 2027' });
  });
});
