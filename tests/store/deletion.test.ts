import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { createToken } from '../../server/store/accounts/api-tokens.ts';
import { addAuthorities } from '../../server/store/accounts/authorities.ts';
import { deleteAccount } from '../../server/store/accounts/account-deletion.ts';
import type { Account } from '../../server/store/accounts/accounts.ts';
import { enableBadge } from '../../server/store/publishing/badges.ts';
import { createCalendarFeed } from '../../server/store/publishing/calendar-feeds.ts';
import { storableConfig } from '../../server/channels/kinds/index.ts';
import { addChannel } from '../../server/store/alerts/channel-changes.ts';
import { claimDueDeliveries } from '../../server/store/alerts/deliveries.ts';
import { addFeedback } from '../../server/store/accounts/feedback.ts';
import { claimIdempotencyKey } from '../../server/store/accounts/idempotency.ts';
import { addMaintenance } from '../../server/store/alerts/maintenance.ts';
import { enqueueMail } from '../../server/store/mail/mails.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { tablesWith } from '../../server/store/schema/catalogue.ts';
import { openSession } from '../../server/store/accounts/sessions.ts';
import { saveStatusPage } from '../../server/store/publishing/status-pages.ts';
import { listSubscriptions } from '../../server/store/billing/subscriptions.ts';
import { suppress } from '../../server/store/mail/suppressions.ts';
import { startTrial } from '../../server/store/billing/entitlements.ts';
import { setUnsubscribed } from '../../server/store/mail/unsubscriptions.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { renewalRow } from '../kit/product/sample-forecast.ts';
import { everyRow } from '../kit/databases/every-row.ts';
import {
  certificate,
  check,
  DAY,
  endingSoon,
  MINUTE,
  NOW,
  person,
  type SampleCertificate,
  watch,
} from './samples.ts';

/** Tables that have no data of accounts. */
const NOBODYS = tablesWith('of').flatMap(([table, of]): string[] =>
  of === 'deployment' || of === 'migrations' ? [table] : [],
);

describeEachDatabase('the deletion of an account', (open) => {
  it('removes all its rows except the hashed trial record, and no row of another account', async () => {
    const store = await open();
    const shared = certificate({ subject: 'R10' });
    await live(store, 'bob', shared);
    const before = await everyRow(store.db);

    const alice = await live(store, 'alice', shared);
    const between = await everyRow(store.db);
    const grown = Object.keys(between).filter(
      (table) => (between[table]?.length ?? 0) > (before[table]?.length ?? 0),
    );
    // A table that got no rows above would never be checked.
    expect(grown.toSorted()).toEqual(
      Object.keys(between)
        .filter((table) => !NOBODYS.includes(table))
        .toSorted(),
    );

    expect(await deleteAccount(store, alice.id, NOW + DAY)).toBe('deleted');
    // The row of the address's trial stays. It has the time when the account was deleted.
    const trial = JSON.stringify({
      address_hash: 'hash of alice',
      account_id: null,
      started_at: NOW,
      account_deleted_at: NOW + DAY,
    });
    const trials = [...(before['trials'] ?? []), trial].toSorted();
    expect(await everyRow(store.db)).toEqual({ ...before, trials });
    expect(await deleteAccount(store, alice.id, NOW + 2 * DAY)).toBe('gone');
    expect((await everyRow(store.db))['trials']).toEqual(trials);
  });

  it('is refused while an uncancelled subscription runs', async () => {
    const store = await open();
    const alice = await live(store, 'alice', certificate({ subject: 'R10' }));
    const [subscription] = await listSubscriptions(store, alice.id);
    await store.db.updateTable('subscriptions').set({ status: 'paused' }).execute();
    const before = await everyRow(store.db);
    expect(await deleteAccount(store, alice.id, NOW, { cancelled: [] })).toBe('subscribed');
    expect(await everyRow(store.db)).toEqual(before);
    expect(await deleteAccount(store, alice.id, NOW, { cancelled: [subscription?.id ?? ''] })).toBe(
      'deleted',
    );
  });
});

