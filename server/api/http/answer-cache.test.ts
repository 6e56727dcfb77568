import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { Call } from '../../../contract/calls/call.ts';
import { createLocalSignals } from '../../store/db/signals.ts';
import type { AppEnv } from './app-env.ts';
import { createAccountAnswers, createAnswerCache } from './answer-cache.ts';

function cacheAt(start = 0) {
  const clock = { at: start, monotonic: () => clock.at };
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

it('the answer cache computes an answer once for all requests until the answer expires', async () => {
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

const LIST = { path: '/list', response: z.unknown() } as unknown as Call & { response: z.ZodType };

/** Returns account answers and control over when their reads end. */
function accountAnswers(dialect: 'sqlite' | 'postgres') {
  const signals = createLocalSignals();
  const answers = createAccountAnswers({ store: { dialect, signals }, clock: { monotonic: () => 0 } });
  const reads: PromiseWithResolvers<unknown>[] = [];
  const app = new Hono<AppEnv>().get('/:accountId', (c) =>
    answers.respond(c, { call: LIST, accountId: c.req.param('accountId') }, () => {
      const read = Promise.withResolvers<unknown>();
      reads.push(read);
      return read.promise;
    }),
  );
  const ask = async (accountId: string): Promise<unknown> => (await app.request(`/${accountId}`)).json();
  return { ask, reads, signals, answers };
}

it('a read that began before a change does not answer requests that arrive after the change', async () => {
  const { ask, reads, signals } = accountAnswers('sqlite');
  const early = ask('a');
  signals.publish({ topic: 'account', accountId: 'a' });
  const late = ask('a');
  expect(reads).toHaveLength(2);
  reads[1]?.resolve('new');
  expect(await late).toBe('new');
  reads[0]?.resolve('old');
  expect(await early).toBe('old');
  expect(await ask('a')).toBe('new');
});

it('cached account answers are dropped when the account changes, when change signals were missed, and after a write', async () => {
  const { ask, reads, signals, answers } = accountAnswers('sqlite');
  const count = async (accountId = 'a'): Promise<number> => {
    const before = reads.length;
    const answer = ask(accountId);
    await Promise.resolve();
    reads[before]?.resolve('read');
    await answer;
    return reads.length - before;
  };
  expect([await count(), await count(), await count('b')]).toEqual([1, 0, 1]);
  signals.publish({ topic: 'domain', accountId: 'b', monitorId: 'm', change: 'checked' });
  expect([await count(), await count('b')]).toEqual([0, 1]);
  signals.publish({ topic: 'missed' });
  expect([await count(), await count('b')]).toEqual([1, 1]);
  answers.forget('a');
  expect([await count(), await count('b')]).toEqual([1, 0]);
});

it('account answers are not cached on PostgreSQL', async () => {
  const { ask, reads } = accountAnswers('postgres');
  const answers = [ask('a'), ask('a')];
  expect(reads).toHaveLength(2);
  for (const read of reads) read.resolve('read');
  await Promise.all(answers);
});
