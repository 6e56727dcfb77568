import type { Selectable, Transaction } from 'kysely';
import { randomUUID } from 'node:crypto';
import { identityFlag, locked } from '../db/dialect.ts';
import { releaseHeldMail } from '../mail/mail-quota.ts';
import { enqueueMail, type NewMail } from '../mail/mails.ts';
import { clearForNewOwner, lockAccount, revokeAccess } from './new-owner.ts';
import type { Store } from '../db/open-store.ts';
import type { IdentityUserTable } from '../schema/account-tables.ts';
import type { Tables } from '../schema/tables.ts';
import { inTransaction } from '../db/transaction.ts';

/** A user of the built-in identity provider. `subject` is the id in the table `user`. */
export interface IdentityUser {
  issuer: string;
  subject: string;
}

/** The `providerId` that better-auth uses for passwords. */
const PASSWORD = 'credential';

/** Queues a mail to a user and assigns it to the user's account, if there is one. */
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

/** Marks the user's address as verified; the user keeps the id. Returns false if there is no such user. */
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
  if (verified !== null) publishVerification(store, verified.accountId);
  return verified !== null;
}

/** Proof of an address: a mailed link that sets a password, or the profile from another identity provider. */
export interface AddressProof {
  passwordHash?: string;
  profile?: { name: string; image: string | null };
  now: number;
}

/**
 * Replaces a user whose address was proven outside any session, ends all access (see `revokeAccess`), and clears an unverified account.
 * Changes nothing if the user is verified and `passwordHash` is missing. Returns the current subject; null if there is no such user.
 */
export async function replaceIdentityUser(
  store: Store,
  user: IdentityUser,
  { passwordHash, profile, now }: AddressProof,
): Promise<string | null> {
  const replaced = await inTransaction(store, async (trx) => {
    const old = await locked(
      store.dialect,
      trx.selectFrom('user').selectAll().where('id', '=', user.subject),
    ).executeTakeFirst();
    if (!old) return null;
    const isVerified = Boolean(old.emailVerified);
    if (isVerified && passwordHash === undefined) return { subject: old.id, accountId: null };

    // Use a new id, so that requests in flight cannot undo this: what they write at the provider (a session, a passkey)
    // refers to the old id and violates the foreign key, and `lockAccess` refuses their writes to the account.
    const subject = randomUUID();
    // A verified user keeps passkeys, one-time codes and links to other providers. An unverified one loses them,
    // because the person who signed up may not own the address.
    await replaceUserRow(store, trx, old, { subject, profile: isVerified ? 'kept' : profile });
    if (passwordHash !== undefined) await addPassword(trx, { subject, passwordHash, now });
    const accountId = await accountIdOf(trx, user);
    // End the product's sessions after the provider's, so that nobody can exchange a provider session for a new one in between.
    const ended = accountId === null ? {} : await revokeAccess(trx, accountId);
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
  publishVerification(store, accountId);
  return subject;
}

/**
 * Deletes users and all their data. Subjects of other providers match no user, because the ids of the built-in provider are long
 * and random.
 */
export async function deleteUsers(trx: Transaction<Tables>, subjects: string[]): Promise<void> {
  if (subjects.length === 0) return;
  const users = await trx.deleteFrom('user').where('id', 'in', subjects).returning(['id', 'email']).execute();
  for (const user of users) await deletePendingVerifications(trx, user);
}

/**
 * Replaces the user's row with one that has a new id and a verified address. Deletes the password, sessions and pending
 * verifications. If `profile` is not `kept`, also deletes passkeys, one-time codes, links to other providers and the old profile.
 */
async function replaceUserRow(
  store: Store,
  trx: Transaction<Tables>,
  old: Selectable<IdentityUserTable>,
  { subject, profile }: { subject: string; profile: AddressProof['profile'] | 'kept' },
): Promise<void> {
  const isKept = profile === 'kept';
  await trx
    .insertInto('user')
    .values({
      ...old,
      ...(!isKept && { name: profile?.name ?? '', image: profile?.image ?? null, company: null }),
      id: subject,
      // Use a placeholder, because addresses are unique and the old row still has this one.
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
  await deletePendingVerifications(trx, old);
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

/**
 * Deletes better-auth's pending verifications. They contain the user's id or address, some within JSON, and have no foreign key
 * to the user.
 */
async function deletePendingVerifications(
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

/** Publishes that the address was verified, and wakes the workers that send the alerts and mail held back until then. */
function publishVerification(store: Store, accountId: string | null): void {
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
