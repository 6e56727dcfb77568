import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { laneOf, lanePortions, LANES } from './lane.ts';

describe('the lane of a monitor', () => {
  it('is the first for as many as the free plan has, and a later one with each power of four', () => {
    const lanes = [0, 2, 3, 14, 15, 62, 63, 254, 255, 1_022, 1_023, 4_094, 4_095, 1_000_000].map(laneOf);
    expect(lanes).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]);
  });
});

describe('the portions of the lanes', () => {
  it('halve from lane to lane, and leave no lane without', () => {
    expect(lanePortions(64, 0)).toEqual([32, 16, 8, 4, 2, 1, 1]);
  });

  it('are the same however small the batches are', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 30 }), (limits) => {
        const sums = Array.from({ length: LANES }, () => 0);
        let taken = 0;
        for (const limit of limits) {
          lanePortions(limit, taken).forEach((portion, lane) => (sums[lane] = (sums[lane] ?? 0) + portion));
          taken += limit;
        }
        expect(sums).toEqual(lanePortions(taken, 0));
      }),
    );
  });
});
