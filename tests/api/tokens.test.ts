import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { MAX_TOKENS } from '../../contract/token.ts';
import { disableAccount, enableAccount } from '../../server/store/accounts/account-administration.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { createClient, type Person } from '../kit/product/people.ts';
import { startApi, type TestApi } from './test-api.ts';
import { DAY_MS, MINUTE_MS } from '../../contract/durations.ts';
import { promise } from '../security/promise.ts';

async function createToken(person: Person, body: Partial<Parameters<typeof bodyOf>[0]> = {}) {
  return (await person.ask(CALLS.makeToken, { body: bodyOf(body) })).ok.data;
}
const bodyOf = ({
  name = 'CI',
  scopes = ['read'],
  expires_in_days = null,
}: {
  name?: string;
  scopes?: string[];
  expires_in_days?: number | null;
}) => ({ name, scopes, expires_in_days });

const bearer = (secret: string) => ({ headers: { authorization: `Bearer ${secret}` } });
/** A client that sends only the token. */
const program = (api: TestApi, address = '203.0.113.9') => createClient(api.sendFrom(address));

describeAnyDatabase('Personal tokens', (open) => {
  it('are shown in full only when they are created, and later only by their prefix', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const { token, secret } = await createToken(alice, { name: ' Nightly job ', scopes: ['read', 'write'] });
    expect(secret).toMatch(/^clt_[\w-]{43}$/);
    expect(token).toMatchObject({ name: 'Nightly job', scopes: ['read', 'write'], last_used_at: null });
    expect(secret.startsWith(token.prefix)).toBe(true);
    expect(token.prefix).toHaveLength(10);

    const listed = await alice.ask(CALLS.listTokens);
    expect(listed.ok.data).toEqual([token]);
    expect(JSON.stringify(listed.ok)).not.toContain(secret);
    const rows = await api.store.db.selectFrom('api_tokens').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(secret.slice(token.prefix.length));
    promise('secrets');
  });

  it('act for their account and show when they were last used', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const { secret } = await createToken(alice);
    await createToken(charlie, { name: 'Charlie’s' });
    expect((await program(api).ask(CALLS.currentUser, bearer(secret))).ok.data?.email).toBe(alice.email);
    const usedAt = async () => (await alice.ask(CALLS.listTokens)).ok.data[0]?.last_used_at;
    const first = await usedAt();
    expect(Date.parse(first ?? '')).toBeGreaterThan(Date.now() - MINUTE_MS);
    api.clock.advance(MINUTE_MS);
    await program(api).ask(CALLS.currentUser, bearer(secret));
    expect(await usedAt()).toBe(first);
    api.clock.advance(5 * MINUTE_MS);
    await program(api).ask(CALLS.currentUser, bearer(secret));
    expect(Date.parse((await usedAt()) ?? '')).toBeGreaterThan(Date.parse(first ?? ''));
  });

  it('work from any origin, and cookies beside them are ignored', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const { secret } = await createToken(alice, { scopes: ['write'] });
    const headers = {
      ...bearer(secret).headers,
      origin: 'https://evil.example',
      'sec-fetch-site': 'cross-site',
    };
    // Somebody else is signed in in the browser that sends the token.
    const added = await charlie.ask(CALLS.addDomain, { headers, body: { host: 'example.com' } });
    expect(added.ok.data.hostname).toBe('example.com');
    expect((await alice.ask(CALLS.listDomains)).ok.total).toBe(1);
    expect((await charlie.ask(CALLS.listDomains)).ok.total).toBe(0);
  });

  it('stop working when they are revoked or expired, or their account is disabled or deleted', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const [one, other, week] = [
      await createToken(alice),
      await createToken(alice),
      await createToken(alice, { expires_in_days: 7 }),
    ];
    const isGood = async ({ secret }: { secret: string }) =>
      (await program(api).ask(CALLS.premium, bearer(secret))).status === 200;
    await alice.ask(CALLS.revokeToken, { params: { id: one.token.id } });
    expect([await isGood(one), await isGood(other), await isGood(week)]).toEqual([false, true, true]);
    api.clock.advance(7 * DAY_MS - MINUTE_MS);
    expect(await isGood(week)).toBe(true);
    api.clock.advance(MINUTE_MS);
    expect([await isGood(other), await isGood(week)]).toEqual([true, false]);
    await disableAccount(api.store, alice.id, api.clock.now());
    expect(await isGood(other)).toBe(false);
    await enableAccount(api.store, alice.id);
    expect(await isGood(other)).toBe(true);
    await api.store.db.deleteFrom('accounts').where('id', '=', alice.id).execute();
    expect(await isGood(other)).toBe(false);
    expect(await api.store.db.selectFrom('api_tokens').selectAll().execute()).toEqual([]);
  });

  it('are limited to twenty, even with concurrent requests; expired ones do not count', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const make = (days: number | null) =>
      alice.ask(CALLS.makeToken, { body: bodyOf({ expires_in_days: days }) });
    const answers = await Promise.all(Array.from({ length: MAX_TOKENS + 3 }, () => make(1)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(MAX_TOKENS);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(3);
    api.clock.advance(DAY_MS);
    await alice.ask(CALLS.refreshSession);
    expect((await make(null)).status).toBe(200);
  });

  it('must have a valid name, scopes and lifetime', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    for (const wrong of [
      { name: '' },
      { name: 'x'.repeat(61) },
      { scopes: [] },
      { scopes: ['admin'] },
      { scopes: ['read', 'read'] },
      { expires_in_days: 0 },
      { expires_in_days: 1.5 },
      { expires_in_days: 10_000 },
    ]) {
      const { problem } = await alice.ask(CALLS.makeToken, { body: bodyOf(wrong) });
      expect([wrong, problem.code]).toEqual([wrong, 'invalid_request']);
    }
  });

  it('cannot be guessed: 30 different wrong tokens block a client address for 15 minutes', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const { secret } = await createToken(alice);
    const guess = (text: string, address: string) =>
      program(api, address).ask(CALLS.premium, bearer(`clt_${text.padStart(43, 'A')}`));
    // Sending the same wrong token again is not counted as guessing.
    for (let time = 0; time < 50; time++) expect((await guess('old', '203.0.113.1')).status).toBe(401);
    expect((await program(api, '203.0.113.1').ask(CALLS.premium, bearer(secret))).status).toBe(200);

    const answers = [];
    for (let count = 0; count < 40; count++) answers.push(await guess(String(count), '203.0.113.2'));
    expect(answers.findIndex(({ status }) => status === 429)).toBe(30);
    const right = await program(api, '203.0.113.2').ask(CALLS.premium, bearer(secret));
    expect(right.problem.code).toBe('too_many_requests');
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(600);
    expect((await program(api, '203.0.113.3').ask(CALLS.premium, bearer(secret))).status).toBe(200);
    api.clock.advance(15 * MINUTE_MS);
    expect((await program(api, '203.0.113.2').ask(CALLS.premium, bearer(secret))).status).toBe(200);
  });

  it('appear in no log and no table, and set no cookies', async () => {
    const logged: unknown[] = [];
    const note = (...entry: unknown[]) => void logged.push(entry);
    const api = await startApi(open, { log: { info: note, warn: note, error: note } });
    const { alice } = await api.cast();
    const { secret } = await createToken(alice);
    const answers = [];
    for (const token of [secret, `${secret.slice(0, -2)}zz`])
      for (const call of [CALLS.listDomains, CALLS.exportData, CALLS.addDomain])
        answers.push(await program(api).ask(call, bearer(token)));
    for (const { headers } of answers) expect(headers.getSetCookie()).toEqual([]);
    const tables = await api.store.db.introspection.getTables();
    const rows = await Promise.all(
      tables.map(({ name }) =>
        api.store.db
          .selectFrom(name as 'accounts')
          .selectAll()
          .execute(),
      ),
    );
    expect(JSON.stringify([logged, rows])).not.toContain(secret.slice(10));
    expect(api.routes.some(({ path }) => path.includes('clt_'))).toBe(false);
    promise('secrets');
  });
});

