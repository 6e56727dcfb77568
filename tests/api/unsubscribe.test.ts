import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { OWN_MAIL } from '../../contract/channel.ts';
import { derivedKey, unsubscribeKeys } from '../../server/api/auth/derived-keys.ts';
import { unsubscribeToken, unsubscribeTokens } from '../../server/store/mail/unsubscriptions.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { createClient, type Person } from '../kit/product/people.ts';
import { SECRETS, startApi, type TestApi } from './test-api.ts';
import { DAY_MS } from '../../contract/durations.ts';
import { promise } from '../security/promise.ts';

const keys = unsubscribeKeys(SECRETS.session);
const oldKey = derivedKey(SECRETS.session, 'unsubscribe');
const about = (accountId: string, monitorId: string | null, channelKey = OWN_MAIL) => ({
  accountId,
  channelKey,
  monitorId,
});
/** Returns the two tokens of a mail. */
const tokensFor = (...subject: Parameters<typeof about>) => unsubscribeTokens(keys, about(...subject));
/** Returns the only token that mails contained before migration 19. */
const oldTokenFor = (...subject: Parameters<typeof about>) => unsubscribeToken(oldKey, about(...subject));
const watch = async (person: Person, host = 'shop.example.com') =>
  (await person.ask(CALLS.addDomain, { body: { host } })).ok.data.id;

