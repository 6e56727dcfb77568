import { describe, expect, it } from 'vitest';
import type { DomainWire } from '../../../../contract/domain.ts';
import { exampleDomain } from '../example-domain.ts';
import type { LoadedPages } from './list-cache.ts';
import {
  comesFirst,
  findDomain,
  isOutdatedBy,
  loadedDomains,
  patched,
  prepended,
  without,
} from './list-cache.ts';

const added = (id: string, day: number, differences: Partial<DomainWire> = {}): DomainWire =>
  exampleDomain({
    id,
    hostname: `${id}.example`,
    created_at: new Date(Date.UTC(2026, 9, day)).toISOString(),
    ...differences,
  });

/** Pages of two rows each. */
function pagesOf(total: number, rows: Record<number, DomainWire[]>): LoadedPages {
  return new Map(
    Object.entries(rows).map(([page, data]) => [
      Number(page),
      { data, page: Number(page), page_size: 2, total },
    ]),
  );
}
const idsByPage = (pages: LoadedPages) =>
  Object.fromEntries([...pages].map(([page, { data }]) => [page, data.map(({ id }) => id).join('')]));
const ids = (domains: readonly DomainWire[]) => domains.map(({ id }) => id).join('');

const newest = { sort: 'newest' } as const;
const sparse = pagesOf(9, {
  1: [added('i', 9), added('h', 8)],
  2: [added('g', 7), added('f', 6)],
  4: [added('c', 3), added('b', 2)],
});

describe('the loaded pages of a list', () => {
  it('give their rows in order, each once', () => {
    const pages = pagesOf(4, { 2: [added('c', 3), added('b', 2)], 1: [added('d', 4), added('c', 3)] });
    expect(ids(loadedDomains(pages))).toBe('dcb');
    expect(findDomain(pages, 'b')?.hostname).toBe('b.example');
    expect(findDomain(pages, 'x')).toBeUndefined();
  });

  it('take in a changed domain where it stands', () => {
    const next = patched(sparse, [added('g', 7, { checking: true })]);
    expect(findDomain(next, 'g')?.checking).toBe(true);
    expect(idsByPage(next)).toEqual(idsByPage(sparse));
    expect(next.get(1)).toBe(sparse.get(1));
  });

  it('stay what they are when nothing in them has changed', () => {
    expect(patched(sparse, [added('x', 1)])).toBe(sparse);
    expect(without(sparse, new Set(['x']))).toBe(sparse);
  });

  it('push an added domain through, as far as they follow one another', () => {
    const next = prepended(sparse, added('j', 10));
    expect(idsByPage(next)).toEqual({ 1: 'ji', 2: 'hg', 4: 'cb' });
    expect(next.get(4)?.total).toBe(10);
  });

  it('do not add twice what an event has already brought', () => {
    expect(idsByPage(prepended(sparse, added('h', 8)))).toEqual(idsByPage(sparse));
  });

  it('close the gap of a removed domain, as far as they follow one another', () => {
    const next = without(sparse, new Set(['i', 'b']));
    expect(idsByPage(next)).toEqual({ 1: 'hg', 2: 'f', 4: 'c' });
    expect(next.get(1)?.total).toBe(7);
  });
});

describe('a report of a domain makes a list out of date', () => {
  it('not where it only changes a loaded row', () => {
    expect(isOutdatedBy(sparse, newest, added('g', 7, { state: 'expired' }))).toBe(false);
  });

  it('where it is new', () => {
    expect(isOutdatedBy(sparse, newest, added('j', 10))).toBe(true);
  });

  it('not where its place is on a page that is not loaded', () => {
    expect(isOutdatedBy(sparse, newest, added('e', 5))).toBe(false);
    expect(isOutdatedBy(sparse, newest, added('a', 1))).toBe(false);
  });

  it('where all are loaded and it is not among them', () => {
    expect(isOutdatedBy(pagesOf(1, { 1: [added('e', 5)] }), newest, added('a', 1))).toBe(true);
    expect(isOutdatedBy(pagesOf(0, { 1: [] }), newest, added('a', 1))).toBe(true);
  });

  it('where it leaves a filter or comes into it', () => {
    const filter = { ...newest, status: 'expired' } as const;
    const list = pagesOf(1, { 1: [added('g', 7, { state: 'expired' })] });
    expect(isOutdatedBy(list, filter, added('g', 7, { state: 'ok' }))).toBe(true);
    expect(isOutdatedBy(list, filter, added('h', 8, { state: 'expired' }))).toBe(true);
    expect(isOutdatedBy(list, filter, added('h', 8, { state: 'ok' }))).toBe(false);
  });

  it('where a renewal moves it in the order', () => {
    const list = pagesOf(1, { 1: [added('g', 7)] });
    const renewed = added('g', 7, { expiry_date: new Date(Date.UTC(2027, 5, 1)).toISOString() });
    expect(isOutdatedBy(list, { sort: 'soonest' }, renewed)).toBe(true);
    expect(isOutdatedBy(list, { sort: 'name' }, renewed)).toBe(false);
  });
});

describe('an added domain comes first', () => {
  it('in the whole list, newest first, and in one that was empty', () => {
    expect(comesFirst(sparse, newest)).toBe(true);
    expect(comesFirst(sparse, { sort: 'name' })).toBe(false);
    expect(comesFirst(pagesOf(0, { 1: [] }), { sort: 'name' })).toBe(true);
    expect(comesFirst(pagesOf(0, { 1: [] }), { ...newest, q: 'git' })).toBe(false);
  });
});
