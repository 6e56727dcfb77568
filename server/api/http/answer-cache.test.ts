import { expect, it } from 'vitest';
import { createAnswerCache } from './answer-cache.ts';

function cacheAt(start = 0) {
  const clock = { at: start, now: () => clock.at };
  const cache = createAnswerCache<string>({
    clock,
    cacheMs: 10,
    maxWeight: 10,
    weigh: ({ length }) => length,
  });
  let made = 0;
  const get = (key: string, text = 'four') =>
    cache.get(key, async () => {
      made += 1;
      return text;
    });
  return { clock, get, cache, made: () => made };
}

it('the answer cache computes an answer once for all requests within its time', async () => {
  const { clock, get, made } = cacheAt();
  expect(await Promise.all([get('a'), get('a'), get('a')])).toEqual(['four', 'four', 'four']);
  clock.at = 9;
  await get('a');
  expect(made()).toBe(1);
  clock.at = 10;
  await get('a');
  expect(made()).toBe(2);
});

it('the answer cache evicts the oldest answers when it is full', async () => {
  const { get, made } = cacheAt();
  for (const key of ['a', 'b', 'c']) await get(key);
  await get('c');
  await get('b');
  expect(made()).toBe(3);
  await get('a');
  expect(made()).toBe(4);
});

it('the answer cache returns an answer that is too large to store, without storing it', async () => {
  const { get, made } = cacheAt();
  expect(await get('a', 'x'.repeat(11))).toHaveLength(11);
  await get('a', 'x'.repeat(11));
  expect(made()).toBe(2);
});

it('the answer cache does not store failures', async () => {
  const { cache, get } = cacheAt();
  await expect(cache.get('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await get('a')).toBe('four');
});
