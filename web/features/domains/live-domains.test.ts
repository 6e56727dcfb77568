import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  cachedDomain,
  createDomainCache,
  domainKey,
  isRemoved,
  pageKey,
  SUMMARY_KEY,
} from './domain-cache.ts';
import { exampleDomain } from './example-domain.ts';
import { createLiveDomains } from './live-domains.ts';

const filter = { sort: 'newest' } as const;
const domains = Array.from({ length: 50 }, (_, index) => exampleDomain({ id: `d${index}` }));

/** A list of which a page is shown, and its summary; what is read again is counted. */
function dashboard() {
  const queryClient = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity, retry: false } } });
  const page = { data: domains, total: 1000, page: 1, page_size: 50 };
  queryClient.setQueryData(pageKey(filter, 1), page);
  queryClient.setQueryData(SUMMARY_KEY, { total: 1000 });
  const reads = vi.fn(async (what: string) => (what === 'list' ? page : { total: 1000 }));
  const stops = [
    new QueryObserver(queryClient, {
      queryKey: pageKey(filter, 1),
      meta: { filter },
      queryFn: () => reads('list'),
    }),
    new QueryObserver(queryClient, { queryKey: SUMMARY_KEY, queryFn: () => reads('summary') }),
  ].map((observer) => observer.subscribe(() => undefined));
  return { queryClient, reads, leave: () => stops.forEach((stop) => stop()) };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('hundreds of removals lead to one reading, and leave the list at once', async () => {
  const { queryClient, reads, leave } = dashboard();
  const live = createLiveDomains(queryClient);
  for (let index = 0; index < 400; index += 1)
    live.take({ event: 'domain_removed', data: { id: `d${index}` } });
  expect(cachedDomain(queryClient, 'd7')).toBeUndefined();
  expect(isRemoved(queryClient, 'd7')).toBe(true);
  expect(reads).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1000);
  expect(reads.mock.calls.flat().toSorted()).toEqual(['list', 'summary']);
  leave();
});

test('an answer that comes after the news of what it started changes nothing back', () => {
  const { queryClient, leave } = dashboard();
  const cache = createDomainCache(queryClient);
  const at = (second: number) => `2026-11-21T12:00:0${second}.000Z`;
  const before = exampleDomain({ id: 'd3', last_checked_at: at(1), checking: true });
  const after = exampleDomain({ id: 'd3', last_checked_at: at(2), checking: false });
  cache.put(before);
  createLiveDomains(queryClient).take({ event: 'domain', data: after });
  cache.put(before);
  cache.put({ ...before, last_checked_at: null });
  expect(cachedDomain(queryClient, 'd3')).toEqual(after);
  cache.put({ ...after, checking: true });
  expect(cachedDomain(queryClient, 'd3')?.checking).toBe(true);
  // A server whose clock was set back is believed all the same.
  createLiveDomains(queryClient).take({ event: 'domain', data: before });
  expect(cachedDomain(queryClient, 'd3')).toEqual(before);
  leave();
});

test('what is left is not read after the page was left', async () => {
  const { queryClient, reads, leave } = dashboard();
  const live = createLiveDomains(queryClient);
  live.take({ event: 'domain_removed', data: { id: 'd1' } });
  live.cancel();
  await vi.advanceTimersByTimeAsync(5000);
  expect(reads).not.toHaveBeenCalled();
  leave();
});

test('a late report does not bring back what was removed', () => {
  const { queryClient, leave } = dashboard();
  const cache = createDomainCache(queryClient);
  const [domain = exampleDomain()] = domains;
  queryClient.setQueryData(domainKey(domain.id), domain);
  cache.remove(domain.id);
  cache.report(domain);
  expect(isRemoved(queryClient, domain.id)).toBe(true);
  leave();
});
