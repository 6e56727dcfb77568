import { ACCOUNT_MAIL } from '../../core/alerting/settings.ts';
import {
  DIGEST_EXPIRES_AFTER_MS,
  DIGEST_MAX_AHEAD_MS,
  followDigest,
  mayGetDigest,
} from '../../core/digest.ts';
import { entitlementAt } from '../../core/plan.ts';
import { locked } from '../db/dialect.ts';
import { digestContent } from './digest-content.ts';
import { storedEntitlement } from '../billing/entitlements.ts';
import { enqueueMail } from './mails.ts';
import type { Store } from '../db/open-store.ts';
import { inTransaction } from '../db/transaction.ts';

/** Lists the ids of accounts whose digest is due, or is planned further ahead than `DIGEST_MAX_AHEAD_MS`; earliest first. */
export async function dueDigests(store: Store, now: number): Promise<string[]> {
  const rows = await store.db
    .selectFrom('accounts')
    .select('id')
    .where((eb) =>
      eb.or([eb('digest_next_at', '<=', now), eb('digest_next_at', '>', now + DIGEST_MAX_AHEAD_MS)]),
    )
    .orderBy('digest_next_at')
    .execute();
  return rows.map(({ id }) => id);
}

/** Returns when the next digest is due (ms UTC), or null if no account gets one. */
export async function nextDueDigest(store: Store): Promise<number | null> {
  const { at } = await store.db
    .selectFrom('accounts')
    .select((eb) => eb.fn.min('digest_next_at').as('at'))
    .where('digest_next_at', 'is not', null)
    .executeTakeFirstOrThrow();
  return at;
}

/**
 * Queues an account's digest and plans the next one in one transaction, so that none is sent twice. Returns false and queues none
 * if it is off or not due, or the account has no Premium or active domains, is disabled or unsubscribed.
 */
export async function enqueueDigest(
  store: Store,
  { accountId, now }: { accountId: string; now: number },
): Promise<boolean> {
  const content = await digestContent(store, { accountId, now });
  const isQueued = await inTransaction(store, async (trx) => {
    const account = await locked(
      store.dialect,
      trx.selectFrom('accounts').selectAll().where('id', '=', accountId),
    ).executeTakeFirst();
    const plannedAt = account?.digest_next_at ?? null;
    if (!account || plannedAt === null) return false;
    const { isDue, nextAt } = followDigest(plannedAt, { now, timeZone: account.time_zone });
    await trx.updateTable('accounts').set({ digest_next_at: nextAt }).where('id', '=', accountId).execute();
    const { plan } = entitlementAt(store, storedEntitlement(account), now);
    if (!isDue || !mayGetDigest(plan) || account.disabled_at !== null || content.watched === 0) return false;
    const unsubscribed = await trx
      .selectFrom('unsubscriptions')
      .select('id')
      .where('account_id', '=', accountId)
      .where('channel_key', '=', ACCOUNT_MAIL)
      .where('monitor_id', 'is', null)
      .executeTakeFirst();
    if (unsubscribed) return false;
    await enqueueMail(trx, {
      accountId,
      recipient: account.email,
      now,
      expiresAt: now + DIGEST_EXPIRES_AFTER_MS,
      content: { kind: 'digest', ...content },
    });
    return true;
  });
  if (isQueued) store.signals.publish({ topic: 'mails' });
  return isQueued;
}
