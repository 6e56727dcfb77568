import { describe, expect, it } from 'vitest';
import { niceTop, responseChart } from './response-chart-geometry.ts';

const at = (hour: number) => new Date(Date.UTC(2026, 10, 20, hour)).toISOString();
const point = (hour: number, average: number, slowest = average) => ({
  at: at(hour),
  average_ms: average,
  slowest_ms: slowest,
});

describe('the chart of response times', () => {
  it('is empty without responses', () => expect(responseChart([])).toBeNull());

  it('runs from the first to the last response, with a vertical scale that starts at 0', () => {
    const chart = responseChart([point(0, 100), point(1, 50), point(2, 100)]);
    expect(chart).toMatchObject({
      average: 'M0.0 0.0L500.0 50.0L1000.0 0.0',
      slowest: null,
      topMs: 100,
      averageMs: 250 / 3,
    });
  });

  it('draws the slowest responses separately if they differ', () => {
    const chart = responseChart([point(0, 100, 150), point(1, 100, 400)]);
    expect(chart).toMatchObject({ topMs: 500, slowestPoint: point(1, 100, 400) });
    expect(chart?.slowest).toBe('M0.0 70.0L1000.0 20.0');
  });

  it('has gaps where responses are missing, and a dot for a response between two gaps', () => {
    expect(responseChart([point(0, 10), point(1, 10), point(2, 10), point(10, 10)])?.average).toBe(
      'M0.0 0.0L100.0 0.0L200.0 0.0M1000.0 0.0h0',
    );
    expect(responseChart([point(0, 10)])?.average).toBe('M500.0 0.0h0');
  });

  it.each([
    [0, 10],
    [84, 100],
    [101, 200],
    [340, 500],
    [2100, 5000],
    [9000, 10_000],
  ])('a scale for %i ms ends at %i', (most, top) => expect(niceTop(most)).toBe(top));
});
