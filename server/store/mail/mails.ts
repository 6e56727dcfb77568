import type { Transaction } from 'kysely';
import { randomUUID } from 'node:crypto';
import { type AccountMail, LINK_MAIL_KINDS, OPERATOR_MAIL_KINDS } from '../../core/account-mail.ts';
import type { Claim } from '../db/dialect.ts';
import type { Store } from '../db/open-store.ts';
import {
  claimDueRows,
  correctDueTimes,
  deferRows,
  LAST_LANE,
  nextLane,
  type OutboxLease,
  type SentRows,
  updateLeasedRows,
} from './outbox.ts';
import { liftRefusedSuppression, suppress } from './suppressions.ts';
import type { MailState, Tables } from '../schema/tables.ts';
import { inTransaction, inUrgentTransaction } from '../db/transaction.ts';
import { readMail } from './stored-mail.ts';

export interface NewMail {
  /** The account that the mail belongs to; it is deleted with the account. Null if there is none. */
  accountId: string | null;
  recipient: string;
  content: AccountMail;
  now: number;
  /** Expiry, ms UTC. A mail that was not sent by then is dropped. If absent, the mail does not expire. */
  expiresAt?: number;
}

/** Queues a mail in the caller's transaction. Publish the signal `mails` after the commit. */
export async function enqueueMail(trx: Transaction<Tables>, mail: NewMail): Promise<void> {
  const { kind, ...data } = mail.content;
  const id = randomUUID();
  const { accountId } = mail;
  const urgentLane = async () => (accountId === null ? 0 : nextLane(trx, 'mails', accountId));
  await trx
    .insertInto('mails')
    .values({
      id,
      account_id: accountId,
      recipient: mail.recipient,
      kind,
      lane: kind === 'digest' ? LAST_LANE : await urgentLane(),
      data: JSON.stringify(data),
      message_id: `<${id}@certlantern>`,
      state: 'waiting',
      attempts: 0,
      unanswered: 0,
      next_attempt_at: mail.now,
      expires_at: mail.expiresAt ?? null,
      created_at: mail.now,
    })
    .execute();
}

/** A mail that this worker has leased for sending. */
export interface ClaimedMail {
  id: string;
  leaseToken: string;
  accountId: string | null;
  /** Number of the attempt, from 1. The claim counts it, so that attempts of killed workers count too. */
  attempt: number;
  recipient: string;
  /** True if the recipient is the account's verified address or the operator. */
  isProven: boolean;
  content: AccountMail;
  /** The recipient's time zone (IANA name); null: UTC. */
  timeZone: string | null;
  /** The Message-ID, the same for every attempt. */
  messageId: string;
  firstAttemptAt: number;
  createdAt: number;
  expiresAt: number | null;
}

/** Claims due mails, see `claimDueRows`. Digests come last. */
export async function claimDueMails(store: Store, claim: Claim): Promise<ClaimedMail[]> {
  return inTransaction(store, async (trx) => {
    const { rows, givenUp } = await claimDueRows(store, trx, 'mails', claim);
    if (givenUp.length > 0)
      await trx
        .updateTable('mails')
        .set({ data: null })
        .where('id', 'in', givenUp)
        .where('kind', 'in', LINK_MAIL_KINDS)
        .execute();
    if (rows.length === 0) return [];
    const mails = await trx
      .selectFrom('mails')
      .leftJoin('accounts', 'accounts.id', 'mails.account_id')
      .selectAll('mails')
      .select(['accounts.email', 'accounts.email_verified', 'accounts.time_zone'])
      .where(
        'mails.id',
        'in',
        rows.map(({ id }) => id),
      )
      .orderBy('next_attempt_at')
      .execute();
    return mails.map((row) => ({
      id: row.id,
      leaseToken: row.lease_token ?? '',
      accountId: row.account_id,
      attempt: row.attempts,
      recipient: row.recipient,
      isProven:
        OPERATOR_MAIL_KINDS.includes(row.kind) || (row.email === row.recipient && row.email_verified === 1),
      content: readMail(row.kind, row.data),
      // A recipient other than the account's owner may live in another time zone.
      timeZone: row.email === row.recipient ? row.time_zone : null,
      messageId: row.message_id,
      firstAttemptAt: row.first_attempt_at ?? row.created_at,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
    }));
  });
}

export type SettledMail = OutboxLease & {
  /** The row of the mail. With it, the mail can be settled as `delivered` even if the lease is lost. */
  rows?: SentRows;
  outcome: Exclude<MailState, 'waiting'>;
  detail: string | null;
  /** Set if the server permanently refused the address. */
  because?: { refusedAddress: string };
  now: number;
};

/**
 * Settles a mail and deletes its content. Failed mails without a secret link keep it, so that they can be sent again. Returns
 * false and changes nothing if the lease is lost. But a mail that was sent and still waits becomes `delivered` even then.
 */
export async function settleMail(store: Store, settled: SettledMail): Promise<boolean> {
  const { outcome, now, detail, because } = settled;
  const mail = await inUrgentTransaction(store, async (trx) => {
    const change = { state: outcome, settled_at: now, detail };
    const [updated] = await updateLeasedRows(trx, 'mails', settled, change);
    if (!updated) return undefined;
    const row = await trx
      .updateTable('mails')
      .set((eb) => ({
        data:
          outcome === 'failed'
            ? eb.case().when('kind', 'in', LINK_MAIL_KINDS).then(null).else(eb.ref('data')).end()
            : null,
      }))
      .where('id', '=', updated.id)
      .returning(['account_id', 'kind', 'recipient'])
      .executeTakeFirstOrThrow();
    // Never suppress the operator's address, because alarms about failing mail are sent there.
    if (because && !OPERATOR_MAIL_KINDS.includes(row.kind))
      await suppress(trx, {
        address: because.refusedAddress,
        reason: 'refused',
        now,
        detail: detail ?? '',
      });
    const isLink = LINK_MAIL_KINDS.some((kind) => kind === row.kind);
    if (outcome === 'delivered' && isLink) await liftRefusedSuppression(trx, row.recipient);
    return row;
  });
  if (mail === undefined) return false;
  // Pages show a notice while mail to the account's address fails.
  if (mail.account_id !== null) store.signals.publish({ topic: 'account', accountId: mail.account_id });
  return true;
}

/** Schedules the next attempt. Returns false and changes nothing if the lease is lost. */
export async function retryMail(
  store: Store,
  retry: OutboxLease & { nextAttemptAt: number; detail: string | null; now: number },
): Promise<boolean> {
  const change = { next_attempt_at: retry.nextAttemptAt, detail: retry.detail };
  const updated = await inUrgentTransaction(store, (trx) => updateLeasedRows(trx, 'mails', retry, change));
  if (updated.length === 0) return false;
  if (retry.nextAttemptAt <= retry.now) store.signals.publish({ topic: 'mails' });
  return true;
}

/** Defers a claimed mail until `until` (ms UTC) and does not count the attempt. Returns false if the lease is lost. */
export async function deferMail(
  store: Store,
  hold: OutboxLease & { until: number; detail: string },
): Promise<boolean> {
  return (await inTransaction(store, (trx) => deferRows(trx, 'mails', hold))).length > 0;
}

/** Makes mails due that were scheduled too late while the clock ran ahead. Returns their number. */
export const correctMailTimes = (store: Store, now: number): Promise<number> =>
  correctDueTimes(store, 'mails', now);
