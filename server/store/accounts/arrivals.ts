import type { Selectable, Transaction } from 'kysely';
import { randomUUID } from 'node:crypto';
import { type Account, toAccount } from './accounts.ts';
import { settlePlan } from '../billing/entitlements.ts';
import { deleteUsers } from './identity-users.ts';
import { releaseHeldMail } from '../mail/mail-allowance.ts';
import { clearForNewOwner, endAccess, lockAccount } from './new-owner.ts';
import type { Store } from '../db/open-store.ts';
import type { AccountsTable, Tables } from '../schema/tables.ts';
import { inTransaction } from '../db/transaction.ts';
import { startTrial } from '../billing/trials.ts';

export interface Arrival {
  issuer: string;
  subject: string;
  email: string;
  emailVerified: boolean;
  /** Used at creation; later only where the account has none. */
  name: string | null;
  company: string | null;
  /** As the sign-up said, for a new account alone: whoever empties it later means that. */
  companyAtSignUp?: string;
  photoUrl?: string | null;
  /** IANA name, of the browser; like the name. */
  timeZone?: string | null;
  /** Where a new account would begin with the trial: its address as a salted hash. */
  trial?: { addressHash: string } | null;
  /** False where sign-up is not open to this person, who signs in all the same where there is an account. */
  mayCreate?: boolean;
  /** The account whose session the request shows, where it shows one. */
  inSessionOf?: string | null;
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
    if (known) return greet(store, trx, known, arrival);
    const created = arrival.mayCreate === false ? null : await createAccount(store, trx, arrival);
    if (created) return { account: created, created: true };

    // Somebody has the address: perhaps this very person, in a request that ran beside this one.
    const justMade = await accountOfIdentity(trx, arrival);
    if (justMade) return greet(store, trx, justMade, arrival);
    const holder = await trx
      .selectFrom('accounts')
      .selectAll()
      .where('email', '=', arrival.email.toLowerCase())
      .executeTakeFirst();
    if (!holder && arrival.mayCreate === false) return 'signups_closed';
    if (!holder) throw new Error('The account that had the address went at this very moment');
    if (!arrival.emailVerified) return 'email_taken';
    if (holder.disabled_at !== null) return 'account_disabled';
    await addIdentity(trx, holder.id, arrival);
    // Whoever comes as another user is somebody new, whatever session the browser has.
    return greet(store, trx, holder, { ...arrival, inSessionOf: null });
  });
  if (typeof opened === 'string') return { ok: false, code: opened };
  const account = toAccount(opened.account);
  const { id: accountId } = account;
  if (opened.hasNewOwner) {
    store.signals.publish({ topic: 'session_ended', accountId, sessionId: null });
    store.signals.publish({ topic: 'account', accountId });
  }
  // What was held back while nobody had proven the address.
  if (opened.isProven) for (const topic of ['mails', 'deliveries'] as const) store.signals.publish({ topic });
  return { ok: true, account, created: opened.created === true };
}

type Row = Selectable<AccountsTable>;
type Opened =
  | {
      account: Row;
      created?: boolean;
      /** The address was proven by this very sign-in. */
      isProven?: boolean;
      /** The account was cleared for somebody new, and every session that was open before is over. */
      hasNewOwner?: boolean;
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
      company_name: arrival.company || (arrival.companyAtSignUp ?? ''),
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

/** Lets somebody in whose identity belongs to the account, and learns from the provider what it did not know. */
async function greet(
  store: Store,
  trx: Transaction<Tables>,
  account: Row,
  arrival: Arrival,
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
  const isFirst = vouched && account.email_verified === 0;
  return fill(store, trx, isFirst ? await prove(store, trx, account.id, arrival) : { account }, arrival);
}

/**
 * Notes that the provider vouches for an address that nobody had proven. Whoever comes may be somebody else than who made the account,
 * also where the provider knows both as one user, so it is cleared. Only who still shows a session of the account stays the same person.
 */
async function prove(
  store: Store,
  trx: Transaction<Tables>,
  accountId: string,
  { inSessionOf, now }: Arrival,
): Promise<Exclude<Opened, string>> {
  const hasNewOwner = inSessionOf !== accountId;
  const ended = hasNewOwner ? await endAccess(trx, accountId) : {};
  const account = await lockAccount(store, trx, accountId);
  // Another sign-in was faster.
  if (account.email_verified === 1) return { account, hasNewOwner };
  await trx.updateTable('accounts').set({ email_verified: 1 }).where('id', '=', accountId).execute();
  await releaseHeldMail(trx, accountId);
  if (hasNewOwner) {
    await dropUnverified(trx, accountId);
    await clearForNewOwner(trx, account, { ended, now });
  }
  return { account: await lockAccount(store, trx, accountId), isProven: true, hasNewOwner };
}

/**
 * Fills what the account lacks from what the provider says; nothing that is there is overwritten. Reads the row again once it is
 * held: meanwhile somebody else may have proven the address, and the identity may be gone.
 */
async function fill(
  store: Store,
  trx: Transaction<Tables>,
  opened: Exclude<Opened, string>,
  arrival: Arrival,
): Promise<Opened> {
  if (missing(opened.account, arrival) === null) return opened;
  const account = await lockAccount(store, trx, opened.account.id);
  if (!(await accountOfIdentity(trx, arrival))) return 'email_taken';
  const next = missing(account, arrival);
  if (next === null) return { ...opened, account };
  const filled = await trx
    .updateTable('accounts')
    .set(next)
    .where('id', '=', account.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return { ...opened, account: filled };
}

/** Returns the columns that the account lacks and the arrival has a value for; null where there are none. */
function missing(account: Row, { name, company, photoUrl, timeZone }: Arrival): Partial<Row> | null {
  const next = {
    full_name: account.full_name || (name ?? ''),
    company_name: account.company_name || (company ?? ''),
    photo_url: account.photo_url ?? photoUrl ?? null,
    time_zone: account.time_zone ?? timeZone ?? null,
  };
  return Object.entries(next).every(([key, value]) => Reflect.get(account, key) === value) ? null : next;
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

/** Removes identities that do not vouch for the address, with their users of the built-in provider. */
async function dropUnverified(trx: Transaction<Tables>, accountId: string): Promise<void> {
  const unverified = await trx
    .deleteFrom('identities')
    .where('account_id', '=', accountId)
    .where('email_verified', '=', 0)
    .returning('subject')
    .execute();
  await deleteUsers(
    trx,
    unverified.map(({ subject }) => subject),
  );
}
