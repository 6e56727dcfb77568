import type { Transaction } from 'kysely';
import type { CertificateFacts, PlannedAlert, RevokedCertificate, Verdict } from '../core/index.ts';
import { type Account, toAccount } from './accounts.ts';
import { parseFacts } from './certificates.ts';
import { type Claim, isActive } from './monitor-claims.ts';
import type { Store } from './open-store.ts';
import {
  answerRow,
  claimDueRows,
  holdRow,
  isForEnabledAccount,
  isWaiting,
  type OutboxLease,
  recallRows,
} from './outbox.ts';
import type { DeliveryAttemptsTable, Tables } from './tables.ts';
import { inTransaction } from './transaction.ts';

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
  /** Of an alert about a revocation: what the last check knows of it. */
  revoked: RevokedCertificate | null;
  /** Later checks read other certificates only, or a later alert speaks of the same one. */
  superseded: boolean;
}

/** Takes the deliveries that have been due the longest, under a lease, and counts the attempt. */
export async function claimDueDeliveries(store: Store, claim: Claim): Promise<ClaimedDelivery[]> {
  return inTransaction(store, async (trx) => {
    const { rows, leaseToken } = await claimDueRows(store, trx, 'deliveries', claim);
    if (rows.length === 0) return [];
    await trx
      .insertInto('delivery_attempts')
      .values(rows.map(({ id, attempts }) => ({ delivery_id: id, attempt: attempts, started_at: claim.now })))
      .execute();
    return readClaimed(
      trx,
      rows.map(({ id }) => id),
      leaseToken,
    );
  });
}

/** Ends a delivery. False, and nothing changed, when the lease is no longer ours. */
export async function settleDelivery(
  store: Store,
  settled: OutboxLease & {
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
  retry: OutboxLease & { nextAttemptAt: number; detail: string | null; now: number },
): Promise<boolean> {
  return answer(store, retry, 'retry', { next_attempt_at: retry.nextAttemptAt }, retry.now, retry.detail);
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
  const check = await store.db
    .selectFrom('monitors')
    .select((eb) => eb.fn.min('next_check_at').as('at'))
    .where(isActive)
    .where('next_check_at', '<=', now)
    .executeTakeFirst();
  const delivery = await store.db
    .selectFrom('deliveries')
    .select((eb) => eb.fn.min('next_attempt_at').as('at'))
    .where(isWaiting)
    .where('next_attempt_at', '<=', now)
    .where(isForEnabledAccount('deliveries'))
    .executeTakeFirst();
  return { checkAt: check?.at ?? null, deliveryAt: delivery?.at ?? null };
}

async function answer(
  store: Store,
  lease: OutboxLease,
  outcome: DeliveryAttemptsTable['outcome'],
  change: { state?: 'delivered' | 'failed' | 'superseded'; settled_at?: number; next_attempt_at?: number },
  now: number,
  detail: string | null,
): Promise<boolean> {
  const ours = await inTransaction(store, async (trx) => {
    const row = await answerRow(trx, 'deliveries', lease, { ...change, detail });
    if (!row) return false;
    await trx
      .updateTable('delivery_attempts')
      .set({ outcome, detail, finished_at: now })
      .where('delivery_id', '=', lease.id)
      .where('attempt', '=', row.attempts)
      .execute();
    return true;
  });
  if (ours && change.next_attempt_at !== undefined && change.next_attempt_at <= now)
    store.signals.publish({ topic: 'deliveries' });
  return ours;
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
      'monitors.verdict',
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

  return rows.map((row) => {
    const revoked = row.kind === 'revoked' ? revokedOf(row.verdict, row.fingerprint) : null;
    return {
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
      revoked,
      superseded:
        (row.laterAlerts ?? 0) > 0 ||
        revoked?.served === false ||
        (row.last_seen_at !== null && row.last_read_at !== null && row.last_seen_at < row.last_read_at),
    };
  });
}

function revokedOf(verdict: string | null, of: string): RevokedCertificate | null {
  const { lastSeen } = verdict === null ? { lastSeen: null } : (JSON.parse(verdict) as Verdict);
  return lastSeen?.revoked.find(({ fingerprint }) => fingerprint === of) ?? null;
}
