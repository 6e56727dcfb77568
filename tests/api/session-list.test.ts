import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { createClient, type Person, signIn } from '../kit/product/people.ts';
import { startApi, type TestApi } from './test-api.ts';
import { MINUTE_MS } from '../../contract/durations.ts';
import { promise } from '../security/promise.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';

/** Signs in once more with this user agent at this address. */
function arrive(api: TestApi, person: Person, userAgent: string, address: string): Promise<Person> {
  const send = api.sendFrom(address);
  return signIn((path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set('user-agent', userAgent);
    return send(path, { ...init, headers });
  }, person);
}

const listed = async (person: Person) => (await person.ask(CALLS.listSessions)).ok.data;
const isIn = async (person: Person) => (await person.ask(CALLS.currentUser)).status === 200;

describeAnyDatabase('The session API', (open) => {
  it('shows browser, address and time of use of each session', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    api.clock.advance(MINUTE_MS);
    const laptop = await arrive(api, alice, FIREFOX, '203.0.113.5');
    api.clock.advance(MINUTE_MS);
    const phone = await arrive(api, alice, SAFARI, '2001:db8::1');

    const before = await listed(laptop);
    expect(before.map(({ browser, address, current }) => ({ browser, address, current }))).toEqual([
      { browser: 'Safari on iPhone', address: '2001:db8::1', current: false },
      { browser: 'Firefox on Linux', address: '203.0.113.5', current: true },
      { browser: 'Unknown browser', address: '198.51.100.7', current: false },
    ]);
    expect(before.every(({ created_at: made, last_used_at: used }) => made === used)).toBe(true);

    api.clock.advance(MINUTE_MS);
    await alice.ask(CALLS.refreshSession);
    const [newest] = await listed(phone);
    expect(newest).toMatchObject({ address: '198.51.100.7', current: false });
    const inUse = Date.parse(newest?.last_used_at ?? '') - Date.parse(newest?.created_at ?? '');
    expect(inUse).toBeGreaterThanOrEqual(3 * MINUTE_MS);
  });

  it('shows no tokens and no sessions of other accounts', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const text = JSON.stringify(await listed(alice));
    for (const { cookies } of [alice, charlie])
      for (const { value } of cookies.values()) expect(text).not.toContain(value.split('.')[1]);
    expect(await listed(charlie)).toHaveLength(1);
  });

  it('ends another session at once, but only of the same account', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const laptop = await arrive(api, alice, FIREFOX, '203.0.113.5');
    const id = (await listed(alice)).find(({ current }) => !current)?.id ?? '';
    const params = { id };

    expect((await charlie.ask(CALLS.endOneSession, { params })).problem.code).toBe('not_found');
    expect(await isIn(laptop)).toBe(true);
    expect((await alice.ask(CALLS.endOneSession, { params })).ok).toEqual({ data: null });
    expect(await isIn(laptop)).toBe(false);
    expect((await laptop.ask(CALLS.refreshSession)).status).toBe(401);
    expect(await isIn(alice)).toBe(true);
    expect((await alice.ask(CALLS.endOneSession, { params })).problem.code).toBe('not_found');
  });

  it('ends the current session and deletes its cookies', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const copy = createClient(api.send, new Map(alice.cookies));
    const [own] = await listed(alice);
    await alice.ask(CALLS.endOneSession, { params: { id: own?.id ?? '' } });
    expect([...alice.cookies.keys()].filter((name) => name.startsWith('__Host-'))).toEqual([]);
    expect((await copy.ask(CALLS.refreshSession)).status).toBe(401);
  });

  it('ends all sessions of the account, including the current one', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const laptop = await arrive(api, alice, FIREFOX, '203.0.113.5');
    const phone = await arrive(api, alice, SAFARI, '2001:db8::1');
    const ended: unknown[] = [];
    api.store.signals.subscribe((signal) => ended.push(signal));

    expect((await laptop.ask(CALLS.endAllSessions)).ok).toEqual({ data: null });
    expect([...laptop.cookies.keys()].filter((name) => name.startsWith('__Host-'))).toEqual([]);
    for (const person of [alice, laptop, phone]) {
      expect(await isIn(person)).toBe(false);
      expect((await person.ask(CALLS.refreshSession)).status).toBe(401);
    }
    expect(ended).toContainEqual({ topic: 'session_ended', accountId: alice.id, sessionId: null });
    expect(await isIn(charlie)).toBe(true);
    expect(await isIn(await signIn(api.send, alice))).toBe(true);
  });

  it('ends sessions at the identity provider, too', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const half = createClient(api.send);
    await half.ask(CALLS.signIn, { body: { email: alice.email, password: alice.password } });
    await alice.ask(CALLS.endAllSessions);
    expect((await half.ask(CALLS.identityToken)).status).toBe(401);
    promise('7.1.3');
    promise('7.6.1');
  });
});
