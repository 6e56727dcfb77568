import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../../contract/durations.ts';
import { cardFrame } from '../../../ui/horizon/frames.ts';
import {
  type HorizonEntry,
  type HorizonLayout,
  layOutHorizon,
  type PinStatus,
} from '../../../ui/horizon/horizon-layout.ts';
import { createTextMeasure } from '../../../ui/horizon/text-measure.ts';
import { barAt, barName, dayBars, periodOf, rangeOf, tallestBar } from './day-bars.ts';

const NOW = new Date(2026, 10, 20, 13, 0).getTime();
const measure = createTextMeasure({ mono: '', sans: '' }, (text) => text.length * 7);

/** Returns a certificate that expires at noon UTC some days after 20 November. */
function entry(days: number, status: PinStatus = 'ok', count = 1): HorizonEntry {
  const notAfter = Date.UTC(2026, 10, 20 + days, 12);
  return { id: `${days} ${status}`, name: `${status}.example`, notAfter, status, count };
}

const crowd = (days: number, count = 41) => Array.from({ length: count }, () => entry(days));

function laidOut(given: readonly HorizonEntry[], days = 90, width = 1198): HorizonLayout {
  const entries = given.toSorted((one, other) => one.notAfter - other.notAfter);
  return layOutHorizon(cardFrame(width, days, 4), { entries, now: NOW }, measure);
}

const barsOf = (given: readonly HorizonEntry[]) => dayBars(laidOut(given), measure);

