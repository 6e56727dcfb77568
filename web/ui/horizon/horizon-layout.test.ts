import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expiryBadge } from '../../../contract/state/badge.ts';
import { cardFrame, rowsFor, shownDays } from './frames.ts';
import {
  GLYPH,
  type HorizonEntry,
  horizonHeight,
  type HorizonLayout,
  type HorizonPin,
  layOutHorizon,
} from './horizon-layout.ts';
import { createTextMeasure } from './text-measure.ts';
import { DAY_MS } from '../../../contract/durations.ts';

const NOW = new Date(2026, 10, 20, 13, 0).getTime();
const measure = createTextMeasure({ mono: '', sans: '' }, (text) => text.length * 7);

interface Given {
  days: number;
  name?: string;
  revoked?: boolean;
  count?: number;
  isDimmed?: boolean;
}

function entriesOf(given: readonly Given[]): HorizonEntry[] {
  return given
    .map(
      (
        { days, name = 'host.fjord.example', revoked = false, count = 1, isDimmed = false },
        index,
      ): HorizonEntry => {
        const notAfter = NOW + days * DAY_MS;
        const status = revoked ? 'revoked' : (expiryBadge(notAfter, NOW)?.status ?? 'ok');
        return { id: String(index), name, notAfter, status, count, isDimmed };
      },
    )
    .toSorted((one, other) => one.notAfter - other.notAfter);
}

function laidOut(
  given: readonly Given[],
  { width = 1198, days = 90, rows = 4 }: { width?: number; days?: number; rows?: 2 | 4 } = {},
): HorizonLayout {
  return layOutHorizon(cardFrame(width, days, rows), { entries: entriesOf(given), now: NOW }, measure);
}

const labels = ({ pins }: HorizonLayout) => pins.map(({ label }) => label);
const onAxis = ({ pins }: HorizonLayout) => pins.filter(({ place }) => place === 'axis');
const rowOf = ({ frame }: HorizonLayout, { y }: HorizonPin) => (y - 42) / frame.rowHeight;

describe('the pin labels', () => {
  it('share a row if they do not overlap', () => {
    const layout = laidOut([{ days: 3 }, { days: 40 }]);
    expect(layout.pins.map((pin) => rowOf(layout, pin))).toEqual([0, 0]);
  });

  it('move below every name that covers their position', () => {
    const layout = laidOut([{ days: 2 }, { days: 6 }, { days: 11 }, { days: 20, name: 'late.example' }]);
    expect(layout.pins.map((pin) => rowOf(layout, pin))).toEqual([0, 1, 2, 3]);
  });

  it('have no text if every row is taken', () => {
    const layout = laidOut([{ days: 1 }, { days: 2 }, { days: 3 }, { days: 4 }, { days: 5 }]);
    expect(layout.pins.slice(4).map(({ label, y }) => [label, y])).toEqual([[null, layout.base - 10]]);
  });

  it('are to the left of the pin if the name does not fit on the right', () => {
    for (const [days, width] of [
      [85, 1198],
      [18, 328],
    ] as const) {
      const { pins, frame } = laidOut([{ days }], { width });
      const [{ x, label, labelX, labelWidth } = expect.fail()] = pins;
      expect(label).toBe('host.fjord.example');
      expect(labelX + labelWidth).toBeLessThan(x);
      expect(labelX).toBeGreaterThan(frame.todayX);
    }
  });

  it('truncate a name of 253 letters', () => {
    expect(labels(laidOut([{ days: 20, name: 'a'.repeat(253) }]))).toEqual([
      expect.stringMatching(/^a{20,40}…$/),
    ]);
  });

  it('on a phone take their row even if there is no room for the name', () => {
    const layout = laidOut([{ days: 6 }, { days: 14, name: 'git.orchard-garden.example' }], { width: 328 });
    expect(labels(layout)).toEqual(['host.fjord.example', null]);
    expect(layout.pins.map((pin) => rowOf(layout, pin))).toEqual([0, 1]);
  });
});

