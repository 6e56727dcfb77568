import { expect, it } from 'vitest';
import { limitAdvice } from './limit-notice-dialog.tsx';

it.each([
  [3, 3, 'You track 3 now. To add another, remove 1 that you no longer need.'],
  [3, 5, 'You track 5 now. To add another, remove 3 that you no longer need.'],
])(
  'with a limit of %d domains and %d tracked, the notice says how many domains to remove',
  (limit, tracked, advice) => {
    expect(limitAdvice(limit, tracked)).toBe(advice);
  },
);
