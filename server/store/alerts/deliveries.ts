import { type Expression, type ExpressionBuilder, sql, type SqlBool, type Transaction } from 'kysely';
import { type ClaimedDelivery, readClaimed } from './claimed-delivery.ts';
import { mergeClaimed } from './merged-deliveries.ts';
import { OWN_MESSAGE_ID } from './alerts.ts';
import { recordChannelOutcome } from './channel-health.ts';
import { alertOfDelivery, type Claim, leaseClock } from '../db/dialect.ts';
import type { Store } from '../db/open-store.ts';
import {
  type AttemptedRow,
  claimDueRows,
  correctDueTimes,
  deferRows,
  isForEnabledAccount,
  isWaiting,
  type OutboxLease,
  type SentRows,
  updateLeasedRows,
} from '../mail/outbox.ts';
import { suppress } from '../mail/suppressions.ts';
import type { Tables } from '../schema/tables.ts';
import { inTransaction, inUrgentTransaction } from '../db/transaction.ts';
import { firstCheckAt, makeDueBy } from '../monitors/check-due.ts';
import type { DeliveryOutcomeKind } from '../schema/alert-tables.ts';

type Transport = 'mail' | 'http';

/**
 * Claims due deliveries, see `claimDueRows`, and merges outages of one account and channel into one message. `by` limits the
 * claim to mail or to HTTP channels. With `by`, keep `claim.limit` small: the limit per account is only evaluated once per claim.
 */
export async function claimDueDeliveries(
  store: Store,
  claim: Claim & { by?: Transport },
): Promise<ClaimedDelivery[]> {
  let needsCheck = false;
  const claimed = await inTransaction(store, async (trx) => {
    const clock = leaseClock(store, claim.now);
    const isInOrder = keepsOrder(clock, claim.now);
    const rules = [isInOrder];
    if (claim.by !== undefined) rules.push(isSentBy(claim.by), hasCapacity(claim.by, clock));
    const isFree = sql<boolean>`${sql.join(rules, sql` and `)}`;
    const { rows, givenUp } = await claimDueRows(store, trx, 'deliveries', { ...claim, isFree });
    needsCheck = await makeMonitorsDue(trx, givenUp, claim.now);
    if (rows.length === 0) return [];
    await mergeClaimed(store, trx, rows, { ...claim, isFree: isInOrder });
    const leaseTokens = rows.map(({ leaseToken }) => leaseToken);
    await trx
      .insertInto('delivery_attempts')
      .columns(['account_id', 'delivery_id', 'attempt', 'started_at'])
      .expression((eb) =>
        eb
          .selectFrom('deliveries')
          .select([
            'account_id',
            'id',
            'attempts',
            sql<number>`cast(${claim.now} as bigint)`.as('started_at'),
          ])
          .where('lease_token', 'in', leaseTokens),
      )
      // The attempt may exist already: `deferDelivery` does not count an attempt, so the next one gets the same number.
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'delivery_id', 'attempt']).doUpdateSet({ started_at: claim.now }),
      )
      .execute();
    return readClaimed(trx, leaseTokens);
  });
  if (needsCheck) store.signals.publish({ topic: 'due' });
  return claimed;
}

/**
 * Makes the monitors of failed deliveries due, so that their next checks send the alerts on channels that still work. Skips
 * messages without an incident. Returns whether there are such monitors; if so, publish the signal `due` after the commit.
 */
export async function makeMonitorsDue(
  trx: Transaction<Tables>,
  failed: readonly string[],
  now: number,
): Promise<boolean> {
  if (failed.length === 0) return false;
  const alerts = await trx
    .selectFrom('deliveries')
    .innerJoin('alerts', alertOfDelivery)
    .select(['alerts.account_id', 'alerts.monitor_id'])
    .where('deliveries.id', 'in', failed)
    .where('alerts.incident_id', 'is not', null)
    .where('alerts.monitor_id', 'is not', null)
    .execute();
  for (const { account_id: accountId, monitor_id: monitorId } of alerts)
    await makeDueBy(trx, { accountId, monitorId, at: now });
  return alerts.length > 0;
}