describe('the first healthy certificate', () => {
  // A phone, a tablet and a desktop; the card has a border.
  for (const width of [326, 710, 1198])
    it(`has its name in a card of ${width} px, however many urgent certificates come before it`, () => {
      for (const rows of [2, 4] as const)
        for (let urgent = 0; urgent <= 12; urgent += 1)
          for (const healthy of [15.2, 17.5, 20.9]) {
            const before = Array.from({ length: urgent }, (_, index) => ({ days: 0.5 + index * 1.2 }));
            const layout = laidOut([...before, { days: healthy }, { days: 20.95 }], { width, rows });
            const pin = onAxis(layout).find(({ entry }) => entry.status === 'ok');
            expect(pin?.label, `${urgent} urgent, ${rows} rows, ${healthy} days`).toBe('host.fjord.example');
            if (urgent > 0) expect(onAxis(layout)[0]?.label).toMatch(/^host/);
          }
    });

  it('is the first one that is not dimmed, if there is one', () => {
    const dimmed = [16, 17, 18, 19, 20, 21].map((days) => ({ days, isDimmed: true }));
    const { pins } = laidOut([...dimmed, { days: 22, name: 'own.example' }], { rows: 4 });
    expect(pins.at(-1)?.label).toBe('own.example');
  });

  it('has a shortened name if there is no room for the whole name on either side', () => {
    const given = [1, 2, 3, 4, 5].map((days) => ({ days, revoked: true }));
    const { pins } = laidOut([...given, { days: 12 * 7, name: 'a'.repeat(60) }], { width: 900, days: 365 });
    expect(pins.at(-1)?.label).toMatch(/^a+…$/);
  });
});

describe('the certificates before and after the axis', () => {
  it('are up to four expired ones and the number of the other expired ones', () => {
    const layout = laidOut([{ days: -9, count: 3 }, ...[-5, -4, -3, -2, -1].map((days) => ({ days }))]);
    expect(layout.pins.map(({ place }) => place)).toEqual(['expired', 'expired', 'expired', 'expired']);
    expect(layout.pins[0]?.label).toMatch(/ \+2$/);
    expect(layout.moreExpired).toMatchObject({ count: 2, text: '+2' });
    expect(laidOut([{ days: -3, count: 60 }]).moreExpired).toBeNull();
    expect(laidOut([{ days: -3, count: 60 }], { width: 328 }).moreExpired).toMatchObject({ text: '+59' });
  });

  it('are the first three that expire after the span, and the number of all that do', () => {
    const layout = laidOut([{ days: 100 }, { days: 120, count: 5 }, { days: 130 }, { days: 400 }]);
    expect(layout.pins.map(({ place }) => place)).toEqual(['later', 'later', 'later']);
    expect(layout.later).toMatchObject({ count: 8, text: '8 later' });
    expect(laidOut([]).later).toMatchObject({ count: 0, text: 'Later' });
  });

  it('are shown only as a number of later ones on a card without room for words', () => {
    const later = (width: number) => laidOut([{ days: 100, count: 12_440 }], { width }).later?.text;
    expect(later(1198)).toBe('12,440 later');
    expect(later(712)).toBe('+12,440');
  });

  it('do not include certificates within the span: these stay on the axis', () => {
    const places = (days: number) => {
      const { pins, later } = laidOut([{ days }]);
      return [pins.map(({ place }) => place), later?.count];
    };
    for (const days of [89.1, 89.4, 89.6, 89.99]) expect(places(days)).toEqual([['axis'], 0]);
    expect(places(90.01)).toEqual([['later'], 1]);
  });

  it('are shown small, or not at all, on a phone', () => {
    const layout = laidOut([{ days: -3 }, { days: 40 }], { width: 328 });
    expect(layout.frame).toMatchObject({ days: 21, todayX: 34 });
    expect(layout.pins.map(({ place, label }) => [place, label])).toEqual([['expired', null]]);
    expect(layout.later).toBeNull();
  });
});

describe('more than forty certificates', () => {
  it('in view are drawn as a histogram, while expired and later certificates keep their pins', () => {
    const inView = Array.from({ length: 40 }, (_, index) => ({ days: 20 + index }));
    const others = [{ days: -3 }, { days: 200 }];
    const crowded = laidOut([...inView, { days: 3 }, ...others]);
    expect(crowded.pins.map(({ place }) => place)).toEqual(['expired', 'later']);
    expect(crowded.crowd).toHaveLength(41);
    const roomy = laidOut([...inView, ...others]);
    expect(onAxis(roomy)).toHaveLength(40);
    expect(roomy.crowd).toEqual([]);
  });

  it('are drawn as a histogram even if the server merged them into one entry', () => {
    expect(laidOut([{ days: 40, count: 41 }]).crowd).toHaveLength(1);
  });
});

describe('several certificates of one day', () => {
  it('have a count, or the first name and the number of the others if they are urgent', () => {
    expect(
      labels(
        laidOut([
          { days: 3, count: 4 },
          { days: 40, count: 12 },
        ]),
      ),
    ).toEqual(['host.fjord.example +3', '12']);
  });
});

describe('the bands of the horizon', () => {
  it('end where the expiry badge changes its colour', () => {
    const { criticalEnd, soonEnd, pins } = laidOut([
      { days: 7.9 },
      { days: 8.1 },
      { days: 14.9 },
      { days: 15.1 },
    ]);
    const bandOf = ({ x }: HorizonPin) => (x < criticalEnd ? 'critical' : x < soonEnd ? 'soon' : 'ok');
    expect(pins.map(bandOf)).toEqual(pins.map(({ entry }) => entry.status));
  });

  it('have short names if the bands are narrow', () => {
    expect(laidOut([]).bandNames.map(({ text }) => text)).toEqual(['7 days', '14 days']);
    expect(laidOut([], { days: 365 }).bandNames.map(({ text }) => text)).toEqual(['7d', '14d']);
  });
});

