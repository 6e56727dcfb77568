import { expect, it } from 'vitest';
import { countFitting } from './tag-list.tsx';

it('countFitting returns how many tags fit whole beside the label with the number of hidden tags', () => {
  expect(countFitting([40, 50, 60], 158)).toBe(3);
  expect(countFitting([40, 50, 60], 157)).toBe(2);
  expect(countFitting([40, 50, 60], 121)).toBe(1);
  expect(countFitting([40, 50, 60], 67)).toBe(0);
  expect(countFitting([40], 40)).toBe(1);
  expect(countFitting([], 0)).toBe(0);
});
