import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { MAX_CHANNELS, OWN_MAIL } from '../../contract/channel.ts';
import { signatureHeaders, type WebhookSecret } from '../../server/channels/webhook/webhook.ts';
import { grantPremium } from '../../server/store/accounts/accounts.ts';
import { storableConfig } from '../../server/channels/kinds/index.ts';
import { addChannel } from '../../server/store/alerts/channel-changes.ts';
import { suppress } from '../../server/store/mail/suppressions.ts';
import { inTransaction } from '../../server/store/db/transaction.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { CHANNEL_EXAMPLES } from '../kit/peers/channel-examples.ts';
import type { Person } from '../kit/product/people.ts';
import { startApi, type TestApi } from './test-api.ts';
import { promise } from '../security/promise.ts';

const add = (person: Person, config: object, name?: string) =>
  person.ask(CALLS.addChannel, { body: { config, ...(name !== undefined && { name }) } });
const list = async (person: Person) => (await person.ask(CALLS.listChannels)).ok.data;
const change = (person: Person, key: string, body: object) =>
  person.ask(CALLS.changeChannel, { params: { key }, body });
const hook = (path = '') => ({ kind: 'webhook', url: `https://hooks.example.com/${path}` });
const withoutPremium = (api: TestApi, { id }: Person) =>
  grantPremium(api.store, id, { grant: null, now: api.clock.now() });

const EVERY_KIND = Object.values(CHANNEL_EXAMPLES).map(({ entered }) => entered);

