import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { accountMessage } from '../../server/channels/messages/account-message.ts';
import type { AccountMail } from '../../server/core/account-mail.ts';
import { STANDARD_LIMITS } from '../../server/core/limits.ts';
import { grantPremium } from '../../server/store/accounts/accounts.ts';
import { suppress } from '../../server/store/mail/suppressions.ts';
import { inTransaction } from '../../server/store/db/transaction.ts';
import { createMetrics } from '../../server/telemetry/metrics.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { createClient, type Person } from '../kit/product/people.ts';
import { startApi, type TestApi } from './test-api.ts';
import { DAY_MS } from '../../contract/durations.ts';
import { promise } from '../security/promise.ts';

const invite = (person: Person, address: string) =>
  person.ask(CALLS.addChannel, { body: { config: { kind: 'email', address } } });
const stateOf = async (person: Person, key: string) =>
  (await person.ask(CALLS.listChannels)).ok.data.find((channel) => channel.key === key)?.state;

/** Returns the queued mails to an address, oldest first. */
async function mailsTo({ store }: TestApi, address: string) {
  const rows = await store.db
    .selectFrom('mails')
    .select(['kind', 'data', 'expires_at'])
    .where('recipient', '=', address)
    .orderBy('created_at')
    .execute();
  return rows.map(({ data, ...row }) => ({ ...row, ...(JSON.parse(data ?? '{}') as { url?: string }) }));
}
const tokenIn = (url = '') => new URL(url).hash.slice(1);
const confirm = (api: TestApi, token: string) =>
  createClient(api.send).ask(CALLS.confirmRecipient, { body: { token } });

