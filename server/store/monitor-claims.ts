import { sql, type Transaction } from 'kysely';
import { randomUUID } from 'node:crypto';
import { frequencyOn, type Plan, recentChecks } from '../core/index.ts';
import { locked, lockedAndFree } from './dialect.ts';
import { authoritiesByAccount } from './authorities.ts';
import { entitlementAt, settledEntitlement } from './entitlements.ts';
import { leaseClock } from './lease-clock.ts';
import { type Monitor, selectMonitors, toMonitor } from './monitor-row.ts';
import type { Store } from './open-store.ts';
import type { Tables } from './tables.ts';
import { inTransaction } from './transaction.ts';

/** A monitor that is this worker's alone until its lease ends; `checkEveryMinutes` is what the plan allows at the claim. */
export interface ClaimedMonitor extends Monitor {
  /** Needed to record; worthless once another worker has claimed the monitor. */
  leaseToken: string;
  plan: Plan;
  /** A person asked for this check. */
  asked: boolean;
  /** DER of what its account trusts beside what everybody does. */
  authorities: readonly Uint8Array[];
}

/** Written out: SQLite recognises the partial index of what is checked by its words, not by a parameter's value. */
export const isActive = sql<boolean>`active = 1`;

export interface Claim {
  now: number;
  limit: number;
  leaseMs: number;
  claimedBy: string;
}

/**
 * Takes the monitors that have been due the longest, under a lease, in one statement: two workers never get the same one. A
 * lease that ran out (its worker was killed) counts as none.
 */
export async function claimDue(store: Store, claim: Claim): Promise<ClaimedMonitor[]> {
  const clock = leaseClock(store, claim.now);
  const leaseToken = randomUUID();
  const claimed = await store.db
    .with('due', (db) =>
      lockedAndFree(
        store.dialect,
        db
          .selectFrom('monitors')
          .select('id')
          .where(isActive)
          .where('next_check_at', '<=', claim.now)
          .where((eb) => eb.or([eb('lease_token', 'is', null), eb('lease_expires_at', '<=', clock)]))
          .orderBy('next_check_at')
          .limit(claim.limit),
      ),
    )
    .updateTable('monitors')
    .set({
      lease_token: leaseToken,
      lease_expires_at: sql<number>`${clock} + ${sql.lit(claim.leaseMs)}`,
      claimed_by: claim.claimedBy,
      // Taken up by this claim; a request that comes from now on asks for another check after it.
      claim_asked: sql<number>`case when check_requested_at is null then 0 else 1 end`,
      check_requested_at: null,
    })
    .where('id', 'in', (eb) => eb.selectFrom('due').select('due.id'))
    .returning('id')
    .execute();
  if (claimed.length === 0) return [];

  const ids = claimed.map(({ id }) => id);
  const rows = await selectMonitors(store.db)
    .innerJoin('accounts', 'accounts.id', 'monitors.account_id')
    .select(['plan', 'plan_status', 'plan_source', 'plan_ends_at'])
    .where('monitors.id', 'in', ids)
    .where('lease_token', '=', leaseToken)
    .orderBy('next_check_at')
    .execute();
  const authorities = await authoritiesByAccount(
    store.db,
    rows.map((row) => row.account_id),
  );
  return rows.map((row) => {
    const { plan } = entitlementAt(store, settledEntitlement(row), claim.now);
    return {
      ...toMonitor(row),
      checkEveryMinutes: frequencyOn(plan, row.check_every_minutes),
      leaseToken,
      plan,
      asked: row.claim_asked === 1,
      authorities: authorities.get(row.account_id) ?? [],
    };
  });
}

/**
 * Lets a monitor, or (null) every one of the account, be checked by `at` (ms UTC) at the latest: what people chose about alerts
 * changes what the next check has to tell. Publish the signal `due` after it.
 */
export async function makeDueBy(
  trx: Transaction<Tables>,
  { accountId, monitorId, at }: { accountId: string; monitorId: string | null; at: number },
): Promise<void> {
  await trx
    .updateTable('monitors')
    .set({ next_check_at: at })
    .where('account_id', '=', accountId)
    .$if(monitorId !== null, (query) => query.where('id', '=', monitorId ?? ''))
    .where('next_check_at', '>', at)
    .execute();
}

/** Gives a claim back unfinished; the monitor is due again at once. Harmless when the lease is no longer ours. */
export async function releaseClaim(
  store: Store,
  { monitorId, leaseToken }: { monitorId: string; leaseToken: string },
): Promise<void> {
  await store.db
    .updateTable('monitors')
    .set({ lease_token: null, lease_expires_at: null })
    .where('id', '=', monitorId)
    .where('lease_token', '=', leaseToken)
    .execute();
}

/**
 * Ends a claim whose look says nothing about the endpoint: nothing of it is kept but that it told nothing, once in a row. False, and
 * nothing changed, when the lease is no longer ours.
 */
export async function postponeCheck(
  store: Store,
  check: { monitorId: string; leaseToken: string; now: number; nextCheckAt: number },
): Promise<boolean> {
  const { monitorId, now } = check;
  const postponed = await inTransaction(store, async (trx) => {
    const row = await locked(
      store.dialect,
      trx
        .selectFrom('monitors')
        .select(['account_id', 'recent_checks', 'check_requested_at'])
        .where('id', '=', monitorId)
        .where('lease_token', '=', check.leaseToken),
    ).executeTakeFirst();
    if (!row) return null;
    const { recent_checks: recent } = row;
    await trx
      .updateTable('monitors')
      .set({
        recent_checks: recent.endsWith('?') ? recent : recentChecks(recent, 'unknown'),
        next_check_at: row.check_requested_at === null ? check.nextCheckAt : now,
        lease_token: null,
        lease_expires_at: null,
      })
      .where('id', '=', monitorId)
      .execute();
    return row;
  });
  if (postponed === null) return false;
  const { account_id: accountId, check_requested_at: requestedAt } = postponed;
  store.signals.publish({ topic: 'domain', accountId, monitorId, change: 'checked' });
  if (requestedAt !== null) store.signals.publish({ topic: 'due' });
  return true;
}

const HOUR_MS = 3_600_000;
/** The longest interval of any plan is a day, and leases last a minute or two. */
const LONGEST_PLAN_MS = 48 * HOUR_MS;

/**
 * Makes due what no plan can have put off so far: the machine's clock ran ahead and was set back, and without this nobody
 * would look until it catches up with itself. Ends leases from that time as well. Returns how many monitors.
 */
export async function recallMonitors(store: Store, now: number): Promise<number> {
  const result = await store.db
    .updateTable('monitors')
    .set((eb) => ({
      next_check_at: eb.case().when('next_check_at', '>', now).then(now).else(eb.ref('next_check_at')).end(),
      lease_token: null,
      lease_expires_at: null,
    }))
    .where((eb) =>
      eb.or([
        eb('next_check_at', '>', now + LONGEST_PLAN_MS),
        eb('lease_expires_at', '>', sql<number>`${leaseClock(store, now)} + ${sql.lit(HOUR_MS)}`),
      ]),
    )
    .executeTakeFirst();
  const recalled = Number(result.numUpdatedRows);
  if (recalled > 0) store.signals.publish({ topic: 'due' });
  return recalled;
}
