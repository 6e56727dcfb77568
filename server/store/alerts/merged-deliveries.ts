import { type Expression, sql, type SqlBool, type Transaction } from 'kysely';
import { maxMerged, MERGE_WAIT } from '../../core/alerting/merging.ts';
import { type Claim, leaseClock, lockedOrSkipped } from '../db/dialect.ts';
import type { Store } from '../db/open-store.ts';
import { isUnleased, isWaiting, leasedColumns, nextLane } from '../mail/outbox.ts';
import type { Tables } from '../schema/tables.ts';

/**
 * SQL condition for mergeable deliveries that were never attempted. It is word for word the condition of the index
 * `deliveries_merging`, because SQLite uses a partial index only then.
 */
const isUnsent = sql<boolean>`state = 'waiting' and merge_key is not null and first_attempt_at is null`;

/**
 * Returns the lane and the due time (ms UTC) of a new delivery. A delivery with a merge key is due after `MERGE_WAIT.quietMs`, or
 * later if quiet hours hold it. If they do not, this postpones the previous delivery with the same key to `MERGE_WAIT.maxMs` after it
 * was queued, so that it leaves with the new one.
 */
export async function scheduleDelivery(
  trx: Transaction<Tables>,
  delivery: { accountId: string; mergeKey: string | null; leavesAt: number; createdAt: number; now: number },
): Promise<{ lane: number; next_attempt_at: number }> {
  const { accountId, mergeKey, leavesAt, createdAt, now } = delivery;
  if (mergeKey === null)
    return { lane: await nextLane(trx, 'deliveries', accountId), next_attempt_at: leavesAt };
  const { quietMs, maxMs } = MERGE_WAIT;
  const newest = await trx
    .selectFrom('deliveries')
    .select(['id', 'lane', 'created_at', 'next_attempt_at'])
    .where('account_id', '=', accountId)
    .where('merge_key', '=', mergeKey)
    .where(isUnsent)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  const lane = newest?.lane ?? (await nextLane(trx, 'deliveries', accountId));
  // `mergeClaimed` merges deliveries that are due within `maxMs`, so a delivery that quiet hours hold must be due later than
  // that.
  if (leavesAt > now) return { lane, next_attempt_at: Math.max(leavesAt, createdAt + maxMs + 1) };
  if (newest !== undefined) {
    const latest = Math.min(newest.created_at, now) + maxMs;
    await trx
      .updateTable('deliveries')
      .set({ next_attempt_at: latest })
      .where('account_id', '=', accountId)
      .where('id', '=', newest.id)
      .where('next_attempt_at', '<', latest)
      .where('first_attempt_at', 'is', null)
      .execute();
  }
  return { lane, next_attempt_at: now + quietMs };
}

/**
 * Gives claimed deliveries the lease and Message-ID of one message: those claimed together, those that wait to be merged, and all
 * that an earlier attempt sent together. A delivery must meet the SQL condition `isFree` to be merged.
 */
export async function mergeClaimed(
  store: Store,
  trx: Transaction<Tables>,
  claimed: readonly { id: string }[],
  claim: Claim & { isFree: Expression<SqlBool> },
): Promise<void> {
  const { now, isFree } = claim;
  const rows = await trx
    .selectFrom('deliveries')
    .select(['id', 'account_id', 'channel', 'merge_key', 'message_id', 'first_attempt_at', 'lease_token'])
    .where(
      'id',
      'in',
      claimed.map(({ id }) => id),
    )
    .where('merge_key', 'is not', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const isFirstAttempt = (row: (typeof rows)[number]) => row.first_attempt_at === now;
  const messages = Map.groupBy(rows, (row) =>
    isFirstAttempt(row) ? `${row.account_id} ${row.merge_key}` : row.message_id,
  );
  for (const [first, ...others] of messages.values()) {
    if (first === undefined) continue;
    const joining = lockedOrSkipped(
      store.dialect,
      trx
        .selectFrom('deliveries')
        .select('id')
        .where('account_id', '=', first.account_id)
        .where(isUnleased(leaseClock(store, now)))
        .$if(isFirstAttempt(first), (query) =>
          query
            .where('merge_key', '=', first.merge_key)
            .where(isUnsent)
            .where((eb) =>
              eb.or([
                eb('next_attempt_at', '<=', now),
                eb('next_attempt_at', '<=', eb('created_at', '+', MERGE_WAIT.maxMs)),
              ]),
            )
            .where(isFree),
        )
        .$if(!isFirstAttempt(first), (query) =>
          query.where(isWaiting).where('message_id', '=', first.message_id),
        )
        .orderBy('created_at')
        .limit(maxMerged(first.channel) - 1 - others.length),
    );
    const leaseToken = sql<string>`cast(${first.lease_token} as text)`;
    await trx
      .with('joining', () => joining)
      .updateTable('deliveries')
      .set({ ...leasedColumns(store, claim, leaseToken), message_id: first.message_id })
      .where('account_id', '=', first.account_id)
      .where('id', 'in', (eb) => eb.selectFrom('joining').select('joining.id'))
      .execute();
    if (others.length > 0)
      await trx
        .updateTable('deliveries')
        .set({ lease_token: first.lease_token, message_id: first.message_id })
        .where('account_id', '=', first.account_id)
        .where(
          'id',
          'in',
          others.map(({ id }) => id),
        )
        .execute();
  }
}
