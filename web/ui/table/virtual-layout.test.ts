import { describe, expect, it } from 'vitest';
import { gapsBefore, pagesInView, rangesOf, withRow } from './virtual-layout.ts';

describe('the rows of a virtual list', () => {
  const row = (index: number) => ({ start: 300 + index * 60, end: 300 + index * 60 + 50 });
  const frame = { scrollMargin: 300, gap: 10, total: 100 * 60 - 10 };

  it('keep their positions if only some rows are mounted', () => {
    expect(gapsBefore([0, 1, 2].map(row), frame)).toEqual({ gaps: [0, 0, 0], after: 97 * 60 });
    expect(gapsBefore([10, 11].map(row), frame)).toEqual({ gaps: [600, 0], after: 88 * 60 });
  });

  it('leave space between the focused row and those in view', () => {
    expect(gapsBefore([2, 50, 51].map(row), frame).gaps).toEqual([120, 47 * 60, 0]);
  });

  it('take the full height if no row is mounted', () => {
    expect(gapsBefore([], frame)).toEqual({ gaps: [], after: frame.total });
  });

  it('include the focused row in list order even when it is out of view, unless it does not exist', () => {
    expect(withRow([10, 11], 2, 100)).toEqual([2, 10, 11]);
    expect(withRow([10, 11], 50, 100)).toEqual([10, 11, 50]);
    expect(withRow([10, 11], 11, 100)).toEqual([10, 11]);
    expect(withRow([10, 11], null, 100)).toEqual([10, 11]);
    expect(withRow([0, 1], 7, 5)).toEqual([0, 1]);
  });
});

describe('the pages in view', () => {
  it('are the pages of the rows in view and of the rows near them', () => {
    expect(pagesInView([[0, 8]], 50)).toEqual([1]);
    expect(pagesInView([[25, 33]], 50)).toEqual([1, 2]);
    expect(pagesInView([[100, 120]], 50)).toEqual([2, 3]);
  });

  it('include the page of the focused row, but not the pages between', () => {
    expect(
      pagesInView(
        [
          [30, 30],
          [1020, 1029],
        ],
        50,
      ),
    ).toEqual([1, 2, 21]);
  });

  it('are derived from the ranges of consecutive mounted rows', () => {
    expect(rangesOf([3, 10, 11, 12, 20])).toEqual([
      [3, 3],
      [10, 12],
      [20, 20],
    ]);
    expect(rangesOf([])).toEqual([]);
  });
});