/** Posts like a mail program: no cookies, and any origin. */
const oneClick = (
  api: TestApi,
  { oneClick: token }: { oneClick: string },
  { body = 'List-Unsubscribe=One-Click', headers = {} } = {},
) =>
  api.sendFrom('203.0.113.9')(`/api/unsubscribe/${token}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body,
  });
const read = (api: TestApi, token: string) =>
  createClient(api.send).ask(CALLS.unsubscribeSubject, { body: { token } });
const subject = async (api: TestApi, { page }: { page: string }) => (await read(api, page)).ok.data;
const choose = (api: TestApi, { page: token }: { page: string }, scope: string) =>
  createClient(api.send).ask(CALLS.unsubscribe, { body: { token, scope } });
const unsubscriptionsIn = ({ store }: TestApi) =>
  store.db.selectFrom('unsubscriptions').selectAll().execute();

describeAnyDatabase('An unsubscribe link', (open) => {
  it('shows the domain, the kind of mail and a masked address', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const id = await watch(alice);
    const masked = `${alice.email[0]}•••@example.test`;
    expect(await subject(api, tokensFor(alice.id, id))).toEqual({
      address: masked,
      domain: 'shop.example.com',
      mail: 'alert',
      unsubscribed: 'no',
    });
    const digest = await subject(api, tokensFor(alice.id, null));
    expect(digest).toEqual({ address: masked, domain: null, mail: 'digest', unsubscribed: 'digest' });
    expect((await subject(api, tokensFor(alice.id, crypto.randomUUID()))).domain).toBeNull();
  });

  it('ends alerts of one domain with one click from any origin; a second click changes nothing', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const [id, other] = [await watch(alice), await watch(alice, 'www.example.com')];
    const tokens = tokensFor(alice.id, id);
    for (const headers of [{}, { origin: 'https://mail.example' }, { 'sec-fetch-site': 'cross-site' }])
      expect((await oneClick(api, tokens, { headers })).status).toBe(200);
    expect((await subject(api, tokens)).unsubscribed).toBe('domain');
    expect((await subject(api, tokensFor(alice.id, other))).unsubscribed).toBe('no');
    const { unsubscribed } = (await alice.ask(CALLS.domainAlerts, { params: { id } })).ok.data;
    expect(unsubscribed).toEqual([OWN_MAIL]);
    expect(await unsubscriptionsIn(api)).toHaveLength(1);
    expect((await alice.ask(CALLS.standing)).ok.data.unsubscribed).toBe(false);

    const again = (await alice.ask(CALLS.subscribeDomain, { params: { id } })).ok.data;
    expect(again.unsubscribed).toEqual([]);
  });

  it('accepts the form of RFC 8058, URL-encoded or multipart, and nothing else', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const id = await watch(alice);
    const tokens = tokensFor(alice.id, id);
    expect((await oneClick(api, tokens, { body: '' })).status).toBe(400);
    expect((await oneClick(api, tokens, { body: 'List-Unsubscribe=Maybe' })).status).toBe(400);
    expect((await subject(api, tokens)).unsubscribed).toBe('no');
    const form = new FormData();
    form.set('List-Unsubscribe', 'One-Click');
    expect(
      (await api.send(`/api/unsubscribe/${tokens.oneClick}`, { method: 'POST', body: form })).status,
    ).toBe(200);
    expect((await subject(api, tokens)).unsubscribed).toBe('domain');
  });

  it('redirects a GET of the one-click URL from the mail header to the page, without the token', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const tokens = tokensFor(alice.id, await watch(alice));
    for (const accept of ['text/html,*/*', 'application/json']) {
      const answer = await api.send(`/api/unsubscribe/${tokens.oneClick}`, { headers: { accept } });
      expect([answer.status, await answer.text()]).toEqual([302, '']);
      expect(answer.headers.get('location')).toBe('http://localhost:8080/unsubscribe');
    }
    expect((await subject(api, tokens)).unsubscribed).toBe('no');
  });

  it('has separate tokens for one-click requests and for the page', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const id = await watch(alice);
    const tokens = tokensFor(alice.id, id);
    expect((await read(api, tokens.oneClick)).problem.code).toBe('invalid_token');
    for (const scope of ['none', 'domain', 'digest', 'all'])
      expect((await choose(api, { page: tokens.oneClick }, scope)).problem.code).toBe('invalid_token');
    const confirmed = await createClient(api.send).ask(CALLS.confirmRecipient, {
      body: { token: tokens.oneClick },
    });
    expect(confirmed.problem.code).toBe('invalid_token');
    expect((await oneClick(api, { oneClick: tokens.page })).status).toBe(401);
    expect(await unsubscriptionsIn(api)).toEqual([]);
    // On the page, the reader can undo the choice. Another one-click request does not undo it.
    await oneClick(api, tokens);
    expect((await choose(api, tokens, 'none')).ok.data.unsubscribed).toBe('no');
    promise('links');
  });

  it('can end all mail; standing and channel list show that, and the choice can be undone', async () => {
    const api = await startApi(open);
    const { alice, bob } = await api.cast();
    const id = await watch(alice);
    const tokens = tokensFor(alice.id, id);
    expect((await choose(api, tokens, 'all')).ok.data.unsubscribed).toBe('all');
    const standing = async (person: Person) => (await person.ask(CALLS.standing)).ok.data.unsubscribed;
    expect([await standing(alice), await standing(bob)]).toEqual([true, false]);
    expect((await alice.ask(CALLS.listChannels)).ok.data[0]?.state).toBe('unsubscribed');
    expect((await alice.ask(CALLS.testChannel, { params: { key: OWN_MAIL } })).problem.code).toBe(
      'channel_closed',
    );
    // A one-click request from an older mail does not resume the other mails.
    await oneClick(api, tokens);
    expect((await subject(api, tokens)).unsubscribed).toBe('all');
    expect((await choose(api, tokens, 'domain')).ok.data.unsubscribed).toBe('domain');
    expect(await standing(alice)).toBe(false);
    expect((await choose(api, tokens, 'none')).ok.data.unsubscribed).toBe('no');
    await choose(api, tokens, 'all');
    const params = { key: OWN_MAIL };
    await alice.ask(CALLS.changeChannel, { params, body: { enabled: true } });
    expect(await standing(alice)).toBe(false);
  });

  it('an unsubscribe link of a digest ends only the digest', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    await bob.ask(CALLS.changeAccountAlerts, { body: { digest: true } });
    const tokens = tokensFor(bob.id, null);
    expect((await subject(api, tokens)).unsubscribed).toBe('no');
    expect((await oneClick(api, tokens)).status).toBe(200);
    expect((await bob.ask(CALLS.accountAlerts)).ok.data.digest).toEqual({ enabled: false, next_at: null });
    expect((await subject(api, tokens)).unsubscribed).toBe('digest');
    expect((await bob.ask(CALLS.listChannels)).ok.data[0]?.state).toBe('open');
  });

  it('an unsubscribe link of an added recipient ends mail to that recipient, and the account cannot undo it', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    const config = { kind: 'email', address: 'ops@fjord.example' };
    const { key } = (await bob.ask(CALLS.addChannel, { body: { config } })).ok.data.channel;
    await api.store.db.updateTable('channels').set({ confirmed_at: 1 }).execute();
    const tokens = tokensFor(bob.id, null, key);
    expect(await subject(api, tokens)).toMatchObject({ address: 'o•••@fjord.example', mail: 'alert' });
    await oneClick(api, tokens);
    const params = { key };
    const enabled = await bob.ask(CALLS.changeChannel, { params, body: { enabled: true } });
    expect(enabled.ok.data.state).toBe('unsubscribed');
    expect((await bob.ask(CALLS.standing)).ok.data.unsubscribed).toBe(false);
    await bob.ask(CALLS.removeChannel, { params });
    expect(await unsubscriptionsIn(api)).toEqual([]);
    expect((await oneClick(api, tokens)).status).toBe(401);
  });

  it('is refused if any part of its token is altered', async () => {
    const api = await startApi(open);
    const { alice, bob } = await api.cast();
    const id = await watch(alice);
    const { page, oneClick: header } = tokensFor(alice.id, id);
    const forged = (token: string) => [
      token.replace(alice.id, bob.id),
      token.replace(id, '-'),
      `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`,
      token.slice(0, token.lastIndexOf('.')),
      unsubscribeToken(Buffer.alloc(32), about(alice.id, id)),
      'A'.repeat(100),
      'cut',
    ];
    for (const token of forged(header)) expect((await oneClick(api, { oneClick: token })).status).toBe(401);
    for (const token of forged(page))
      expect((await choose(api, { page: token }, 'all')).problem).toMatchObject({
        code: 'invalid_token',
        detail: expect.stringMatching(/^The link is incomplete/) as string,
      });
    expect(await unsubscriptionsIn(api)).toEqual([]);
    promise('links');
  });
});

describeAnyDatabase('An unsubscribe link mailed before tokens moved into the fragment', (open) => {
  /** Creates an account from before the update. It accepts old links for `days` more days. */
  async function olderAccount(days: number) {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const until = api.clock.now() + days * DAY_MS;
    await api.store.db.updateTable('accounts').set({ old_links_until: until }).execute();
    const id = await watch(alice);
    const token = oldTokenFor(alice.id, id);
    return { api, id, alice, token, both: { page: token, oneClick: token } };
  }

  it('works until the account stops accepting old links', async () => {
    const { api, token, both } = await olderAccount(1);
    expect((await subject(api, both)).unsubscribed).toBe('no');
    expect((await oneClick(api, both)).status).toBe(200);
    expect((await choose(api, both, 'none')).ok.data.unsubscribed).toBe('no');
    const opened = await api.send(`/api/unsubscribe/${token}`);
    expect(opened.headers.get('location')).toBe(`http://localhost:8080/unsubscribe#${token}`);

    api.clock.advance(DAY_MS);
    expect((await read(api, token)).problem).toMatchObject({
      code: 'invalid_token',
      detail:
        'The link is from an old mail. Open the link at the end of a newer one, or log in and change your alerts.',
    });
    expect((await choose(api, both, 'all')).problem.code).toBe('invalid_token');
    expect((await oneClick(api, both)).status).toBe(401);
    expect(await unsubscriptionsIn(api)).toEqual([]);
  });

  it('does not affect new links when it expires', async () => {
    const { api, alice, id } = await olderAccount(-1);
    const tokens = tokensFor(alice.id, id);
    expect((await subject(api, tokens)).unsubscribed).toBe('no');
    expect((await oneClick(api, tokens)).status).toBe(200);
  });

  it('never works for an account that was created later', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const token = oldTokenFor(alice.id, await watch(alice));
    expect((await read(api, token)).problem.code).toBe('invalid_token');
    expect((await oneClick(api, { oneClick: token })).status).toBe(401);
  });
});
