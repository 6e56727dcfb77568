import { expect, it } from 'vitest';
import type { DomainWire } from '../../contract/domain.ts';
import { exampleDomain } from '../../tests/kit/pages/example-domain.ts';
import {
  findDomain,
  loadedDomains,
  type LoadedPages,
  totalOf,
  withoutDomains,
  withPrepended,
  withReplaced,
} from './list-cache.ts';

/** Returns pages of two rows each; each letter is the id of a row. */
function pagesOf(total: number, rows: Record<number, string>): LoadedPages {
  return new Map(
    Object.entries(rows).map(([page, ids]) => [
      Number(page),
      { data: Array.from(ids, (id) => exampleDomain({ id })), page: Number(page), page_size: 2, total },
    ]),
  );
}
const ids = (domains: readonly DomainWire[]) => domains.map(({ id }) => id).join('');
const idsByPage = (pages: LoadedPages) =>
  Object.fromEntries([...pages].map(([page, { data }]) => [page, ids(data)]));

const sparse = pagesOf(9, { 1: 'ih', 2: 'gf', 4: 'cb' });

it('the loaded pages give their rows in order without duplicates', () => {
  const pages = pagesOf(4, { 2: 'cb', 1: 'dc' });
  expect(ids(loadedDomains(pages))).toBe('dcb');
  expect(findDomain(pages, 'b')?.id).toBe('b');
  expect(findDomain(pages, 'x')).toBeUndefined();
});

it('a changed domain is replaced in place, and the other pages are kept', () => {
  const next = withReplaced(sparse, exampleDomain({ id: 'g', checking: true }));
  expect(findDomain(next, 'g')?.checking).toBe(true);
  expect(idsByPage(next)).toEqual(idsByPage(sparse));
  expect(next.get(1)).toBe(sparse.get(1));
});

it('an added domain shifts the rows behind it to the next pages', () => {
  const next = withPrepended(pagesOf(4, { 1: 'dc', 2: 'ba' }), exampleDomain({ id: 'e' }));
  expect(idsByPage(next)).toEqual({ 1: 'ed', 2: 'cb' });
  expect(totalOf(next)).toBe(5);
});

it('the rows behind a removed domain move up', () => {
  const next = withoutDomains(pagesOf(4, { 1: 'dc', 2: 'ba' }), new Set(['d']));
  expect(idsByPage(next)).toEqual({ 1: 'cb', 2: 'a' });
  expect(totalOf(next)).toBe(3);
});

it('removing a domain that is not loaded changes no page', () => {
  expect(withoutDomains(sparse, new Set(['x']))).toBe(sparse);
});
