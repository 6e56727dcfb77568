import { sql, type Transaction } from 'kysely';
import { randomUUID } from 'node:crypto';
import type { PlanSource } from '../core/index.ts';
import type { Claim } from './monitor-claims.ts';
import type { Store } from './open-store.ts';
import { answerRow, claimDueRows, holdRow, type OutboxLease, recallRows } from './outbox.ts';
import type { MailState, Tables } from './tables.ts';
import { inTransaction } from './transaction.ts';

/** What a mail that is no alert says; the worker renders it when it is sent. */
export type MailContent =
  | { kind: 'verify_email'; url: string }
  | { kind: 'reset_password'; url: string; expiresAt: number }
  | { kind: 'password_changed' }
  | { kind: 'premium_ended'; paused: { host: string; port: number }[]; source: PlanSource }
  | { kind: 'feedback'; from: { name: string; email: string; premium: boolean }; message: string };

/** Kinds whose data is a link that acts for whoever has it. */
const SECRET_KINDS: readonly MailContent['kind'][] = ['verify_email', 'reset_password'];

export interface NewMail {
  /** Whose row it is, and goes with; null only where there is none. */
  accountId: string | null;
  recipient: string;
  content: MailContent;
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
  /** From 1; counted when claimed, also where the worker dies. */
  attempt: number;
  recipient: string;
  /** Whether it goes to somebody who proved to own the address, or to the operator. */
  isProven: boolean;
  content: MailContent;
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
        .where('kind', 'in', SECRET_KINDS)
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
      attempt: row.attempts,
      recipient: row.recipient,
      isProven: row.kind === 'feedback' || (row.email === row.recipient && row.email_verified === 1),
      content: { kind: row.kind, ...JSON.parse(row.data ?? '{}') } as MailContent,
      // Feedback is the sender's row and the operator's mail.
      timeZone: row.kind === 'feedback' ? null : row.time_zone,
      messageId: row.message_id,
      firstAttemptAt: row.first_attempt_at ?? row.created_at,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
    }));
  });
}

/**
 * Ends a mail and forgets what it said; a failed one keeps that, unless it is a secret, so that it can be sent again.
 * False, and nothing changed, when the lease is no longer ours.
 */
export async function settleMail(
  store: Store,
  settled: OutboxLease & { outcome: Exclude<MailState, 'waiting'>; detail: string | null; now: number },
): Promise<boolean> {
  const { outcome, now, detail } = settled;
  return inTransaction(store, async (trx) => {
    const ours = await answerRow(trx, 'mails', settled, { state: outcome, settled_at: now, detail });
    if (!ours) return false;
    await trx
      .updateTable('mails')
      .set({ data: null })
      .where('id', '=', settled.id)
      .where((eb) => (outcome === 'failed' ? eb('kind', 'in', SECRET_KINDS) : sql<boolean>`true`))
      .execute();
    return true;
  });
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