describeAnyDatabase('The RateLimit headers', (open) => {
  it('show the remaining calls of an address, a session and a token', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const { secret } = await createToken(alice);
    const read = (headers: Headers) => [headers.get('ratelimit-policy'), headers.get('ratelimit')];
    const first = await program(api).ask(CALLS.premium, bearer(secret));
    expect(read(first.headers)).toEqual([
      '"address";q=1200;w=60, "token";q=600;w=60',
      '"address";r=1199;t=60, "token";r=599;t=60',
    ]);
    api.clock.advance(20_000);
    const second = await program(api).ask(CALLS.premium, bearer(secret));
    expect(second.headers.get('ratelimit')).toMatch(
      /"address";r=1198;t=(?:39|40), "token";r=598;t=(?:39|40)$/,
    );
    expect((await alice.ask(CALLS.premium)).headers.get('ratelimit')).toContain('"session";r=');
    expect((await program(api).ask(CALLS.publicConfig)).headers.get('ratelimit')).toContain(
      '"address";r=1197',
    );
  });

  it('show 0 at the limit, with Retry-After', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const { secret } = await createToken(alice);
    const { secret: other } = await createToken(alice);
    for (let count = 0; count < 600; count++)
      await program(api, '').send('/api/user/premium', bearer(secret));
    const over = await program(api).ask(CALLS.premium, bearer(secret));
    expect(over.problem.code).toBe('too_many_requests');
    expect(over.headers.get('ratelimit')).toMatch(/"token";r=0;t=\d+$/);
    const wait = Number(over.headers.get('retry-after'));
    expect(wait).toBe(over.problem.retry_after);
    expect((await program(api).ask(CALLS.premium, bearer(other))).status).toBe(200);
    api.clock.advance(wait * 1000);
    expect((await program(api).ask(CALLS.premium, bearer(secret))).status).toBe(200);
  });
});
