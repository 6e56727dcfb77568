import type { Transaction } from 'kysely';
import { createHash } from 'node:crypto';
import type { Store } from '../db/open-store.ts';
import { isWaiting } from './outbox.ts';
import { consumeRateLimit, refundRateLimit } from '../operations/rate-limits.ts';
import { liftSuppression } from './suppressions.ts';
import type { Tables } from '../schema/tables.ts';
import { DAY_MS } from '../../../contract/durations.ts';

/** What an address gets in a day, alerts and other mail together, while nobody has proven that it is theirs. */
const MOST_A_DAY = 20;
/** Of these, how many only the links may use with which a person proves the address or sets a new password. */
const KEPT_FOR_LINKS = 5;

/**
 * Counts one mail to an unproven address before it is sent, so that parallel ones cannot pass. `until` (ms UTC) is when the
 * next ones may go.
 */
export async function takeAllowance(
  store: Store,
  { address, isLink, now }: { address: string; isLink: boolean; now: number },
): Promise<{ granted: true } | { granted: false; until: number }> {
  const limit = isLink ? MOST_A_DAY : MOST_A_DAY - KEPT_FOR_LINKS;
  const key = keyOf(address);
  const counted = await consumeRateLimit(store, { key, limit, windowMs: DAY_MS, now });
  if (counted.allowed) return { granted: true };
  // Only what goes out counts.
  await refundRateLimit(store, { key });
  return { granted: false, until: now + counted.retryAfterMs };
}

/** For a mail that was not taken after all. */
export async function returnAllowance(store: Store, address: string): Promise<void> {
  await refundRateLimit(store, { key: keyOf(address) });
}

/**
 * Makes due what the allowance of an account held back, in the transaction in which its address was proven. Who read the link there
 * reads the rest, too: mail goes there again.
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
      // A row that waits for another attempt had a first one.
      .where('first_attempt_at', 'is', null)
      .execute();
}

/** Names the address without telling it: the row may outlive the account by a day. */
function keyOf(address: string): string {
  return `mail:${createHash('sha256').update(address.toLowerCase()).digest('base64url')}`;
}
