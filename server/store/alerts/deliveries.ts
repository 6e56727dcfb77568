import { type Expression, sql, type SqlBool } from 'kysely';
import { type ClaimedDelivery, readClaimed } from './claimed-delivery.ts';
import { noteChannelOutcome } from './channel-health.ts';
import { leaseClock } from '../db/dialect.ts';
import { type Claim, makeDueBy, oldestDueCheck } from '../monitors/monitor-claims.ts';
import type { Store } from '../db/open-store.ts';
import {
  answerRow,
  claimDueRows,
  holdRow,
  isForEnabledAccount,
  isWaiting,
  type OutboxLease,
  recallRows,
} from '../mail/outbox.ts';
import { suppress } from '../mail/suppressions.ts';
import type { DeliveryAttemptsTable } from '../schema/alert-tables.ts';
import { inTransaction } from '../db/transaction.ts';

export type { ClaimedDelivery } from './claimed-delivery.ts';

/**
 * Takes the deliveries that have been due the longest, under a lease, and counts the attempt. `by`: those over one kind of way
 * alone; all where it is absent. Those over http leave room for other accounts: ask for a few at a time.
 */
export async function claimDueDeliveries(
  store: Store,
  claim: Claim & { by?: 'mail' | 'http' },
): Promise<ClaimedDelivery[]> {
  return inTransaction(store, async (trx) => {
    const clock = leaseClock(store, claim.now);
    const rules = [overtakesNone(clock, claim.now)];
    if (claim.by !== undefined) rules.push(goesBy(claim.by));
    if (claim.by === 'http') rules.push(leavesRoom(clock));
    const isFree = sql<boolean>`${sql.join(rules, sql` and `)}`;
    const { rows, leaseToken } = await claimDueRows(store, trx, 'deliveries', { ...claim, isFree });
    if (rows.length === 0) return [];
    await trx
      .insertInto('delivery_attempts')
      .values(
        rows.map(({ id, account_id, attempts }) => ({
          account_id: ownerOf({ account_id }),
          delivery_id: id,
          attempt: attempts,
          started_at: claim.now,
        })),
      )
      // The number of an attempt that was held back and counted as none.
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'delivery_id', 'attempt']).doUpdateSet({ started_at: claim.now }),
      )
      .execute();
    return readClaimed(
      trx,
      rows.map(({ id }) => id),
      leaseToken,
    );
  });
}

/** Of the outboxes that of alerts has an account for every row. */
function ownerOf({ account_id: accountId }: { account_id: string | null }): string {
  if (accountId === null) throw new Error('A delivery belongs to nobody.');
  return accountId;
}

const goesBy = (way: 'mail' | 'http'): Expression<SqlBool> =>
  way === 'mail' ? sql<boolean>`deliveries.channel = 'email'` : sql<boolean>`deliveries.channel != 'email'`;

/** How many of one account are posted at once: receivers that never answer must not hold up those of others. */
const MOST_OF_AN_ACCOUNT = 8;

/**
 * A receiver that took nothing last time is tried with one message at a time. Who is full is asked once for a claim, not for each
 * row: one account may have thousands of them waiting.
 */
function leavesRoom(clock: Expression<number>): Expression<SqlBool> {
  const busy = sql`from deliveries busy where busy.lease_token is not null and busy.lease_expires_at > ${clock}
    and busy.channel != 'email'`;
  return sql<boolean>`deliveries.account_id not in (
      select busy.account_id ${busy} group by busy.account_id having count(*) >= ${sql.lit(MOST_OF_AN_ACCOUNT)})
    and coalesce(deliveries.channel_id, '') not in (
      select busy.channel_id ${busy} and exists (
        select 1 from channels where channels.id = busy.channel_id and channels.failing_since is not null))`;
}

/** Messages about one incident reach a channel in order: none leaves while an earlier one is being sent, or is about to be. */
function overtakesNone(clock: Expression<number>, now: number): Expression<SqlBool> {
  return sql<boolean>`not exists (select 1 from deliveries earlier
    where earlier.incident_id = deliveries.incident_id and earlier.channel_key = deliveries.channel_key
      and earlier.state = 'waiting' and earlier.created_at < deliveries.created_at
      and (earlier.lease_expires_at > ${clock} or earlier.next_attempt_at <= ${now}))`;
}

export type DeliveryOutcomeKind = NonNullable<DeliveryAttemptsTable['outcome']>;

/** Ends a delivery. False, and nothing changed, when the lease is no longer ours. */
export async function settleDelivery(
  store: Store,
  settled: OutboxLease & {
    outcome: 'delivered' | 'failed' | 'superseded';
    /** What the receiver said besides: that it is gone, or that its address takes no mail. */
    because?: { gone: true } | { refusedAddress: string };
    detail: string | null;
    now: number;
  },
): Promise<boolean> {
  const { outcome, now } = settled;
  return answer(store, settled, outcome, { state: outcome, settled_at: now });
}