/** Returns the account of a delivery. @throws Error if it has none: only mails may have no account */
function ownerOf({ account_id: accountId }: { account_id: string | null }): string {
  if (accountId === null) throw new Error('A delivery has no account.');
  return accountId;
}

const isSentBy = (transport: Transport, table = 'deliveries'): Expression<SqlBool> =>
  sql<boolean>`${sql.ref(`${table}.channel`)} ${sql.raw(transport === 'mail' ? '=' : '!=')} 'email'`;

/**
 * Limit on parallel messages per account and transport, so that servers that answer late or never do not block other accounts.
 */
const MAX_PER_ACCOUNT = 8;

/**
 * Returns the SQL condition that the account has fewer than `MAX_PER_ACCOUNT` messages in progress and, over HTTP, that a failing
 * channel has none. The subqueries run once per claim, not once per row, because an account may have thousands of waiting rows.
 */
function hasCapacity(transport: Transport, clock: Expression<number>): Expression<SqlBool> {
  const busy = sql`from deliveries busy where busy.lease_token is not null and busy.lease_expires_at > ${clock}
    and ${isSentBy(transport, 'busy')}`;
  const isBelowLimit = sql<boolean>`deliveries.account_id not in (
      select busy.account_id ${busy} group by busy.account_id having count(distinct busy.lease_token) >= ${sql.lit(MAX_PER_ACCOUNT)})`;
  if (transport === 'mail') return isBelowLimit;
  return sql<boolean>`${isBelowLimit}
    and coalesce(deliveries.channel_id, '') not in (
      select busy.channel_id ${busy} and exists (
        select 1 from channels where channels.id = busy.channel_id and channels.failing_since is not null))`;
}

/**
 * Returns the condition that no earlier message of the incident to the channel is being sent or due, so that messages
 * arrive in order.
 */
function keepsOrder(clock: Expression<number>, now: number): Expression<SqlBool> {
  return sql<boolean>`not exists (select 1 from deliveries earlier
    where earlier.account_id = deliveries.account_id and earlier.incident_id = deliveries.incident_id
      and earlier.channel_key = deliveries.channel_key
      and earlier.state = 'waiting' and earlier.created_at < deliveries.created_at
      and (earlier.lease_expires_at > ${clock} or earlier.next_attempt_at <= ${now}))`;
}

/**
 * Settles all deliveries of a message, or only `rows`. Returns false, and changes nothing, if the lease is lost. But if the message
 * was sent, those of `rows` that still wait become `delivered` even then.
 */
export async function settleDelivery(
  store: Store,
  settled: OutboxLease & {
    rows?: SentRows;
    outcome: 'delivered' | 'failed' | 'superseded';
    /** Set if the receiver answered that the channel is gone or that the address takes no mail. */
    because?: { gone: true } | { refusedAddress: string };
    detail: string | null;
    now: number;
  },
): Promise<boolean> {
  const { outcome, now } = settled;
  return recordOutcome(store, settled, outcome, { state: outcome, settled_at: now });
}

/** Schedules the next attempt. Returns false, and changes nothing, if the lease is lost. */
export async function retryDelivery(
  store: Store,
  retry: OutboxLease & { nextAttemptAt: number; detail: string | null; now: number },
): Promise<boolean> {
  return recordOutcome(store, retry, 'retry', { next_attempt_at: retry.nextAttemptAt });
}

/**
 * Defers a claimed message until `until` (ms UTC) without counting the attempt. Returns false if the lease is lost.
 */
export async function deferDelivery(
  store: Store,
  hold: OutboxLease & { until: number; detail: string },
): Promise<boolean> {
  return inTransaction(store, async (trx) => {
    const held = await deferRows(trx, 'deliveries', hold);
    if (held.length === 0) return false;
    await trx.deleteFrom('delivery_attempts').where(isAttemptOf(held)).execute();
    // The deliveries of a message about several outages may leave in different messages later, so they must not share its Message-ID.
    await trx
      .updateTable('deliveries')
      .set({ message_id: OWN_MESSAGE_ID })
      .where(
        'id',
        'in',
        held.map(({ id }) => id),
      )
      .execute();
    return true;
  });
}

