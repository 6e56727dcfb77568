import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { consumeRateLimit } from '../../server/store/operations/rate-limits.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { createClient, identityToken, signIn, signUp } from '../kit/product/people.ts';
import {
  addPasskey,
  askWithPasskey,
  enter,
  mailedToken,
  mailsTo,
  resetPassword,
  signInAtProvider,
} from './identity-acts.ts';
import { startApi } from './test-api.ts';
import { addUnchecked } from './watched.ts';
import { MINUTE_MS } from '../../contract/durations.ts';
import { promise } from '../security/promise.ts';

const NEW = 'a staple of a battery';
const ORIGIN = 'http://localhost:8080';

describeAnyDatabase('A password reset', (open) => {
  it('sets a new password with a link that works once', async () => {
    const api = await startApi(open);
    const alice = await signUp(api.send, { name: 'Alice' });
    const { email } = alice;
    const browser = createClient(api.send);
    expect((await browser.ask(CALLS.requestPasswordReset, { body: { email } })).status).toBe(200);
    const [mail] = await mailsTo(api.store, email, 'reset_password');
    const { url, expiresAt } = JSON.parse(mail?.data ?? '') as { url: string; expiresAt: number };
    expect(url).toMatch(/^http:\/\/localhost:8080\/reset-password#[\w-]{43}$/);
    promise('6.5.3');
    promise('6.5.4');
    expect(Math.abs(expiresAt - api.clock.now() - 30 * MINUTE_MS)).toBeLessThan(MINUTE_MS);
    expect(mail).toMatchObject({ account_id: alice.id, expires_at: expiresAt });

    const token = await mailedToken(api.store, email, 'reset_password');
    const answers = await Promise.all(
      [NEW, 'another battery of staples'].map((password) =>
        browser.ask(CALLS.resetPassword, { body: { token, password } }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(1);
    const password = answers[0]?.status === 200 ? NEW : 'another battery of staples';
    const third = await browser.ask(CALLS.resetPassword, { body: { token, password } });
    expect(third.problem.code).toBe('invalid_token');

    const old = await browser.ask(CALLS.signIn, { body: { email, password: alice.password } });
    expect(old.problem.code).toBe('invalid_credentials');
    expect((await signIn(api.send, { ...alice, password })).id).toBe(alice.id);
    expect(await mailsTo(api.store, email, 'password_changed')).toHaveLength(1);
    promise('6.2.2');
  });

  it('verifies the address and ends all sessions, including the provider’s', async () => {
    const api = await startApi(open);
    const alice = await signUp(api.send, { name: 'Alice' });
    const elsewhere = await signIn(api.send, alice);
    const provider = await signInAtProvider(api.send, alice);
    const token = await identityToken(provider);
    const ended: string[] = [];
    api.store.signals.subscribe((signal) => {
      if (signal.topic === 'session_ended' && signal.sessionId === null) ended.push(signal.accountId);
    });

    await resetPassword(api, alice.email, NEW);
    expect(ended).toEqual([alice.id]);
    for (const client of [alice, elsewhere]) {
      expect((await client.ask(CALLS.currentUser)).problem.code).toBe('not_authenticated');
      expect((await client.ask(CALLS.refreshSession)).problem.code).toBe('not_authenticated');
    }
    expect((await provider.ask(CALLS.identityToken)).problem.code).toBe('not_authenticated');
    // An ID token that was issued before opens no new session either.
    expect((await provider.ask(CALLS.openSession, { body: { token } })).problem.code).toBe('invalid_token');
    const back = await signIn(api.send, { ...alice, password: NEW });
    expect(back.id).toBe(alice.id);
    const account = await api.store.db.selectFrom('accounts').select('email_verified').execute();
    expect(account).toEqual([{ email_verified: 1 }]);
    promise('sessions');
    promise('6.2.3');
    promise('7.4.3');
  });

  it('keeps a verified person’s passkeys, domains and badges, and ends the calendar link', async () => {
    const api = await startApi(open);
    const alice = await signUp(api.send, { name: 'Alice' });
    const token = await mailedToken(api.store, alice.email, 'verify_email');
    await alice.ask(CALLS.verifyEmail, { body: { token } });
    const device = await addPasskey(await signInAtProvider(api.send, alice), { origin: ORIGIN });
    const id = await addUnchecked(alice, 'shop.example.com');
    const calendar = new URL((await alice.ask(CALLS.makeCalendar)).ok.data.url).pathname;
    const badge = new URL((await alice.ask(CALLS.makeBadge, { params: { id } })).ok.data?.url ?? '').pathname;

    await resetPassword(api, alice.email, NEW);
    const browser = createClient(api.send);
    expect((await askWithPasskey(browser, device)).status).toBe(200);
    expect(await enter(browser)).toBe(alice.id);
    expect((await browser.ask(CALLS.identityMethods)).ok.data).toMatchObject({
      password: true,
      passkeys: [{ name: 'Passkey' }],
    });
    // Somebody who knew the old password may know the secret address of the calendar. A badge is public anyway.
    expect((await api.send(calendar)).status).toBe(404);
    expect((await api.send(badge)).status).toBe(200);
    expect((await browser.ask(CALLS.domain, { params: { id } })).ok.data.paused).toBeNull();
  });

  it('answers alike for known and unknown addresses, after at least 300 ms', async () => {
    const api = await startApi(open);
    const alice = await signUp(api.send, { name: 'Alice' });
    const order: string[] = [];
    const ask = async (email: string) => {
      const answer = await createClient(api.send).ask(CALLS.requestPasswordReset, { body: { email } });
      order.push('answer');
      return { status: answer.status, body: answer.ok };
    };
    // Timers of one process fire in the order of their times, even on a busy machine. The timer of this test starts first.
    const [, known, unknown] = await Promise.all([
      delay(290).then(() => order.push('290 ms')),
      ask(alice.email.toUpperCase()),
      ask('nobody@example.test'),
    ]);
    expect(known).toEqual(unknown);
    expect(order).toEqual(['290 ms', 'answer', 'answer']);
    expect(await mailsTo(api.store, alice.email, 'reset_password')).toHaveLength(1);
    expect(await api.store.db.selectFrom('mails').select('recipient').distinct().execute()).toEqual([
      { recipient: alice.email },
    ]);
  });

  it('is limited to five mails an hour per email address, known or not, and to twenty an hour per client address', async () => {
    const api = await startApi(open);
    const alice = await signUp(api.send, { name: 'Alice' });
    for (const email of [alice.email, 'nobody@example.test']) {
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          createClient(api.sendFrom(`203.0.${index}.1`)).ask(CALLS.requestPasswordReset, { body: { email } }),
        ),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
    }
    expect(await mailsTo(api.store, alice.email, 'reset_password')).toHaveLength(5);
    const key = 'reset:address:203.0.113.5';
    for (let used = 0; used < 20; used++)
      await consumeRateLimit(api.store, { key, limit: 20, windowMs: 60 * MINUTE_MS, now: api.clock.now() });
    const other = createClient(api.sendFrom('203.0.113.5'));
    const body = { email: 'somebody@example.test' };
    expect((await other.ask(CALLS.requestPasswordReset, { body })).status).toBe(429);
  });

  it('refuses a breached or guessable password without using up the link', async () => {
    const api = await startApi(open);
    const alice = await signUp(api.send, { name: 'Alice' });
    await createClient(api.send).ask(CALLS.requestPasswordReset, { body: { email: alice.email } });
    const token = await mailedToken(api.store, alice.email, 'reset_password');
    const set = async (password: string) =>
      createClient(api.send).ask(CALLS.resetPassword, { body: { token, password } });
    expect((await set('Password1')).problem).toMatchObject({
      code: 'password_breached',
      detail: 'This password is known from data breaches. Please choose another one.',
    });
    expect((await set(alice.email)).problem.code).toBe('password_breached');
    expect((await set('short')).problem.code).toBe('invalid_request');
    expect((await signIn(api.send, alice)).id).toBe(alice.id);
    expect((await set(NEW)).status).toBe(200);
    promise('6.2.11');
  });

  it('fails with a link that is 30 minutes old, forged or for another purpose', async () => {
    const api = await startApi(open);
    const alice = await signUp(api.send, { name: 'Alice' });
    const { email } = alice;
    const browser = createClient(api.send);
    await browser.ask(CALLS.requestPasswordReset, { body: { email } });
    const verification = await mailedToken(api.store, email, 'verify_email');
    const kept = await api.store.db.selectFrom('verification').select('identifier').execute();
    const set = async (token: string) => browser.ask(CALLS.resetPassword, { body: { token, password: NEW } });
    for (const token of ['x', verification, ...kept.map(({ identifier }) => identifier)])
      expect((await set(token)).problem.code).toBe('invalid_token');
    const token = await mailedToken(api.store, email, 'reset_password');
    api.clock.advance(30 * MINUTE_MS);
    expect((await set(token)).problem.code).toBe('invalid_token');
    expect((await browser.ask(CALLS.signIn, { body: { email, password: alice.password } })).status).toBe(200);
    promise('6.5.5');
  });

  it('invalidates the person’s other reset links', async () => {
    const api = await startApi(open);
    const alice = await signUp(api.send, { name: 'Alice' });
    const browser = createClient(api.send);
    const ask = async () => {
      await browser.ask(CALLS.requestPasswordReset, { body: { email: alice.email } });
      return mailedToken(api.store, alice.email, 'reset_password');
    };
    const first = await ask();
    api.clock.advance(MINUTE_MS);
    const second = await ask();
    expect(second).not.toBe(first);
    const set = (token: string) => browser.ask(CALLS.resetPassword, { body: { token, password: NEW } });
    expect((await set(first)).status).toBe(200);
    expect((await set(second)).problem.code).toBe('invalid_token');
    expect(await api.store.db.selectFrom('verification').selectAll().execute()).toEqual([]);
  });
});
