import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { insertRows } from '../kit/databases/insert-rows.ts';
import { startApi, type TestApi } from './test-api.ts';
import { HOUR_MS } from '../../contract/durations.ts';

const feedback = (message: string) => ({ body: { title: 'feedback', message } });
const rows = ({ store }: TestApi) =>
  store.db.selectFrom('feedback').select(['account_id', 'title', 'message', 'premium']).execute();
const mails = async ({ store }: TestApi) => {
  const found = await store.db
    .selectFrom('mails')
    .select(['account_id', 'recipient', 'data'])
    .where('kind', '=', 'feedback')
    .orderBy('created_at')
    .execute();
  return found.map(({ data, ...mail }) => ({ ...mail, ...(JSON.parse(data ?? '{}') as object) }));
};

describeAnyDatabase('Feedback', (open) => {
  it('keeps the newest 200 messages of an account', async () => {
    const api = await startApi(open);
    const { alice, bob } = await api.cast();
    await bob.ask(CALLS.sendFeedback, feedback('Of somebody else'));
    const account = { account_id: alice.id, title: 'feedback', premium: 0 };
    const now = api.clock.now();
    await insertRows(
      api.store,
      'feedback',
      Array.from({ length: 205 }, (_, index) => ({
        ...account,
        id: `${index}`,
        message: `${index}`,
        created_at: now - (index + 2) * HOUR_MS,
      })),
    );
    expect((await alice.ask(CALLS.sendFeedback, feedback('The newest'))).status).toBe(200);
    const kept = await rows(api);
    expect(kept.filter(({ account_id: id }) => id === alice.id)).toHaveLength(200);
    const messages = kept.map(({ message }) => message);
    expect(messages).toEqual(expect.arrayContaining(['Of somebody else', 'The newest', '0', '198']));
    expect(messages).not.toContain('199');
  });

  it('is stored and mailed to the operator with the sender’s plan', async () => {
    const api = await startApi(open, { config: { supportEmail: 'Support, Inc. <help@certs.example>' } });
    const { alice, bob } = await api.cast();
    const told: unknown[] = [];
    api.store.signals.subscribe(({ topic }) => told.push(topic));
    expect((await alice.ask(CALLS.sendFeedback, feedback('  A horizon!\nLovely. '))).ok).toEqual({
      data: null,
    });
    api.clock.advance(1);
    await bob.ask(CALLS.sendFeedback, feedback('Faster, please'));

    expect((await rows(api)).toSorted((a, b) => a.premium - b.premium)).toEqual([
      { account_id: alice.id, title: 'feedback', message: 'A horizon!\nLovely.', premium: 0 },
      { account_id: bob.id, title: 'feedback', message: 'Faster, please', premium: 1 },
    ]);
    const recipient = 'help@certs.example';
    expect(await mails(api)).toEqual([
      {
        account_id: alice.id,
        recipient,
        from: { name: 'Alice', email: alice.email, premium: false },
        message: 'A horizon!\nLovely.',
      },
      {
        account_id: bob.id,
        recipient,
        from: { name: 'Bob', email: bob.email, premium: true },
        message: 'Faster, please',
      },
    ]);
    expect(told).toContain('mails');
  });

  it('is rejected if it is empty, too long or has invalid characters', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    for (const body of [
      {},
      { title: 'feedback', message: '' },
      { title: 'feedback', message: ' \n ' },
      { title: 'feedback', message: 'x'.repeat(5_001) },
      { title: 'feedback', message: 'a\0b' },
      { title: 'feedback', message: 'a\ud800b' },
      { title: 'other', message: 'Hello' },
      { title: 'feedback', message: { toString: 'Hello' } },
    ])
      expect((await alice.ask(CALLS.sendFeedback, { body })).problem.code).toBe('invalid_request');
    expect(await rows(api)).toEqual([]);
    expect((await alice.ask(CALLS.sendFeedback, feedback('x'.repeat(5_000)))).status).toBe(200);
  });

  it('is limited to ten messages an hour per account, even with concurrent requests', async () => {
    const api = await startApi(open);
    const { alice, bob } = await api.cast();
    const answers = await Promise.all(
      Array.from({ length: 14 }, (_, index) => alice.ask(CALLS.sendFeedback, feedback(`${index}`))),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    const refused = answers.find(({ status }) => status !== 200)?.problem;
    expect(refused).toMatchObject({ code: 'too_many_requests', status: 429 });
    expect(refused?.retry_after).toBeGreaterThan(3_500);
    expect(await rows(api)).toHaveLength(10);
    expect(await mails(api)).toHaveLength(10);
    expect((await bob.ask(CALLS.sendFeedback, feedback('Mine'))).status).toBe(200);
    api.clock.advance(HOUR_MS);
    expect((await alice.ask(CALLS.sendFeedback, feedback('Later'))).status).toBe(401);
    await alice.ask(CALLS.refreshSession);
    expect((await alice.ask(CALLS.sendFeedback, feedback('Later'))).status).toBe(200);
  });
});
