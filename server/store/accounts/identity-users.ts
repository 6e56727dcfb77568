import type { Selectable, Transaction } from 'kysely';
import { randomUUID } from 'node:crypto';
import { identityFlag, locked } from '../db/dialect.ts';
import { releaseHeldMail } from '../mail/mail-allowance.ts';
import { enqueueMail, type NewMail } from '../mail/mails.ts';
import { clearForNewOwner, endAccess, lockAccount } from './new-owner.ts';
import type { Store } from '../db/open-store.ts';
import type { IdentityUserTable } from '../schema/identity-tables.ts';
import type { Tables } from '../schema/tables.ts';
import { inTransaction } from '../db/transaction.ts';

/** A user of the built-in identity provider: what it is called in `identities`, and its id in `user`. */
export interface IdentityUser {
  issuer: string;
  subject: string;
}

/** What better-auth calls a password among the ways to sign in. */
const PASSWORD = 'credential';

/** Puts a mail to a user's address into the outbox; it goes with the account, where there is one. */
export async function enqueueMailToUser(
  store: Store,
  user: IdentityUser,
  mail: Omit<NewMail, 'accountId'>,
): Promise<void> {
  await inTransaction(store, async (trx) => {
    const accountId = await accountIdOf(trx, user);
    await enqueueMail(trx, { ...mail, accountId });
  });
  store.signals.publish({ topic: 'mails' });
}

/** The user proved to own the address, and stays who it was. False where there is no such user. */
export async function verifyAddress(store: Store, user: IdentityUser): Promise<boolean> {
  const verified = await inTransaction(store, async (trx) => {
    const row = await trx
      .updateTable('user')
      .set({ emailVerified: identityFlag(store.dialect, true) })
      .where('id', '=', user.subject)
      .returning('email')
      .executeTakeFirst();
    if (!row) return null;
    await markVerified(trx, user, row.email);
    return { accountId: await accountIdOf(trx, user) };
  });
  if (verified !== null) announceProof(store, verified.accountId);
  return verified !== null;
}

/** How an address was proven: by a mailed link that sets a password, or by a provider that says who comes. */
export interface Proof {
  passwordHash?: string;
  profile?: { name: string; image: string | null };
  now: number;
}

/**
 * Replaces the user of somebody who proved to own its address from outside of every session: by a mailed link, or through another
 * provider. The new user has that address, verified, and the password where there is one. Every session ends, the provider's and
 * ours, and with them personal tokens and calendar links.
 *
 * A verified user keeps the other ways to sign in. Of an unverified one nothing stays, because whoever signed up need not be the owner:
 * passkeys, one-time codes and links to other providers go, and the account is cleared (`AT_NEW_OWNER`).
 *
 * The new id is what makes this hold against requests in flight: what they would still write at the provider (a session, a passkey)
 * refers to a user who is gone, and the foreign key refuses it. Their writes to the account are refused by `holdAccess`.
 *
 * Returns the new subject; null where there is no such user. A verified user without a new password stays as it is.
 */
export async function replaceUser(
  store: Store,
  user: IdentityUser,
  { passwordHash, profile, now }: Proof,
): Promise<string | null> {
  const replaced = await inTransaction(store, async (trx) => {
    const old = await locked(
      store.dialect,
      trx.selectFrom('user').selectAll().where('id', '=', user.subject),
    ).executeTakeFirst();
    if (!old) return null;
    const isVerified = Boolean(old.emailVerified);
    if (isVerified && passwordHash === undefined) return { subject: old.id, accountId: null };

    const subject = randomUUID();
    await succeed(store, trx, old, { subject, profile: isVerified ? 'kept' : profile });
    if (passwordHash !== undefined) await addPassword(trx, { subject, passwordHash, now });
    const accountId = await accountIdOf(trx, user);
    // After the provider's sessions: one of those that is traded for ours meanwhile is gone, and noticed as such.
    const ended = accountId === null ? {} : await endAccess(trx, accountId);
    const account = accountId === null ? undefined : await lockAccount(store, trx, accountId);
    await trx
      .updateTable('identities')
      .set({ subject })
      .where('issuer', '=', user.issuer)
      .where('subject', '=', user.subject)
      .execute();
    await markVerified(trx, { ...user, subject }, old.email);
    if (account?.email_verified === 0) await clearForNewOwner(trx, account, { ended, now });
    if (passwordHash !== undefined)
      await enqueueMail(trx, { accountId, recipient: old.email, content: { kind: 'password_changed' }, now });
    return { subject, accountId };
  });
  if (replaced === null) return null;
  const { subject, accountId } = replaced;
  if (accountId !== null) store.signals.publish({ topic: 'session_ended', accountId, sessionId: null });
  announceProof(store, accountId);
  return subject;
}

