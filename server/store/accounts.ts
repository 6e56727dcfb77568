import type { Selectable, Transaction } from 'kysely';
import { randomUUID } from 'node:crypto';
import type { Entitlement } from '../core/index.ts';
import { deleteUnwatched } from './certificates.ts';
import { locked } from './dialect.ts';
import { announcePlan, settledEntitlement, settlePlan } from './entitlements.ts';
import type { Store } from './open-store.ts';
import type { AccountsTable, Tables } from './tables.ts';
import { inTransaction } from './transaction.ts';

export interface Account {
  id: string;
  /** Lower case. */
  email: string;
  /** An identity provider vouches for the address. */
  emailVerified: boolean;
  fullName: string;
  photoUrl: string | null;
  /** The payment provider's customer; empty where there is none. */
  paddleId: string;
  companyName: string;
  /** What was last settled; `entitlementAt` says what holds now. */
  entitlement: Entitlement;
  disabled: boolean;
  createdAt: number;
}

export interface Arrival {
  issuer: string;
  subject: string;
  email: string;
  emailVerified: boolean;
  /** Used at creation; later only where the account has none. */
  name: string | null;
  company: string | null;
  photoUrl?: string | null;
  now: number;
}

export type OpenedAccount =
  | { ok: true; account: Account; created: boolean }
  /** Another account has the address, and this provider does not vouch for it. */
  | { ok: false; code: 'email_taken' };

/** The account of somebody whom an identity provider just vouched for, made at the first arrival. */
export async function openAccount(store: Store, arrival: Arrival): Promise<OpenedAccount> {
  const email = arrival.email.toLowerCase();
  const opened = await inTransaction(store, async (trx) => {
    const known = await accountOfIdentity(trx, arrival);
    if (known) return { account: await greet(trx, known, arrival), created: false, merged: false };

    const created = await trx
      .insertInto('accounts')
      .values({
        id: randomUUID(),
        email,
        email_verified: Number(arrival.emailVerified),
        full_name: arrival.name ?? '',
        photo_url: arrival.photoUrl ?? null,
        paddle_id: '',
        company_name: arrival.company ?? '',
        plan: 'free',
        created_at: arrival.now,
      })
      .onConflict((conflict) => conflict.column('email').doNothing())
      .returningAll()
      .executeTakeFirst();
    if (created) {
      await addIdentity(trx, created.id, arrival);
      return { account: created, created: true, merged: false };
    }

    // Somebody has the address: perhaps this very person, in a request that ran beside this one.
    const justMade = await accountOfIdentity(trx, arrival);
    if (justMade) return { account: await greet(trx, justMade, arrival), created: false, merged: false };
    if (!arrival.emailVerified) return null;
    const holder = await locked(
      store.dialect,
      trx.selectFrom('accounts').selectAll().where('email', '=', email),
    ).executeTakeFirstOrThrow();
    await dropUnverified(trx, holder.id);
    await addIdentity(trx, holder.id, arrival);
    return { account: await greet(trx, holder, arrival), created: false, merged: true };
  });
  if (opened === null) return { ok: false, code: 'email_taken' };
  if (opened.merged)
    store.signals.publish({ topic: 'session_ended', accountId: opened.account.id, sessionId: null });
  return { ok: true, account: toAccount(opened.account), created: opened.created };
}

export async function accountById(store: Store, id: string): Promise<Account | null> {
  const row = await store.db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
  return row ? toAccount(row) : null;
}

/** What identity providers know the account by, the oldest first. */
export async function identitiesOf(
  store: Store,
  accountId: string,
): Promise<{ issuer: string; subject: string }[]> {
  return store.db
    .selectFrom('identities')
    .select(['issuer', 'subject'])
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .execute();
}

/** Null when the account is gone. */
export async function updateAccount(
  store: Store,
  id: string,
  change: { fullName: string; companyName: string },
): Promise<Account | null> {
  const row = await store.db
    .updateTable('accounts')
    .set({ full_name: change.fullName, company_name: change.companyName })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  return row ? toAccount(row) : null;
}

/** Gives Premium, until `endsAt` (ms UTC) or for good where that is null; `grant` null takes what was given back. */
export async function grantPremium(
  store: Store,
  accountId: string,
  { grant, now }: { grant: { endsAt: number | null } | null; now: number },
): Promise<void> {
  await inTransaction(store, async (trx) => {
    await trx
      .updateTable('accounts')
      .set({ granted_at: grant && now, grant_ends_at: grant?.endsAt ?? null })
      .where('id', '=', accountId)
      .execute();
    await settlePlan(store, trx, { accountId, now });
  });
  announcePlan(store, accountId);
}

