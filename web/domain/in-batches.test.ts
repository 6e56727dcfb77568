import { expect, test, vi } from 'vitest';
import { ApiError } from '../lib/api-error.ts';
import { inBatches } from './in-batches.ts';

const items = [1, 2, 3, 4, 5];
const double = async (batch: readonly number[]) => batch.map((item) => item * 2);
const never = new AbortController().signal;

test('inBatches sends one batch after the other and reports every answer', async () => {
  const heard: [readonly number[], readonly number[]][] = [];
  const onAnswers = (batch: readonly number[], answers: readonly number[]) => heard.push([batch, answers]);
  const outcome = await inBatches({ items, size: 2, send: double, onAnswers, signal: never });
  expect(outcome).toEqual({ answered: 5, error: null });
  expect(heard).toEqual([
    [
      [1, 2],
      [2, 4],
    ],
    [
      [3, 4],
      [6, 8],
    ],
    [[5], [10]],
  ]);
});

test('inBatches returns the number of answered items if the connection is lost', async () => {
  const lost = new ApiError('The server could not be reached', { status: 0 });
  const send = vi.fn(double).mockImplementationOnce(double).mockRejectedValueOnce(lost);
  const onAnswers = vi.fn();
  const outcome = await inBatches({ items, size: 2, send, onAnswers, signal: never });
  expect(outcome).toEqual({ answered: 2, error: lost });
  expect(onAnswers).toHaveBeenCalledTimes(1);
});

test('inBatches treats an answer of the wrong length as a failed call', async () => {
  const onAnswers = vi.fn();
  const outcome = await inBatches({ items, size: 5, send: async () => [1], onAnswers, signal: never });
  expect(outcome).toMatchObject({ answered: 0, error: expect.any(ApiError) as unknown });
  expect(onAnswers).not.toHaveBeenCalled();
});

test('inBatches throws an error of the callback instead of treating it as a failed call', async () => {
  const onAnswers = () => {
    throw new ApiError('Wait', { status: 429, retryAfterSeconds: 1 });
  };
  const send = vi.fn(double);
  await expect(inBatches({ items, size: 2, send, onAnswers, signal: never })).rejects.toThrow('Wait');
  expect(send).toHaveBeenCalledTimes(1);
});

test('inBatches stops between two calls when it is aborted', async () => {
  const stop = new AbortController();
  const send = vi.fn(async (batch: readonly number[]) => {
    stop.abort();
    return double(batch);
  });
  const outcome = await inBatches({ items, size: 2, send, onAnswers: vi.fn(), signal: stop.signal });
  expect(outcome).toEqual({ answered: 2, error: null });
  expect(send).toHaveBeenCalledTimes(1);
});

const tooMany = (retryAfterSeconds: number) => new ApiError('Wait', { status: 429, retryAfterSeconds });

test('inBatches waits as long as a rate limit says and sends the same batch again', async () => {
  const send = vi.fn(double).mockRejectedValueOnce(tooMany(12));
  const wait = vi.fn(async () => undefined);
  const onWait = vi.fn();
  const outcome = await inBatches({
    items,
    size: 5,
    send,
    onAnswers: vi.fn(),
    onWait,
    wait,
    signal: never,
  });
  expect(outcome).toEqual({ answered: 5, error: null });
  expect(wait).toHaveBeenCalledExactlyOnceWith(12_000, never);
  expect(onWait.mock.calls).toEqual([[12], [null]]);
  expect(send).toHaveBeenNthCalledWith(2, items);
});

test('inBatches gives up if a rate limit says to wait an hour', async () => {
  const send = vi.fn(double).mockRejectedValueOnce(tooMany(3600));
  const outcome = await inBatches({ items, size: 5, send, onAnswers: vi.fn(), signal: never });
  expect(outcome).toMatchObject({ answered: 0, error: { status: 429 } });
});
