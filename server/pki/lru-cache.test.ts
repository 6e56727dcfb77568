import { expect, it } from 'vitest';
import { LruCache } from './lru-cache.ts';

it('LruCache evicts the least recently used entry', () => {
  const map = new LruCache<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  expect(map.get('a')).toBe(1);
  map.set('c', 3);
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([1, null, 3]);
});

it('LruCache counts sizes and does not store an entry larger than its limit', () => {
  const map = new LruCache<string, string>(10);
  map.set('a', 'six', 6);
  map.set('b', 'five', 5);
  expect([map.get('a'), map.get('b')]).toEqual([null, 'five']);
  map.set('c', 'eleven', 11);
  expect([map.get('b'), map.get('c')]).toEqual(['five', null]);
});
