import { expect, it } from 'vitest';
import { measureHouse } from '../scripts/house/measure.ts';

it('The layout figures of npm run house do not exceed their limits', () => {
  const { figures } = measureHouse();
  expect(figures).not.toEqual([]);
  for (const { name, value, limit } of figures) expect(value, name).toBeLessThanOrEqual(limit);
});