describeAnyDatabase('An added recipient of alerts', (open) => {
  it('gets no messages before confirming with the mailed link, which works once', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    const { channel, secret } = (await invite(bob, 'Ops@fjord.example')).ok.data;
    expect([channel.state, secret]).toEqual(['unconfirmed', null]);
    const [mail] = await mailsTo(api, 'ops@fjord.example');
    expect(mail).toMatchObject({ kind: 'confirm_recipient', accountName: bob.email });
    expect(mail?.url).toMatch(/^http:\/\/localhost:8080\/confirm-recipient#/);
    const params = { key: channel.key };
    expect((await bob.ask(CALLS.testChannel, { params })).problem.code).toBe('channel_closed');

    const token = tokenIn(mail?.url);
    const row = await api.store.db.selectFrom('channels').selectAll().executeTakeFirstOrThrow();
    expect(JSON.stringify(row)).not.toContain(token);
    expect((await confirm(api, token)).ok.data).toEqual({ address: 'ops@fjord.example', account: bob.email });
    expect(await stateOf(bob, channel.key)).toBe('open');
    const again = (await confirm(api, token)).problem;
    expect([again.code, again.detail]).toEqual([
      'invalid_token',
      expect.stringMatching(/already used, has expired/),
    ]);
    expect((await confirm(api, 'cut')).problem.code).toBe('invalid_token');
    expect((await bob.ask(CALLS.testChannel, { params })).status).toBe(200);
    promise('spam');
  });

  it('sees the verified address of the account that invites, but not its name, which is free text', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    const fullName = 'Your parcel waits: https://evil.example/pay';
    await bob.ask(CALLS.updateUser, { body: { full_name: fullName } });
    await invite(bob, 'ops@fjord.example');
    const row = await api.store.db
      .selectFrom('mails')
      .select(['data', 'created_at'])
      .where('recipient', '=', 'ops@fjord.example')
      .executeTakeFirstOrThrow();
    const content = { kind: 'confirm_recipient', ...JSON.parse(row.data ?? '') } as AccountMail & {
      url: string;
    };
    const { subject, text, html } = accountMessage({
      content,
      createdAt: row.created_at,
      productName: 'Certlantern',
      timeZone: null,
      publicUrl: new URL('http://localhost:8080'),
    });
    expect(subject).toBe(`${bob.email} wants to send you alerts about certificates`);
    for (const said of [subject, text, html]) expect(said).not.toMatch(/evil|parcel/);
    const { ok } = await confirm(api, tokenIn(content.url));
    expect(ok.data.account).toBe(bob.email);
  });

  it('cannot be invited once all accounts together reach the hourly limit of invitations', async () => {
    const metrics = createMetrics();
    const limits = { ...STANDARD_LIMITS, invitationsPerHour: 3 };
    const api = await startApi(open, { config: { limits }, telemetry: { metrics, tracer: null } });
    const { alice, bob, charlie } = await api.cast();
    const inviters = [alice, bob, charlie];
    for (const { id } of inviters)
      await grantPremium(api.store, id, { grant: { endsAt: null }, now: api.clock.now() });
    for (const [index, person] of inviters.entries())
      expect((await invite(person, `ops-${index}@fjord.example`)).status).toBe(200);
    const { problem } = await invite(alice, 'one-more@fjord.example');
    expect(problem.detail).toBe(
      'The limit of 3 invitations an hour from all accounts together is reached. Try again in 60 minutes.',
    );
    expect(await metrics.registry.metrics()).toContain('{limit="LIMIT_INVITATIONS_PER_HOUR"} 1');
    api.clock.advance(3_600_000);
    await api.store.db
      .updateTable('sessions')
      .set({ access_expires_at: api.clock.now() + DAY_MS })
      .execute();
    expect((await invite(alice, 'one-more@fjord.example')).status).toBe(200);
    promise('spam');
  });

  it('cannot confirm after seven days, even with a later expiry written into the token', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    await invite(bob, 'ops@fjord.example');
    const [mail] = await mailsTo(api, 'ops@fjord.example');
    const token = tokenIn(mail?.url);
    api.clock.advance(7 * DAY_MS + 1_000);
    expect((await confirm(api, token)).problem.code).toBe('invalid_token');
    const longer = `${token.split('.')[0]}.${(api.clock.now() + DAY_MS).toString(36)}`;
    expect((await confirm(api, longer)).problem.code).toBe('invalid_token');
  });

  it('is invited at most three times a day', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    const key = (await invite(bob, 'ops@fjord.example')).ok.data.channel.key;
    const again = () =>
      bob.ask(CALLS.changeChannel, {
        params: { key },
        body: { config: { kind: 'email', address: 'OPS@fjord.example' } },
      });
    expect([(await again()).status, (await again()).status]).toEqual([200, 200]);
    expect((await again()).problem.code).toBe('too_many_requests');
    await bob.ask(CALLS.removeChannel, { params: { key } });
    expect((await invite(bob, 'ops@fjord.example')).problem.code).toBe('too_many_requests');
    expect(await mailsTo(api, 'ops@fjord.example')).toHaveLength(3);
    api.clock.advance(DAY_MS + 1_000);
    await api.store.db
      .updateTable('sessions')
      .set({ access_expires_at: api.clock.now() + DAY_MS })
      .execute();
    expect((await invite(bob, 'ops@fjord.example')).status).toBe(200);
    promise('spam');
  });

  it('must confirm again after the channel’s address changes; the old link is invalid', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    const { key } = (await invite(bob, 'old@fjord.example')).ok.data.channel;
    const [old] = await mailsTo(api, 'old@fjord.example');
    await confirm(api, tokenIn(old?.url));
    const config = { kind: 'email', address: 'new@fjord.example' };
    const led = (await bob.ask(CALLS.changeChannel, { params: { key }, body: { config } })).ok.data;
    expect([led.target, led.state]).toEqual(['new@fjord.example', 'unconfirmed']);
    expect((await confirm(api, tokenIn(old?.url))).problem.code).toBe('invalid_token');
    const [mail] = await mailsTo(api, 'new@fjord.example');
    await confirm(api, tokenIn(mail?.url));
    expect(await stateOf(bob, key)).toBe('open');
    // A change that keeps a confirmed address sends no second invitation.
    await bob.ask(CALLS.changeChannel, { params: { key }, body: { config } });
    expect(await mailsTo(api, 'new@fjord.example')).toHaveLength(1);
    expect(await stateOf(bob, key)).toBe('open');
  });

  it('gets mail again after a suppression by confirming once more', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    const address = 'ops@fjord.example';
    const { key } = (await invite(bob, address)).ok.data.channel;
    await confirm(api, tokenIn((await mailsTo(api, address))[0]?.url));
    await inTransaction(api.store, (trx) =>
      suppress(trx, { address, reason: 'refused', detail: '550 unknown', now: 1 }),
    );
    expect(await stateOf(bob, key)).toBe('refused');
    const config = { kind: 'email', address };
    await bob.ask(CALLS.changeChannel, { params: { key }, body: { config } });
    const mails = await mailsTo(api, address);
    await confirm(api, tokenIn(mails.at(-1)?.url));
    expect(await stateOf(bob, key)).toBe('open');
  });
});