describeAnyDatabase('The channels of an account', (open) => {
  it('are the account’s email on Free, and added channels as well on Premium; the list shows no secrets', async () => {
    const { alice, bob, charlie } = await (await startApi(open)).cast();
    expect(await list(alice)).toMatchObject([
      { key: OWN_MAIL, kind: 'email', target: alice.email, state: 'open', detail: null },
    ]);
    for (const config of EVERY_KIND) expect((await add(bob, config)).status).toBe(200);
    const channels = await list(bob);
    expect(channels.map(({ kind, name, target, state }) => [kind, name, target, state])).toEqual([
      ['email', 'Your email', bob.email, 'open'],
      ...Object.entries(CHANNEL_EXAMPLES).map(([kind, { name, target }]) => [
        kind,
        name,
        target,
        kind === 'email' ? 'unconfirmed' : 'open',
      ]),
    ]);
    expect(JSON.stringify(channels)).not.toContain('secret');
    expect(await list(charlie)).toHaveLength(1);
  });

  it('show a webhook’s signing secret only when it is created or rotated', async () => {
    const { bob } = await (await startApi(open)).cast();
    const { channel, secret } = (await add(bob, hook(), 'Our tools')).ok.data;
    expect(channel.name).toBe('Our tools');
    expect(Buffer.from((secret ?? '').replace('whsec_', ''), 'base64')).toHaveLength(32);
    expect(JSON.stringify(await list(bob))).not.toContain('whsec_');
    const params = { key: channel.key };
    const rotated = (await bob.ask(CALLS.rotateSecret, { params })).ok.data;
    expect(rotated.secret).toMatch(/^whsec_/);
    expect(rotated.secret).not.toBe(secret);
    expect((await bob.ask(CALLS.rotateSecret, { params: { key: OWN_MAIL } })).status).toBe(404);
    const slack = (await add(bob, CHANNEL_EXAMPLES.slack.entered)).ok.data.channel;
    expect((await bob.ask(CALLS.rotateSecret, { params: { key: slack.key } })).status).toBe(404);
    promise('secrets');
  });

  it('keep a webhook’s old signing secret valid beside the new one for a day', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    const { channel, secret } = (await add(bob, hook())).ok.data;
    const params = { key: channel.key };
    const first = (await bob.ask(CALLS.rotateSecret, { params })).ok.data;
    expect(Date.parse(first.previous_until) - api.clock.now()).toBeGreaterThan(86_400_000 - 60_000);
    const stored = async () =>
      JSON.parse(
        (await api.store.db.selectFrom('channels').select('config').executeTakeFirstOrThrow()).config,
      ) as { url: string; secrets: { secret: string; until: number | null }[] };
    expect((await stored()).secrets.map((each) => each.secret)).toEqual([first.secret, secret]);
    const second = (await bob.ask(CALLS.rotateSecret, { params })).ok.data;
    expect((await stored()).secrets.map(({ secret: key, until }) => [key, until === null])).toEqual([
      [second.secret, true],
      [first.secret, false],
      [secret, false],
    ]);
    // A change of the webhook's URL keeps its secrets.
    await change(bob, channel.key, { config: hook('elsewhere') });
    expect(await stored()).toMatchObject({
      url: 'https://hooks.example.com/elsewhere',
      secrets: [{ secret: second.secret }, { secret: first.secret }, { secret }],
    });
  });

  it('sign with each old secret until its promised end, and keep at most five secrets', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    const { channel, secret } = (await add(bob, hook())).ok.data;
    const rotate = async () => (await bob.ask(CALLS.rotateSecret, { params: { key: channel.key } })).ok.data;
    const secrets = async () => {
      const { config } = await api.store.db.selectFrom('channels').select('config').executeTakeFirstOrThrow();
      return (JSON.parse(config) as { secrets: WebhookSecret[] }).secrets;
    };
    const signatures = (now: number, keys: readonly WebhookSecret[]) =>
      signatureHeaders({ id: 'a', now, body: '{}' }, keys)['webhook-signature'];
    const holding = (...keys: string[]) => keys.map((key) => ({ secret: key, until: null }));

    const first = await rotate();
    api.clock.advance(5 * 60_000);
    const second = await rotate();
    const kept = await secrets();
    const [firstEnd, secondEnd] = [Date.parse(first.previous_until), Date.parse(second.previous_until)];
    for (const now of [api.clock.now(), firstEnd - 1])
      expect(signatures(now, kept)).toBe(signatures(now, holding(second.secret, first.secret, secret ?? '')));
    for (const now of [firstEnd, secondEnd - 1])
      expect(signatures(now, kept)).toBe(signatures(now, holding(second.secret, first.secret)));
    expect(signatures(secondEnd, kept)).toBe(signatures(secondEnd, holding(second.secret)));

    const [third, fourth, fifth] = [await rotate(), await rotate(), await rotate()];
    expect((await secrets()).map((each) => each.secret)).toEqual(
      [fifth, fourth, third, second, first].map((each) => each.secret),
    );
  });

  it('need Premium, except the account’s own email; the others pause when Premium ends and resume when it returns', async () => {
    const api = await startApi(open);
    const { alice, bob } = await api.cast();
    expect((await add(alice, hook())).problem).toMatchObject({ code: 'premium_required', status: 402 });
    const { key } = (await add(bob, hook())).ok.data.channel;
    await withoutPremium(api, bob);
    expect((await list(bob))[1]).toMatchObject({ key, state: 'plan' });
    expect((await change(bob, key, { name: 'Renamed' })).ok.data).toMatchObject({ state: 'plan' });
    for (const body of [{ enabled: true }, { config: hook('b') }])
      expect((await change(bob, key, body)).problem.code).toBe('premium_required');
    expect((await bob.ask(CALLS.testChannel, { params: { key } })).problem.code).toBe('premium_required');
    await grantPremium(api.store, bob.id, { grant: { endsAt: null }, now: api.clock.now() });
    expect((await list(bob))[1]).toMatchObject({ key, name: 'Renamed', state: 'open' });
  });

  it('are not added if Premium ends between the request and the database write', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const added = await addChannel(api.store, {
      accountId: alice.id,
      name: 'Late',
      invitation: null,
      max: MAX_CHANNELS,
      now: api.clock.now(),
      config: storableConfig({ kind: 'slack', url: 'https://hooks.slack.com/services/x' }),
      mayAdd: (plan) => plan === 'premium',
    });
    expect(added).toEqual({ ok: false, code: 'premium_required' });
    expect(await list(alice)).toHaveLength(1);
  });

  it('are limited to twenty besides the account’s own email, even with concurrent requests', async () => {
    const { bob } = await (await startApi(open)).cast();
    const answers = await Promise.all(
      Array.from({ length: MAX_CHANNELS + 6 }, (_, index) => add(bob, hook(String(index)))),
    );
    const refused = answers.filter(({ status }) => status !== 200).map(({ problem }) => problem.code);
    expect(refused).toEqual(Array.from({ length: 6 }, () => 'too_many_channels'));
    expect(await list(bob)).toHaveLength(MAX_CHANNELS + 1);
  });

  it('are unique by target, even with concurrent requests', async () => {
    const { bob } = await (await startApi(open)).cast();
    const both = await Promise.all([add(bob, hook()), add(bob, hook())]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const own = await add(bob, { kind: 'email', address: bob.email.toUpperCase() });
    expect(own.problem.code).toBe('channel_exists');
    const other = (await add(bob, hook('other'))).ok.data.channel;
    expect((await change(bob, other.key, { config: hook() })).problem.code).toBe('channel_exists');
    expect((await change(bob, other.key, { config: hook('other') })).status).toBe(200);
  });

  it('reject targets in private networks and invalid URLs', async () => {
    const { bob } = await (await startApi(open)).cast();
    const webhook = (url: string) => ({ kind: 'webhook', url });
    const refused = [
      ...['http://127.0.0.1/', 'http://localhost/', 'http://10.0.0.1:8080/', 'http://[::1]/'].map(webhook),
      ...['http://169.254.169.254/latest/meta-data', 'http://printer/', 'http://nas.local/'].map(webhook),
      ...['http://metadata.google.internal/', 'http://0x7f000001/', 'http://2130706433/'].map(webhook),
      ...['http://[::ffff:10.0.0.1]/', 'http://[64:ff9b::a00:1]/', 'http://127.1/'].map(webhook),
      { kind: 'ntfy', server: 'http://192.168.0.2', topic: 'home' },
      { kind: 'teams', url: 'https://intranet/workflows/1' },
    ];
    for (const config of refused) {
      const { problem } = await add(bob, config);
      expect(problem, JSON.stringify(config)).toMatchObject({ code: 'channel_refused', status: 422 });
      expect(problem.detail).toContain('private network');
    }
    for (const url of ['ftp://a.example/', 'https://user:pw@a.example/', 'file:///etc/passwd', 'a.example'])
      expect((await add(bob, webhook(url))).problem.code).toBe('invalid_request');
    const { key } = (await add(bob, hook())).ok.data.channel;
    const { problem } = await change(bob, key, { config: webhook('http://127.0.0.1/') });
    expect(problem.code).toBe('channel_refused');
    expect(await list(bob)).toHaveLength(2);
  });

  it('must have an address that the address policy for channels permits; the policy for checks has no effect', async () => {
    const isLocalName = () => false;
    const everywhere = { permits: () => true, opens: () => true, permitsLocalNames: true, isLocalName };
    const nowhere = { permits: () => false, opens: () => false, permitsLocalNames: false, isLocalName };
    const config = { kind: 'ntfy', server: 'http://192.168.0.2:8080', topic: 'home' };
    const closed = await (await startApi(open, { policy: everywhere, channelPolicy: nowhere })).cast();
    expect((await add(closed.bob, config)).problem.code).toBe('channel_refused');
    const opened = await (await startApi(open, { policy: nowhere, channelPolicy: everywhere })).cast();
    expect((await add(opened.bob, config)).status).toBe(200);
    promise('channel-addresses');
  });

  it('reject ports below 1024 other than 80 and 443', async () => {
    const { bob } = await (await startApi(open)).cast();
    const webhook = (url: string) => ({ kind: 'webhook', url });
    const detail = 'Alerts cannot be sent to this port. Use port 80, 443, or a port from 1024 to 65535.';
    const refused = [
      ...['http://192.0.2.10:22/', 'https://hooks.example.com:25/', 'http://hooks.example.com:1023/'].map(
        webhook,
      ),
      { kind: 'ntfy', server: 'https://ntfy.example.com:110', topic: 'home' },
    ];
    for (const config of refused)
      expect((await add(bob, config)).problem, JSON.stringify(config)).toMatchObject({
        code: 'channel_refused',
        detail,
      });
    for (const url of ['http://192.0.2.10:443/', 'https://hooks.example.com:80/', 'http://a.example:1024/'])
      expect((await add(bob, webhook(url))).status, url).toBe(200);
    const { key } = (await add(bob, hook())).ok.data.channel;
    const changed = await change(bob, key, { config: webhook('https://hooks.example.com:22/') });
    expect(changed.problem.detail).toBe(detail);
    promise('channel-addresses');
  });

  it('may use every port at addresses that the operator opened and at local names', async () => {
    const channelPolicy = {
      permits: () => true,
      opens: (ip: string) => ip === '10.0.0.5',
      permitsLocalNames: true,
    };
    const { bob } = await (await startApi(open, { channelPolicy })).cast();
    const status = async (url: string) => (await add(bob, { kind: 'webhook', url })).status;
    expect(await status('http://10.0.0.5:81/')).toBe(200);
    expect(await status('http://intranet:81/')).toBe(200);
    expect(await status('http://192.0.2.10:81/')).toBe(422);
  });

  it('ignore unknown request fields, and reject invalid names', async () => {
    const api = await startApi(open);
    const { bob, charlie } = await api.cast();
    const smuggled = { account_id: charlie.id, confirmed_at: 1, secrets: [{ secret: 'mine', until: null }] };
    const body = { ...smuggled, config: { ...hook(), ...smuggled }, name: 'Hook' };
    const { key } = (await bob.ask(CALLS.addChannel, { body })).ok.data.channel;
    await bob.ask(CALLS.changeChannel, {
      params: { key },
      body: { ...smuggled, id: 'other', state: 'open' },
    });
    const row = await api.store.db.selectFrom('channels').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ id: key, account_id: bob.id });
    expect(row.config).not.toContain('mine');
    for (const name of ['two\nlines', 'a'.repeat(81)])
      expect((await add(bob, hook('x'), name)).problem.code).toBe('invalid_request');
  });

  it('are not found by other accounts', async () => {
    const { bob, charlie } = await (await startApi(open)).cast();
    const { key } = (await add(bob, hook())).ok.data.channel;
    const params = { key };
    for (const answer of [
      await change(charlie, key, { name: 'Mine' }),
      await charlie.ask(CALLS.testChannel, { params }),
      await charlie.ask(CALLS.rotateSecret, { params }),
      await charlie.ask(CALLS.channelDeliveries, { params }),
      await charlie.ask(CALLS.removeChannel, { params }),
    ])
      expect(answer.problem.code).toBe('not_found');
    expect((await list(bob))[1]).toMatchObject({ key, name: 'hooks.example.com', state: 'open' });
  });

  it('drop waiting messages when they are switched off or removed', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    const { key } = (await add(bob, hook())).ok.data.channel;
    const params = { key };
    await bob.ask(CALLS.testChannel, { params });
    expect((await change(bob, key, { enabled: false })).ok.data.state).toBe('off');
    const [dropped] = (await bob.ask(CALLS.channelDeliveries, { params })).ok.data;
    expect(dropped).toMatchObject({ state: 'superseded', detail: 'The channel was switched off.' });
    expect((await bob.ask(CALLS.testChannel, { params })).problem.code).toBe('channel_closed');
    await api.store.db.updateTable('channels').set({ disabled_by: 'gone', failing_since: 1 }).execute();
    expect((await list(bob))[1]?.state).toBe('gone');
    expect((await change(bob, key, { enabled: true })).ok.data).toMatchObject({
      state: 'open',
      failing_since: null,
    });
    await bob.ask(CALLS.testChannel, { params });
    expect((await bob.ask(CALLS.removeChannel, { params })).ok.data).toBeNull();
    const left = await api.store.db.selectFrom('deliveries').select('detail').orderBy('detail').execute();
    expect(left.map(({ detail }) => detail)).toEqual([
      'The channel was removed.',
      'The channel was switched off.',
    ]);
    expect((await bob.ask(CALLS.removeChannel, { params })).problem.code).toBe('not_found');
  });

  it('cannot change their kind; the account’s own email cannot be changed or removed at all', async () => {
    const { bob } = await (await startApi(open)).cast();
    const { key } = (await add(bob, hook())).ok.data.channel;
    expect((await change(bob, key, { config: CHANNEL_EXAMPLES.slack.entered })).problem.code).toBe(
      'channel_refused',
    );
    expect((await bob.ask(CALLS.removeChannel, { params: { key: OWN_MAIL } })).problem.code).toBe(
      'not_found',
    );
    for (const body of [{ enabled: false }, { name: 'Mine' }, { config: CHANNEL_EXAMPLES.email.entered }])
      expect((await change(bob, OWN_MAIL, body)).problem.code).toBe('channel_refused');
  });

  it('queue a test message to the account’s own email when it is enabled again after mail to it was refused', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    await inTransaction(api.store, (trx) =>
      suppress(trx, { address: alice.email, reason: 'refused', detail: '550 no such user', now: 1 }),
    );
    expect((await list(alice))[0]).toMatchObject({ state: 'refused', detail: '550 no such user' });
    const params = { key: OWN_MAIL };
    expect((await alice.ask(CALLS.testChannel, { params })).problem.code).toBe('channel_closed');
    expect((await change(alice, OWN_MAIL, { enabled: true })).ok.data).toMatchObject({ state: 'open' });
    expect((await alice.ask(CALLS.channelDeliveries, { params })).ok.data).toMatchObject([
      { event: 'test', state: 'waiting' },
    ]);
  });

  it('disappear from all settings when removed; settings left without a channel fall back to the default', async () => {
    const { bob } = await (await startApi(open)).cast();
    const { id } = (await bob.ask(CALLS.addDomain, { body: { host: 'shop.example.com' } })).ok.data;
    const [one, two] = [
      (await add(bob, hook('1'))).ok.data.channel.key,
      (await add(bob, hook('2'))).ok.data.channel.key,
    ];
    const settings = { channels: [one], steps: null, quiet_hours: null, muted: [] };
    await bob.ask(CALLS.changeAccountAlerts, { body: { settings } });
    const params = { id };
    await bob.ask(CALLS.changeDomainAlerts, { params, body: { channels: [one, two], muted: ['uptime'] } });
    await bob.ask(CALLS.removeChannel, { params: { key: one } });
    expect((await bob.ask(CALLS.accountAlerts)).ok.data.settings.channels).toBeNull();
    const own = async () => (await bob.ask(CALLS.domainAlerts, { params })).ok.data.own;
    expect(await own()).toEqual({ channels: [two], muted: ['uptime'] });
    await bob.ask(CALLS.removeChannel, { params: { key: two } });
    expect(await own()).toEqual({ muted: ['uptime'] });
  });

  it('are shown as broken if their stored config cannot be decoded, until the settings are entered again', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    const keys: string[] = [];
    for (const config of EVERY_KIND) keys.push((await add(bob, config)).ok.data.channel.key);
    const working = (await add(bob, hook('other'))).ok.data.channel;
    await api.store.db
      .updateTable('channels')
      .set({ config: '{"url":"SECRET' })
      .where('id', 'in', keys)
      .execute();
    const shown = (await list(bob)).filter(({ key }) => keys.includes(key));
    expect(shown).toMatchObject(EVERY_KIND.map(({ kind }) => ({ kind, state: 'broken', target: 'unknown' })));
    expect(JSON.stringify(shown)).not.toContain('SECRET');
    expect(await list(bob)).toContainEqual(working);
    const { channels } = (await bob.ask(CALLS.exportData)).ok as unknown as { channels: object[] };
    expect(channels).toMatchObject([
      ...EVERY_KIND.map(() => ({ leads_to: 'unknown' })),
      { leads_to: working.target },
    ]);

    const webhook = keys[EVERY_KIND.findIndex(({ kind }) => kind === 'webhook')] ?? '';
    const rotated = await bob.ask(CALLS.rotateSecret, { params: { key: webhook } });
    expect(rotated.problem.code).toBe('channel_closed');
    expect((await bob.ask(CALLS.testChannel, { params: { key: webhook } })).ok.data).toMatchObject({
      state: 'waiting',
    });
    for (const [index, config] of EVERY_KIND.entries())
      expect((await change(bob, keys[index] ?? '', { config })).ok.data.state).toBe(
        config.kind === 'email' ? 'unconfirmed' : 'open',
      );
    expect((await bob.ask(CALLS.rotateSecret, { params: { key: webhook } })).status).toBe(200);
    for (const key of keys)
      expect((await bob.ask(CALLS.removeChannel, { params: { key } })).status).toBe(200);
  });
});