/**
 * Deletes the account and everything of it: sessions, domains, checks, alerts, its users in the built-in identity provider,
 * and certificates that nobody else watches. False when it was gone already.
 */
export async function deleteAccount(store: Store, id: string): Promise<boolean> {
  const deleted = await inTransaction(store, async (trx) => {
    const certificates = await trx
      .selectFrom('monitor_certificates')
      .innerJoin('monitors', 'monitors.id', 'monitor_certificates.monitor_id')
      .select('fingerprint')
      .distinct()
      .where('monitors.account_id', '=', id)
      .execute();
    await deleteIdentityUsers(trx, id);
    const result = await trx.deleteFrom('accounts').where('id', '=', id).executeTakeFirst();
    await deleteUnwatched(
      trx,
      certificates.map(({ fingerprint }) => fingerprint),
    );
    return result.numDeletedRows > 0n;
  });
  if (deleted) store.signals.publish({ topic: 'session_ended', accountId: id, sessionId: null });
  return deleted;
}

export function toAccount(row: Selectable<AccountsTable>): Account {
  return {
    id: row.id,
    email: row.email,
    emailVerified: row.email_verified === 1,
    fullName: row.full_name,
    photoUrl: row.photo_url,
    paddleId: row.paddle_id,
    companyName: row.company_name,
    entitlement: settledEntitlement(row),
    disabled: row.disabled_at !== null,
    createdAt: row.created_at,
  };
}

type Row = Selectable<AccountsTable>;

async function accountOfIdentity(
  trx: Transaction<Tables>,
  { issuer, subject }: Arrival,
): Promise<Row | undefined> {
  return trx
    .selectFrom('identities')
    .innerJoin('accounts', 'accounts.id', 'identities.account_id')
    .selectAll('accounts')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
}

/** Fills what the account lacks from what the provider now says; nothing that is there is overwritten. */
async function greet(trx: Transaction<Tables>, account: Row, arrival: Arrival): Promise<Row> {
  const vouched = arrival.emailVerified && arrival.email.toLowerCase() === account.email;
  if (vouched)
    await trx
      .updateTable('identities')
      .set({ email_verified: 1 })
      .where('issuer', '=', arrival.issuer)
      .where('subject', '=', arrival.subject)
      .where('email_verified', '=', 0)
      .execute();
  const next = {
    full_name: account.full_name || (arrival.name ?? ''),
    company_name: account.company_name || (arrival.company ?? ''),
    photo_url: account.photo_url ?? arrival.photoUrl ?? null,
    email_verified: vouched ? 1 : account.email_verified,
  };
  const same = Object.entries(next).every(([key, value]) => Reflect.get(account, key) === value);
  if (same) return account;
  return trx
    .updateTable('accounts')
    .set(next)
    .where('id', '=', account.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

async function addIdentity(trx: Transaction<Tables>, accountId: string, arrival: Arrival): Promise<void> {
  await trx
    .insertInto('identities')
    .values({
      issuer: arrival.issuer,
      subject: arrival.subject,
      account_id: accountId,
      email_verified: Number(arrival.emailVerified),
      created_at: arrival.now,
    })
    .execute();
}

/** Whoever signed up with an address without proving it must not stay inside once its owner arrives. */
async function dropUnverified(trx: Transaction<Tables>, accountId: string): Promise<void> {
  const unverified = await trx
    .deleteFrom('identities')
    .where('account_id', '=', accountId)
    .where('email_verified', '=', 0)
    .returning('subject')
    .execute();
  if (unverified.length === 0) return;
  await deleteUsers(
    trx,
    unverified.map(({ subject }) => subject),
  );
  await trx.deleteFrom('sessions').where('account_id', '=', accountId).execute();
}

async function deleteIdentityUsers(trx: Transaction<Tables>, accountId: string): Promise<void> {
  const identities = await trx
    .selectFrom('identities')
    .select('subject')
    .where('account_id', '=', accountId)
    .execute();
  await deleteUsers(
    trx,
    identities.map(({ subject }) => subject),
  );
}

/** Subjects of other providers match no user: all of them are long random ids. */
async function deleteUsers(trx: Transaction<Tables>, subjects: string[]): Promise<void> {
  if (subjects.length === 0) return;
  const users = await trx.deleteFrom('user').where('id', 'in', subjects).returning(['id', 'email']).execute();
  // better-auth keeps what it mailed to people here, by user or address, without a foreign key.
  const names = users.flatMap(({ id, email }) => [id, email]);
  if (names.length === 0) return;
  await trx
    .deleteFrom('verification')
    .where((eb) => eb.or([eb('value', 'in', names), eb('identifier', 'in', names)]))
    .execute();
}
