import { sql, type Transaction } from 'kysely';
import { randomUUID } from 'node:crypto';
import type { CertificateFacts, PlannedAlert } from '../core/index.ts';
import { type Account, toAccount } from './accounts.ts';
import { parseFacts } from './certificates.ts';
import { lockedAndFree } from './dialect.ts';
import { leaseClock } from './lease-clock.ts';
import type { Claim } from './monitor-claims.ts';
import type { Store } from './open-store.ts';
import type { DeliveryAttemptsTable, Tables } from './tables.ts';
import { inTransaction } from './transaction.ts';

/**
 * Claims in a row that ended without a word, after which a delivery is given up: it kills its worker every time. High, for
 * a row must not be lost to a worker that is killed for other reasons.
 */
export const MOST_UNANSWERED_CLAIMS = 20;

/** Written out: SQLite recognises the partial index of what waits by its words, not by a parameter's value. */
const isWaiting = sql<boolean>`state = 'waiting'`;

/** One message that is this worker's to send until its lease ends. */
export interface ClaimedDelivery {
  id: string;
  leaseToken: string;
  /** From 1; counted when claimed, also where the worker dies. */
  attempt: number;
  channel: 'email';
  /** The same at every attempt. */
  messageId: string;
  firstAttemptAt: number;
  createdAt: number;
  alert: PlannedAlert & { id: string };
  account: Account;
  monitor: { id: string; host: string; port: number; lastCheckedAt: number | null };
  certificate: CertificateFacts | null;
  /** Later checks read other certificates only, or a later alert speaks of the same one. */
  superseded: boolean;
}

/** Takes the deliveries that have been due the longest, under a lease, and counts the attempt. */
export async function claimDueDeliveries(store: Store, claim: Claim): Promise<ClaimedDelivery[]> {
  const clock = leaseClock(store, claim.now);
  const leaseToken = randomUUID();
  return inTransaction(store, async (trx) => {
    const claimed = await trx
      .with('due', (db) =>
        lockedAndFree(
          store.dialect,
          db
            .selectFrom('deliveries')
            .select('id')
            .where(isWaiting)
            .where('next_attempt_at', '<=', claim.now)
            .where((eb) => eb.or([eb('lease_token', 'is', null), eb('lease_expires_at', '<=', clock)]))
            .orderBy('next_attempt_at')
            .limit(claim.limit),
        ),
      )
      .updateTable('deliveries')
      .set((eb) => ({
        lease_token: leaseToken,
        lease_expires_at: sql<number>`${clock} + ${sql.lit(claim.leaseMs)}`,
        claimed_by: claim.claimedBy,
        attempts: eb('attempts', '+', 1),
        unanswered: eb('unanswered', '+', 1),
        first_attempt_at: eb.fn.coalesce('first_attempt_at', eb.val(claim.now)),
      }))
      .where('id', 'in', (eb) => eb.selectFrom('due').select('due.id'))
      .returning(['id', 'attempts', 'unanswered'])
      .execute();

    const poisoned = claimed.filter(({ unanswered }) => unanswered > MOST_UNANSWERED_CLAIMS);
    for (const { id } of poisoned) await giveUp(trx, id, claim.now);
    const healthy = claimed.filter((row) => !poisoned.includes(row));
    if (healthy.length === 0) return [];
    await trx
      .insertInto('delivery_attempts')
      .values(
        healthy.map(({ id, attempts }) => ({ delivery_id: id, attempt: attempts, started_at: claim.now })),
      )
      .execute();
    return readClaimed(
      trx,
      healthy.map(({ id }) => id),
      leaseToken,
    );
  });
}

interface DeliveryLease {
  id: string;
  leaseToken: string;
}

/** Ends a delivery. False, and nothing changed, when the lease is no longer ours. */
export async function settleDelivery(
  store: Store,
  settled: DeliveryLease & {
    outcome: 'delivered' | 'failed' | 'superseded';
    detail: string | null;
    now: number;
  },
): Promise<boolean> {
  const { outcome, now, detail } = settled;
  return answer(store, settled, outcome, { state: outcome, settled_at: now }, now, detail);
}

/** Plans the next attempt. False, and nothing changed, when the lease is no longer ours. */
export async function retryDelivery(
  store: Store,
  retry: DeliveryLease & { nextAttemptAt: number; detail: string | null; now: number },
): Promise<boolean> {
  return answer(store, retry, 'retry', { next_attempt_at: retry.nextAttemptAt }, retry.now, retry.detail);
}

const DAY_MS = 86_400_000;

/**
 * Makes due what no retry can have put off so far, and ends leases that no worker can have taken for so long: the
 * machine's clock ran ahead and was set back. Returns how many deliveries.
 */
export async function recallDeliveries(store: Store, now: number): Promise<number> {
  const result = await store.db
    .updateTable('deliveries')
    .set((eb) => ({
      next_attempt_at: eb
        .case()
        .when('next_attempt_at', '>', now)
        .then(now)
        .else(eb.ref('next_attempt_at'))
        .end(),
      lease_token: null,
      lease_expires_at: null,
    }))
    .where(isWaiting)
    .where((eb) =>
      eb.or([
        eb('next_attempt_at', '>', now + DAY_MS),
        eb('lease_expires_at', '>', sql<number>`${leaseClock(store, now)} + ${sql.lit(DAY_MS)}`),
      ]),
    )
    .executeTakeFirst();
  const recalled = Number(result.numUpdatedRows);
  if (recalled > 0) store.signals.publish({ topic: 'deliveries' });
  return recalled;
}

