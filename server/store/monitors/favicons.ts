import { type Kysely, sql, type SqlBool, type Transaction } from 'kysely';
import { createHash } from 'node:crypto';
import { effectiveTarget, type Targeted } from '../../core/target.ts';
import { compileOnce, lockedOrSkipped, plainBytes } from '../db/dialect.ts';
import type { MonitorKey, Tables } from '../schema/tables.ts';
import type { Store } from '../db/open-store.ts';
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

/**
 * Registers a site, in the transaction of a check that read a certificate at its host and port, so that its icon is due. After a
 * monitor's first read, even a known icon is due: if it appeared sooner than an unknown one, it would reveal other watchers.
 */
export async function registerSite(
  trx: Transaction<Tables>,
  site: Targeted,
  { isFirstRead, now }: { isFirstRead: boolean; now: number },
): Promise<void> {
  const { host, port } = site;
  const { connectTo } = effectiveTarget(site);
  // With a target, the check connects to another place. Fetching the icon would contact a host that the user does not check.
  if (connectTo.host !== host || connectTo.port !== port) return;
  await trx
    .insertInto('favicons')
    .values({ host, port, next_fetch_at: now })
    .onConflict((conflict) => {
      const known = conflict.columns(['host', 'port']);
      return isFirstRead
        ? known.doUpdateSet({ next_fetch_at: now }).where('favicons.next_fetch_at', '>', now)
        : known.doNothing();
    })
    .execute();
}

const firstFetch = compileOnce((db) =>
  db.selectFrom('favicons').select('next_fetch_at as at').orderBy('next_fetch_at').limit(1).compile(),
);

/** Returns when the first icon is due to be fetched, ms UTC; null if there is no site. */
export async function firstFetchAt({ db }: Store): Promise<number | null> {
  const [first] = await firstFetch(db, {});
  return first?.at ?? null;
}

/**
 * Claims sites whose icon is due, longest due first. Skips sites that no active monitor checks. Sets the next fetch to
 * `nextFetchAt` (ms UTC) before anything is fetched, so that a failed fetch is not repeated sooner.
 */
export async function claimDueSites(
  store: Store,
  { now, limit, nextFetchAt }: { now: number; limit: number; nextFetchAt: number },
): Promise<Site[]> {
  const claimed = await store.db
    .with('due', (db) =>
      lockedOrSkipped(
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
    .where(connectsThere)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** SQL condition: the monitor connects to its own host and port. */
const connectsThere = sql<SqlBool>`target not like '{"connect_to"%'`;

/** Makes a site due again because the worker stopped before it fetched the icon. */
export async function releaseSite(store: Store, { host, port }: Site, now: number): Promise<void> {
  await store.db
    .updateTable('favicons')
    .set({ next_fetch_at: now })
    .where('host', '=', host)
    .where('port', '=', port)
    .execute();
}

/** Maximum number of signals for one changed icon. Self-hosted installations need far fewer. */
const MAX_SIGNALS = 500;

/**
 * Stores a site's icon and shows it for the monitors that have read a certificate there. Publishes a signal for each monitor that
 * had no icon. If the icon changed, publishes signals for up to `MAX_SIGNALS` monitors that show it.
 */
export async function storeFavicon(
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
  if (changed === 0n) await site.execute();
  const shownFirst = await store.db
    .updateTable('monitors')
    .set({ icon_fetched: 1 })
    .where('host', '=', host)
    .where('port', '=', port)
    .where('icon_fetched', '=', 0)
    .where('last_read_at', 'is not', null)
    .where(connectsThere)
    .returning(['id', 'account_id'])
    .execute();
  const monitors =
    changed === 0n
      ? shownFirst
      : await store.db
          .selectFrom('monitors')
          .select(['id', 'account_id'])
          .where('host', '=', host)
          .where('port', '=', port)
          .where('icon_fetched', '=', 1)
          .limit(MAX_SIGNALS)
          .execute();
  for (const { id, account_id: accountId } of monitors)
    store.signals.publish({ topic: 'domain', accountId, monitorId: id, change: 'changed' });
}

/** Returns the icon of a monitor's site. Returns null if the monitor shows none (see `icon_fetched`) or does not exist. */
export async function faviconOf(store: Store, { accountId, monitorId }: MonitorKey): Promise<Favicon | null> {
  const row = await store.db
    .selectFrom('monitors')
    .innerJoin('favicons', (join) =>
      join.onRef('favicons.host', '=', 'monitors.host').onRef('favicons.port', '=', 'monitors.port'),
    )
    .select(['favicons.content_type', 'favicons.content', 'favicons.version'])
    .where('monitors.id', '=', monitorId)
    .where('monitors.account_id', '=', accountId)
    .where('monitors.icon_fetched', '=', 1)
    .executeTakeFirst();
  if (!row?.content || row.content_type === null || row.version === null) return null;
  return { contentType: row.content_type, content: plainBytes(row.content), version: row.version };
}

/** Deletes icons of sites that no monitor watches. Returns their number. */
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

/** Maximum time in ms between two fetches of an icon: a week plus a random part. */
const MAX_INTERVAL_MS = 9 * DAY_MS;

/** Makes icon fetches due that are planned more than nine days ahead, because a clock ran ahead. Returns their number. */
export async function correctFaviconTimes(store: Store, now: number): Promise<number> {
  const result = await store.db
    .updateTable('favicons')
    .set({ next_fetch_at: now })
    .where('next_fetch_at', '>', now + MAX_INTERVAL_MS)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}
