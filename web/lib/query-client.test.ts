import { QueryObserver } from '@tanstack/react-query';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ApiError } from './api-error.ts';
import { createQueryClient, mayRetry, retryDelayMs } from './query-client.ts';
import { spec } from '../../tests/spec/spec.ts';

describe('a failed read', () => {
  it('is retried three times', () => {
    const error = new ApiError('Bad Gateway', { status: 502 });
    expect([0, 1, 2, 3].map((failures) => mayRetry(failures, error))).toEqual([true, true, true, false]);
  });

  it('is retried if there was no response', () => {
    expect(mayRetry(0, new ApiError('The server could not be reached', { status: 0 }))).toBe(true);
  });

  it.each([400, 401, 402, 404, 429])('is not retried after a response with status %d', (status) => {
    expect(mayRetry(0, new ApiError('no', { status }))).toBe(false);
  });

  it('is retried after a wait that doubles up to 30 s', () => {
    expect([0, 1, 2, 10].map(retryDelayMs)).toEqual([1000, 2000, 4000, 30_000]);
    spec(
      '9.18',
      'Reads that are not refused are tried 3 times more, with growing waits of at most 30 s (decision 31)',
    );
  });
});

it('queries are fresh for 60 s, cached for 5 minutes, and not refetched on window focus', () => {
  expect(createQueryClient().getDefaultOptions().queries).toMatchObject({
    staleTime: 60_000,
    gcTime: 300_000,
    refetchOnWindowFocus: false,
  });
  spec('9.19', 'What nobody reads is forgotten after 5 minutes');
});

/** Mounts a read until the test ends. The test decides when each request is answered. */
function watchReceipt() {
  const queryClient = createQueryClient();
  const queryKey = ['receipt'];
  const reads: PromiseWithResolvers<string>[] = [];
  const observer = new QueryObserver(queryClient, {
    queryKey,
    queryFn: () => {
      const read = Promise.withResolvers<string>();
      reads.push(read);
      return read.promise;
    },
  });
  onTestFinished(observer.subscribe(() => undefined));
  return {
    reads,
    invalidate: () => queryClient.invalidateQueries({ queryKey }),
    refetch: () => observer.refetch(),
    shown: () => observer.getCurrentResult(),
  };
}

describe('data in the query cache', () => {
  it('is refetched if it changed during the first read', async () => {
    const { reads, invalidate, shown } = watchReceipt();
    // Invalidated twice: the second time during the same read needs no further read.
    void invalidate();
    void invalidate();
    reads[0]?.resolve('under way');
    await expect.poll(() => reads.length).toBe(2);
    reads[1]?.resolve('delivered');
    await expect.poll(shown).toMatchObject({ data: 'delivered', isFetching: false });
    expect(reads).toHaveLength(2);
  });

  it('is refetched if it changed while a failed first read was repeated', async () => {
    const { reads, invalidate, refetch, shown } = watchReceipt();
    reads[0]?.reject(new ApiError('no', { status: 403 }));
    await expect.poll(shown).toMatchObject({ isError: true });
    void refetch();
    void invalidate();
    reads[1]?.resolve('under way');
    await expect.poll(() => reads.length).toBe(3);
    reads[2]?.resolve('delivered');
    await expect.poll(shown).toMatchObject({ data: 'delivered', isFetching: false });
    expect(reads).toHaveLength(3);
  });

  it('is refetched once for a change after the first read', async () => {
    const { reads, invalidate, shown } = watchReceipt();
    reads[0]?.resolve('under way');
    await expect.poll(shown).toMatchObject({ data: 'under way' });
    void invalidate();
    reads[1]?.resolve('delivered');
    await expect.poll(shown).toMatchObject({ data: 'delivered', isFetching: false });
    expect(reads).toHaveLength(2);
  });
});
