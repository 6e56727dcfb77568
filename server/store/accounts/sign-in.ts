import type { Selectable, Transaction } from 'kysely';
import { randomUUID } from 'node:crypto';
import { type Account, toAccount } from './accounts.ts';
import { applyEntitlement, startTrial } from '../billing/entitlements.ts';
import { deleteUsers } from './identity-users.ts';
import { releaseHeldMail } from '../mail/mail-quota.ts';
import { clearForNewOwner, lockAccount, revokeAccess } from './new-owner.ts';
import type { Store } from '../db/open-store.ts';
import type { AccountsTable } from '../schema/account-tables.ts';
import type { Tables } from '../schema/tables.ts';
import { inTransaction } from '../db/transaction.ts';

/** Facts about a sign-in from the identity provider and the request. */
export interface SignIn {
  issuer: string;
  subject: string;
  email: string;
  emailVerified: boolean;
  /**
   * Name from the provider. Name and company set the account's fields at creation, and later only while they are empty.
   */
  name: string | null;
  company: string | null;
  /** The company from the sign-up form. It applies to new accounts only, because a person may empty the field later. */
  companyAtSignUp?: string;
  photoUrl?: string | null;
  /** The IANA time zone name from the browser. It sets the account's field like `name`. */
  timeZone?: string | null;
  /** Salted hash of the address; set if a new account starts with a trial. */
  trial?: { addressHash: string } | null;
  /** False if this person may not sign up. Sign-in to an existing account still works. */
  mayCreate?: boolean;
  /** Id of the account whose session the request carries, if any. */
  inSessionOf?: string | null;
  now: number;
}

export type OpenedAccount =
  | { ok: true; account: Account; created: boolean }
  /**
   * Nothing was changed. `email_taken`: another account has the address and this provider has not verified it, or a parallel
   * sign-in has just removed this unverified identity.
   */
  | { ok: false; code: 'email_taken' | 'signups_closed' | 'account_disabled' };

/**
 * Returns the account of a person whom an identity provider has authenticated. At the first sign-in, creates the account, or adds
 * the identity to the account that has the same address if the provider has verified it.
 */
export async function openAccount(store: Store, signIn: SignIn): Promise<OpenedAccount> {
  const opened = await inTransaction(store, async (trx): Promise<Opened> => {
    const known = await accountOfIdentity(trx, signIn);
    if (known) return signInToAccount(store, trx, known, signIn);
    const created = signIn.mayCreate === false ? null : await createAccount(store, trx, signIn);
    if (created) return { account: created, created: true };

    // Sign-ups are closed, or the address is taken, perhaps by a parallel request of the same person.
    const createdMeanwhile = await accountOfIdentity(trx, signIn);
    if (createdMeanwhile) return signInToAccount(store, trx, createdMeanwhile, signIn);
    const holder = await trx
      .selectFrom('accounts')
      .selectAll()
      .where('email', '=', signIn.email.toLowerCase())
      .executeTakeFirst();
    if (!holder && signIn.mayCreate === false) return 'signups_closed';
    if (!holder) throw new Error('The account with this address was deleted at the same time');
    if (!signIn.emailVerified) return 'email_taken';
    if (holder.disabled_at !== null) return 'account_disabled';
    await addIdentity(trx, holder.id, signIn);
    // The person signs in with another identity: ignore the session in the browser, because it may be someone else's.
    return signInToAccount(store, trx, holder, { ...signIn, inSessionOf: null });
  });
  if (typeof opened === 'string') return { ok: false, code: opened };
  const account = toAccount(opened.account);
  const { id: accountId } = account;
  if (opened.hasNewOwner) {
    store.signals.publish({ topic: 'session_ended', accountId, sessionId: null });
    store.signals.publish({ topic: 'account', accountId });
  }
  // Wake the workers that send the mail held back while the address was unverified.
  if (opened.isProven) for (const topic of ['mails', 'deliveries'] as const) store.signals.publish({ topic });
  return { ok: true, account, created: opened.created === true };
}

type Row = Selectable<AccountsTable>;
type Opened =
  | {
      account: Row;
      created?: boolean;
      /** True if this sign-in verified the address. */
      isProven?: boolean;
      /** True if all earlier sessions ended, because this or a parallel sign-in cleared the account for a new owner. */
      hasNewOwner?: boolean;
    }
  | Extract<OpenedAccount, { ok: false }>['code'];