describe('the bars of the horizon', () => {
  it('stand for one day each and are as tall as the number of its certificates', () => {
    const layout = laidOut([...crowd(20, 40), ...crowd(30, 20), entry(40)]);
    const bars = dayBars(layout, measure);
    expect(bars.map(({ column, period, count }) => [column, period, count])).toEqual([
      [20, '2026-12-10..2026-12-10', 40],
      [30, '2026-12-20..2026-12-20', 20],
      [40, '2026-12-30..2026-12-30', 1],
    ]);
    const heights = bars.map(({ y }) => layout.base - y);
    expect(heights).toEqual([tallestBar(layout), Math.round(tallestBar(layout) / 2), 3]);
  });

  it('show urgent certificates at the bottom, and name the most urgent host above the bar', () => {
    const mixed = [...crowd(9, 40), entry(9, 'soon'), entry(9, 'soon'), entry(9, 'revoked')];
    const [, bar] = barsOf([entry(3), ...mixed]);
    expect(bar?.parts.map(({ status }) => status)).toEqual(['revoked', 'soon', 'ok']);
    expect(bar?.pins.map(({ label }) => label)).toEqual(['revoked.example +2']);
    expect(bar?.pins[0]?.y).toBeLessThan(bar?.y ?? 0);
  });

  it('name the first healthy host too if it expires on the same day as an urgent one', () => {
    for (const days of [9, 85]) {
      const layout = laidOut([...crowd(days, 40), entry(days, 'fault'), entry(89)]);
      const [bar, later] = dayBars(layout, measure);
      expect(bar?.pins.map(({ label }) => label).toSorted()).toEqual(['fault.example', 'ok.example']);
      expect(later?.pins).toEqual([]);
      const [upper, lower] = bar?.pins ?? [];
      expect(lower?.y).toBeGreaterThan(upper?.y ?? Infinity);
      for (const { labelX, labelWidth } of bar?.pins ?? [])
        expect(labelX + labelWidth).toBeLessThanOrEqual(layout.frame.width);
    }
  });

  it('dim only the parts in which no certificate matches the filter', () => {
    const unlisted = crowd(9, 40).map((each) => ({ ...each, isDimmed: true }));
    const [bar] = barsOf([...unlisted, entry(9, 'revoked'), { ...entry(9, 'revoked'), isDimmed: true }]);
    expect(bar?.parts.map(({ status, isDimmed }) => [status, isDimmed])).toEqual([
      ['revoked', false],
      ['ok', true],
    ]);
  });

  it('have no name above them if they are healthy and not the first, or if there is no room', () => {
    const healthy = [...crowd(50), entry(60)];
    const bars = barsOf([...healthy, ...[1, 2, 3, 4].map((days) => entry(days, 'critical'))]);
    expect(bars.map(({ pins }) => pins[0]?.label ?? null)).toEqual([
      'critical.example',
      'critical.example',
      null,
      null,
      'ok.example',
      null,
    ]);
  });

  it('have a cut name above them if there is too little room on the right, and another name on the left', () => {
    const names = barsOf([
      ...crowd(20, 40),
      entry(60, 'fault', 4),
      { ...entry(75, 'fault'), name: 'a-longer-name.example' },
    ])
      .slice(1)
      .map(({ pins }) => pins.map(({ label }) => label));
    expect(names).toEqual([['fault.example +3'], [expect.stringMatching(/^a-long.*…$/)]]);
  });

  it('name the first healthy host that the filter matches, however wide the horizon and however many are urgent', () => {
    for (const width of [326, 704, 1198])
      for (const urgent of [0, 1, 6])
        for (const count of [50, 3_000]) {
          const days = width === 326 ? 21 : 90;
          const wrong = Array.from({ length: urgent }, (_, index) => entry(index, 'critical'));
          const dimmed = { ...entry(7, 'ok', 4), isDimmed: true };
          const fleet = [...wrong, dimmed, entry(days / 3, 'ok', count), entry(days - 1, 'ok', 5)];
          const layout = laidOut(fleet, days, width);
          const named = dayBars(layout, measure).flatMap(({ column, pins }) =>
            pins.map((pin) => ({ column, ...pin })),
          );
          const healthy = named.filter((pin) => pin.entry.status === 'ok');
          const labels = healthy.map(({ column, label }) => `${column} ${label}`);
          expect(labels, `${width} px, ${urgent} urgent`).toEqual([`${days / 3} ok.example`]);
        }
  });

  it('count each of the certificates that the server merged into one entry', () => {
    const [bar] = barsOf([entry(20, 'ok', 3_000)]);
    expect(bar && barName(bar)).toBe('3,000 certificates expire on 10 Dec (UTC)');
  });

  it('have an accessible name that says in words what the colours mean', () => {
    const bars = barsOf([...crowd(20), entry(20, 'fault'), entry(21, 'revoked')]);
    expect(bars.map(barName)).toEqual([
      '42 certificates expire on 10 Dec (UTC), 1 with a problem',
      'revoked.example expires on 11 Dec (UTC), 1 with a problem',
    ]);
    const dimmed = barsOf(crowd(20).map((each) => ({ ...each, isDimmed: true })));
    expect(dimmed.map(barName)).toEqual(['41 certificates expire on 10 Dec (UTC), not in the list below']);
  });

  it('respond to clicks up to one column beside them', () => {
    const bars = barsOf([...crowd(20), entry(24)]);
    expect([21, 22, 23].map((column) => barAt(bars, column, 1)?.column)).toEqual([20, undefined, 24]);
  });

  it('never overlap or leave the axis, whatever certificates expire', () => {
    const given = fc.record({
      hours: fc.integer({ min: 0, max: 24 * 400 }),
      status: fc.constantFrom<PinStatus>('ok', 'soon', 'critical', 'fault', 'revoked'),
      count: fc.integer({ min: 1, max: 300 }),
    });
    const shape = fc.record({
      width: fc.integer({ min: 260, max: 1600 }),
      days: fc.constantFrom(30, 90, 365),
    });
    fc.assert(
      fc.property(fc.array(given, { maxLength: 120 }), shape, (some, { width, days }) => {
        const entries = some.map(({ hours, status, count }) => ({
          ...entry(0, status, count),
          notAfter: NOW + (hours * DAY_MS) / 24,
        }));
        const layout = laidOut(entries, days, width);
        const bars = layout.crowd.length === 0 ? [] : dayBars(layout, measure);
        expect(bars.reduce((sum, { count }) => sum + count, 0)).toBe(
          layout.crowd.reduce((sum, { count }) => sum + count, 0),
        );
        let end = layout.axis.from;
        for (const { left, width: wide, y } of bars) {
          expect(left).toBeGreaterThanOrEqual(Math.floor(end));
          expect(y).toBeGreaterThan(0);
          end = left + wide;
        }
        expect(end).toBeLessThanOrEqual(Math.ceil(layout.axis.to));
      }),
    );
  });
});

describe('a range of days', () => {
  const { axis } = laidOut([]);

  it('is converted to a period of calendar days and back', () => {
    expect(periodOf(axis, { from: 0, to: 15 })).toBe('2026-11-20..2026-12-05');
    expect(rangeOf(axis, '2026-11-20..2026-12-05')).toEqual({ from: 0, to: 15 });
    expect(rangeOf(axis, '2026-12')).toEqual({ from: 11, to: 41 });
  });

  it('ends at the end of the axis; it is null for a period outside of the axis', () => {
    expect(rangeOf(axis, '2026-11')).toEqual({ from: 0, to: 10 });
    expect(rangeOf(axis, '2027-02-10..2028-01-01')).toEqual({ from: 82, to: 89 });
    for (const period of ['2026-10', '2027-03', '2026-12-05..2026-11-20'])
      expect(rangeOf(axis, period)).toBeNull();
  });
});
