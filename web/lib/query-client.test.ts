import { QueryObserver } from '@tanstack/react-query';
import { describe, expect, it } from 'vitest';
import { ApiError } from './api-error.ts';
import { createQueryClient, forgetUser, mayRetry, PUBLIC_CONFIG_KEY, retryDelayMs } from './query-client.ts';

describe('a failed read', () => {
  it('is tried again three times', () => {
    const error = new ApiError('Bad Gateway', { status: 502 });
    expect([0, 1, 2, 3].map((failures) => mayRetry(failures, error))).toEqual([true, true, true, false]);
  });

  it('is tried again when nothing answered', () => {
    expect(mayRetry(0, new ApiError('The server could not be reached', { status: 0 }))).toBe(true);
  });

  it.each([400, 401, 402, 404, 429])('is not when it was refused with %d', (status) => {
    expect(mayRetry(0, new ApiError('no', { status }))).toBe(false);
  });

  it('waits twice as long each time, and 30 s at most', () => {
    expect([0, 1, 2, 10].map(retryDelayMs)).toEqual([1000, 2000, 4000, 30_000]);
  });
});

describe('what was read', () => {
  it('is read again where it changed while it was first read', async () => {
    const queryClient = createQueryClient();
    const answers: ((answer: string) => void)[] = [];
    const observer = new QueryObserver(queryClient, {
      queryKey: ['receipt'],
      queryFn: () => new Promise<string>((resolve) => answers.push(resolve)),
    });
    const shown: (string | undefined)[] = [];
    const stop = observer.subscribe(({ data }) => shown.push(data));
    // Twice: what was told once while it is on its way need not be told again.
    void queryClient.invalidateQueries({ queryKey: ['receipt'] });
    void queryClient.invalidateQueries({ queryKey: ['receipt'] });
    answers[0]?.('under way');
    await expect.poll(() => answers.length).toBe(2);
    answers[1]?.('delivered');
    await expect.poll(() => shown.at(-1)).toBe('delivered');
    expect(queryClient.isFetching()).toBe(0);
    expect(answers).toHaveLength(2);
    stop();
  });

  it('is read again where it changed while the first read was made once more', async () => {
    const queryClient = createQueryClient();
    const reads: PromiseWithResolvers<string>[] = [];
    const observer = new QueryObserver(queryClient, {
      queryKey: ['receipt'],
      queryFn: () => {
        const read = Promise.withResolvers<string>();
        reads.push(read);
        return read.promise;
      },
    });
    const stop = observer.subscribe(() => undefined);
    reads[0]?.reject(new ApiError('no', { status: 403 }));
    await expect.poll(() => observer.getCurrentResult().isError).toBe(true);
    void observer.refetch();
    void queryClient.invalidateQueries({ queryKey: ['receipt'] });
    reads[1]?.resolve('under way');
    await expect.poll(() => reads.length).toBe(3);
    reads[2]?.resolve('delivered');
    await expect.poll(() => observer.getCurrentResult().data).toBe('delivered');
    expect(reads).toHaveLength(3);
    stop();
  });

  it('is read once for a change after it', async () => {
    const queryClient = createQueryClient();
    let reads = 0;
    const observer = new QueryObserver(queryClient, {
      queryKey: ['receipt'],
      queryFn: () => Promise.resolve(++reads),
    });
    const stop = observer.subscribe(() => undefined);
    await expect.poll(() => observer.getCurrentResult().data).toBe(1);
    await queryClient.invalidateQueries({ queryKey: ['receipt'] });
    expect(observer.getCurrentResult().data).toBe(2);
    expect(queryClient.isFetching()).toBe(0);
    expect(reads).toBe(2);
    stop();
  });

  it('is forgotten with the user, except for the public settings', () => {
    const queryClient = createQueryClient();
    queryClient.setQueryData(['domains'], 'of Alice');
    queryClient.setQueryData([PUBLIC_CONFIG_KEY], 'of everyone');
    forgetUser(queryClient);
    expect(queryClient.getQueryData(['domains'])).toBeUndefined();
    expect(queryClient.getQueryData([PUBLIC_CONFIG_KEY])).toBe('of everyone');
  });
});