/** Creates the account and starts its trial if it gets one. Returns null if another account has the address. */
async function createAccount(store: Store, trx: Transaction<Tables>, signIn: SignIn): Promise<Row | null> {
  const { trial, now } = signIn;
  const created = await trx
    .insertInto('accounts')
    .values({
      id: randomUUID(),
      email: signIn.email.toLowerCase(),
      email_verified: Number(signIn.emailVerified),
      full_name: signIn.name ?? '',
      photo_url: signIn.photoUrl ?? null,
      paddle_id: '',
      company_name: signIn.company || (signIn.companyAtSignUp ?? ''),
      time_zone: signIn.timeZone ?? null,
      plan: 'free',
      created_at: now,
    })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returningAll()
    .executeTakeFirst();
  if (!created) return null;
  await addIdentity(trx, created.id, signIn);
  // If everyone has Premium, the trial would run out without any effect.
  if (!trial || store.everyonePremium) return created;
  if (!(await startTrial(trx, { accountId: created.id, addressHash: trial.addressHash, now })))
    return created;
  await applyEntitlement(store, trx, { accountId: created.id, now });
  return trx.selectFrom('accounts').selectAll().where('id', '=', created.id).executeTakeFirstOrThrow();
}

async function accountOfIdentity(
  trx: Transaction<Tables>,
  { issuer, subject }: SignIn,
): Promise<Row | undefined> {
  return trx
    .selectFrom('identities')
    .innerJoin('accounts', 'accounts.id', 'identities.account_id')
    .selectAll('accounts')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
}

/** Signs a person in to an account that has the identity. Records the verification and fills empty profile fields. */
async function signInToAccount(
  store: Store,
  trx: Transaction<Tables>,
  account: Row,
  signIn: SignIn,
): Promise<Opened> {
  if (account.disabled_at !== null) return 'account_disabled';
  const provesAddress = signIn.emailVerified && signIn.email.toLowerCase() === account.email;
  if (provesAddress)
    await trx
      .updateTable('identities')
      .set({ email_verified: 1 })
      .where('issuer', '=', signIn.issuer)
      .where('subject', '=', signIn.subject)
      .where('email_verified', '=', 0)
      .execute();
  const isFirst = provesAddress && account.email_verified === 0;
  return fillProfile(
    store,
    trx,
    isFirst ? await recordVerification(store, trx, account.id, signIn) : { account },
    signIn,
  );
}

/**
 * Marks the address as verified. Clears the account, unless the request carries a session of it: even if the provider reports the
 * same user, the person may not be the one who created the account.
 */
async function recordVerification(
  store: Store,
  trx: Transaction<Tables>,
  accountId: string,
  { inSessionOf, now }: SignIn,
): Promise<Exclude<Opened, string>> {
  const hasNewOwner = inSessionOf !== accountId;
  const ended = hasNewOwner ? await revokeAccess(trx, accountId) : {};
  const account = await lockAccount(store, trx, accountId);
  // A parallel sign-in has already verified the address.
  if (account.email_verified === 1) return { account, hasNewOwner };
  await trx.updateTable('accounts').set({ email_verified: 1 }).where('id', '=', accountId).execute();
  await releaseHeldMail(trx, accountId);
  if (hasNewOwner) {
    await removeUnverifiedIdentities(trx, accountId);
    await clearForNewOwner(trx, account, { ended, now });
  }
  return { account: await lockAccount(store, trx, accountId), isProven: true, hasNewOwner };
}

/**
 * Fills empty profile fields from the provider's data. Reads the row again under lock, and returns `email_taken` if a
 * parallel sign-in verified the address and removed this identity.
 */
async function fillProfile(
  store: Store,
  trx: Transaction<Tables>,
  opened: Exclude<Opened, string>,
  signIn: SignIn,
): Promise<Opened> {
  if (missingProfile(opened.account, signIn) === null) return opened;
  const account = await lockAccount(store, trx, opened.account.id);
  if (!(await accountOfIdentity(trx, signIn))) return 'email_taken';
  const next = missingProfile(account, signIn);
  if (next === null) return { ...opened, account };
  const filled = await trx
    .updateTable('accounts')
    .set(next)
    .where('id', '=', account.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return { ...opened, account: filled };
}

/** Returns the profile columns with empty ones filled from the sign-in; null if that changes nothing. */
function missingProfile(account: Row, { name, company, photoUrl, timeZone }: SignIn): Partial<Row> | null {
  const next = {
    full_name: account.full_name || (name ?? ''),
    company_name: account.company_name || (company ?? ''),
    photo_url: account.photo_url ?? photoUrl ?? null,
    time_zone: account.time_zone ?? timeZone ?? null,
  };
  return Object.entries(next).every(([key, value]) => Reflect.get(account, key) === value) ? null : next;
}

async function addIdentity(trx: Transaction<Tables>, accountId: string, signIn: SignIn): Promise<void> {
  await trx
    .insertInto('identities')
    .values({
      issuer: signIn.issuer,
      subject: signIn.subject,
      account_id: accountId,
      email_verified: Number(signIn.emailVerified),
      created_at: signIn.now,
    })
    .execute();
}

/** Removes identities with an unverified address, and their users in the built-in provider. */
async function removeUnverifiedIdentities(trx: Transaction<Tables>, accountId: string): Promise<void> {
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
