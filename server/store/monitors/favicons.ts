import type { Kysely, Transaction } from 'kysely';
import { createHash } from 'node:crypto';
import { bytes, lockedAndFree } from '../db/dialect.ts';
import type { MonitorKey } from './monitor-change.ts';
import type { Store } from '../db/open-store.ts';
import type { Tables } from '../schema/tables.ts';
import { DAY_MS } from '../../../contract/durations.ts';

export interface Site {
  host: string;
  port: number;
}

export interface Favicon {
  contentType: string;
  content: Uint8Array;
  version: string;
}

/** In the transaction of a check that read a certificate there: from now on its icon is looked for. */
export async function noteSite(trx: Transaction<Tables>, { host, port }: Site, now: number): Promise<void> {
  await trx
    .insertInto('favicons')
    .values({ host, port, next_fetch_at: now })
    .onConflict((conflict) => conflict.columns(['host', 'port']).doNothing())
    .execute();
}

/**
 * Takes up sites whose icon is to be looked for, the longest due first. Their next turn is set before anything is
 * fetched: whatever becomes of this one, nobody asks them again before `nextFetchAt`. Sites that nobody checks at present
 * are passed over until then.
 */
export async function claimDueSites(
  store: Store,
  { now, limit, nextFetchAt }: { now: number; limit: number; nextFetchAt: number },
): Promise<Site[]> {
  const claimed = await store.db
    .with('due', (db) =>
      lockedAndFree(
        store.dialect,
        db
          .selectFrom('favicons')
          .select(['host', 'port'])
          .where('next_fetch_at', '<=', now)
          .orderBy('next_fetch_at')
          .limit(limit),
      ),
    )
    .updateTable('favicons')
    .set({ next_fetch_at: nextFetchAt })
    .where((eb) =>
      eb(
        eb.refTuple('favicons.host', 'favicons.port'),
        'in',
        eb.selectFrom('due').select(['due.host', 'due.port']).$asTuple('host', 'port'),
      ),
    )
    .returning(['host', 'port'])
    .execute();
  const watched = await Promise.all(claimed.map((site) => isChecked(store, site)));
  return claimed.filter((_, index) => watched[index]);
}

async function isChecked(store: Store, { host, port }: Site): Promise<boolean> {
  const row = await store.db
    .selectFrom('monitors')
    .select('id')
    .where('host', '=', host)
    .where('port', '=', port)
    .where('active', '=', 1)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Gives a site back whose icon could not be looked for because the worker stopped. */
export async function releaseSite(store: Store, { host, port }: Site, now: number): Promise<void> {
  await store.db
    .updateTable('favicons')
    .set({ next_fetch_at: now })
    .where('host', '=', host)
    .where('port', '=', port)
    .execute();
}

/** Far above what a self-hosted installation has, and a bound on what one icon sets off. */
const MOST_TOLD = 500;

/** Keeps the icon of a site; the pages of those who watch it learn of a new one. */
export async function keepFavicon(
  store: Store,
  { host, port }: Site,
  icon: { contentType: string; content: Uint8Array; nextFetchAt: number },
): Promise<void> {
  const version = createHash('sha256').update(icon.content).digest('hex').slice(0, 16);
  const site = store.db
    .updateTable('favicons')
    .where('host', '=', host)
    .where('port', '=', port)
    .set({ next_fetch_at: icon.nextFetchAt });
  const { numUpdatedRows: changed } = await site
    .set({ content_type: icon.contentType, content: icon.content, version })
    .where((eb) => eb.or([eb('version', 'is', null), eb('version', '!=', version)]))
    .executeTakeFirst();
  if (changed === 0n) {
    await site.execute();
    return;
  }
  const monitors = await store.db
    .selectFrom('monitors')
    .select(['id', 'account_id'])
    .where('host', '=', host)
    .where('port', '=', port)
    .limit(MOST_TOLD)
    .execute();
  for (const { id, account_id: accountId } of monitors)
    store.signals.publish({ topic: 'domain', accountId, monitorId: id, change: 'changed' });
}

/** Of a monitor's site; null where there is none, or no such monitor. */
export async function faviconOf(store: Store, { accountId, monitorId }: MonitorKey): Promise<Favicon | null> {
  const row = await store.db
    .selectFrom('monitors')
    .innerJoin('favicons', (join) =>
      join.onRef('favicons.host', '=', 'monitors.host').onRef('favicons.port', '=', 'monitors.port'),
    )
    .select(['favicons.content_type', 'favicons.content', 'favicons.version'])
    .where('monitors.id', '=', monitorId)
    .where('monitors.account_id', '=', accountId)
    .executeTakeFirst();
  if (!row?.content || row.content_type === null || row.version === null) return null;
  return { contentType: row.content_type, content: bytes(row.content), version: row.version };
}

/** Removes those that no monitor has any more; returns how many. */
export async function pruneFavicons(db: Kysely<Tables>): Promise<number> {
  const result = await db
    .deleteFrom('favicons')
    .where((eb) => {
      const watched = eb
        .selectFrom('monitors')
        .select('monitors.id')
        .whereRef('monitors.host', '=', 'favicons.host')
        .whereRef('monitors.port', '=', 'favicons.port');
      return eb.not(eb.exists(watched));
    })
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** A week, and what spreads it. */
const LONGEST_PLAN_MS = 9 * DAY_MS;

/** As with monitors: what a clock that ran ahead put off is due now. */
export async function recallFavicons(store: Store, now: number): Promise<number> {
  const result = await store.db
    .updateTable('favicons')
    .set({ next_fetch_at: now })
    .where('next_fetch_at', '>', now + LONGEST_PLAN_MS)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}
