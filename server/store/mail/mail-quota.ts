import type { Transaction } from 'kysely';
import { createHash } from 'node:crypto';
import type { Store } from '../db/open-store.ts';
import { isWaiting } from './outbox.ts';
import { consumeRateLimit, refundRateLimit } from '../operations/rate-limits.ts';
import { liftSuppression } from './suppressions.ts';
import type { Tables } from '../schema/tables.ts';
import { DAY_MS } from '../../../contract/durations.ts';

/** Limit on mails per day to an unverified address, alerts and other mail together. */
const MAX_PER_DAY = 20;
/** Part of `MAX_PER_DAY` reserved for mails with a link that verifies the address or resets the password. */
const RESERVED_FOR_LINKS = 5;

/** Value of `detail` in alerts and mails that the quota holds back. `releaseHeldMail` finds them by this text. */
export const HELD_BY_QUOTA =
  'Waiting: this address is not confirmed and has reached its mail limit for today.';

/**
 * Counts one mail to an unverified address against its daily limit. Call it before sending, so that parallel sends
 * cannot exceed the limit. If refused, `until` (ms UTC) says when the next mail may be sent.
 */
export async function consumeMailQuota(
  store: Store,
  { address, isLink, now }: { address: string; isLink: boolean; now: number },
): Promise<{ granted: true } | { granted: false; until: number }> {
  const limit = isLink ? MAX_PER_DAY : MAX_PER_DAY - RESERVED_FOR_LINKS;
  const key = keyOf(address);
  const counted = await consumeRateLimit(store, { key, limit, windowMs: DAY_MS, now });
  if (counted.allowed) return { granted: true };
  // Undo the count, so that a refused mail does not use up the quota.
  await refundRateLimit(store, { key });
  return { granted: false, until: now + counted.retryAfterMs };
}

/** Undoes the count of a mail that the server did not accept. */
export async function refundMailQuota(store: Store, address: string): Promise<void> {
  await refundRateLimit(store, { key: keyOf(address) });
}

/**
 * Makes alerts and mails due that the daily limit holds back, except alerts in quiet hours. Lifts a suppression of the address,
 * because its owner can read mail there. Call it in the transaction that verifies the account's address.
 */
export async function releaseHeldMail(trx: Transaction<Tables>, accountId: string): Promise<void> {
  const { email } = await trx
    .selectFrom('accounts')
    .select('email')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  await liftSuppression(trx, email);
  for (const outbox of ['deliveries', 'mails'] as const)
    await trx
      .updateTable(outbox as 'mails')
      .set((eb) => ({ next_attempt_at: eb.ref('created_at') }))
      .where('account_id', '=', accountId)
      .where(isWaiting)
      .where('detail', '=', HELD_BY_QUOTA)
      .execute();
}

/** Returns the rate limit key of an address. It contains a hash, because the row may outlive the account by a day. */
function keyOf(address: string): string {
  return `mail:${createHash('sha256').update(address.toLowerCase()).digest('base64url')}`;
}
