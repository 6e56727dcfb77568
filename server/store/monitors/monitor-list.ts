import { type SelectQueryBuilder, sql } from 'kysely';
import {
  countMatching,
  foundRows,
  looksForText,
  matchingRows,
  type MonitorFilter,
  reading,
} from './monitor-filter.ts';
import { isAfter, type MonitorPlace } from './list-place.ts';
import { type Monitor, selectMonitors, toMonitor } from './monitor-row.ts';
import type { Store } from '../db/open-store.ts';

export type { MonitorFilter } from './monitor-filter.ts';

export type MonitorSort = 'newest' | 'soonest' | 'name';

interface Sorted extends MonitorFilter {
  sort: MonitorSort;
  /** Only what comes behind; a place in this very order. */
  after?: MonitorPlace | null;
}

export interface ListQuery extends Sorted {
  /** From 1; no matter with `after`. */
  page: number;
  pageSize: number;
}

interface MonitorPage {
  monitors: Monitor[];
  total: number;
}

/** One page of an account's monitors, and how many match in all. */
export async function listMonitors(store: Store, query: ListQuery): Promise<MonitorPage> {
  const offset = query.after ? 0 : (query.page - 1) * query.pageSize;
  const { ids, total } = await reading(
    store,
    query,
    async (from) => (await pageOfFound(from, query, offset)) ?? pageOfCounted(from, query, offset),
  );
  return { monitors: await monitorsOf(store, { accountId: query.accountId, ids }), total };
}

interface PageOfIds {
  ids: string[];
  total: number;
}

async function pageOfCounted(store: Store, query: ListQuery, offset: number): Promise<PageOfIds> {
  const total = await countMatching(store, query);
  return { ids: offset >= total ? [] : await pageOf(store, query, { total, offset }), total };
}

/**
 * The page and the total of what people wrote: all is looked through for either, and so for both at once. Null for other lists, and
 * where nothing is on the page.
 */
async function pageOfFound(store: Store, query: ListQuery, offset: number): Promise<PageOfIds | null> {
  if (!looksForText(query)) return null;
  const found = store.db
    .with(
      (cte) => cte('found').materialized(),
      () => foundRows(store, query),
    )
    .selectFrom('found')
    .select((eb) => [
      'monitor_id',
      eb
        .selectFrom('found')
        .select((all) => all.fn.countAll<number>().as('count'))
        .as('total'),
    ]);
  const { after = null } = query;
  const rows = await sorted(after === null ? found : found.where(isAfter(after)), query.sort)
    .limit(query.pageSize)
    .offset(offset)
    .execute();
  const total = rows[0]?.total ?? (offset === 0 && after === null ? 0 : null);
  return total === null ? null : { ids: idsOf(rows), total };
}

/** The ids of what matches, in the list's order and at most `limit`, and how many match in all. */
export async function monitorIds(
  store: Store,
  query: Sorted & { limit: number },
): Promise<{ ids: string[]; total: number }> {
  return reading(store, query, async (from) => {
    const ids = idsOf(await inOrder(from, query).limit(query.limit).execute());
    return { ids, total: ids.length < query.limit ? ids.length : await countMatching(from, query) };
  });
}

const READ_AT_ONCE = 200;

/**
 * Everything that matches, in the list's order, read some at a time. Which ones is settled at the beginning: what is added
 * or removed meanwhile shifts nothing.
 */
export async function* eachMonitor(store: Store, query: Sorted): AsyncGenerator<Monitor> {
  const ids = await reading(store, query, async (from) => idsOf(await inOrder(from, query).execute()));
  for (let from = 0; from < ids.length; from += READ_AT_ONCE)
    yield* await monitorsOf(store, {
      accountId: query.accountId,
      ids: ids.slice(from, from + READ_AT_ONCE),
    });
}

/** Of these ids those that the account has, in their order. */
export async function monitorsOf(
  store: Store,
  { accountId, ids }: { accountId: string; ids: readonly string[] },
): Promise<Monitor[]> {
  if (ids.length === 0) return [];
  const rows = await selectMonitors(store.db)
    .where('monitors.account_id', '=', accountId)
    .where('monitors.id', 'in', ids)
    .execute();
  const monitors = new Map(rows.map((row) => [row.id, toMonitor(row)]));
  return ids.flatMap((id) => monitors.get(id) ?? []);
}

/** From the nearer end: the last page costs what the first does. */
async function pageOf(
  store: Store,
  query: ListQuery,
  { total, offset }: { total: number; offset: number },
): Promise<string[]> {
  if (query.after || offset <= total / 2) {
    // A full page, also of what was added since they were counted: who reads on takes a short one for the last.
    const fromStart = inOrder(store, query, { total, reach: offset + query.pageSize });
    return idsOf(await fromStart.limit(query.pageSize).offset(offset).execute());
  }
  const limit = Math.min(query.pageSize, total - offset);
  const beyond = total - offset - limit;
  const fromEnd = inOrder(store, query, { total, reach: beyond + limit, isBackwards: true });
  return idsOf(await fromEnd.limit(limit).offset(beyond).execute()).toReversed();
}

/** Each order is an index of `monitor_listing`, read from its one end or the other. */
function inOrder(
  store: Store,
  query: Sorted,
  page: { total: number; reach: number; isBackwards?: boolean } | null = null,
) {
  const { after = null } = query;
  const wanted = page && { ...page, sort: query.sort };
  const all = matchingRows(store, query, wanted).select('monitor_id');
  return sorted(after === null ? all : all.where(isAfter(after)), query.sort, page?.isBackwards);
}

function sorted<DB, TB extends keyof DB, O>(
  rows: SelectQueryBuilder<DB, TB, O>,
  sort: MonitorSort,
  isBackwards = false,
): SelectQueryBuilder<DB, TB, O> {
  const [up, down] = isBackwards ? (['desc', 'asc'] as const) : (['asc', 'desc'] as const);
  const by = (column: string) => sql.ref(column);
  if (sort === 'name') return rows.orderBy(by('host'), up).orderBy(by('port'), up);
  if (sort === 'newest') return rows.orderBy(by('created_at'), down).orderBy(by('monitor_id'), down);
  return rows
    .orderBy(by('not_after'), (order) => (isBackwards ? order.desc().nullsFirst() : order.asc().nullsLast()))
    .orderBy(by('monitor_id'), up);
}

const idsOf = (rows: readonly { monitor_id: string }[]): string[] => rows.map(({ monitor_id: id }) => id);
