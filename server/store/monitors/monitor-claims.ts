import { type Expression, sql, type SqlBool } from 'kysely';
import { randomUUID } from 'node:crypto';
import { lanePortions } from '../../core/check/schedule.ts';
import { effectiveFrequency, entitlementAt, type Plan } from '../../core/plan.ts';
import { identityKey, identityOf } from '../../core/target.ts';
import { type Claim, leaseClock, lockedOrSkipped } from '../db/dialect.ts';
import { authoritiesByAccount } from '../accounts/authorities.ts';
import { storedEntitlement } from '../billing/entitlements.ts';
import { type Monitor, selectMonitors, toMonitor } from './monitor-row.ts';
import type { Store } from '../db/open-store.ts';
import { isActive, lanes } from './check-due.ts';

/** A monitor that only this worker may check until its lease ends. `checkEveryMinutes` is the interval that the plan allows. */
export interface ClaimedMonitor extends Monitor {
  /** Token needed to record the check; invalid after another worker has claimed the monitor. */
  leaseToken: string;
  plan: Plan;
  /**
   * True if a person requested this check or resumed the monitor, or if the interval or the account's authorities changed while
   * the previous check was running.
   */
  isRequested: boolean;
  /** DER of the authorities that the account trusts in addition to the public ones. */
  authorities: readonly Uint8Array[];
}

/**
 * Claims due monitors for one worker, including those with an expired lease; in each lane longest due first. Each lane has a
 * share, so that small accounts do not wait behind large ones. Other lanes get unused shares. `taken`: number of earlier claims.
 */
export async function claimDue(
  store: Store,
  { taken = 0, ...claim }: Claim & { taken?: number },
): Promise<ClaimedMonitor[]> {
  const leaseToken = randomUUID();
  const portions = lanePortions(claim.limit, taken);
  const first = await lease(store, { ...claim, leaseToken }, dueInLanes(store, claim, portions));
  const left = claim.limit - first.length;
  const isAll = portions.every(
    (portion, lane) => portion > first.filter((claimed) => claimed.lane === lane).length,
  );
  const rest =
    left === 0 || isAll
      ? []
      : await lease(store, { ...claim, leaseToken }, dueInLanes(store, { ...claim, limit: left }, null));
  return readLeased(store, [...first, ...rest], { leaseToken, now: claim.now });
}

/** Selects due monitors lane by lane, from lane 0: at most `portions[lane]` of each lane, or any number if `portions` is null. */
function dueInLanes(
  store: Store,
  { now, limit }: Pick<Claim, 'now' | 'limit'>,
  portions: readonly number[] | null,
): Expression<MonitorId> {
  const free = lanes()
    .map((lane) => ({ lane, portion: portions?.[lane] ?? limit }))
    .filter(({ portion }) => portion > 0)
    .map(({ lane, portion }) => {
      const waiting = lockedOrSkipped(
        store.dialect,
        store.db
          .selectFrom('monitors')
          .select(['account_id', 'id'])
          .where(isActive)
          .where('lane', '=', sql.lit(lane))
          .where('next_check_at', '<=', now)
          .where(isFree(leaseClock(store, now)))
          .orderBy('next_check_at')
          .limit(portion),
      );
      return sql`select account_id, id from (${waiting}) as ${sql.ref(`lane${lane}`)}`;
    });
  return sql<MonitorId>`(select account_id, id from (${sql.join(free, sql` union all `)}) as waiting limit ${limit})`;
}

/**
 * Maximum number of other monitors of the same endpoints per claim. Their checks must be recorded one after another within the
 * lease.
 */
const MAX_SAME_ENDPOINT = 200;

/**
 * Claims other due monitors of the same endpoints and protocol, so that one probe serves all. Skips accounts with authorities of
 * their own, because their probes query other sources.
 */
export async function claimSameEndpoints(
  store: Store,
  { of, ...claim }: Omit<Claim, 'limit'> & { of: readonly ClaimedMonitor[] },
): Promise<ClaimedMonitor[]> {
  const endpoints = new Map(
    of
      .filter(({ authorities }) => authorities.length === 0)
      .map((monitor) => [identityKey(monitor), { target: '', ...identityOf(monitor) }]),
  );
  if (endpoints.size === 0) return [];
  const { now } = claim;
  const watching = lockedOrSkipped(
    store.dialect,
    store.db
      .selectFrom('monitors')
      .select(['account_id', 'id'])
      .where(isActive)
      .where((eb) => eb.or([...endpoints.values()].map((endpoint) => eb.and(endpoint))))
      .where('next_check_at', '<=', now)
      .where(isFree(leaseClock(store, now)))
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('authorities')
              .select('authorities.id')
              .whereRef('authorities.account_id', '=', 'monitors.account_id'),
          ),
        ),
      )
      .orderBy('next_check_at')
      .limit(MAX_SAME_ENDPOINT),
  );
  const leaseToken = randomUUID();
  const claimed = await lease(store, { ...claim, leaseToken }, sql<MonitorId>`${watching}`);
  return readLeased(store, claimed, { leaseToken, now });
}

