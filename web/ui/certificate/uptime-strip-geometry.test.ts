import { describe, expect, it } from 'vitest';
import { percentText, stripLabel, uptimeStripDrawing } from './uptime-strip-geometry.ts';

describe('the strip of the last checks', () => {
  it('is 269 px wide for 90 checks, and a single path if no check failed', () => {
    expect(uptimeStripDrawing('u'.repeat(90), 90)).toEqual({
      width: 269,
      up: 'M0 7.5H269',
      failed: null,
      unknown: null,
    });
  });

  it('draws each failure at its position', () => {
    const { up, failed } = uptimeStripDrawing('uudu', 4);
    expect([up, failed]).toEqual(['M0 7.5H5M9 7.5H11', 'M6 7H8']);
  });

  it('keeps the newest check at the right, with dots for missing checks', () => {
    const { up, unknown } = uptimeStripDrawing('uu', 4);
    expect([up, unknown]).toEqual(['M6 7.5H11', 'M0 7.5H5']);
  });

  it('shows the newest checks if there are too many', () => {
    expect(uptimeStripDrawing(`${'d'.repeat(60)}${'u'.repeat(30)}`, 30)).toMatchObject({
      failed: null,
      width: 89,
    });
  });

  it('has a label that counts unknown results separately', () => {
    expect(stripLabel('u'.repeat(90))).toBe('Last 90 checks: 90 up, 0 failed');
    expect(stripLabel('u?d')).toBe('Last 3 checks: 1 up, 1 failed, 1 unknown');
    expect(stripLabel('u')).toBe('Last check: 1 up, 0 failed');
    expect(stripLabel('')).toBe('No checks yet');
  });
});

describe('the uptime percentage beside the strip', () => {
  it('is rounded down, never up to 100%', () => {
    expect(percentText(98.888, 'ud')).toBe('98.8%');
    expect(percentText(99.9, 'ud')).toBe('99.9%');
    expect(percentText(99.96, 'ud')).toBe('99.9%');
    expect(percentText(99.999, 'u')).toBe('99.9%');
    expect(percentText(0, 'd')).toBe('0.0%');
  });

  it('does not change a value with one decimal, as the server sends it', () => {
    for (let tenths = 0; tenths < 1_000; tenths++)
      expect(percentText(tenths / 10, 'ud')).toBe(`${(tenths / 10).toFixed(1)}%`);
  });

  it('is 100% only if no check failed', () => {
    expect(percentText(100, 'uuu')).toBe('100%');
    expect(percentText(100, 'udu')).toBe('99.9%');
  });

  it('is a dash before the first check', () => {
    expect(percentText(null, '')).toBe('–');
  });
});
