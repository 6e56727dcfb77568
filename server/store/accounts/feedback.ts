import { randomUUID } from 'node:crypto';
import { FIXED_LIMITS } from '../../core/limits.ts';
import type { Account } from './accounts.ts';
import { lockPlan } from '../billing/entitlements.ts';
import { enqueueMail } from '../mail/mails.ts';
import type { Store } from '../db/open-store.ts';
import { inTransaction, type WriteInTransaction } from '../db/transaction.ts';
import { HOUR_MS } from '../../../contract/durations.ts';

export interface NewFeedback {
  account: Account;
  title: string;
  message: string;
  /** The operator's address. */
  recipient: string;
  now: number;
  alsoWrite?: WriteInTransaction<void>;
}

/**
 * Stores a person's feedback and queues a mail to the operator. Above the hourly limit, returns `retryAfterMs` instead.
 */
export async function addFeedback(
  store: Store,
  { account, title, message, recipient, now, alsoWrite }: NewFeedback,
): Promise<{ ok: true } | { ok: false; retryAfterMs: number }> {
  const added = await inTransaction(store, async (trx) => {
    // Serialise parallel requests of one account, so that they cannot exceed the limit.
    const { plan } = await lockPlan(store, trx, { accountId: account.id, now });
    const premium = plan === 'premium';
    const recent = await trx
      .selectFrom('feedback')
      .select('created_at')
      .where('account_id', '=', account.id)
      .where('created_at', '>', now - HOUR_MS)
      .orderBy('created_at', 'desc')
      .limit(FIXED_LIMITS.feedbackPerHour)
      .execute();
    const oldest = recent[FIXED_LIMITS.feedbackPerHour - 1];
    if (oldest) return { ok: false as const, retryAfterMs: oldest.created_at + HOUR_MS - now };
    await trx
      .insertInto('feedback')
      .values({
        id: randomUUID(),
        account_id: account.id,
        title,
        message,
        premium: Number(premium),
        created_at: now,
      })
      .execute();
    const surplus = await trx
      .selectFrom('feedback')
      .select('created_at')
      .where('account_id', '=', account.id)
      .orderBy('created_at', 'desc')
      .limit(1)
      .offset(FIXED_LIMITS.feedbackKept)
      .executeTakeFirst();
    if (surplus)
      await trx
        .deleteFrom('feedback')
        .where('account_id', '=', account.id)
        .where('created_at', '<=', surplus.created_at)
        .execute();
    await enqueueMail(trx, {
      accountId: account.id,
      recipient,
      content: { kind: 'feedback', from: { name: account.fullName, email: account.email, premium }, message },
      now,
    });
    await alsoWrite?.(trx);
    return { ok: true as const };
  });
  if (added.ok) store.signals.publish({ topic: 'mails' });
  return added;
}

export interface Feedback {
  id: string;
  email: string;
  fullName: string;
  /** Whether the account had Premium when the feedback was written. */
  premium: boolean;
  title: string;
  message: string;
  createdAt: number;
}

/** Lists at most `limit` messages: first those whose author had Premium when writing, then the others, newest first. */
export async function listFeedback(store: Store, limit: number): Promise<Feedback[]> {
  const rows = await store.db
    .selectFrom('feedback')
    .innerJoin('accounts', 'accounts.id', 'feedback.account_id')
    .selectAll('feedback')
    .select(['accounts.email', 'accounts.full_name'])
    .orderBy('feedback.premium', 'desc')
    .orderBy('feedback.created_at', 'desc')
    .orderBy('feedback.id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    email: row.email,
    fullName: row.full_name,
    premium: row.premium === 1,
    title: row.title,
    message: row.message,
    createdAt: row.created_at,
  }));
}
