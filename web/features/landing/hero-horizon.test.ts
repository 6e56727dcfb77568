import { expect, it } from 'vitest';
import { DAY_MS } from '../../../contract/durations.ts';
import { createTextMeasure } from '../../ui/horizon/text-measure.ts';
import { heroLayout } from './hero-horizon.tsx';

const now = new Date(2026, 10, 20, 13, 0).getTime();
const measure = createTextMeasure({ mono: '', sans: '' }, (text) => text.length * 7);

/** Returns the layout with the visitor's pin on a certificate that has `days` left. */
function withVisitor(width: number, days: number) {
  const visitor = { name: 'nas.moss.example', notAfter: now + days * DAY_MS, status: null };
  const layout = heroLayout({ width, now, visitor }, measure);
  return { layout, pin: layout.pins.find(({ entry }) => entry.id === 'visitor') };
}

it.each([390, 1280])(
  'the landing timeline, %d px wide, has the pin of a certificate with 380 days left on its axis',
  (width) => {
    const { layout, pin } = withVisitor(width, 380);
    expect(pin).toMatchObject({ place: 'axis', label: 'nas.moss.example' });
    expect(layout.later).toBeNull();
  },
);

it.each([390, 1280])(
  "the landing timeline, %d px wide, draws the visitor's pin beyond its axis if the certificate expires later",
  (width) => {
    const { layout, pin } = withVisitor(width, 9 * 365);
    expect(pin).toMatchObject({ place: 'later', entry: { notAfter: now + 9 * 365 * DAY_MS } });
    expect(pin?.x).toBeGreaterThan(layout.frame.axisEnd);
    expect(pin?.x).toBeLessThan(width);
    expect(layout.later).toMatchObject({ count: 1, text: '1 later' });
    // The layout has one later pin, the visitor's: examples that end after the axis are left out.
    expect(layout.pins.filter(({ place }) => place === 'later')).toHaveLength(1);
  },
);
