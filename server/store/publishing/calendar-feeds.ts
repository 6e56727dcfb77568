import { createHash } from 'node:crypto';
import { nameOf, type Targeted } from '../../core/target.ts';
import type { ExpiringCertificate } from '../../core/verdict.ts';
import { forecastOfMonitor } from '../db/dialect.ts';
import type { Store } from '../db/open-store.ts';
import { joinVerdict } from '../monitors/monitor-row.ts';
import { inTransaction, type WriteInTransaction } from '../db/transaction.ts';
import { currentVerdict } from '../checks/verdict-row.ts';
import { HOUR_MS } from '../../../contract/durations.ts';
import { isActive } from '../monitors/check-due.ts';

/** A calendar link without its secret token. Timestamps are in ms UTC. */
export interface CalendarFeed {
  createdAt: number;
  /** Time of the last fetch by a calendar program, accurate to an hour; null if there was none. */
  readAt: number | null;
}

export async function findCalendarFeed(store: Store, accountId: string): Promise<CalendarFeed | null> {
  const row = await store.db
    .selectFrom('calendar_feeds')
    .select(['created_at', 'read_at'])
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row ? { createdAt: row.created_at, readAt: row.read_at } : null;
}

/** Creates the account's calendar link, which replaces an earlier one. Stores only the SHA-256 of the token. */
export async function createCalendarFeed(
  store: Store,
  {
    accountId,
    token,
    now,
    alsoWrite,
  }: { accountId: string; token: string; now: number; alsoWrite?: WriteInTransaction<void> },
): Promise<void> {
  const made = { token_hash: hashOf(token), created_at: now, read_at: null };
  await inTransaction(store, async (trx) => {
    await trx
      .insertInto('calendar_feeds')
      .values({ account_id: accountId, ...made })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet(made))
      .execute();
    await alsoWrite?.(trx);
  });
  store.signals.publish({ topic: 'alerts', accountId, monitorId: null });
}

export async function removeCalendarFeed(store: Store, accountId: string): Promise<void> {
  await inTransaction(store, async (trx) => {
    await trx.deleteFrom('calendar_feeds').where('account_id', '=', accountId).execute();
  });
  store.signals.publish({ topic: 'alerts', accountId, monitorId: null });
}

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

/** A domain's data for the calendar. Timestamps are in ms UTC. */
export interface CalendarDomain extends Targeted {
  id: string;
  createdAt: number;
  lastCheckedAt: number;
  /** The certificates last seen that expiry alerts are about: the leaves, and an intermediate if one expires before the leaves. */
  expiring: readonly ExpiringCertificate[];
  /** The next renewal, if it will fail; `line` as in `forecastLine`. */
  failing: { fingerprint: string; line: string; expectedAt: number } | null;
}

const PAGE_SIZE = 500;

/**
 * Returns the calendar's data: the account's active domains with a verdict, oldest first. Returns null if the token is
 * unknown or the account is disabled. Updates `read_at` at most once an hour.
 */
export async function readCalendarDomains(
  store: Store,
  { token, now }: { token: string; now: number },
): Promise<{ accountId: string; timeZone: string | null; domains: CalendarDomain[] } | null> {
  const feed = await store.db
    .selectFrom('calendar_feeds')
    .innerJoin('accounts', 'accounts.id', 'calendar_feeds.account_id')
    .select(['account_id', 'read_at', 'time_zone'])
    .where('token_hash', '=', hashOf(token))
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
  if (!feed) return null;
  // `read_at` is in the future if the clock ran ahead and was set back.
  if (Math.abs(now - (feed.read_at ?? 0)) >= HOUR_MS)
    await store.db
      .updateTable('calendar_feeds')
      .set({ read_at: now })
      .where('account_id', '=', feed.account_id)
      .execute();
  const domains: CalendarDomain[] = [];
  for (let after = ''; ;) {
    const rows = await store.replica
      .selectFrom('monitors')
      .$call(joinVerdict)
      .leftJoin('forecasts', (join) => forecastOfMonitor(join).on('forecasts.outcome', '=', 'fails'))
      .select(['forecasts.fingerprint', 'forecasts.line', 'forecasts.expected_at'])
      .select(['monitors.id', 'host', 'port', 'target', 'created_at', 'last_checked_at'])
      .where('monitors.account_id', '=', feed.account_id)
      .where(isActive)
      .where('verdict', 'is not', null)
      .where('monitors.id', '>', after)
      .orderBy('monitors.id')
      .limit(PAGE_SIZE)
      .execute();
    for (const row of rows) {
      domains.push({
        id: row.id,
        ...nameOf(row),
        createdAt: row.created_at,
        lastCheckedAt: row.last_checked_at ?? row.created_at,
        failing: failingOf(row),
        expiring: currentVerdict(row)?.lastSeen?.expiring ?? [],
      });
    }
    const last = rows.at(-1);
    if (!last || rows.length < PAGE_SIZE) break;
    after = last.id;
  }
  return {
    accountId: feed.account_id,
    timeZone: feed.time_zone,
    domains: domains.toSorted((a, b) => a.createdAt - b.createdAt),
  };
}

const failingOf = ({
  fingerprint,
  line,
  expected_at: expectedAt,
}: {
  fingerprint: string | null;
  line: string | null;
  expected_at: number | null;
}): CalendarDomain['failing'] =>
  fingerprint === null || line === null || expectedAt === null ? null : { fingerprint, line, expectedAt };
