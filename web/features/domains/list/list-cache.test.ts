import { describe, expect, it } from 'vitest';
import type { DomainWire } from '../../../../contract/domain.ts';
import { exampleDomain } from '../example-domain.ts';
import type { DomainPages } from './list-cache.ts';
import { loadedDomains, totalDomains, withDomain, withoutDomain, withReportedDomain } from './list-cache.ts';

function added(id: string, day: number): DomainWire {
  return exampleDomain({ id, hostname: id, created_at: new Date(Date.UTC(2026, 9, day)).toISOString() });
}

function pagesOf(total: number, ...pages: DomainWire[][]): DomainPages {
  return {
    pages: pages.map((data, index) => ({ data, page: index + 1, page_size: 2, total })),
    pageParams: pages.map((_, index) => index + 1),
  };
}

const ids = (pages: DomainPages) => loadedDomains(pages).map(({ id }) => id);
const list = pagesOf(5, [added('e', 5), added('d', 4)], [added('c', 3)]);

describe('the cached list', () => {
  it('puts an added domain before all others', () => {
    const next = withDomain(list, added('f', 6));
    expect(ids(next)).toEqual(['f', 'e', 'd', 'c']);
    expect(totalDomains(next)).toBe(6);
  });

  it('replaces a domain where it stands', () => {
    const next = withDomain(list, { ...added('c', 3), checking: true });
    expect(ids(next)).toEqual(['e', 'd', 'c']);
    expect(loadedDomains(next)[2]?.checking).toBe(true);
    expect(totalDomains(next)).toBe(5);
  });

  it('counts a domain once that two pages hold', () => {
    expect(ids(pagesOf(3, [added('c', 3), added('b', 2)], [added('b', 2), added('a', 1)]))).toEqual([
      'c',
      'b',
      'a',
    ]);
  });

  it('leaves a reported domain of a page that was not asked for alone', () => {
    expect(withReportedDomain(list, added('a', 1))).toBe(list);
  });

  it('takes in a reported domain that is new, or any when all are loaded', () => {
    expect(ids(withReportedDomain(list, added('f', 6)))).toEqual(['f', 'e', 'd', 'c']);
    expect(ids(withReportedDomain(pagesOf(1, [added('e', 5)]), added('a', 1)))).toEqual(['a', 'e']);
  });

  it('removes a domain, once', () => {
    const next = withoutDomain(list, 'd');
    expect(ids(next)).toEqual(['e', 'c']);
    expect(totalDomains(next)).toBe(4);
    expect(withoutDomain(next, 'd')).toBe(next);
  });
});
