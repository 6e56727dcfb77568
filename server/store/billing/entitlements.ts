import type { Selectable, Transaction } from 'kysely';
import {
  endedSource,
  entitlement,
  type Entitlement,
  entitlementAt,
  type Plan,
  splitForFree,
  TRIAL_MS,
} from '../../core/plan.ts';
import { nameOf, type Targeted } from '../../core/target.ts';
import { locked } from '../db/dialect.ts';
import { inTransaction } from '../db/transaction.ts';
import { endOutagesOfPaused, letOthersReportEnd } from '../alerts/incidents.ts';
import { enqueueMail } from '../mail/mails.ts';
import type { Store } from '../db/open-store.ts';
import type { AccountsTable } from '../schema/account-tables.ts';
import type { Tables } from '../schema/tables.ts';
import { DEFAULT_CHECK_EVERY_MINUTES } from '../../../contract/words.ts';

type PlanColumns = Pick<Selectable<AccountsTable>, 'plan' | 'plan_status' | 'plan_source' | 'plan_ends_at'>;

/** Returns the entitlement stored in the account's row, whether or not this deployment gives Premium to everyone. */
export function storedEntitlement(row: PlanColumns): Entitlement {
  const { plan, plan_status: status, plan_source: source, plan_ends_at: endsAt } = row;
  return { plan, status, source, endsAt };
}

/** Facts about the locked account, which cannot change until the transaction ends. */
export interface LockedPlan {
  plan: Plan;
  disabled: boolean;
  emailVerified: boolean;
}

/** Locks the account's row until the transaction ends, so that parallel changes cannot exceed the limits of the plan together. */
export async function lockPlan(
  store: Store,
  trx: Transaction<Tables>,
  { accountId, now }: { accountId: string; now: number },
): Promise<LockedPlan> {
  const row = await lockAccount(store, trx, accountId);
  return {
    plan: entitlementAt(store, storedEntitlement(row), now).plan,
    disabled: row.disabled_at !== null,
    emailVerified: row.email_verified === 1,
  };
}

/**
 * Recomputes and applies the entitlement in the transaction of the change. On Free, pauses all but the oldest running domains, sets
 * daily checks and mails the account if Premium ended. On Premium, resumes domains that the plan paused. Returns whether anything
 * changed; if so, call `publishPlanChange` after the commit.
 */
export async function applyEntitlement(
  store: Store,
  trx: Transaction<Tables>,
  { accountId, now }: { accountId: string; now: number },
): Promise<boolean> {
  const row = await lockAccount(store, trx, accountId);
  const next = await computeEntitlement(trx, row, now);
  const columns: PlanColumns = {
    plan: next.plan,
    plan_status: next.status,
    plan_source: next.source,
    plan_ends_at: next.endsAt,
  };
  const changed = Object.entries(columns).some(([column, value]) => Reflect.get(row, column) !== value);
  if (changed) await trx.updateTable('accounts').set(columns).where('id', '=', accountId).execute();
  if (entitlementAt(store, next, now).plan === 'premium')
    return (await resumePausedByPlan(trx, row, now)) || changed;

  const { paused, slowed } = await enforceFreeLimits(store, trx, accountId, now);
  const source = endedSource(storedEntitlement(row), paused.length);
  if (source !== null)
    await enqueueMail(trx, {
      accountId,
      recipient: row.email,
      content: { kind: 'premium_ended', paused, source },
      now,
    });
  return changed || slowed || paused.length > 0;
}

/**
 * Publishes a changed plan after the commit, so that pages reload the account and workers query for due checks and
 * mail.
 */
export function publishPlanChange(store: Store, accountId: string): void {
  store.signals.publish({ topic: 'account', accountId });
  store.signals.publish({ topic: 'due' });
  store.signals.publish({ topic: 'mails' });
}

async function lockAccount(store: Store, trx: Transaction<Tables>, accountId: string) {
  return locked(
    store.dialect,
    trx.selectFrom('accounts').selectAll().where('id', '=', accountId),
  ).executeTakeFirstOrThrow();
}

async function computeEntitlement(
  trx: Transaction<Tables>,
  row: Selectable<AccountsTable>,
  now: number,
): Promise<Entitlement> {
  const subscriptions = await trx
    .selectFrom('subscriptions')
    .selectAll()
    .where('account_id', '=', row.id)
    .execute();
  return entitlement(
    {
      trialEndsAt: row.trial_ends_at,
      grant: row.granted_at === null ? null : { endsAt: row.grant_ends_at },
      subscriptions: subscriptions.map((subscription) => ({
        status: subscription.status,
        periodStartsAt: subscription.period_starts_at,
        periodEndsAt: subscription.period_ends_at,
        cancelsAt: subscription.cancels_at,
        pastDueSince: subscription.past_due_since,
        refundedAt: subscription.refunded_at,
      })),
    },
    now,
  );
}

