import { expect, test } from 'vitest';
import { inWords, inWordsCapitalised } from './number-words.ts';

test('up to nine are words, the rest are digits, thousands of them grouped', () => {
  expect([0, 1, 9, 10, 999, 1000, 5001, 1_234_567].map(inWords)).toEqual([
    'no',
    'one',
    'nine',
    '10',
    '999',
    '1,000',
    '5,001',
    '1,234,567',
  ]);
  expect([3, 5001].map(inWordsCapitalised)).toEqual(['Three', '5,001']);
});
