import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  ALL_IDS,
  cachedDomain,
  cachedPages,
  createDomainCache,
  domainKey,
  isRemoved,
  pageKey,
  SUMMARY_KEY,
} from './domain-cache.ts';
import { exampleDomain } from '../../tests/kit/pages/example-domain.ts';
import { createLiveDomains } from './live-domains.ts';

const filter = { sort: 'soonest' } as const;
const domains = Array.from({ length: 50 }, (_, index) => exampleDomain({ id: `d${index}` }));

const RENEWAL = exampleDomain().renewal ?? expect.fail('no renewal');

/** Returns a list with one loaded page and its summary; counts refetches. */
function dashboard() {
  const queryClient = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity, retry: false } } });
  const page = { data: domains, total: 1000, page: 1, page_size: 50 };
  queryClient.setQueryData(pageKey(filter, 1), page);
  queryClient.setQueryData(SUMMARY_KEY, { total: 1000 });
  const onServer = { list: page, summary: { total: 1000 } };
  const reads = vi.fn(async (what: keyof typeof onServer) => onServer[what]);
  const stops = [
    new QueryObserver(queryClient, {
      queryKey: pageKey(filter, 1),
      meta: { filter },
      queryFn: () => reads('list'),
    }),
    new QueryObserver(queryClient, { queryKey: SUMMARY_KEY, queryFn: () => reads('summary') }),
  ].map((observer) => observer.subscribe(() => undefined));
  return { queryClient, onServer, reads, leave: () => stops.forEach((stop) => stop()) };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('hundreds of removed domains leave the list at once and cause one refetch', async () => {
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

test('a response that is older than a live event does not undo the event', () => {
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
  // The event wins even if its date is older, because the server's clock was set back.
  createLiveDomains(queryClient).take({ event: 'domain', data: before });
  expect(cachedDomain(queryClient, 'd3')).toEqual(before);
  leave();
});

test('pending refetches are cancelled when the person signs out', async () => {
  const { queryClient, reads, leave } = dashboard();
  const live = createLiveDomains(queryClient);
  live.take({ event: 'domain_removed', data: { id: 'd1' } });
  live.cancel();
  await vi.advanceTimersByTimeAsync(5000);
  expect(reads).not.toHaveBeenCalled();
  leave();
});

test('a live event marks the lists, their groups and the summary as outdated if no list is shown', async () => {
  const { queryClient, reads, leave } = dashboard();
  const groups = [...ALL_IDS, 'groups'];
  queryClient.setQueryData(groups, []);
  const live = createLiveDomains(queryClient);
  leave();
  live.take({ event: 'domain', data: exampleDomain({ id: 'new' }) });
  await vi.advanceTimersByTimeAsync(1000);
  expect(reads).not.toHaveBeenCalled();
  for (const key of [pageKey(filter, 1), groups, SUMMARY_KEY])
    expect(queryClient.getQueryState(key)?.isInvalidated).toBe(true);
});

test('a late live event does not restore a removed domain', () => {
  const { queryClient, leave } = dashboard();
  const cache = createDomainCache(queryClient);
  const [domain = exampleDomain()] = domains;
  queryClient.setQueryData(domainKey(domain.id), domain);
  cache.remove([domain.id]);
  cache.report(domain);
  expect(isRemoved(queryClient, domain.id)).toBe(true);
  leave();
});

test('a new expiry date shows at once, and the list is refetched once', async () => {
  const { queryClient, reads, leave } = dashboard();
  const live = createLiveDomains(queryClient);
  const renewed = exampleDomain({ id: 'd3', expiry_date: '2027-06-01T00:00:00.000Z' });
  live.take({ event: 'domain', data: renewed });
  live.take({ event: 'domain', data: { ...renewed, favicon: '/favicons/1' } });
  expect(cachedDomain(queryClient, 'd3')?.expiry_date).toBe(renewed.expiry_date);
  await vi.advanceTimersByTimeAsync(5000);
  expect(reads.mock.calls.flat().filter((what) => what === 'list')).toHaveLength(1);
  leave();
});

test.each([
  ['distrust', { trusted: false }],
  ['a reason for attention', { attention: 'refused' as const }],
  ['a later renewal', { renewal: { ...RENEWAL, overdue_at: '2027-01-01T00:00:00.000Z' } }],
])('%s refetches the list, whose order may change', async (_what, change) => {
  const { queryClient, reads, leave } = dashboard();
  createLiveDomains(queryClient).take({ event: 'domain', data: exampleDomain({ id: 'd3', ...change }) });
  await vi.advanceTimersByTimeAsync(5000);
  expect(reads.mock.calls.flat()).toContain('list');
  leave();
});

test('1,000 checks that change nothing do not refetch the list', async () => {
  const { queryClient, reads, leave } = dashboard();
  const live = createLiveDomains(queryClient);
  for (let index = 0; index < 1000; index += 1) {
    const data = exampleDomain({ id: `d${index}`, last_checked_at: '2026-11-21T12:00:00.000Z' });
    live.take({ event: 'domain', data: { ...data, checking: true } });
    live.take({ event: 'domain', data });
  }
  expect(cachedDomain(queryClient, 'd7')?.last_checked_at).toBe('2026-11-21T12:00:00.000Z');
  await vi.advanceTimersByTimeAsync(5000);
  expect(reads.mock.calls.flat()).toEqual(['summary']);
  leave();
});

test('the list is refetched if a domain that is not loaded changes the summary', async () => {
  const { queryClient, onServer, reads, leave } = dashboard();
  const live = createLiveDomains(queryClient);
  onServer.summary = { total: 1001 };
  for (let index = 0; index < 200; index += 1)
    live.take({ event: 'domain', data: exampleDomain({ id: `new${index}` }) });
  await vi.advanceTimersByTimeAsync(5000);
  expect(reads.mock.calls.flat()).toEqual(['summary', 'list']);
  leave();
});

test('a change by this page refetches the list at once, even if its live event came first', async () => {
  const { queryClient, reads, leave } = dashboard();
  const paused = exampleDomain({ id: 'd3', state: 'paused', paused: 'user' });
  createLiveDomains(queryClient).take({ event: 'domain', data: paused });
  createDomainCache(queryClient).put(paused);
  await vi.advanceTimersByTimeAsync(0);
  expect(reads.mock.calls.flat()).toContain('list');
  leave();
});

test('a check that this page starts does not refetch the list', async () => {
  const { queryClient, reads, leave } = dashboard();
  createDomainCache(queryClient).put(exampleDomain({ id: 'd3', checking: true }));
  expect(cachedDomain(queryClient, 'd3')?.checking).toBe(true);
  await vi.advanceTimersByTimeAsync(0);
  expect(reads.mock.calls.flat()).toEqual(['summary']);
  leave();
});

test.each([
  [{ sort: 'newest' }, 'new'],
  [{ sort: 'soonest' }, 'd0'],
  [{ sort: 'worst' }, 'd0'],
  [{ sort: 'newest', status: 'ok' }, 'd0'],
] as const)(
  'after adding a domain to the list %o, the first row is %s until the list is refetched',
  (wanted, first) => {
    const queryClient = new QueryClient();
    const query = { queryKey: pageKey(wanted, 1), meta: { filter: wanted } };
    queryClient.getQueryCache().build(queryClient, query);
    queryClient.setQueryData(query.queryKey, { data: domains, total: 50, page: 1, page_size: 50 });
    createDomainCache(queryClient).put(exampleDomain({ id: 'new' }));
    expect(cachedPages(queryClient, wanted).get(1)?.data[0]?.id).toBe(first);
    expect(queryClient.getQueryState(query.queryKey)?.isInvalidated).toBe(true);
  },
);
