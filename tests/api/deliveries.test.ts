import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { OWN_MAIL } from '../../contract/channel.ts';
import type { ClaimedDelivery } from '../../server/store/alerts/claimed-delivery.ts';
import { claimDueDeliveries, retryDelivery, settleDelivery } from '../../server/store/alerts/deliveries.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { createClient, type Person } from '../kit/product/people.ts';
import { startApi, type TestApi } from './test-api.ts';
import { HOUR_MS } from '../../contract/durations.ts';
import { promise } from '../security/promise.ts';

const hook = { kind: 'webhook', url: 'https://hooks.example.com/' };
const addHook = async (person: Person) =>
  (await person.ask(CALLS.addChannel, { body: { config: hook } })).ok.data.channel.key;
const test = (person: Person, key: string) => person.ask(CALLS.testChannel, { params: { key } });
const receipt = async (person: Person, id: string) =>
  (await person.ask(CALLS.delivery, { params: { id } })).ok.data;
const replay = (person: Person, id: string) => person.ask(CALLS.replayDelivery, { params: { id } });

/** Claims a delivery as a worker does. */
async function claim({ store, clock }: TestApi): Promise<ClaimedDelivery> {
  const lease = { now: clock.now(), limit: 1, leaseMs: 60_000, claimedBy: 'test' };
  const [claimed] = await claimDueDeliveries(store, lease);
  if (!claimed) throw new Error('Nothing is due');
  return claimed;
}
async function settle(
  api: TestApi,
  outcome: 'delivered' | 'failed',
  detail: string,
): Promise<ClaimedDelivery> {
  const claimed = await claim(api);
  await settleDelivery(api.store, { ...claimed, outcome, detail, now: api.clock.now() });
  return claimed;
}

describeAnyDatabase('The receipt of a message', (open) => {
  it('the receipt of a test message lists every attempt until delivery, for its owner only', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const asked = (await test(alice, OWN_MAIL)).ok.data;
    expect(asked).toMatchObject({
      channel_key: OWN_MAIL,
      channel_kind: 'email',
      channel_name: 'Your email',
      state: 'waiting',
      title: 'Test message from Certlantern',
      event: 'test',
      domain: null,
      attempts: [],
    });
    const first = await claim(api);
    const nextAttemptAt = api.clock.now() + 60_000;
    await retryDelivery(api.store, { ...first, nextAttemptAt, detail: '451 later', now: api.clock.now() });
    expect(await receipt(alice, asked.id)).toMatchObject({
      state: 'waiting',
      detail: '451 later',
      next_attempt_at: new Date(nextAttemptAt).toISOString(),
      attempts: [{ attempt: 1, outcome: 'retry', detail: '451 later' }],
    });
    api.clock.advance(61_000);
    await settle(api, 'delivered', '250 accepted');
    const delivered = await receipt(alice, asked.id);
    expect(delivered).toMatchObject({ state: 'delivered', next_attempt_at: null });
    expect(delivered.attempts.map(({ outcome }) => outcome)).toEqual(['retry', 'delivered']);
    expect((await alice.ask(CALLS.listChannels)).ok.data[0]?.last_delivered_at).toBe(delivered.settled_at);
    const params = { id: asked.id };
    expect((await charlie.ask(CALLS.delivery, { params })).problem.code).toBe('not_found');
  });

  it('is listed among the last fifty of its channel, newest first', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    const key = await addHook(bob);
    const { id } = (await test(bob, key)).ok.data;
    await settle(api, 'delivered', '200');
    const row = await api.store.db.selectFrom('deliveries').selectAll().executeTakeFirstOrThrow();
    for (let count = 1; count <= 55; count++) {
      const copy = { id: `${count}`, dedupe_key: `${count}`, created_at: row.created_at + count };
      await api.store.db
        .insertInto('deliveries')
        .values({ ...row, ...copy })
        .execute();
    }
    const params = { key };
    const listed = (await bob.ask(CALLS.channelDeliveries, { params })).ok.data;
    expect(listed.map((each) => each.id)).toEqual(Array.from({ length: 50 }, (_, index) => `${55 - index}`));
    expect(listed.some((each) => each.id === id)).toBe(false);
  });

  it('allows sending a failed message again under the same message id', async () => {
    const api = await startApi(open);
    const { bob, charlie } = await api.cast();
    const key = await addHook(bob);
    const { id } = (await test(bob, key)).ok.data;
    const failed = await settle(api, 'failed', 'HTTP 500');
    expect((await receipt(bob, id)).state).toBe('failed');
    expect((await replay(charlie, id)).problem.code).toBe('not_found');
    expect((await replay(bob, id)).ok.data).toMatchObject({ id, state: 'waiting', settled_at: null });
    const again = await settle(api, 'delivered', 'HTTP 200');
    expect(again.messageId).toBe(failed.messageId);
    const { state, attempts } = await receipt(bob, id);
    expect([state, attempts.map(({ outcome }) => outcome)]).toEqual(['delivered', ['failed', 'delivered']]);
  });

  it('does not allow sending a failed message again to a channel that is switched off', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    const key = await addHook(bob);
    const { id } = (await test(bob, key)).ok.data;
    await settle(api, 'failed', 'HTTP 500');
    await bob.ask(CALLS.changeChannel, { params: { key }, body: { enabled: false } });
    expect((await replay(bob, id)).problem.code).toBe('channel_closed');
    expect((await receipt(bob, id)).state).toBe('failed');
  });

  it('test messages are limited to ten an hour per channel and thirty an hour per account', async () => {
    const api = await startApi(open);
    const { alice, bob } = await api.cast();
    const keys = [OWN_MAIL];
    for (const path of ['a', 'b', 'c'])
      keys.push(
        (await bob.ask(CALLS.addChannel, { body: { config: { ...hook, url: `${hook.url}${path}` } } })).ok
          .data.channel.key,
      );
    const statuses = [];
    for (const key of keys)
      for (let count = 0; count <= 10; count++) statuses.push((await test(bob, key)).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(30);
    expect((await test(alice, OWN_MAIL)).status).toBe(200);
    api.clock.advance(HOUR_MS);
    await api.store.db
      .updateTable('sessions')
      .set({ access_expires_at: api.clock.now() + HOUR_MS })
      .execute();
    expect((await test(bob, OWN_MAIL)).status).toBe(200);
    promise('spam');
  });

  it('cannot be read without a session, nor can a message be sent or resent', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const { id } = (await test(alice, OWN_MAIL)).ok.data;
    const anonymous = createClient(api.send);
    for (const answer of [
      await anonymous.ask(CALLS.testChannel, { params: { key: OWN_MAIL } }),
      await anonymous.ask(CALLS.replayDelivery, { params: { id } }),
      await anonymous.ask(CALLS.delivery, { params: { id } }),
    ])
      expect(answer.problem.code).toBe('not_authenticated');
    expect(await api.store.db.selectFrom('deliveries').select('id').execute()).toHaveLength(1);
  });
});
