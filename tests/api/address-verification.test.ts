import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { createClient, signUp } from '../kit/product/people.ts';
import { mailedToken, mailsTo } from './identity-acts.ts';
import { startApi, type TestApi } from './test-api.ts';
import { DAY_MS, HOUR_MS } from '../../contract/durations.ts';
import { promise } from '../security/promise.ts';

/** Returns the three `verified` flags of an address: in the account, in its identity and at the provider. */
async function verifiedFlags({ store }: TestApi, email: string): Promise<boolean[]> {
  const row = await store.db
    .selectFrom('accounts')
    .innerJoin('identities', 'identities.account_id', 'accounts.id')
    .innerJoin('user', 'user.id', 'identities.subject')
    .select(['accounts.email_verified as account', 'identities.email_verified as identity', 'emailVerified'])
    .where('accounts.email', '=', email)
    .executeTakeFirstOrThrow();
  return [row.account, row.identity, row.emailVerified].map(Boolean);
}

describeAnyDatabase('An email address', (open) => {
  it('gets a verification link at sign-up and becomes verified when its owner opens the link', async () => {
    const api = await startApi(open);
    const alice = await signUp(api.send, { name: 'Alice' });
    const [mail, ...more] = await mailsTo(api.store, alice.email, 'verify_email');
    expect(more).toEqual([]);
    expect(mail).toMatchObject({ account_id: alice.id, state: 'waiting' });
    expect(mail?.expires_at).toBeGreaterThan(api.clock.now() + 23 * HOUR_MS);
    expect(JSON.parse(mail?.data ?? '')).toEqual({
      url: expect.stringMatching(/^http:\/\/localhost:8080\/verify#[\w-]{43}$/),
    });
    expect(await verifiedFlags(api, alice.email)).toEqual([false, false, false]);

    const told: string[] = [];
    api.store.signals.subscribe((signal) => {
      if (signal.topic === 'account') told.push(signal.accountId);
    });
    const token = await mailedToken(api.store, alice.email, 'verify_email');
    expect((await alice.ask(CALLS.verifyEmail, { body: { token } })).status).toBe(200);
    expect(await verifiedFlags(api, alice.email)).toEqual([true, true, true]);
    expect(told).toEqual([alice.id]);
    // Mail programs open links twice.
    expect((await alice.ask(CALLS.verifyEmail, { body: { token } })).status).toBe(200);
    expect((await alice.ask(CALLS.currentUser)).status).toBe(200);
  });

  it('is verified only in a session of its own account', async () => {
    const api = await startApi(open);
    const [alice, charlie] = [
      await signUp(api.send, { name: 'Alice' }),
      await signUp(api.send, { name: 'Charlie' }),
    ];
    const anonymous = createClient(api.send);
    const token = await mailedToken(api.store, alice.email, 'verify_email');
    expect((await anonymous.ask(CALLS.verifyEmail, { body: { token } })).problem.code).toBe(
      'not_authenticated',
    );
    expect((await charlie.ask(CALLS.verifyEmail, { body: { token } })).problem.code).toBe('invalid_token');
    expect(await verifiedFlags(api, alice.email)).toEqual([false, false, false]);
    expect(await verifiedFlags(api, charlie.email)).toEqual([false, false, false]);
    // The failed attempts did not use up the link.
    expect((await alice.ask(CALLS.verifyEmail, { body: { token } })).status).toBe(200);
  });

  it('stays unverified with a link that is a day old, forged or for another purpose', async () => {
    const api = await startApi(open);
    const alice = await signUp(api.send, { name: 'Alice' });
    await createClient(api.send).ask(CALLS.requestPasswordReset, { body: { email: alice.email } });
    const reset = await mailedToken(api.store, alice.email, 'reset_password');
    const { identifier } = await api.store.db
      .selectFrom('verification')
      .select('identifier')
      .executeTakeFirstOrThrow();
    for (const token of ['x', reset, identifier])
      expect((await alice.ask(CALLS.verifyEmail, { body: { token } })).problem.code).toBe('invalid_token');

    const token = await mailedToken(api.store, alice.email, 'verify_email');
    api.clock.advance(DAY_MS);
    await alice.ask(CALLS.refreshSession);
    expect((await alice.ask(CALLS.verifyEmail, { body: { token } })).problem.code).toBe('invalid_token');
    expect(await verifiedFlags(api, alice.email)).toEqual([false, false, false]);
    promise('6.4.1');
  });

  it('gets at most five more verification links an hour on request', async () => {
    const api = await startApi(open);
    const alice = await signUp(api.send, { name: 'Alice' });
    const { charlie } = await api.cast({ verified: false });
    const first = await mailedToken(api.store, alice.email, 'verify_email');
    const answers = await Promise.all(Array.from({ length: 7 }, () => alice.ask(CALLS.sendVerification)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2);
    expect(await mailsTo(api.store, alice.email, 'verify_email')).toHaveLength(6);
    expect((await charlie.ask(CALLS.sendVerification)).status).toBe(200);
    // The link of an earlier mail still works.
    expect((await alice.ask(CALLS.verifyEmail, { body: { token: first } })).status).toBe(200);

    api.clock.advance(HOUR_MS);
    await alice.ask(CALLS.refreshSession);
    expect((await alice.ask(CALLS.sendVerification)).status).toBe(200);
    expect(await mailsTo(api.store, alice.email, 'verify_email')).toHaveLength(6);
  });

  it('has its verification link stored only as a hash', async () => {
    const api = await startApi(open);
    const alice = await signUp(api.send, { name: 'Alice' });
    const token = await mailedToken(api.store, alice.email, 'verify_email');
    const kept = await api.store.db.selectFrom('verification').selectAll().execute();
    expect(kept).toHaveLength(1);
    expect(JSON.stringify(kept)).not.toContain(token);
    promise('links');
  });
});