describe('the days of the horizon', () => {
  it('are extended if nothing expires within the chosen span', () => {
    const shown = (days: number, ...ends: number[]) =>
      shownDays(
        days,
        ends.map((end) => ({ notAfter: NOW + end * DAY_MS })),
        NOW,
      );
    expect([shown(90), shown(90, 89, 200), shown(21, -3, 20)]).toEqual([90, 90, 21]);
    expect([shown(21, 60), shown(30, -3, 200), shown(90, 3650)]).toEqual([90, 365, 4016]);
  });
});

describe('the height of the horizon', () => {
  it('is the same with and without pins', () => {
    for (const rows of [2, 4] as const)
      expect(laidOut([{ days: 3 }], { rows }).height).toBe(horizonHeight(cardFrame(1198, 90, rows)));
  });

  it('has two rows for a few certificates and four for more', () => {
    expect(rowsFor({ ahead: 4, expired: 2 })).toBe(2);
    expect(rowsFor({ ahead: 5, expired: 0 })).toBe(4);
    expect(rowsFor({ ahead: 1, expired: 3 })).toBe(4);
  });
});

describe('the horizon of randomly generated certificates', () => {
  const within = (min: number, max: number) =>
    fc.record({
      days: fc.double({ min, max, noNaN: true }),
      name: fc.stringMatching(/^[a-z]{1,60}(\.[a-zæ例]{1,40}){0,4}$/),
      revoked: fc.boolean(),
      count: fc.integer({ min: 1, max: 3 }),
    });
  const anything = fc.tuple(
    fc.oneof(fc.array(within(-40, 500), { maxLength: 80 }), fc.array(within(0, 22), { maxLength: 20 })),
    fc.record({
      width: fc.integer({ min: 260, max: 1600 }),
      days: fc.constantFrom(30, 90, 365),
      rows: fc.constantFrom<2 | 4>(2, 4),
    }),
  );
  const every = (holds: (layout: HorizonLayout) => void) =>
    fc.assert(
      fc.property(anything, ([some, frame]) => holds(laidOut(some, frame))),
      { numRuns: 300 },
    );
  const nameOf = ({ y, labelX, labelWidth }: HorizonPin) => ({ left: labelX, right: labelX + labelWidth, y });

  it('draws no stem across a name', () => {
    every((layout) => {
      const pins = onAxis(layout);
      for (const pin of pins)
        for (const { left, right, y } of pins.filter(({ label }) => label !== null).map(nameOf))
          if (pin.x > left && pin.x < right) expect(y).toBeLessThan(pin.y);
    });
  });

  it('draws no name over another name or a glyph', () => {
    every((layout) => {
      const pins = onAxis(layout);
      for (const named of pins.filter(({ label }) => label !== null)) {
        const name = nameOf(named);
        for (const other of pins.filter((pin) => pin !== named && Math.abs(pin.y - named.y) < GLYPH)) {
          expect(other.x - GLYPH / 2 >= name.right || other.x + GLYPH / 2 <= name.left).toBe(true);
          if (other.label !== null)
            expect(nameOf(other).left >= name.right || nameOf(other).right <= name.left).toBe(true);
        }
      }
    });
  });

  it('names the first healthy certificate on the axis', () => {
    every((layout) => {
      const first = onAxis(layout).find(({ entry }) => entry.status === 'ok');
      if (first) expect(first.label).not.toBeNull();
    });
  });

  it('draws all pins inside of the frame and sorted by date', () => {
    every((layout) => {
      const { pins, frame, moreExpired, later } = layout;
      for (const { x, y, labelX, labelWidth, label } of pins) {
        const end = label === null ? x + GLYPH / 2 : labelX + labelWidth;
        expect(x - GLYPH / 2).toBeGreaterThanOrEqual(0);
        if (label !== null) expect(labelX).toBeGreaterThanOrEqual(0);
        expect(end).toBeLessThanOrEqual(frame.width);
        expect(y).toBeGreaterThan(GLYPH / 2);
        expect(y).toBeLessThan(layout.base);
      }
      const dates = pins.map(({ entry }) => entry.notAfter);
      expect(dates).toEqual(dates.toSorted((one, other) => one - other));
      expect(moreExpired?.count ?? 1).toBeGreaterThan(0);
      expect(later?.count ?? 0).toBeGreaterThanOrEqual(pins.filter(({ place }) => place === 'later').length);
    });
  });
});