/** Deletes users with all that is theirs. Subjects of other providers match none: all of them are long random ids. */
export async function deleteUsers(trx: Transaction<Tables>, subjects: string[]): Promise<void> {
  if (subjects.length === 0) return;
  const users = await trx.deleteFrom('user').where('id', 'in', subjects).returning(['id', 'email']).execute();
  for (const user of users) await deleteChallenges(trx, user);
}

/**
 * Puts a user with a new id in the place of the old one, whose sessions and challenges end. With the profile `kept` it is the same
 * person, who keeps other ways to sign in as well.
 */
async function succeed(
  store: Store,
  trx: Transaction<Tables>,
  old: Selectable<IdentityUserTable>,
  { subject, profile }: { subject: string; profile: Proof['profile'] | 'kept' },
): Promise<void> {
  const isKept = profile === 'kept';
  await trx
    .insertInto('user')
    .values({
      ...old,
      ...(!isKept && { name: profile?.name ?? '', image: profile?.image ?? null, company: null }),
      id: subject,
      // Addresses are unique: the old user has it for one more moment.
      email: subject,
      emailVerified: identityFlag(store.dialect, true),
      twoFactorEnabled: isKept ? old.twoFactorEnabled : identityFlag(store.dialect, false),
    })
    .execute();
  if (isKept) {
    for (const table of ['passkey', 'twoFactor'] as const)
      await trx.updateTable(table).set({ userId: subject }).where('userId', '=', old.id).execute();
    await trx
      .updateTable('account')
      .set({ userId: subject })
      .where('userId', '=', old.id)
      .where('providerId', '<>', PASSWORD)
      .execute();
  }
  await trx.deleteFrom('user').where('id', '=', old.id).execute();
  await deleteChallenges(trx, old);
  await trx.updateTable('user').set({ email: old.email }).where('id', '=', subject).execute();
}

async function addPassword(
  trx: Transaction<Tables>,
  { subject, passwordHash, now }: { subject: string; passwordHash: string; now: number },
): Promise<void> {
  const at = new Date(now).toISOString();
  await trx
    .insertInto('account')
    .values({
      id: randomUUID(),
      userId: subject,
      accountId: subject,
      providerId: PASSWORD,
      password: passwordHash,
      createdAt: at,
      updatedAt: at,
    })
    .execute();
}

/** What better-auth keeps of unfinished business: by user, by address or inside JSON, and without a foreign key. */
async function deleteChallenges(
  trx: Transaction<Tables>,
  { id, email }: { id: string; email: string },
): Promise<void> {
  await trx
    .deleteFrom('verification')
    .where('identifier', 'in', (of) =>
      of
        .selectFrom('verification')
        .select((eb) => eb(eb.val('2fa-attempts-'), '||', eb.ref('identifier')).as('attempts'))
        .where('value', '=', id),
    )
    .execute();
  await trx
    .deleteFrom('verification')
    .where((eb) =>
      eb.or([eb('value', 'in', [id, email]), eb('identifier', '=', email), eb('value', 'like', `%"${id}"%`)]),
    )
    .execute();
}

async function markVerified(trx: Transaction<Tables>, user: IdentityUser, email: string): Promise<void> {
  await trx
    .updateTable('identities')
    .set({ email_verified: 1 })
    .where('issuer', '=', user.issuer)
    .where('subject', '=', user.subject)
    .execute();
  const accountId = await accountIdOf(trx, user);
  if (accountId === null) return;
  await trx
    .updateTable('accounts')
    .set({ email_verified: 1 })
    .where('id', '=', accountId)
    .where('email', '=', email)
    .execute();
  await releaseHeldMail(trx, accountId);
}

/** Tells that the address is proven, which also lets go what was held back while it was not. */
function announceProof(store: Store, accountId: string | null): void {
  if (accountId !== null) store.signals.publish({ topic: 'account', accountId });
  store.signals.publish({ topic: 'mails' });
  store.signals.publish({ topic: 'deliveries' });
}

async function accountIdOf(
  trx: Transaction<Tables>,
  { issuer, subject }: IdentityUser,
): Promise<string | null> {
  const row = await trx
    .selectFrom('identities')
    .select('account_id')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
  return row?.account_id ?? null;
}
