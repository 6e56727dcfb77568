import { expect, it } from 'vitest';
import { grantPremium } from '../../server/store/accounts/accounts.ts';
import { openAccount } from '../../server/store/accounts/sign-in.ts';
import { disableAccount, enableAccount } from '../../server/store/accounts/account-administration.ts';
import { claimDueDeliveries } from '../../server/store/alerts/deliveries.ts';
import { claimDueMails } from '../../server/store/mail/mails.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { findSession, openSession, rotateSession } from '../../server/store/accounts/sessions.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { check, DAY, endingSoon, NOW, person, watch } from './samples.ts';
import { claimDue } from '../../server/store/monitors/monitor-claims.ts';
import { pauseMonitor } from '../../server/store/monitors/monitor-pauses.ts';

const claim = { now: NOW + 2 * DAY, limit: 9, leaseMs: 60_000, claimedBy: 'test' };
const arrival = {
  issuer: 'https://certs.example',
  subject: 'alice at the provider',
  email: 'alice@example.com',
  emailVerified: true,
  name: 'Another name',
  company: 'Fjord',
  now: NOW,
};

describeEachDatabase('disabling an account', (open) => {
  it('ends its sessions and refuses sign-in with account_disabled', async () => {
    const store = await open();
    const alice = await person(store, 'alice');
    await openSession(store, session(alice.id, 'before'));
    const signals: unknown[] = [];
    store.signals.subscribe((signal) => signals.push(signal));
    expect(await disableAccount(store, alice.id, NOW)).toBe(true);
    expect(signals).toEqual([{ topic: 'session_ended', accountId: alice.id, sessionId: null }]);
    expect(await store.db.selectFrom('sessions').selectAll().execute()).toEqual([]);
    expect(await openAccount(store, arrival)).toEqual({ ok: false, code: 'account_disabled' });
    const elsewhere = { ...arrival, issuer: 'https://other.example' };
    expect(await openAccount(store, elsewhere)).toEqual({ ok: false, code: 'account_disabled' });
    expect(await openAccount(store, { ...elsewhere, emailVerified: false })).toEqual({
      ok: false,
      code: 'email_taken',
    });

    // A session opened while the account is being disabled is never valid and is deleted at its first refresh.
    await openSession(store, session(alice.id, 'raced'));
    expect(await findSession(store, { sessionId: 'raced', accessHash: 'a', now: NOW })).toBeNull();
    expect(await rotateSession(store, rotation('raced'))).toEqual({ outcome: 'unknown' });
    expect(await store.db.selectFrom('sessions').selectAll().execute()).toEqual([]);
  });

  it('stops its checks, alerts and mails until it is enabled again', async () => {
    const store = await open();
    const alice = await person(store, 'alice');
    await grantPremium(store, alice.id, { grant: { endsAt: null }, now: NOW });
    await watch(store, alice.id, 'a.example');
    const paused = await watch(store, alice.id, 'paused.example', { now: NOW + 1 });
    await pauseMonitor(store, { accountId: alice.id, monitorId: paused.id, now: NOW + 1 });
    const seen = endingSoon();
    await check(store, NOW, [seen]);
    await grantPremium(store, alice.id, { grant: null, now: NOW + DAY });
    await disableAccount(store, alice.id, NOW + DAY);
    const raced = await watch(store, alice.id, 'raced.example', { now: NOW + DAY });

    expect(await claimAllDue(store)).toEqual({ checks: [], deliveries: 0, mails: 0 });
    // While the account is disabled, a new grant of Premium makes no check due.
    await grantPremium(store, alice.id, { grant: { endsAt: null }, now: NOW + DAY });
    expect((await claimAllDue(store)).checks).toEqual([]);

    expect(await enableAccount(store, alice.id)).toBe(true);
    // The two mails are the welcome mail and the notice that Premium has ended.
    expect(await claimAllDue(store)).toEqual({ checks: ['a.example', raced.host], deliveries: 1, mails: 2 });
    expect(await openAccount(store, arrival)).toMatchObject({ ok: true, account: { fullName: 'alice' } });
  });

  it('returns false for an unknown account, both when disabling and when enabling', async () => {
    const store = await open();
    expect(await disableAccount(store, 'nobody', NOW)).toBe(false);
    expect(await enableAccount(store, 'nobody')).toBe(false);
  });
});

async function claimAllDue(store: Store) {
  const checks = await claimDue(store, claim);
  return {
    checks: checks.map(({ host }) => host).toSorted(),
    deliveries: (await claimDueDeliveries(store, claim)).length,
    mails: (await claimDueMails(store, claim)).length,
  };
}

function session(accountId: string, sessionId: string) {
  return {
    sessionId,
    accountId,
    accessHash: 'a',
    refreshHash: `${sessionId} r`,
    accessExpiresAt: NOW + 900_000,
    refreshIdleExpiresAt: NOW + 14 * DAY,
    refreshExpiresAt: NOW + 30 * DAY,
    signedInAt: NOW,
  };
}

function rotation(sessionId: string) {
  return {
    sessionId,
    refreshHash: `${sessionId} r`,
    nextRefreshHash: 'next r',
    nextAccessHash: 'next a',
    accessExpiresAt: NOW + 900_000,
    refreshIdleExpiresAt: NOW + 14 * DAY,
    now: NOW + 1,
    graceMs: 10_000,
  };
}
