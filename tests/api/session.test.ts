import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { type Client, createClient, signIn, signUp } from '../kit/product/people.ts';
import { enter } from './identity-acts.ts';
import { startApi } from './test-api.ts';
import { DAY_MS, MINUTE_MS } from '../../contract/durations.ts';
import { promise } from '../security/promise.ts';

const REFRESH = '__Host-certlantern-refresh';
const SESSION = '__Host-certlantern-session';
const EXPIRES_IN = 'session-expires-in';

const value = (client: Client, name: string) => client.cookies.get(name)?.value;
const status = async (client: Client) => (await client.ask(CALLS.currentUser)).status;

describeEachDatabase('A session', (open) => {
  it('is stored in HttpOnly, Secure and SameSite cookies, each set once', async () => {
    const api = await startApi(open);
    const lines: string[] = [];
    await signUp(
      async (path, init) => {
        const response = await api.send(path, init);
        lines.push(...response.headers.getSetCookie());
        return response;
      },
      { name: 'Alice' },
    );

    for (const name of [SESSION, REFRESH]) {
      // Each cookie is set by one Set-Cookie line: simple clients cannot tell which of two lines applies.
      const given = lines.filter((each) => each.startsWith(`${name}=`));
      expect(given).toHaveLength(1);
      const line = given[0] ?? '';
      for (const attribute of ['Path=/', 'HttpOnly', 'Secure', 'SameSite=Lax'])
        expect(line).toContain(attribute);
      expect(line).not.toContain('Domain');
    }
    const own = lines.find((line) => line.startsWith('certlantern-identity')) ?? '';
    expect(own).toContain('Path=/api/identity');
    expect(own).toContain('HttpOnly');
  });

  it('is not needed to ask who is signed in with `Prefer: handling=lenient`, which answers null', async () => {
    const api = await startApi(open);
    const lenient = { headers: { prefer: 'handling=lenient' } };
    const visitor = createClient(api.send);
    expect((await visitor.ask(CALLS.currentUser)).problem.code).toBe('not_authenticated');
    expect((await visitor.ask(CALLS.currentUser, lenient)).ok.data).toBeNull();
    const { alice } = await api.cast();
    expect((await alice.ask(CALLS.currentUser, lenient)).ok.data?.email).toBe(alice.email);
    // After the access cookie has expired, the refresh cookie suffices for this call. The answer tells the page to refresh the session.
    alice.cookies.delete(SESSION);
    const renewable = await alice.ask(CALLS.currentUser, lenient);
    expect([renewable.ok.data?.email, renewable.headers.get(EXPIRES_IN)]).toEqual([alice.email, '0']);
    expect((await alice.ask(CALLS.currentUser)).problem.code).toBe('not_authenticated');
    expect((await alice.ask(CALLS.standing, lenient)).status).toBe(401);
    await alice.ask(CALLS.refreshSession);
    alice.cookies.delete(SESSION);
    // The session of this refresh token has been deleted.
    await api.store.db.deleteFrom('sessions').execute();
    expect((await alice.ask(CALLS.currentUser, lenient)).problem.code).toBe('not_authenticated');
    const headers = { ...lenient.headers, authorization: 'Bearer clt_wrong' };
    expect(await (await api.send('/api/user/me', { headers })).json()).toMatchObject({ status: 401 });
  });

  it('is stored in the database only as hashes', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const rows = JSON.stringify(await api.store.db.selectFrom('sessions').selectAll().execute());
    for (const { cookies } of [alice, charlie])
      for (const name of [SESSION, REFRESH]) {
        const [sessionId = '', secret = ''] = cookies.get(name)?.value.split('.') ?? [];
        expect(rows).toContain(sessionId);
        expect(secret).toHaveLength(43);
        expect(rows).not.toContain(secret);
      }
    promise('sessions');
    promise('7.2.3');
  });

  it('lasts 15 minutes and is extended with its refresh token', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    api.clock.advance(14 * MINUTE_MS);
    const left = Number((await alice.ask(CALLS.standing)).headers.get(EXPIRES_IN));
    expect(left).toBeLessThanOrEqual(60);
    expect(left).toBeGreaterThan(0);
    api.clock.advance(MINUTE_MS);
    expect(await status(alice)).toBe(401);

    const refreshed = await alice.ask(CALLS.refreshSession);
    expect([refreshed.ok.data.id, refreshed.headers.get(EXPIRES_IN)]).toEqual([alice.id, '900']);
    expect(await status(alice)).toBe(200);
    expect(await status(charlie)).toBe(401);
  });

  it('gets the same new tokens in two tabs that refresh concurrently', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const tab = createClient(api.send, new Map(alice.cookies));
    const before = value(alice, REFRESH);
    const answers = await Promise.all([alice.ask(CALLS.refreshSession), tab.ask(CALLS.refreshSession)]);

    expect(answers.map((answer) => answer.status)).toEqual([200, 200]);
    expect(value(alice, REFRESH)).not.toBe(before);
    expect(value(tab, REFRESH)).toBe(value(alice, REFRESH));
    expect(value(tab, SESSION)).toBe(value(alice, SESSION));
  });

  it.each([
    ['the previous refresh token after the grace period', 1, 10_000],
    ['a refresh token older than the previous one', 2, 0],
  ])('ends if somebody presents %s', async (_, rotations, laterMs) => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const thief = createClient(api.send, new Map(alice.cookies));
    for (let done = 0; done < rotations; done++) await alice.ask(CALLS.refreshSession);
    api.clock.advance(laterMs);

    expect((await thief.ask(CALLS.refreshSession)).problem.code).toBe('not_authenticated');
    expect(await status(alice)).toBe(401);
    expect((await alice.ask(CALLS.refreshSession)).status).toBe(401);
    expect(await status(charlie)).toBe(200);
  });

  it('keeps the cookies after a failed refresh, because another tab may have replaced them', async () => {
    const api = await startApi(open);
    const { alice, bob } = await api.cast();
    await api.store.db.deleteFrom('sessions').where('account_id', '=', alice.id).execute();
    const late = await alice.send('/api/auth/refresh', { method: 'POST' });
    expect([late.status, late.headers.getSetCookie()]).toEqual([401, []]);
    expect(await status(bob)).toBe(200);
  });

  it('ends after 14 days without use, and after 30 days in any case', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    for (let day = 13; day < 30; day += 13) {
      api.clock.advance(13 * DAY_MS);
      expect((await alice.ask(CALLS.refreshSession)).status).toBe(200);
    }
    expect((await charlie.ask(CALLS.refreshSession)).status).toBe(401);
    api.clock.advance(4 * DAY_MS);
    expect((await alice.ask(CALLS.refreshSession)).status).toBe(401);
    promise('7.1.1');
    promise('7.3.1');
  });

  it('ends on the server at logout, even with only a refresh token', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const copy = createClient(api.send, new Map(alice.cookies));
    const elsewhere = await signIn(api.send, alice);
    api.clock.advance(15 * MINUTE_MS);

    expect((await alice.ask(CALLS.logOut)).ok).toEqual({ data: null });
    expect([...alice.cookies.keys()].filter((name) => name.startsWith('__Host-'))).toEqual([]);
    expect((await copy.ask(CALLS.refreshSession)).status).toBe(401);
    expect((await elsewhere.ask(CALLS.refreshSession)).status).toBe(200);
    expect((await charlie.ask(CALLS.refreshSession)).status).toBe(200);
    expect((await charlie.ask(CALLS.logOut)).headers.get(EXPIRES_IN)).toBeNull();
    expect((await alice.ask(CALLS.logOut)).status).toBe(200);
    promise('sessions');
    promise('7.4.1');
  });

  it('replaces the previous session of the browser', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const before = createClient(api.send, new Map(alice.cookies));
    await alice.ask(CALLS.signIn, { body: { email: charlie.email, password: charlie.password } });
    const { token } = (await alice.ask(CALLS.identityToken)).ok;
    expect((await alice.ask(CALLS.openSession, { body: { token } })).ok.data.id).toBe(charlie.id);
    expect((await before.ask(CALLS.refreshSession)).status).toBe(401);
    promise('7.2.4');
  });

  it('that was opened without credentials keeps the time of the first sign-in, as do the sessions opened after it', async () => {
    const api = await startApi(open);
    const alice = await signUp(api.send, { name: 'Alice' });
    const signedInAt = async () => (await alice.ask(CALLS.listSessions)).ok.data[0]?.created_at;
    const first = await signedInAt();
    const resumed = async () => (await alice.ask(CALLS.resumeIdentity)).ok.data.resumed;
    for (let minutes = 2; minutes < 5; minutes += 2) {
      api.clock.advance(2 * MINUTE_MS);
      expect(await resumed()).toBe(true);
      expect(await enter(alice)).toBe(alice.id);
      expect(await signedInAt()).toBe(first);
    }
    api.clock.advance(2 * MINUTE_MS);
    expect(await resumed()).toBe(false);

    api.clock.advance(30 * DAY_MS - 7 * MINUTE_MS);
    await api.store.db
      .updateTable('sessions')
      .set({ refresh_idle_expires_at: Number.MAX_SAFE_INTEGER })
      .execute();
    expect((await alice.ask(CALLS.refreshSession)).status).toBe(200);
    api.clock.advance(2 * MINUTE_MS);
    expect((await alice.ask(CALLS.refreshSession)).status).toBe(401);
    promise('sessions');
    promise('7.3.2');
  });

  it('uses cookies without Secure and the __Host- prefix where plain HTTP is allowed', async () => {
    const api = await startApi(open, {
      config: { insecureHttp: true, publicUrl: new URL('http://nas.lan:8080') },
    });
    const lines: string[] = [];
    const alice = await signUp(
      async (path, init) => {
        const response = await api.send(path, init);
        lines.push(...response.headers.getSetCookie());
        return response;
      },
      { name: 'Alice' },
    );
    for (const name of ['certlantern-session', 'certlantern-refresh'])
      expect(lines.filter((line) => line.startsWith(`${name}=`))).toHaveLength(1);
    expect(lines.filter((line) => /^__Host-|; Secure/i.test(line))).toEqual([]);
    expect(await status(alice)).toBe(200);
  });
});