/** Makes deliveries due that were scheduled too late while the clock ran ahead. Returns their number. */
export const correctDeliveryTimes = (store: Store, now: number): Promise<number> =>
  correctDueTimes(store, 'deliveries', now);

/** Returns the due times (ms UTC) of the check and the delivery that have been due the longest; null if none is due. */
export async function oldestDueTimes(
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
  const checkAt = await firstCheckAt(store);
  return { checkAt: checkAt !== null && checkAt <= now ? checkAt : null, deliveryAt: delivery?.at ?? null };
}

async function recordOutcome(
  store: Store,
  attempt: OutboxLease & { rows?: SentRows; because?: Because; detail: string | null; now: number },
  outcome: DeliveryOutcomeKind,
  change: { state?: 'delivered' | 'failed' | 'superseded'; settled_at?: number; next_attempt_at?: number },
): Promise<boolean> {
  const { now, detail, because } = attempt;
  const recorded = await inUrgentTransaction(store, async (trx) => {
    const updated = await updateLeasedRows(trx, 'deliveries', attempt, { ...change, detail });
    const [first] = updated;
    if (!first) return null;
    await trx
      .updateTable('delivery_attempts')
      .set({ outcome, detail, finished_at: now })
      .where(isAttemptOf(updated))
      .execute();
    const row = await trx
      .selectFrom('deliveries')
      .innerJoin('alerts', alertOfDelivery)
      .select(['deliveries.account_id', 'deliveries.channel_id', 'alerts.monitor_id'])
      .where('deliveries.id', '=', first.id)
      .executeTakeFirstOrThrow();
    const suppressed = because !== undefined && 'refusedAddress' in because;
    if (suppressed)
      await suppress(trx, { address: because.refusedAddress, reason: 'refused', detail: detail ?? '', now });
    const ended = suppressed ? 'refused' : because !== undefined && 'gone' in because ? 'gone' : null;
    const isClosed =
      row.channel_id !== null &&
      (await recordChannelOutcome(trx, { channelId: row.channel_id, outcome, ended, detail, now }));
    const ids = updated.map(({ id }) => id);
    const needsCheck = change.state === 'failed' && (await makeMonitorsDue(trx, ids, now));
    return { ...row, suppressed, isClosed, needsCheck, isAboutSeveral: updated.length > 1 };
  });
  if (recorded === null) return false;
  const { account_id: accountId, monitor_id: monitorId, suppressed, isClosed, isAboutSeveral } = recorded;
  if (change.next_attempt_at !== undefined && change.next_attempt_at <= now)
    store.signals.publish({ topic: 'deliveries' });
  if (isClosed) store.signals.publish({ topic: 'mails' });
  if (isClosed || recorded.needsCheck) store.signals.publish({ topic: 'due' });
  // Pages show that mail to the account's own address bounces, and that a channel is disabled.
  if (isClosed || suppressed || (recorded.channel_id === null && change.state !== undefined))
    store.signals.publish({ topic: 'account', accountId });
  store.signals.publish({
    topic: 'alerts',
    accountId,
    monitorId: isClosed || suppressed || isAboutSeveral ? null : monitorId,
  });
  return true;
}

/** Returns the SQL condition for the last attempts of these deliveries. */
function isAttemptOf(rows: readonly AttemptedRow[]) {
  const byAttempt = Map.groupBy(rows, (row) => `${ownerOf(row)} ${row.attempts}`);
  return (eb: ExpressionBuilder<Tables, 'delivery_attempts'>): Expression<SqlBool> =>
    eb.or(
      [...byAttempt.values()].map((same) =>
        eb.and([
          eb('account_id', '=', same[0]?.account_id ?? ''),
          eb('attempt', '=', same[0]?.attempts ?? 0),
          eb(
            'delivery_id',
            'in',
            same.map(({ id }) => id),
          ),
        ]),
      ),
    );
}

type Because = Parameters<typeof settleDelivery>[1]['because'];
