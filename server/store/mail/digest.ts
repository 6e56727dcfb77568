import { ACCOUNT_MAIL, nextWallClock } from '../../core/index.ts';
import { locked } from '../db/dialect.ts';
import { digestContent } from './digest-content.ts';
import { entitlementAt, settledEntitlement } from '../billing/entitlements.ts';
import { enqueueMail } from './mails.ts';
import type { Store } from '../db/open-store.ts';
import { inTransaction } from '../db/transaction.ts';
import { DAY_MS } from '../../../contract/durations.ts';

/** Monday at eight. */
const WHEN = { minute: 8 * 60, weekday: 1 };
/** Further ahead is none: a clock ran ahead when it was planned. */
const FARTHEST_MS = 8 * DAY_MS;
/** What a digest tells is old news after that. */
const USEFUL_MS = 3 * DAY_MS;

/** When the next weekly digest leaves, ms UTC: Monday at eight on the clocks of the zone. */
export function nextDigestAt(now: number, timeZone: string | null): number {
  return nextWallClock(now, timeZone, WHEN);
}

/** Accounts whose digest is due, or planned for a time that makes no sense. */
export async function dueDigests(store: Store, now: number): Promise<string[]> {
  const rows = await store.db
    .selectFrom('accounts')
    .select('id')
    .where((eb) => eb.or([eb('digest_next_at', '<=', now), eb('digest_next_at', '>', now + FARTHEST_MS)]))
    .orderBy('digest_next_at')
    .execute();
  return rows.map(({ id }) => id);
}

/** When the next one is due (ms UTC); null where nobody gets one. */
export async function nextDueDigest(store: Store): Promise<number | null> {
  const { at } = await store.db
    .selectFrom('accounts')
    .select((eb) => eb.fn.min('digest_next_at').as('at'))
    .where('digest_next_at', 'is not', null)
    .executeTakeFirstOrThrow();
  return at;
}

/**
 * Puts the digest of an account into the outbox and plans the next one, together: several workers, or one that is killed, send it
 * once. It rests without Premium, and where nobody reads mail. Whether one leaves.
 */
export async function enqueueDigest(
  store: Store,
  { accountId, now }: { accountId: string; now: number },
): Promise<boolean> {
  const content = await digestContent(store, { accountId, now });
  const leaves = await inTransaction(store, async (trx) => {
    const account = await locked(
      store.dialect,
      trx.selectFrom('accounts').selectAll().where('id', '=', accountId),
    ).executeTakeFirst();
    const plannedAt = account?.digest_next_at ?? null;
    if (!account || plannedAt === null) return false;
    // Planned for the clocks of another zone than the account has by now: its own Monday may still be to come.
    const ownTime = nextDigestAt(plannedAt - DAY_MS, account.time_zone);
    const isDue = plannedAt <= now && ownTime <= now;
    const nextAt =
      !isDue && ownTime > now && ownTime <= now + FARTHEST_MS
        ? ownTime
        : nextDigestAt(now, account.time_zone);
    await trx.updateTable('accounts').set({ digest_next_at: nextAt }).where('id', '=', accountId).execute();
    const { plan } = entitlementAt(store, settledEntitlement(account), now);
    if (!isDue || plan !== 'premium' || account.disabled_at !== null || content.watched === 0) return false;
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
      expiresAt: now + USEFUL_MS,
      content: { kind: 'digest', ...content },
    });
    return true;
  });
  if (leaves) store.signals.publish({ topic: 'mails' });
  return leaves;
}