/** Creates an account with a row in every table that has account data. */
async function live(store: Store, name: string, shared: SampleCertificate): Promise<Account> {
  const account = await person(store, name);
  await openSession(store, {
    sessionId: `session of ${name}`,
    accountId: account.id,
    accessHash: 'a',
    refreshHash: 'r',
    accessExpiresAt: NOW,
    refreshIdleExpiresAt: NOW + DAY,
    refreshExpiresAt: NOW + DAY,
    signedInAt: NOW,
  });
  const leaf = endingSoon({ subject: `${name}.example` });
  const { id: monitorId } = await watch(store, account.id, `${name}.example`);
  await check(store, NOW, [leaf, shared]);
  // Makes it look as if another address served the certificate.
  const other = { fingerprint: shared.facts.fingerprint, not_after: shared.facts.notAfter };
  await store.db
    .insertInto('other_leaves')
    .values({ account_id: account.id, monitor_id: monitorId, host: `${name}.example`, port: 443, ...other })
    .execute();
  await store.db
    .insertInto('deadlines')
    .values({
      account_id: account.id,
      monitor_id: monitorId,
      rule: 'server_auth_only',
      from_at: NOW,
      first_seen_at: NOW,
      renewed_at: null,
      ...other,
    })
    .execute();
  await store.db
    .insertInto('forecasts')
    .values({ account_id: account.id, fingerprint: 'a'.repeat(64), next_at: NOW })
    .execute();
  await store.db.insertInto('renewals').values(renewalRow(account.id)).execute();
  const root = certificate({ subject: 'Root' });
  const authority = { der: root.der, facts: { ...root.facts, subjectFullDn: 'CN=Root' } };
  // Makes the host down: the second check confirms the failure.
  await check(store, NOW + DAY, [], { nextCheckAt: NOW + DAY + MINUTE });
  await check(store, NOW + DAY + MINUTE, []);
  await addAuthorities(store, {
    accountId: account.id,
    authorities: [authority],
    max: 20,
    now: NOW + 2 * DAY,
  });
  await claimDueDeliveries(store, { now: NOW, limit: 9, leaseMs: DAY, claimedBy: 'a worker' });

  await store.db.transaction().execute(async (trx) => {
    await startTrial(trx, { accountId: account.id, addressHash: `hash of ${name}`, now: NOW });
    const mail = { recipient: account.email, content: { kind: 'password_changed' } as const, now: NOW };
    await enqueueMail(trx, { accountId: account.id, ...mail });
    await enqueueMail(trx, { accountId: null, ...mail });
  });
  await addFeedback(store, {
    account,
    title: 'feedback',
    message: `From ${name}`,
    recipient: 'support@certs.example',
    now: NOW,
  });
  await addChannel(store, {
    accountId: account.id,
    name: 'Ops',
    config: storableConfig({ kind: 'email', address: `ops@${name}.example` }),
    invitation: null,
    max: 20,
    mayAdd: () => true,
    now: NOW,
  });
  const wanted = { accountId: account.id, channelKey: 'email', monitorId: null };
  await setUnsubscribed(store, wanted, { choice: 'all', now: NOW + 2 * DAY });
  await addMaintenance(store, {
    accountId: account.id,
    monitorId: null,
    note: '',
    max: 50,
    now: NOW,
    window: { startsAt: NOW, endsAt: NOW + DAY, repeats: 'never' },
  });
  await enableBadge(store, { accountId: account.id, monitorId, token: name, now: NOW });
  await saveStatusPage(store, {
    accountId: account.id,
    change: {
      slug: `status-of-${name}`,
      title: name,
      shows: 'chosen',
      domains: [{ id: monitorId, label: '' }],
    },
    now: NOW,
  });
  await createToken(store, {
    accountId: account.id,
    secret: `token of ${name}`,
    prefix: 'clt_',
    name: 'script',
    scopes: ['read'],
    expiresAt: null,
    max: 20,
    now: NOW,
  });
  await claimIdempotencyKey(store, { accountId: account.id, key: 'key', request: 'POST', now: NOW });
  await createCalendarFeed(store, { accountId: account.id, token: name, now: NOW });
  const refused = { reason: 'refused' as const, detail: '550 unknown', now: NOW };
  await store.db.transaction().execute(async (trx) => {
    await suppress(trx, { address: account.email, ...refused });
    await suppress(trx, { address: `ops@${name}.example`, ...refused });
  });
  const user = `${name} at the provider`;
  const at = new Date(NOW).toISOString();
  const flag = store.dialect === 'postgres' ? sql`true` : sql`1`;
  for (const insert of [
    sql`insert into subscriptions (id, account_id, customer_id, price_id, status, told_at, created_at)
        values (${name}, ${account.id}, ${`customer ${name}`}, 'price', 'canceled', ${NOW}, ${NOW})`,
    sql`insert into payment_events (id, account_id, type, occurred_at, received_at, outcome)
        values (${name}, ${account.id}, 'subscription.canceled', ${NOW}, ${NOW}, 'applied')`,
    sql`insert into "user" (id, name, email, "emailVerified", "createdAt", "updatedAt")
        values (${user}, ${name}, ${account.email}, ${flag}, ${at}, ${at})`,
    sql`insert into session (id, "expiresAt", token, "createdAt", "updatedAt", "userId")
        values (${name}, ${at}, ${name}, ${at}, ${at}, ${user})`,
    sql`insert into account (id, "accountId", "providerId", "userId", "createdAt", "updatedAt")
        values (${name}, ${user}, 'credential', ${user}, ${at}, ${at})`,
    sql`insert into "twoFactor" (id, "userId", secret, "backupCodes") values (${name}, ${user}, 's', 'b')`,
    sql`insert into passkey (id, "userId", "publicKey", "credentialID", counter, "deviceType", "backedUp")
        values (${name}, ${user}, 'key', ${name}, 0, 'singleDevice', ${flag})`,
    sql`insert into verification (id, identifier, value, "expiresAt", "createdAt", "updatedAt")
        values (${name}, ${`reset-password:${name}`}, ${user}, ${at}, ${at}, ${at})`,
  ])
    await insert.execute(store.db);
  return account;
}