/** Plans the next attempt. False, and nothing changed, when the lease is no longer ours. */
export async function retryDelivery(
  store: Store,
  retry: OutboxLease & { nextAttemptAt: number; detail: string | null; now: number },
): Promise<boolean> {
  return answer(store, retry, 'retry', { next_attempt_at: retry.nextAttemptAt });
}

/** Gives a claimed delivery back until `until`, as if nobody had tried. False when the lease is no longer ours. */
export async function holdDelivery(
  store: Store,
  hold: OutboxLease & { until: number; detail: string },
): Promise<boolean> {
  return inTransaction(store, async (trx) => {
    const held = await holdRow(trx, 'deliveries', hold);
    if (held === undefined) return false;
    await trx
      .deleteFrom('delivery_attempts')
      .where('account_id', '=', ownerOf(held))
      .where('delivery_id', '=', hold.id)
      .where('attempt', '=', held.attempt)
      .execute();
    return true;
  });
}

/** Makes due what a clock that ran ahead put off; returns how many deliveries. */
export const recallDeliveries = (store: Store, now: number): Promise<number> =>
  recallRows(store, 'deliveries', now);

/** How long the oldest waiting work has been due: instants, null where nothing is due. */
export async function oldestDue(
  store: Store,
  now: number,
): Promise<{ checkAt: number | null; deliveryAt: number | null }> {
  const delivery = await store.db
    .selectFrom('deliveries')
    .select((eb) => eb.fn.min('next_attempt_at').as('at'))
    .where(isWaiting)
    .where('next_attempt_at', '<=', now)
    .where(isForEnabledAccount('deliveries'))
    .executeTakeFirst();
  return { checkAt: await oldestDueCheck(store, now), deliveryAt: delivery?.at ?? null };
}

async function answer(
  store: Store,
  attempt: OutboxLease & { because?: Because; detail: string | null; now: number },
  outcome: DeliveryOutcomeKind,
  change: { state?: 'delivered' | 'failed' | 'superseded'; settled_at?: number; next_attempt_at?: number },
): Promise<boolean> {
  const { now, detail, because } = attempt;
  const answered = await inTransaction(store, async (trx) => {
    const ours = await answerRow(trx, 'deliveries', attempt, { ...change, detail });
    if (!ours) return null;
    await trx
      .updateTable('delivery_attempts')
      .set({ outcome, detail, finished_at: now })
      .where('account_id', '=', ownerOf(ours))
      .where('delivery_id', '=', attempt.id)
      .where('attempt', '=', ours.attempts)
      .execute();
    const row = await trx
      .selectFrom('deliveries')
      .innerJoin('alerts', (join) =>
        join
          .onRef('alerts.account_id', '=', 'deliveries.account_id')
          .onRef('alerts.id', '=', 'deliveries.alert_id'),
      )
      .select([
        'deliveries.account_id',
        'deliveries.channel_id',
        'deliveries.incident_id',
        'alerts.monitor_id',
      ])
      .where('deliveries.id', '=', attempt.id)
      .executeTakeFirstOrThrow();
    const suppressed = because !== undefined && 'refusedAddress' in because;
    if (suppressed)
      await suppress(trx, { address: because.refusedAddress, reason: 'refused', detail: detail ?? '', now });
    const ended = suppressed ? 'refused' : because !== undefined && 'gone' in because ? 'gone' : null;
    const isClosed =
      row.channel_id !== null &&
      (await noteChannelOutcome(trx, { channelId: row.channel_id, outcome, ended, detail, now }));
    // What nobody was told now, the next check tells where it still can be told.
    const isRetold = change.state === 'failed' && row.incident_id !== null && row.monitor_id !== null;
    if (isRetold) await makeDueBy(trx, { accountId: row.account_id, monitorId: row.monitor_id, at: now });
    return { ...row, suppressed, isClosed, isRetold };
  });
  if (answered === null) return false;
  const { account_id: accountId, monitor_id: monitorId } = answered;
  if (change.next_attempt_at !== undefined && change.next_attempt_at <= now)
    store.signals.publish({ topic: 'deliveries' });
  if (answered.isClosed) store.signals.publish({ topic: 'mails' });
  if (answered.isClosed || answered.isRetold) store.signals.publish({ topic: 'due' });
  // The notice that mail to the own address bounces comes and goes.
  if (answered.suppressed || (answered.channel_id === null && change.state !== undefined))
    store.signals.publish({ topic: 'account', accountId });
  store.signals.publish({
    topic: 'alerts',
    accountId,
    monitorId: answered.isClosed || answered.suppressed ? null : monitorId,
  });
  return true;
}

type Because = Parameters<typeof settleDelivery>[1]['because'];
