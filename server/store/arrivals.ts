import type { Selectable, Transaction } from 'kysely';
import { randomUUID } from 'node:crypto';
import { type Account, toAccount } from './accounts.ts';
import { revokeTokensOf } from './api-tokens.ts';
import { locked } from './dialect.ts';
import { settlePlan } from './entitlements.ts';
import { deleteUsers } from './identity-users.ts';
import { releaseHeldMail } from './mail-allowance.ts';
import type { Store } from './open-store.ts';
import type { AccountsTable, Tables } from './tables.ts';
import { inTransaction } from './transaction.ts';
import { startTrial } from './trials.ts';

export interface Arrival {
  issuer: string;
  subject: string;
  email: string;
  emailVerified: boolean;
  /** Used at creation; later only where the account has none. */
  name: string | null;
  company: string | null;
  photoUrl?: string | null;
  /** IANA name, of the browser; like the name. */
  timeZone?: string | null;
  /** Where a new account would begin with the trial: its address as a salted hash. */
  trial?: { addressHash: string } | null;
  /** False where sign-up is not open to this person, who signs in all the same where there is an account. */
  mayCreate?: boolean;
  now: number;
}

export type OpenedAccount =
  | { ok: true; account: Account; created: boolean }
  /**
   * `email_taken`: another account has the address, and this provider does not vouch for it. Nothing was changed.
   */
  | { ok: false; code: 'email_taken' | 'signups_closed' | 'account_disabled' };

/** The account of somebody whom an identity provider just vouched for, made at the first arrival. */
export async function openAccount(store: Store, arrival: Arrival): Promise<OpenedAccount> {
  const opened = await inTransaction(store, async (trx): Promise<Opened> => {
    const known = await accountOfIdentity(trx, arrival);
    if (known) return greet(trx, known, arrival);
    const created = arrival.mayCreate === false ? null : await createAccount(store, trx, arrival);
    if (created) return { account: created, created: true, putOut: false };

    // Somebody has the address: perhaps this very person, in a request that ran beside this one.
    const justMade = await accountOfIdentity(trx, arrival);
    if (justMade) return greet(trx, justMade, arrival);
    const holder = await locked(
      store.dialect,
      trx.selectFrom('accounts').selectAll().where('email', '=', arrival.email.toLowerCase()),
    ).executeTakeFirst();
    if (!holder && arrival.mayCreate === false) return 'signups_closed';
    if (!holder) throw new Error('The account that had the address went at this very moment');
    if (!arrival.emailVerified) return 'email_taken';
    if (holder.disabled_at !== null) return 'account_disabled';
    await dropUnverified(trx, holder.id);
    await addIdentity(trx, holder.id, arrival);
    return greet(trx, holder, arrival, { merged: true });
  });
  if (typeof opened === 'string') return { ok: false, code: opened };
  const account = toAccount(opened.account);
  if (opened.putOut) {
    store.signals.publish({ topic: 'session_ended', accountId: account.id, sessionId: null });
    // What was held back while nobody had proven the address.
    for (const topic of ['mails', 'deliveries'] as const) store.signals.publish({ topic });
  }
  return { ok: true, account, created: opened.created };
}

type Row = Selectable<AccountsTable>;
type Opened =
  | {
      account: Row;
      created: boolean;
      /** Every session that was open before is over. */
      putOut: boolean;
    }
  | Extract<OpenedAccount, { ok: false }>['code'];

/** Null where another account has the address. */
async function createAccount(store: Store, trx: Transaction<Tables>, arrival: Arrival): Promise<Row | null> {
  const { trial, now } = arrival;
  const created = await trx
    .insertInto('accounts')
    .values({
      id: randomUUID(),
      email: arrival.email.toLowerCase(),
      email_verified: Number(arrival.emailVerified),
      full_name: arrival.name ?? '',
      photo_url: arrival.photoUrl ?? null,
      paddle_id: '',
      company_name: arrival.company ?? '',
      time_zone: arrival.timeZone ?? null,
      plan: 'free',
      created_at: now,
    })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returningAll()
    .executeTakeFirst();
  if (!created) return null;
  await addIdentity(trx, created.id, arrival);
  // Where everybody has Premium, a trial would be used up unseen.
  if (!trial || store.everyonePremium) return created;
  if (!(await startTrial(trx, { accountId: created.id, addressHash: trial.addressHash, now })))
    return created;
  await settlePlan(store, trx, { accountId: created.id, now });
  return trx.selectFrom('accounts').selectAll().where('id', '=', created.id).executeTakeFirstOrThrow();
}

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

/**
 * Fills what the account lacks from what the provider now says; nothing that is there is overwritten. Whoever was signed
 * in before the address was proven is put out: it may have been somebody else's.
 */
async function greet(
  trx: Transaction<Tables>,
  account: Row,
  arrival: Arrival,
  { merged = false } = {},
): Promise<Opened> {
  if (account.disabled_at !== null) return 'account_disabled';
  const vouched = arrival.emailVerified && arrival.email.toLowerCase() === account.email;
  if (vouched)
    await trx
      .updateTable('identities')
      .set({ email_verified: 1 })
      .where('issuer', '=', arrival.issuer)
      .where('subject', '=', arrival.subject)
      .where('email_verified', '=', 0)
      .execute();
  const putOut = vouched && account.email_verified === 0;
  if (putOut) {
    await trx.deleteFrom('sessions').where('account_id', '=', account.id).execute();
    await revokeTokensOf(trx, account.id);
    await releaseHeldMail(trx, account.id);
  }
  const next = {
    full_name: account.full_name || (arrival.name ?? ''),
    company_name: account.company_name || (arrival.company ?? ''),
    photo_url: account.photo_url ?? arrival.photoUrl ?? null,
    time_zone: account.time_zone ?? arrival.timeZone ?? null,
    email_verified: vouched ? 1 : account.email_verified,
  };
  const opened = { account, created: false, putOut: putOut || merged };
  if (Object.entries(next).every(([key, value]) => Reflect.get(account, key) === value)) return opened;
  const filled = await trx
    .updateTable('accounts')
    .set(next)
    .where('id', '=', account.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return { ...opened, account: filled };
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
  await revokeTokensOf(trx, accountId);
}