async function resumePausedByPlan(
  trx: Transaction<Tables>,
  { id, disabled_at: disabledAt }: Selectable<AccountsTable>,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('monitors')
    .set({ active: Number(disabledAt === null), paused_by: null, paused_at: null, next_check_at: now })
    .where('account_id', '=', id)
    .where('paused_by', '=', 'plan')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Enforces the Free limits. Returns the domains it paused, and whether any domain had an interval other than daily. */
async function enforceFreeLimits(
  store: Store,
  trx: Transaction<Tables>,
  accountId: string,
  now: number,
): Promise<{ paused: Targeted[]; slowed: boolean }> {
  const { numUpdatedRows } = await trx
    .updateTable('monitors')
    .set({ check_every_minutes: DEFAULT_CHECK_EVERY_MINUTES })
    .where('account_id', '=', accountId)
    .where('check_every_minutes', '!=', DEFAULT_CHECK_EVERY_MINUTES)
    .executeTakeFirst();
  const running = await trx
    .selectFrom('monitors')
    .select(['id', 'host', 'port', 'target'])
    .where('account_id', '=', accountId)
    .where('paused_by', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const { kept, paused } = splitForFree(running);
  if (paused.length > 0) {
    await trx
      .updateTable('monitors')
      .set({ active: 0, paused_by: 'plan', paused_at: now, check_requested_at: null })
      .where('account_id', '=', accountId)
      .where('paused_by', 'is', null)
      .where(
        'id',
        'not in',
        kept.map(({ id }) => id),
      )
      .execute();
    await endOutagesOfPaused(trx, { accountId, now });
    const leaving = trx
      .selectFrom('monitors')
      .select('id')
      .where('account_id', '=', accountId)
      .where('paused_by', '=', 'plan')
      .where('paused_at', '=', now);
    await letOthersReportEnd(trx, store.dialect, { accountId, leaving, now });
  }
  return { paused: paused.map(nameOf), slowed: numUpdatedRows > 0n };
}

/** Returns whether the account or its address has had the trial. */
export async function trialIsUsed(store: Store, accountId: string, addressHash: string): Promise<boolean> {
  const used = await store.db
    .selectFrom('trials')
    .select('address_hash')
    .where((eb) => eb.or([eb('address_hash', '=', addressHash), eb('account_id', '=', accountId)]))
    .limit(1)
    .executeTakeFirst();
  return used !== undefined;
}

/**
 * Starts the trial of an existing account. Changes nothing if the account has Premium (`premium`), or if it or its address has had
 * the trial (`used`).
 */
export async function startOwnTrial(
  store: Store,
  trial: { accountId: string; addressHash: string; now: number },
): Promise<'started' | 'premium' | 'used'> {
  const { accountId, now } = trial;
  const outcome = await inTransaction(store, async (trx) => {
    const row = await lockAccount(store, trx, accountId);
    if (entitlementAt(store, storedEntitlement(row), now).plan === 'premium') return 'premium';
    // Also compare the account's own row: after the secret of the hashes was replaced, no hash of a former trial matches.
    if (row.trial_ends_at !== null || !(await startTrial(trx, trial))) return 'used';
    await applyEntitlement(store, trx, { accountId, now });
    return 'started';
  });
  if (outcome === 'started') publishPlanChange(store, accountId);
  return outcome;
}

/**
 * Starts the account's trial unless its address has had one. A unique key ensures this for parallel sign-ups, too.
 * Call `applyEntitlement` after it in the same transaction. Returns whether the trial started.
 */
export async function startTrial(
  trx: Transaction<Tables>,
  { accountId, addressHash, now }: { accountId: string; addressHash: string; now: number },
): Promise<boolean> {
  const started = await trx
    .insertInto('trials')
    .values({ address_hash: addressHash, account_id: accountId, started_at: now })
    .onConflict((conflict) => conflict.column('address_hash').doNothing())
    .returning('address_hash')
    .executeTakeFirst();
  if (!started) return false;
  await trx
    .updateTable('accounts')
    .set({ trial_ends_at: now + TRIAL_MS })
    .where('id', '=', accountId)
    .execute();
  return true;
}
