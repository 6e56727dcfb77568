import { expect, it } from 'vitest';
import { deleteAccount } from '../../server/store/accounts/account-deletion.ts';
import {
  findAccount,
  grantPremium,
  listIdentities,
  updateAccount,
} from '../../server/store/accounts/accounts.ts';
import { openAccount } from '../../server/store/accounts/sign-in.ts';
import { findSession, openSession } from '../../server/store/accounts/sessions.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { promise } from '../security/promise.ts';

const NOW = Date.UTC(2026, 0, 15);
const alice = {
  issuer: 'https://certs.example',
  subject: 'alice-at-the-provider',
  email: 'Alice@Example.com',
  emailVerified: false,
  name: 'Alice',
  company: null,
  now: NOW,
};

describeEachDatabase('the account store', (open) => {
  it('creates an account at the first sign-in and finds it at the next', async () => {
    const store = await open();
    const first = await openAccount(store, alice);
    const second = await openAccount(store, { ...alice, name: 'Somebody else', company: 'Example Ltd' });

    expect(first).toMatchObject({
      ok: true,
      created: true,
      account: {
        email: 'alice@example.com',
        fullName: 'Alice',
        companyName: '',
        entitlement: { plan: 'free' },
        createdAt: NOW,
      },
    });
    expect(second).toMatchObject({
      ok: true,
      created: false,
      account: { fullName: 'Alice', companyName: 'Example Ltd' },
    });
    if (!first.ok) throw new Error(first.code);
    expect(await listIdentities(store, first.account.id)).toEqual([
      { issuer: alice.issuer, subject: alice.subject },
    ]);
  });

  it('keeps the stored names when a sign-in brings empty ones', async () => {
    const store = await open();
    await openAccount(store, { ...alice, company: 'Example Ltd' });
    const again = await openAccount(store, { ...alice, name: '', company: '' });
    expect(again).toMatchObject({ account: { fullName: 'Alice', companyName: 'Example Ltd' } });
  });

  it('creates one account for sign-ins of the same person at the same time', async () => {
    const store = await open();
    const arrivals = await Promise.all(Array.from({ length: 8 }, () => openAccount(store, alice)));
    expect(arrivals.filter((arrival) => arrival.ok && arrival.created)).toHaveLength(1);
    expect(new Set(arrivals.map((arrival) => arrival.ok && arrival.account.id)).size).toBe(1);
  });

  it('refuses an unverified address that another account has', async () => {
    const store = await open();
    await openAccount(store, alice);
    const other = { ...alice, subject: 'somebody else' };
    expect(await openAccount(store, other)).toEqual({ ok: false, code: 'email_taken' });
    promise('6.8.1');
  });

  it('gives an account to the person who verifies its address, and removes the unverified sign-in', async () => {
    const store = await open();
    const squatter = await openAccount(store, alice);
    if (!squatter.ok) throw new Error(squatter.code);
    const accountId = squatter.account.id;
    await openSession(store, session(accountId));

    const owner = await openAccount(store, { ...alice, subject: 'the owner', emailVerified: true });
    expect(owner).toMatchObject({
      ok: true,
      created: false,
      account: { id: accountId, emailVerified: true },
    });
    expect(await listIdentities(store, accountId)).toEqual([{ issuer: alice.issuer, subject: 'the owner' }]);
    expect(await findSession(store, { sessionId: 's', accessHash: 'a', now: NOW })).toBeNull();
  });

  it('keeps sessions when another provider confirms an address that was already verified', async () => {
    const store = await open();
    const first = await openAccount(store, { ...alice, emailVerified: true });
    if (!first.ok) throw new Error(first.code);
    await openSession(store, session(first.account.id));
    await openAccount(store, { ...alice, issuer: 'https://other.example', emailVerified: true });
    expect(await findSession(store, { sessionId: 's', accessHash: 'a', now: NOW })).not.toBeNull();
    expect(await listIdentities(store, first.account.id)).toHaveLength(2);
  });

  it('updates the profile of an account and returns null for an unknown one', async () => {
    const store = await open();
    const opened = await openAccount(store, alice);
    if (!opened.ok) throw new Error(opened.code);
    const { id } = opened.account;
    await grantPremium(store, id, { grant: { endsAt: null }, now: NOW });
    expect(await updateAccount(store, id, { fullName: 'Alice B.', companyName: '' })).toMatchObject({
      fullName: 'Alice B.',
      entitlement: { plan: 'premium', source: 'grant' },
    });
    expect(await updateAccount(store, 'nobody', { fullName: 'X', companyName: '' })).toBeNull();
  });

  it('deletes an account, ends its sessions and publishes a signal', async () => {
    const store = await open();
    const opened = await openAccount(store, alice);
    if (!opened.ok) throw new Error(opened.code);
    const { id } = opened.account;
    await openSession(store, session(id));
    const ended: unknown[] = [];
    store.signals.subscribe((signal) => ended.push(signal));

    expect(await deleteAccount(store, id, NOW)).toBe('deleted');
    expect(await deleteAccount(store, id, NOW)).toBe('gone');
    expect(await findAccount(store, id)).toBeNull();
    expect(await findSession(store, { sessionId: 's', accessHash: 'a', now: NOW })).toBeNull();
    expect(ended).toEqual([{ topic: 'session_ended', accountId: id, sessionId: null }]);
    promise('7.4.2');
  });
});

function session(accountId: string) {
  return {
    sessionId: 's',
    accountId,
    accessHash: 'a',
    refreshHash: 'r',
    accessExpiresAt: NOW + 900_000,
    refreshIdleExpiresAt: NOW + 14 * 86_400_000,
    refreshExpiresAt: NOW + 30 * 86_400_000,
    signedInAt: NOW,
  };
}
