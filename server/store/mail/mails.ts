import type { Transaction } from 'kysely';
import { randomUUID } from 'node:crypto';
import type { AccountMail } from '../../core/index.ts';
import type { Claim } from '../monitors/monitor-claims.ts';
import type { Store } from '../db/open-store.ts';
import { answerRow, claimDueRows, holdRow, type OutboxLease, recallRows } from './outbox.ts';
import { liftRefusal, suppress } from './suppressions.ts';
import type { MailState, Tables } from '../schema/tables.ts';
import { inTransaction } from '../db/transaction.ts';
import { readMail } from './stored-mail.ts';

/** Kinds whose data is a link that acts for whoever has it. They go out to an address that refused mail, too. */
export const LINK_KINDS: readonly AccountMail['kind'][] = [
  'verify_email',
  'reset_password',
  'confirm_recipient',
];
/** Kinds that go to the operator, whosever row it is. */
export const OPERATOR_KINDS: readonly string[] = [
  'feedback',
  'operator_alarm',
] satisfies AccountMail['kind'][];

export interface NewMail {
  /** Whose row it is, and goes with; null only where there is none. */
  accountId: string | null;
  recipient: string;
  content: AccountMail;
  now: number;
  /** ms UTC; a mail that could not be sent by then is dropped. */
  expiresAt?: number;
}

/** Puts a mail into the outbox, in the transaction of what it is about. Publish the signal `mails` after it. */
export async function enqueueMail(trx: Transaction<Tables>, mail: NewMail): Promise<void> {
  const { kind, ...data } = mail.content;
  const id = randomUUID();
  await trx
    .insertInto('mails')
    .values({
      id,
      account_id: mail.accountId,
      recipient: mail.recipient,
      kind,
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

/** One mail that is this worker's to send until its lease ends. */
export interface ClaimedMail {
  id: string;
  leaseToken: string;
  accountId: string | null;
  /** From 1; counted when claimed, also where the worker dies. */
  attempt: number;
  recipient: string;
  /** Whether it goes to somebody who proved to own the address, or to the operator. */
  isProven: boolean;
  content: AccountMail;
  /** Of the account that it is for; null: UTC. */
  timeZone: string | null;
  /** The same at every attempt. */
  messageId: string;
  firstAttemptAt: number;
  createdAt: number;
  expiresAt: number | null;
}

/** Takes the mails that have been due the longest, under a lease, and counts the attempt. */
export async function claimDueMails(store: Store, claim: Claim): Promise<ClaimedMail[]> {
  return inTransaction(store, async (trx) => {
    const { rows, leaseToken, givenUp } = await claimDueRows(store, trx, 'mails', claim);
    if (givenUp.length > 0)
      await trx
        .updateTable('mails')
        .set({ data: null })
        .where('id', 'in', givenUp)
        .where('kind', 'in', LINK_KINDS)
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
      leaseToken,
      accountId: row.account_id,
      attempt: row.attempts,
      recipient: row.recipient,
      isProven:
        OPERATOR_KINDS.includes(row.kind) || (row.email === row.recipient && row.email_verified === 1),
      content: readMail(row.kind, row.data),
      // The clock of somebody else says nothing to who reads it.
      timeZone: row.email === row.recipient ? row.time_zone : null,
      messageId: row.message_id,
      firstAttemptAt: row.first_attempt_at ?? row.created_at,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
    }));
  });
}

export type SettledMail = OutboxLease & {
  outcome: Exclude<MailState, 'waiting'>;
  detail: string | null;
  /** The address takes no mail. */
  because?: { refusedAddress: string };
  now: number;
};

/**
 * Ends a mail and forgets what it said; a failed one keeps that, unless it is a secret, so that it can be sent again.
 * False, and nothing changed, when the lease is no longer ours.
 */
export async function settleMail(store: Store, settled: SettledMail): Promise<boolean> {
  const { outcome, now, detail, because } = settled;
  const mail = await inTransaction(store, async (trx) => {
    const ours = await answerRow(trx, 'mails', settled, { state: outcome, settled_at: now, detail });
    if (!ours) return undefined;
    const row = await trx
      .updateTable('mails')
      .set((eb) => ({
        data:
          outcome === 'failed'
            ? eb.case().when('kind', 'in', LINK_KINDS).then(null).else(eb.ref('data')).end()
            : null,
      }))
      .where('id', '=', settled.id)
      .returning(['account_id', 'kind', 'recipient'])
      .executeTakeFirstOrThrow();
    // Nobody but the operator could mend that address, and needs its mail to learn of it.
    if (because && !OPERATOR_KINDS.includes(row.kind))
      await suppress(trx, {
        address: because.refusedAddress,
        reason: 'refused',
        now,
        detail: detail ?? '',
      });
    const isLink = LINK_KINDS.some((kind) => kind === row.kind);
    if (outcome === 'delivered' && isLink) await liftRefusal(trx, row.recipient);
    return row;
  });
  if (mail === undefined) return false;
  // The notice that mail bounces comes and goes.
  if (mail.account_id !== null) store.signals.publish({ topic: 'account', accountId: mail.account_id });
  return true;
}

/** Plans the next attempt. False, and nothing changed, when the lease is no longer ours. */
export async function retryMail(
  store: Store,
  retry: OutboxLease & { nextAttemptAt: number; detail: string | null; now: number },
): Promise<boolean> {
  const change = { next_attempt_at: retry.nextAttemptAt, detail: retry.detail };
  const ours = await inTransaction(store, (trx) => answerRow(trx, 'mails', retry, change));
  if (ours && retry.nextAttemptAt <= retry.now) store.signals.publish({ topic: 'mails' });
  return ours !== undefined;
}

/** Gives a claimed mail back until `until`, as if nobody had tried. False when the lease is no longer ours. */
export async function holdMail(
  store: Store,
  hold: OutboxLease & { until: number; detail: string },
): Promise<boolean> {
  return (await inTransaction(store, (trx) => holdRow(trx, 'mails', hold))) !== undefined;
}

/** Makes due what a clock that ran ahead put off; returns how many mails. */
export const recallMails = (store: Store, now: number): Promise<number> => recallRows(store, 'mails', now);

/** Removes mails that were settled before `before`; returns how many. */
export async function pruneMails(store: Store, before: number): Promise<number> {
  const result = await store.db.deleteFrom('mails').where('settled_at', '<', before).executeTakeFirst();
  return Number(result.numDeletedRows);
}
