import { expect, it } from 'vitest';
import { deleteAccount } from '../../server/store/accounts/account-deletion.ts';
import { findAccount } from '../../server/store/accounts/accounts.ts';
import { openAccount } from '../../server/store/accounts/sign-in.ts';
import { findSession, openSession } from '../../server/store/accounts/sessions.ts';
import { deleteExpired } from '../../server/store/operations/sweep.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { DAY, NOW } from './samples.ts';

const arrival = {
  issuer: 'https://certs.example',
  subject: 'alice',
  email: 'alice@example.com',
  emailVerified: false,
  name: 'Alice',
  company: null,
  now: NOW,
};
const trial = { addressHash: 'hash of alice' };
const PREMIUM = { plan: 'premium', status: 'trialing', source: 'trial', endsAt: NOW + 14 * DAY };

describeEachDatabase('a trial', (open) => {
  it('starts with a new account that requests it and lasts 14 days', async () => {
    const store = await open();
    expect(await openAccount(store, { ...arrival, trial })).toMatchObject({
      created: true,
      account: { entitlement: PREMIUM },
    });
    const plain = await openAccount(store, { ...arrival, subject: 'bob', email: 'bob@example.com' });
    expect(plain).toMatchObject({ account: { entitlement: { plan: 'free' } } });
  });

  it('does not start for an existing account', async () => {
    const store = await open();
    await openAccount(store, arrival);
    const again = await openAccount(store, { ...arrival, trial });
    expect(again).toMatchObject({ created: false, account: { entitlement: { plan: 'free' } } });
    expect(await store.db.selectFrom('trials').selectAll().execute()).toEqual([]);
  });

  it('is granted once per address, even if variants of the address sign up at the same time', async () => {
    const store = await open();
    const opened = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        openAccount(store, {
          ...arrival,
          subject: `alice ${index}`,
          email: `alice+${index}@example.com`,
          trial,
        }),
      ),
    );
    expect(opened.every(({ ok }) => ok)).toBe(true);
    const plans = opened.map((each) => each.ok && each.account.entitlement.plan);
    expect(plans.filter((plan) => plan === 'premium')).toHaveLength(1);
  });

  it('is remembered as an address hash for twelve months after its account is deleted', async () => {
    const store = await open();
    const opened = await openAccount(store, { ...arrival, trial });
    if (!opened.ok) throw new Error(opened.code);
    expect(await deleteExpired(store, 'trials', NOW + 5_000 * DAY)).toBe(0);
    await deleteAccount(store, opened.account.id, NOW + DAY);
    expect(await store.db.selectFrom('trials').selectAll().execute()).toEqual([
      {
        address_hash: 'hash of alice',
        account_id: null,
        started_at: NOW,
        account_deleted_at: NOW + DAY,
      },
    ]);
    const back = await openAccount(store, { ...arrival, trial, now: NOW + 2 * DAY });
    expect(back).toMatchObject({ created: true, account: { entitlement: { plan: 'free' } } });
    if (back.ok) await deleteAccount(store, back.account.id, NOW + 2 * DAY);

    expect(await deleteExpired(store, 'trials', NOW + 365 * DAY)).toBe(0);
    expect(await deleteExpired(store, 'trials', NOW + 366 * DAY)).toBe(1);
    const afresh = await openAccount(store, { ...arrival, trial, now: NOW + 400 * DAY });
    expect(afresh).toMatchObject({ account: { entitlement: { plan: 'premium' } } });
  });

  it('is not used up on a deployment where everyone has Premium', async () => {
    const store = await open({ everyonePremium: true });
    await openAccount(store, { ...arrival, trial });
    expect(await store.db.selectFrom('trials').selectAll().execute()).toEqual([]);
  });
});

describeEachDatabase('closed sign-up', (open) => {
  it('refuses new accounts and lets existing ones sign in', async () => {
    const store = await open();
    const closed = { ...arrival, mayCreate: false };
    expect(await openAccount(store, closed)).toEqual({ ok: false, code: 'signups_closed' });
    expect(await store.db.selectFrom('accounts').selectAll().execute()).toEqual([]);

    await openAccount(store, arrival);
    expect(await openAccount(store, closed)).toMatchObject({ ok: true, created: false });
    const elsewhere = { ...closed, issuer: 'https://other.example' };
    expect(await openAccount(store, elsewhere)).toEqual({ ok: false, code: 'email_taken' });
    expect(await openAccount(store, { ...elsewhere, emailVerified: true })).toMatchObject({
      ok: true,
      created: false,
    });
  });
});

describeEachDatabase('verifying an address for the first time', (open) => {
  it('ends all earlier sessions of its account', async () => {
    const store = await open();
    const opened = await openAccount(store, arrival);
    if (!opened.ok) throw new Error(opened.code);
    const signIn = (sessionId: string) =>
      openSession(store, {
        sessionId,
        accountId: opened.account.id,
        accessHash: sessionId,
        refreshHash: sessionId,
        accessExpiresAt: NOW + DAY,
        refreshIdleExpiresAt: NOW + DAY,
        refreshExpiresAt: NOW + DAY,
        signedInAt: NOW,
      });
    const stillIn = async (sessionId: string) =>
      (await findSession(store, { sessionId, accessHash: sessionId, now: NOW })) !== null;
    await signIn('squatter');
    const signals: unknown[] = [];
    store.signals.subscribe((signal) => signals.push(signal));

    await openAccount(store, { ...arrival, emailVerified: true });
    expect((await findAccount(store, opened.account.id))?.emailVerified).toBe(true);
    expect(await stillIn('squatter')).toBe(false);
    expect(signals).toContainEqual({
      topic: 'session_ended',
      accountId: opened.account.id,
      sessionId: null,
    });

    await signIn('owner');
    await openAccount(store, { ...arrival, emailVerified: true });
    expect(await stillIn('owner')).toBe(true);
  });
});
