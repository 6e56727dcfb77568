import { decodeJwt, jwtVerify } from 'jose';
import { expect, it } from 'vitest';
import { subscriptionClaimsSchema } from '../../contract/account.ts';
import { CALLS } from '../../contract/calls/calls.ts';
import { SUBSCRIPTION_SECRET_PREFIX } from '../../contract/words.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { createClient, identityToken, type Person, signIn } from '../kit/product/people.ts';
import { answeredWith, finishChecks } from './finish-checks.ts';
import { startApi, type TestApi } from './test-api.ts';
import { promise } from '../security/promise.ts';

/** Returns every row of every table that mentions the account, its identity, its address or its domain. */
async function tracesOf({ store }: TestApi, needles: readonly string[]): Promise<string[]> {
  const tables = await store.db.introspection.getTables();
  const traces: string[] = [];
  for (const { name } of tables) {
    const rows = await store.db
      .selectFrom(name as 'accounts')
      .selectAll()
      .execute();
    if (needles.some((needle) => JSON.stringify(rows).includes(needle))) traces.push(name);
  }
  return traces;
}

describeAnyDatabase('An account', (open) => {
  it('changes its name and company, and ignores any other field', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const before = (await alice.ask(CALLS.currentUser)).ok.data;
    const attempt = {
      id: charlie.id,
      email: 'x@example.test',
      plan: 'premium',
      paddle_id: 'ctm_1',
      photo_url: 'x',
    };
    const body = { full_name: '  Alice Ångström ', company: 'Fjord', ...attempt };
    const after = { ...before, full_name: 'Alice Ångström', company_name: 'Fjord' };

    expect((await alice.ask(CALLS.updateUser, { body })).ok.data).toEqual(after);
    expect((await alice.ask(CALLS.currentUser)).ok.data).toEqual(after);
    expect((await alice.ask(CALLS.premium)).ok.data).toBe(false);
    expect((await charlie.ask(CALLS.currentUser)).ok.data?.full_name).toBe('Charlie');
    const cleared = await alice.ask(CALLS.updateUser, { body: { full_name: 'Alice', company: null } });
    expect(cleared.ok.data.company_name).toBe('');
    promise('8.1.2');
    promise('8.2.3');
  });

  it('rejects an invalid name or company', async () => {
    const api = await startApi(open);
    const { charlie } = await api.cast();
    const names = [undefined, null, 7, ' ', 'x'.repeat(201), 'A\u0000', 'A\nBcc: b@example.test'];
    for (const body of [...names.map((full_name) => ({ full_name })), { full_name: 'A', company: 7 }])
      expect((await charlie.ask(CALLS.updateUser, { body })).problem.code).toBe('invalid_request');
    expect((await charlie.ask(CALLS.currentUser)).ok.data?.full_name).toBe('Charlie');
  });

  it('gets its plan in a token that the page can verify and that does not work as a session', async () => {
    const api = await startApi(open);
    const { alice, bob, charlie } = await api.cast();
    const claimsOf = async (person: Person) => {
      const { data } = (await person.ask(CALLS.subscription)).ok;
      const secret = new TextEncoder().encode(`${SUBSCRIPTION_SECRET_PREFIX}${person.id}`);
      const { payload } = await jwtVerify(data, secret, { algorithms: ['HS256'], subject: person.id });
      const { status, exp } = subscriptionClaimsSchema.parse(payload);
      return { status, minutes: Math.round((exp - api.clock.now() / 1000) / 60) };
    };
    expect(await claimsOf(bob)).toEqual({ status: 'active', minutes: 24 * 60 });
    for (const free of [alice, charlie]) expect(await claimsOf(free)).toEqual({ status: '', minutes: 5 });
    expect((await bob.ask(CALLS.premium)).ok.data).toBe(true);

    // The token does not work as a session, in the header, the cookie or the sign-in call.
    const { data: token } = (await bob.ask(CALLS.subscription)).ok;
    expect(decodeJwt(token).sub).toBe(bob.id);
    const headers = { authorization: `Bearer ${token}`, cookie: `__Host-certlantern-session=${token}` };
    expect((await createClient(api.send).ask(CALLS.currentUser, { headers })).status).toBe(401);
    expect((await createClient(api.send).ask(CALLS.openSession, { body: { token } })).status).toBe(401);
  });

  it('leaves no rows and no valid session or ID token after deletion', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const authority = mintAuthority();
    const { data } = (await alice.ask(CALLS.addDomain, { body: { host: 'shop.example.com' } })).ok;
    const leaf = authority.issue({ dnsNames: ['shop.example.com'] });
    await finishChecks(api, authority, answeredWith(leaf));
    const elsewhere = await signIn(api.send, alice);
    const held = createClient(api.send);
    await held.ask(CALLS.signIn, { body: { email: alice.email, password: alice.password } });
    const token = await identityToken(held);
    const subject = decodeJwt(token).sub ?? '';
    const needles = [alice.id, alice.email, data.id, subject, leaf.fingerprint];
    expect(await tracesOf(api, needles)).toContain('user');

    expect((await alice.ask(CALLS.deleteUser)).ok).toEqual({ data: null });
    expect(await tracesOf(api, needles)).toEqual([]);
    expect([...alice.cookies.keys()].filter((name) => name.startsWith('__Host-'))).toEqual([]);
    expect((await elsewhere.ask(CALLS.refreshSession)).status).toBe(401);
    // An ID token that outlived its account does not recreate it.
    expect((await held.ask(CALLS.openSession, { body: { token } })).problem.code).toBe('invalid_token');
    const { email, password } = alice;
    expect((await held.ask(CALLS.signIn, { body: { email, password } })).problem.code).toBe(
      'invalid_credentials',
    );
    expect((await charlie.ask(CALLS.currentUser)).status).toBe(200);
  });
});