interface MonitorId {
  account_id: string;
  id: string;
}

const isFree = (clock: Expression<number>): Expression<SqlBool> =>
  sql<boolean>`(lease_token is null or lease_expires_at <= ${clock})`;

/** Leases the rows that `chosen` selects and locks. Returns the rows. */
async function lease(
  store: Store,
  { now, leaseMs, claimedBy, leaseToken }: Omit<Claim, 'limit'> & { leaseToken: string },
  chosen: Expression<MonitorId>,
): Promise<(MonitorId & { lane: number })[]> {
  return store.db
    .with('chosen', () => chosen)
    .updateTable('monitors')
    .from('chosen')
    .set({
      lease_token: leaseToken,
      lease_expires_at: sql<number>`${leaseClock(store, now)} + ${sql.lit(leaseMs)}`,
      claimed_by: claimedBy,
      // The claimed check answers the pending request; a later request causes another check. A request that an earlier claim took
      // over is still unanswered if the lease of that claim has expired.
      claim_asked: sql<number>`case when check_requested_at is not null or (lease_token is not null and claim_asked = 1) then 1 else 0 end`,
      check_requested_at: null,
    })
    .whereRef('monitors.account_id', '=', 'chosen.account_id')
    .whereRef('monitors.id', '=', 'chosen.id')
    .returning(['monitors.account_id', 'monitors.id', 'monitors.lane'])
    .execute();
}

/** Returns the claimed monitors that still have this lease token, longest due first. */
async function readLeased(
  store: Store,
  claimed: readonly MonitorId[],
  { leaseToken, now }: { leaseToken: string; now: number },
): Promise<ClaimedMonitor[]> {
  if (claimed.length === 0) return [];
  const byAccount = Map.groupBy(claimed, ({ account_id }) => account_id);
  const rows = await selectMonitors(store.db)
    .innerJoin('accounts', 'accounts.id', 'monitors.account_id')
    .select(['plan', 'plan_status', 'plan_source', 'plan_ends_at'])
    .where((eb) =>
      eb.or(
        [...byAccount].map(([accountId, ofAccount]) =>
          eb('monitors.account_id', '=', accountId).and(
            'monitors.id',
            'in',
            ofAccount.map(({ id }) => id),
          ),
        ),
      ),
    )
    .where('lease_token', '=', leaseToken)
    .orderBy('next_check_at')
    .execute();
  const authorities = await authoritiesByAccount(store.db, [...byAccount.keys()]);
  return rows.map((row) => {
    const { plan } = entitlementAt(store, storedEntitlement(row), now);
    return {
      ...toMonitor(row),
      checkEveryMinutes: effectiveFrequency(plan, row.check_every_minutes),
      leaseToken,
      plan,
      isRequested: row.claim_asked === 1,
      authorities: authorities.get(row.account_id) ?? [],
    };
  });
}

/** Makes the leases of claimed monitors end `leaseMs` from now. Skips monitors whose lease was lost. */
export async function extendClaims(
  store: Store,
  claimed: readonly ClaimedMonitor[],
  { now, leaseMs }: Pick<Claim, 'now' | 'leaseMs'>,
): Promise<void> {
  await store.db
    .updateTable('monitors')
    .set({ lease_expires_at: sql<number>`${leaseClock(store, now)} + ${sql.lit(leaseMs)}` })
    .where((eb) =>
      eb.or(
        claimed.map(({ accountId, id, leaseToken }) =>
          eb.and({ account_id: accountId, id, lease_token: leaseToken }),
        ),
      ),
    )
    .execute();
}

/**
 * Releases an unfinished claim: the monitor is due at once, and a request for its check is pending again. Does nothing if the
 * lease was lost.
 */
export async function releaseClaim(
  store: Store,
  { accountId, id, leaseToken }: Pick<ClaimedMonitor, 'accountId' | 'id' | 'leaseToken'>,
): Promise<void> {
  await store.db
    .updateTable('monitors')
    .set({
      lease_token: null,
      lease_expires_at: null,
      check_requested_at: sql<
        number | null
      >`case when claim_asked = 1 then coalesce(check_requested_at, next_check_at) else check_requested_at end`,
    })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('lease_token', '=', leaseToken)
    .execute();
}
