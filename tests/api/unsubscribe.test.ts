import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls.ts';
import { OWN_MAIL } from '../../contract/channel.ts';
import { derivedKey } from '../../server/api/derived-keys.ts';
import { unsubscribeToken } from '../../server/store/unsubscriptions.ts';
import { describeEachDatabase } from '../kit/database.ts';
import { createClient, type Person } from '../kit/people.ts';
import { SECRETS, startApi, type TestApi } from './test-api.ts';

const secret = derivedKey(SECRETS.session, 'unsubscribe');
const tokenFor = (accountId: string, monitorId: string | null, channelKey = OWN_MAIL) =>
  unsubscribeToken({ secret, accountId, channelKey, monitorId });
const watch = async (person: Person, host = 'shop.example.com') =>
  (await person.ask(CALLS.addDomain, { body: { host } })).ok.data.id;

/** As mail programs do it: no cookies, and whatever they say of where they are. */
const oneClick = (api: TestApi, token: string, { body = 'List-Unsubscribe=One-Click', headers = {} } = {}) =>
  api.sendFrom('203.0.113.9')(`/api/unsubscribe/${token}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body,
  });
const subject = async (api: TestApi, token: string) =>
  (await createClient(api.send).ask(CALLS.unsubscribeSubject, { params: { token } })).ok.data;
const choose = (api: TestApi, token: string, scope: string) =>
  createClient(api.send).ask(CALLS.unsubscribe, { params: { token }, body: { scope } });

describeEachDatabase('The link at the end of a mail', (open) => {
  it('tells what it is about, without telling the whole address', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const id = await watch(alice);
    const masked = `${alice.email[0]}•••@example.test`;
    expect(await subject(api, tokenFor(alice.id, id))).toEqual({
      ...{ address: masked, domain: 'shop.example.com', mail: 'alert', unsubscribed: 'no' },
    });
    const digest = await subject(api, tokenFor(alice.id, null));
    expect(digest).toEqual({ address: masked, domain: null, mail: 'digest', unsubscribed: 'digest' });
    expect((await subject(api, tokenFor(alice.id, crypto.randomUUID()))).domain).toBeNull();
  });

  it('ends mail of its domain with one click of a mail program, wherever that is, also twice', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const [id, other] = [await watch(alice), await watch(alice, 'www.example.com')];
    const token = tokenFor(alice.id, id);
    for (const headers of [{}, { origin: 'https://mail.example' }, { 'sec-fetch-site': 'cross-site' }])
      expect((await oneClick(api, token, { headers })).status).toBe(200);
    expect((await subject(api, token)).unsubscribed).toBe('domain');
    expect((await subject(api, tokenFor(alice.id, other))).unsubscribed).toBe('no');
    const { unsubscribed } = (await alice.ask(CALLS.domainAlerts, { params: { id } })).ok.data;
    expect(unsubscribed).toEqual([OWN_MAIL]);
    expect(await api.store.db.selectFrom('unsubscriptions').selectAll().execute()).toHaveLength(1);
    expect((await alice.ask(CALLS.standing)).ok.data.unsubscribed).toBe(false);

    const again = (await alice.ask(CALLS.subscribeDomain, { params: { id } })).ok.data;
    expect(again.unsubscribed).toEqual([]);
  });

  it('takes a multipart form too, and nothing but the form of RFC 8058', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const id = await watch(alice);
    const token = tokenFor(alice.id, id);
    expect((await oneClick(api, token, { body: '' })).status).toBe(400);
    expect((await oneClick(api, token, { body: 'List-Unsubscribe=Maybe' })).status).toBe(400);
    expect((await subject(api, token)).unsubscribed).toBe('no');
    const form = new FormData();
    form.set('List-Unsubscribe', 'One-Click');
    expect((await api.send(`/api/unsubscribe/${token}`, { method: 'POST', body: form })).status).toBe(200);
    expect((await subject(api, token)).unsubscribed).toBe('domain');
  });

  it('leads people to the page', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const token = tokenFor(alice.id, await watch(alice));
    const answer = await api.send(`/api/unsubscribe/${token}`, { headers: { accept: 'text/html,*/*' } });
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toBe(`http://localhost:8080/unsubscribe?token=${token}`);
    // Looking is not clicking.
    expect((await subject(api, token)).unsubscribed).toBe('no');
  });

  it('ends all of it on the page, says so on the dashboard, and gets it back', async () => {
    const api = await startApi(open);
    const { alice, bob } = await api.cast();
    const id = await watch(alice);
    const token = tokenFor(alice.id, id);
    expect((await choose(api, token, 'all')).ok.data.unsubscribed).toBe('all');
    const standing = async (person: Person) => (await person.ask(CALLS.standing)).ok.data.unsubscribed;
    expect([await standing(alice), await standing(bob)]).toEqual([true, false]);
    expect((await alice.ask(CALLS.listChannels)).ok.data[0]?.state).toBe('unsubscribed');
    expect((await alice.ask(CALLS.testChannel, { params: { key: OWN_MAIL } })).problem.code).toBe(
      'channel_closed',
    );
    // One more click on a mail of before does not bring the others back.
    await oneClick(api, token);
    expect((await subject(api, token)).unsubscribed).toBe('all');
    expect((await choose(api, token, 'domain')).ok.data.unsubscribed).toBe('domain');
    expect(await standing(alice)).toBe(false);
    expect((await choose(api, token, 'none')).ok.data.unsubscribed).toBe('no');
    await choose(api, token, 'all');
    const params = { key: OWN_MAIL };
    await alice.ask(CALLS.changeChannel, { params, body: { enabled: true } });
    expect(await standing(alice)).toBe(false);
  });

  it('of a digest ends the digest alone', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    await bob.ask(CALLS.changeAccountAlerts, { body: { digest: true } });
    const token = tokenFor(bob.id, null);
    expect((await subject(api, token)).unsubscribed).toBe('no');
    expect((await oneClick(api, token)).status).toBe(200);
    expect((await bob.ask(CALLS.accountAlerts)).ok.data.digest).toEqual({ enabled: false, next_at: null });
    expect((await subject(api, token)).unsubscribed).toBe('digest');
    expect((await bob.ask(CALLS.listChannels)).ok.data[0]?.state).toBe('open');
  });

  it('of an added reader ends what that reader gets, and the account cannot overrule it', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    const config = { kind: 'email', address: 'ops@fjord.example' };
    const { key } = (await bob.ask(CALLS.addChannel, { body: { config } })).ok.data.channel;
    await api.store.db.updateTable('channels').set({ confirmed_at: 1 }).execute();
    const token = tokenFor(bob.id, null, key);
    expect(await subject(api, token)).toMatchObject({ address: 'o•••@fjord.example', mail: 'alert' });
    await oneClick(api, token);
    const params = { key };
    const enabled = await bob.ask(CALLS.changeChannel, { params, body: { enabled: true } });
    expect(enabled.ok.data.state).toBe('unsubscribed');
    expect((await bob.ask(CALLS.standing)).ok.data.unsubscribed).toBe(false);
    await bob.ask(CALLS.removeChannel, { params });
    expect(await api.store.db.selectFrom('unsubscriptions').selectAll().execute()).toEqual([]);
    expect((await oneClick(api, token)).status).toBe(401);
  });

  it('is worth nothing where a letter of it is changed', async () => {
    const api = await startApi(open);
    const { alice, bob } = await api.cast();
    const id = await watch(alice);
    const token = tokenFor(alice.id, id);
    const others = [
      token.replace(alice.id, bob.id),
      token.replace(id, '-'),
      `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`,
      token.slice(0, token.lastIndexOf('.')),
      unsubscribeToken({
        secret: Buffer.alloc(32),
        accountId: alice.id,
        channelKey: OWN_MAIL,
        monitorId: id,
      }),
      'A'.repeat(100),
      'cut',
    ];
    for (const other of others) {
      expect((await oneClick(api, other)).status, other).toBe(401);
      expect((await choose(api, other, 'all')).problem).toMatchObject({
        code: 'invalid_token',
        detail: 'This link is not valid. Copy it from the mail once more, to its very end.',
      });
    }
    expect(await api.store.db.selectFrom('unsubscriptions').selectAll().execute()).toEqual([]);
  });
});
