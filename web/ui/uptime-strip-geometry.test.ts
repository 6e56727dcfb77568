import { describe, expect, it } from 'vitest';
import { percentText, tickAt, uptimeStripDrawing } from './uptime-strip-geometry.ts';

describe('the strip of the last checks', () => {
  it('is 269 px wide for 90 checks, and one stroke where all is well', () => {
    expect(uptimeStripDrawing('u'.repeat(90), 90)).toEqual({
      width: 269,
      up: 'M0 7.5H269',
      failed: null,
      unknown: null,
      label: 'Last 90 checks: 90 up, 0 failed',
    });
  });

  it('draws each failure in its own place, between the good ones', () => {
    const { up, failed } = uptimeStripDrawing('uudu', 4);
    expect([up, failed]).toEqual(['M0 7.5H5M9 7.5H11', 'M6 7H8']);
  });

  it('keeps the newest at the right, with dots for what there is not', () => {
    const { up, unknown, label } = uptimeStripDrawing('uu', 4);
    expect([up, unknown]).toEqual(['M6 7.5H11', 'M0 7.5H5']);
    expect(label).toBe('Last 2 checks: 2 up, 0 failed');
  });

  it('shows the newest where there are more than places', () => {
    expect(uptimeStripDrawing(`${'d'.repeat(60)}${'u'.repeat(30)}`, 30)).toMatchObject({
      failed: null,
      width: 89,
      label: 'Last 30 checks: 30 up, 0 failed',
    });
  });

  it('counts what could not be told by itself', () => {
    expect(uptimeStripDrawing('u?d', 3).label).toBe('Last 3 checks: 1 up, 1 failed, 1 unknown');
    expect(uptimeStripDrawing('u', 90).label).toBe('Last check: 1 up, 0 failed');
    expect(uptimeStripDrawing('', 90).label).toBe('No checks yet');
  });

  it('finds the tick below the pointer', () => {
    expect([tickAt(0, 90), tickAt(2.9, 90), tickAt(3, 90), tickAt(400, 90), tickAt(-1, 90)]).toEqual([
      0, 0, 1, 89, 0,
    ]);
  });
});

describe('the percentage beside it', () => {
  it('has one decimal, and is never rounded up to all', () => {
    expect(percentText(98.888, 'ud')).toBe('98.8%');
    expect(percentText(99.99, 'ud')).toBe('99.9%');
    expect(percentText(0, 'd')).toBe('0.0%');
  });

  it('is 100% only where no check failed', () => {
    expect(percentText(100, 'uuu')).toBe('100%');
    expect(percentText(100, 'udu')).toBe('100.0%');
  });

  it('is a dash before anything was seen', () => {
    expect(percentText(null, '')).toBe('–');
  });
});