/** How long the oldest waiting work has been due: instants, null where nothing is due. */
export async function oldestDue(
  store: Store,
  now: number,
): Promise<{ checkAt: number | null; deliveryAt: number | null }> {
  const check = await store.db
    .selectFrom('monitors')
    .select((eb) => eb.fn.min('next_check_at').as('at'))
    .where('next_check_at', '<=', now)
    .executeTakeFirst();
  const delivery = await store.db
    .selectFrom('deliveries')
    .select((eb) => eb.fn.min('next_attempt_at').as('at'))
    .where(isWaiting)
    .where('next_attempt_at', '<=', now)
    .executeTakeFirst();
  return { checkAt: check?.at ?? null, deliveryAt: delivery?.at ?? null };
}

async function answer(
  store: Store,
  { id, leaseToken }: DeliveryLease,
  outcome: DeliveryAttemptsTable['outcome'],
  change: { state?: 'delivered' | 'failed' | 'superseded'; settled_at?: number; next_attempt_at?: number },
  now: number,
  detail: string | null,
): Promise<boolean> {
  const ours = await inTransaction(store, async (trx) => {
    const row = await trx
      .updateTable('deliveries')
      .set({ ...change, detail, unanswered: 0, lease_token: null, lease_expires_at: null })
      .where('id', '=', id)
      .where('lease_token', '=', leaseToken)
      .returning('attempts')
      .executeTakeFirst();
    if (!row) return false;
    await trx
      .updateTable('delivery_attempts')
      .set({ outcome, detail, finished_at: now })
      .where('delivery_id', '=', id)
      .where('attempt', '=', row.attempts)
      .execute();
    return true;
  });
  if (ours && change.next_attempt_at !== undefined && change.next_attempt_at <= now)
    store.signals.publish({ topic: 'deliveries' });
  return ours;
}

async function giveUp(trx: Transaction<Tables>, id: string, now: number): Promise<void> {
  await trx
    .updateTable('deliveries')
    .set({
      state: 'failed',
      settled_at: now,
      detail: `Given up: ${MOST_UNANSWERED_CLAIMS} attempts in a row ended without a result.`,
      lease_token: null,
      lease_expires_at: null,
    })
    .where('id', '=', id)
    .execute();
}

async function readClaimed(
  trx: Transaction<Tables>,
  ids: string[],
  leaseToken: string,
): Promise<ClaimedDelivery[]> {
  const rows = await trx
    .selectFrom('deliveries')
    .innerJoin('alerts', 'alerts.id', 'deliveries.alert_id')
    .innerJoin('monitors', 'monitors.id', 'alerts.monitor_id')
    .innerJoin('accounts', 'accounts.id', 'deliveries.account_id')
    .leftJoin('certificates', 'certificates.fingerprint', 'alerts.fingerprint')
    .leftJoin('monitor_certificates as shown', (join) =>
      join
        .onRef('shown.monitor_id', '=', 'monitors.id')
        .onRef('shown.fingerprint', '=', 'alerts.fingerprint'),
    )
    .selectAll('accounts')
    .select([
      'deliveries.id as deliveryId',
      'deliveries.attempts',
      'deliveries.channel',
      'deliveries.message_id',
      'deliveries.first_attempt_at',
      'deliveries.created_at as deliveryCreatedAt',
      'alerts.id as alertId',
      'alerts.kind',
      'alerts.step',
      'alerts.fingerprint',
      'alerts.not_before',
      'alerts.not_after',
      'alerts.role',
      'alerts.name',
      'alerts.as_of',
      'monitors.id as monitorId',
      'monitors.host',
      'monitors.port',
      'monitors.last_checked_at',
      'monitors.last_read_at',
      'certificates.facts',
      'shown.last_seen_at',
    ])
    .select((eb) =>
      eb
        .selectFrom('alerts as later')
        .select((count) => count.fn.countAll<number>().as('count'))
        .whereRef('later.monitor_id', '=', 'alerts.monitor_id')
        .whereRef('later.kind', '=', 'alerts.kind')
        .whereRef('later.fingerprint', '=', 'alerts.fingerprint')
        .whereRef('later.created_at', '>', 'alerts.created_at')
        .as('laterAlerts'),
    )
    .where('deliveries.id', 'in', ids)
    .orderBy('deliveries.next_attempt_at')
    .execute();

  return rows.map((row) => ({
    id: row.deliveryId,
    leaseToken,
    attempt: row.attempts,
    channel: row.channel,
    messageId: row.message_id,
    firstAttemptAt: row.first_attempt_at ?? row.deliveryCreatedAt,
    createdAt: row.deliveryCreatedAt,
    alert: {
      id: row.alertId,
      kind: row.kind,
      step: row.step,
      fingerprint: row.fingerprint,
      notBefore: row.not_before,
      notAfter: row.not_after,
      role: row.role,
      name: row.name,
      asOf: row.as_of,
    },
    account: toAccount(row),
    monitor: { id: row.monitorId, host: row.host, port: row.port, lastCheckedAt: row.last_checked_at },
    certificate: parseFacts(row.facts),
    superseded:
      (row.laterAlerts ?? 0) > 0 ||
      (row.last_seen_at !== null && row.last_read_at !== null && row.last_seen_at < row.last_read_at),
  }));
}
