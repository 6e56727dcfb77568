import { locked, monitorOf } from '../db/dialect.ts';
import { isPaused } from '../monitors/domain-state.ts';
import { applyEntitlement, publishPlanChange } from './entitlements.ts';
import type { Store } from '../db/open-store.ts';
import { inTransaction } from '../db/transaction.ts';
import { DEFAULT_CHECK_EVERY_MINUTES, FREE_DOMAIN_LIMIT } from '../../../contract/words.ts';

/** Lists the ids of accounts whose stored Premium ended by `now` (ms UTC), earliest end first. `applyPlan` ends it. */
export async function findExpiredPlans(store: Store, now: number): Promise<string[]> {
  const rows = await store.db
    .selectFrom('accounts')
    .select('id')
    .where('plan_ends_at', '<=', now)
    .orderBy('plan_ends_at')
    .execute();
  return rows.map(({ id }) => id);
}

/** Returns the earliest end of a stored Premium (ms UTC), which may be in the past; null if no Premium has an end. */
export async function nextPlanEnd(store: Store): Promise<number | null> {
  const { at } = await store.db
    .selectFrom('accounts')
    .select((eb) => eb.fn.min('plan_ends_at').as('at'))
    .where('plan_ends_at', 'is not', null)
    .executeTakeFirstOrThrow();
  return at;
}

/**
 * Lists the ids of accounts that do not fit the BILLING setting after it changed: with Premium for everyone, those with
 * domains that the plan paused; with billing, Free accounts above the Free limits.
 */
export async function findMismatchedPlans(store: Store): Promise<string[]> {
  if (store.everyonePremium) {
    // Use the index of paused domains per account, because reading all monitors at every start would be slow.
    const rows = await store.db
      .selectFrom('accounts')
      .select('id')
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('monitor_listing')
            .innerJoin('monitors', monitorOf('monitor_listing'))
            .select('monitors.id')
            .whereRef('monitor_listing.account_id', '=', 'accounts.id')
            .where(isPaused)
            .where('paused_by', '=', 'plan'),
        ),
      )
      .execute();
    return rows.map(({ id }) => id);
  }
  const rows = await store.db
    .selectFrom('monitors')
    .innerJoin('accounts', 'accounts.id', 'monitors.account_id')
    .select('accounts.id')
    .where('plan', '=', 'free')
    .groupBy('accounts.id')
    .having((eb) =>
      eb.or([
        eb(eb.fn.max('check_every_minutes'), '!=', DEFAULT_CHECK_EVERY_MINUTES),
        eb(eb.fn.min('check_every_minutes'), '!=', DEFAULT_CHECK_EVERY_MINUTES),
        eb(eb.fn.countAll().filterWhere('paused_by', 'is', null), '>', FREE_DOMAIN_LIMIT),
      ]),
    )
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Recomputes and applies the plan for `now` (ms UTC). Workers may call it in parallel. Returns whether anything
 * changed.
 */
export async function applyPlan(
  store: Store,
  { accountId, now }: { accountId: string; now: number },
): Promise<boolean> {
  const changed = await inTransaction(store, async (trx) => {
    const account = await locked(
      store.dialect,
      trx.selectFrom('accounts').select('id').where('id', '=', accountId),
    ).executeTakeFirst();
    return account !== undefined && (await applyEntitlement(store, trx, { accountId, now }));
  });
  if (changed) publishPlanChange(store, accountId);
  return changed;
}

/**
 * Restores Premium for Free accounts whose trial, grant or subscription is still valid at `now` (ms UTC), because a clock that
 * ran ahead ended it too early. Returns the number of accounts that changed.
 */
export async function restoreEndedPlans(store: Store, now: number): Promise<number> {
  const candidates = await store.db
    .selectFrom('accounts')
    .select('id')
    .where('plan', '=', 'free')
    .where((eb) =>
      eb.or([
        eb('trial_ends_at', '>', now),
        eb('grant_ends_at', '>', now),
        eb.and([eb('granted_at', 'is not', null), eb('grant_ends_at', 'is', null)]),
        eb.exists(
          eb
            .selectFrom('subscriptions')
            .select('subscriptions.id')
            .whereRef('subscriptions.account_id', '=', 'accounts.id')
            .where('status', 'in', ['active', 'trialing', 'past_due']),
        ),
      ]),
    )
    .execute();
  let restored = 0;
  for (const { id: accountId } of candidates) if (await applyPlan(store, { accountId, now })) restored += 1;
  return restored;
}
