import { expect, it } from 'vitest';
import { limitAdvice } from './limit-notice-dialog.tsx';

it.each([
  [3, 3, 'You track three now. To add another, remove one that you no longer need.'],
  [3, 5, 'You track five now. To add another, remove three that you no longer need.'],
])(
  'with a limit of %d domains and %d tracked, the notice says how many domains to remove',
  (limit, tracked, advice) => {
    expect(limitAdvice(limit, tracked)).toBe(advice);
  },
);
