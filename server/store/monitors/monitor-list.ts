import type { Targeted } from '../../core/target.ts';
import type { Verdict } from '../../core/verdict.ts';
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { isDescending, levelsOf } from './domain-state.ts';
import { MAX_ENTRIES } from './expiries.ts';
import {
  countMatching,
  DENSE_MATCHES,
  foundRows,
  isSearch,
  matchingRows,
  type MonitorCursor,
  type MonitorFilter,
  searchesText,
  type SortedFilter,
  withSearchStore,
} from './monitor-filter.ts';
import { joinVerdict, type Monitor, selectMonitors, toMonitor, withTargets } from './monitor-row.ts';
import { downCauses } from '../checks/downtime.ts';
import { currentVerdict } from '../checks/verdict-row.ts';
import type { Store } from '../db/open-store.ts';
import { listItems } from '../db/dialect.ts';
import { storedStrings } from '../db/stored-json.ts';
import type { Tables } from '../schema/tables.ts';
import { byExpiry, comesAfterInExpiryOrder, pageOfLevels } from './pages-of-levels.ts';
import { DAY_MS } from '../../../contract/durations.ts';

interface Sorted extends SortedFilter {
  /** Cursor after which the list starts; it must have the same `sort`. Null: start at the beginning. */
  after?: MonitorCursor | null;
}

export interface ListQuery extends Sorted {
  /** Page number, from 1; ignored with `after`. */
  page: number;
  pageSize: number;
}

interface MonitorPage {
  monitors: Monitor[];
  total: number;
  /** Cursor of the next page; null if this page is not full. */
  next: MonitorCursor | null;
}

/** Returns one page of an account's monitors, and the number of all matches. */
export async function listMonitors(store: Store, query: ListQuery): Promise<MonitorPage> {
  const offset = query.after ? 0 : (query.page - 1) * query.pageSize;
  const { rows, total } = await withSearchStore(
    store,
    query,
    async (from) => (await pageOfFound(from, query, offset)) ?? pageOfCounted(from, query, offset),
  );
  const monitors = await findMonitors(store, { accountId: query.accountId, ids: idsOf(rows) });
  // Take the cursor from the row: if the monitor was removed meanwhile, `monitors` does not have it.
  const last = rows.length < query.pageSize ? undefined : rows.at(-1);
  return { monitors, total, next: last ? cursorAfter(query, last) : null };
}

/**
 * Values that determine the position of a row. Only the columns that the list's order needs are read, because its index has no
 * others.
 */
interface PlaceRow {
  monitor_id: string;
  created_at?: number;
  not_after?: number | null;
  sort_name?: string;
  port?: number;
  urgency?: number;
}

/** Returns the columns of `PlaceRow` that an order needs. */
function placeColumns(query: Sorted) {
  const columns = {
    newest: ['created_at'],
    soonest: ['not_after'],
    worst: ['not_after', 'urgency'],
    name: ['sort_name', 'port'],
  } as const satisfies Record<Sorted['sort'], (keyof PlaceRow)[]>;
  return columns[query.sort].map((column) => sql.ref(column).as(column));
}

interface PageOfRows {
  rows: PlaceRow[];
  total: number;
}

async function pageOfCounted(store: Store, query: ListQuery, offset: number): Promise<PageOfRows> {
  const total = await countMatching(store, query);
  return { rows: offset >= total ? [] : await pageOf(store, query, { total, offset }), total };
}

/**
 * Returns the page and total of a text search. Uses one query, because two would each scan all rows. Returns null if the list is
 * no text search, or if a page other than the first is empty.
 */
async function pageOfFound(store: Store, query: ListQuery, offset: number): Promise<PageOfRows | null> {
  if (!searchesText(query)) return null;
  const found = store.db
    .with(
      (cte) => cte('found').materialized(),
      () => foundRows(store, query, query),
    )
    .selectFrom('found')
    .select((eb) => [
      'monitor_id',
      eb
        .selectFrom('found')
        .select((all) => all.fn.countAll<number>().as('count'))
        .as('total'),
    ])
    .select(placeColumns(query));
  const { after = null } = query;
  const rows = await sorted(after === null ? found : found.where(isAfter(after, query)), query)
    .limit(query.pageSize)
    .offset(offset)
    .$castTo<PlaceRow & { total: number }>()
    .execute();
  const total = rows[0]?.total ?? (offset === 0 && after === null ? 0 : null);
  return total === null ? null : { rows, total };
}

export interface FoundMonitors {
  ids: string[];
  /** Number of all matches. */
  total: number;
  /** Days (UTC) on which the certificates of the monitors expire: their starts in ms UTC, ascending. */
  expiryDays: number[];
  /**
   * Tags of the monitors, in alphabetical order. If there are more than `MAX_ENTRIES` tags, an arbitrary selection of that many.
   */
  tags: string[];
}

/** Returns the first `limit` matches in the list's order, and the number of all matches. */
export async function matchingMonitorIds(
  store: Store,
  query: Sorted & { limit: number },
): Promise<FoundMonitors> {
  return withSearchStore(store, query, async (from) => {
    const found = await selectSorted(from, query).select('not_after').limit(query.limit).execute();
    const days = new Set<number>();
    for (const { not_after: end } of found) if (end !== null) days.add(Math.floor(end / DAY_MS) * DAY_MS);
    // Limit the tags: ten thousand monitors may have 200,000 different ones, and reading, sorting and sending them would block
    // for 0.1 s.
    const lists = from.db
      .selectFrom(matchingRows(from, query, null).select('tags').limit(query.limit).as('tagged'))
      .select('tags')
      .distinct();
    const some = await lists.limit(MAX_ENTRIES).execute();
    const tags = new Set(some.flatMap((row) => storedStrings(row.tags)));
    if (some.length === MAX_ENTRIES && tags.size < MAX_ENTRIES)
      for (const { tag } of await tagsIn(from, query, lists)) tags.add(tag);
    return {
      ids: idsOf(found),
      total: found.length < query.limit ? found.length : await countMatching(from, query),
      expiryDays: [...days].toSorted((one, other) => one - other),
      tags: [...tags].slice(0, MAX_ENTRIES).toSorted(),
    };
  });
}

/**
 * Returns the first `MAX_ENTRIES` different tags in these lists. Uses the search thread, because there may be thousands of lists.
 */
function tagsIn(
  store: Store,
  query: MonitorFilter,
  lists: SelectQueryBuilder<Tables, never, { tags: string }>,
) {
  const read = (db: Store['db']) =>
    db
      .selectFrom(lists.as('lists'))
      .innerJoin(listItems(store.dialect, 'lists.tags').as('item'), (join) => join.onTrue())
      .select('item.value as tag')
      .distinct()
      .limit(MAX_ENTRIES)
      .execute();
  // A search already runs in the search thread. A second one inside it would wait for the first one for ever.
  return isSearch(query) ? read(store.db) : store.search(query.accountId, read);
}

/** Returns the endpoints of all matches in the list's order. */
export async function matchingEndpoints(store: Store, query: Sorted): Promise<(Targeted & { id: string })[]> {
  return withSearchStore(store, query, async (from) =>
    withTargets(
      from.db,
      query.accountId,
      await selectSorted(from, query).select(['monitor_id as id', 'host', 'port']).execute(),
    ),
  );
}

const BATCH_SIZE = 200;

/**
 * Yields all matches in the list's order, in batches. Reads all ids first, so that no match is skipped or repeated when monitors
 * are added or removed meanwhile.
 */
export async function* eachMonitor(
  store: Store,
  query: Sorted,
): AsyncGenerator<Monitor & { downCause: string | null }> {
  const ids = await withSearchStore(store, query, async (from) =>
    idsOf(await selectSorted(from, query).execute()),
  );
  for (let from = 0; from < ids.length; from += BATCH_SIZE) {
    const monitors = await findMonitors(store, {
      accountId: query.accountId,
      ids: ids.slice(from, from + BATCH_SIZE),
    });
    const causes = await downCauses(store, monitors);
    for (const monitor of monitors) yield { ...monitor, downCause: causes.get(monitor.id) ?? null };
  }
}

/** Returns the monitors with these ids in the given order. Omits ids that belong to other accounts. */
export async function findMonitors(
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

/** Returns the addresses of each monitor's last check. Does not read the certificates, whose lists of names may be long. */
export async function addressesOf(
  { db }: Store,
  { accountId, ids }: { accountId: string; ids: readonly string[] },
): Promise<Map<string, Verdict['addresses']>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('monitors')
    .$call(joinVerdict)
    .select('monitors.id')
    .where('monitors.account_id', '=', accountId)
    .where('monitors.id', 'in', ids)
    .execute();
  return new Map(rows.map((row) => [row.id, currentVerdict(row)?.addresses ?? []]));
}

/** Returns the rows of a page. Reads from the nearer end of the order, so that the last page is as fast as the first. */
async function pageOf(
  store: Store,
  query: ListQuery,
  { total, offset }: { total: number; offset: number },
): Promise<PlaceRow[]> {
  const { pageSize } = query;
  const levels = levelsOf(query);
  if (levels && total > DENSE_MATCHES && !searchesText(query)) {
    const { after } = query;
    const place = after && 'notAfter' in after ? { ...after, urgency: levels.at(after) } : null;
    return pageOfLevels(store, query, { total, offset, limit: pageSize, after: place, levels });
  }
  const select = (page: NonNullable<Parameters<typeof selectSorted>[2]>) =>
    selectSorted(store, query, page).select(placeColumns(query)).$castTo<PlaceRow>();
  if (query.after || offset <= total / 2)
    // Always read a full page, including rows added since the count, because clients treat a short page as the last one.
    return select({ total, reach: offset + pageSize })
      .limit(pageSize)
      .offset(offset)
      .execute();
  const limit = Math.min(pageSize, total - offset);
  const beyond = total - offset - limit;
  const fromEnd = select({ total, reach: beyond + limit, isBackwards: true });
  return (await fromEnd.limit(limit).offset(beyond).execute()).toReversed();
}

/** Selects the matches in the list's order. Each order has an index on `monitor_listing` that is read in either direction. */
function selectSorted(
  store: Store,
  query: Sorted,
  page: { total: number; reach: number; isBackwards?: boolean } | null = null,
) {
  const { after = null } = query;
  const all = matchingRows(store, query, page).select('monitor_id');
  return sorted(after === null ? all : all.where(isAfter(after, query)), query, page?.isBackwards);
}

function sorted<DB, TB extends keyof DB, O>(
  rows: SelectQueryBuilder<DB, TB, O>,
  query: Sorted,
  isBackwards = false,
): SelectQueryBuilder<DB, TB, O> {
  const isDown = isDescending(query) !== isBackwards;
  const by = (...columns: string[]) =>
    columns.reduce((all, column) => all.orderBy(sql.ref(column), isDown ? 'desc' : 'asc'), rows);
  if (query.sort === 'name') return by('sort_name', 'port', 'monitor_id');
  if (query.sort === 'newest') return by('created_at', 'monitor_id');
  return byExpiry(levelsOf(query) ? by('urgency') : rows, isDown);
}

const idsOf = (rows: readonly { monitor_id: string }[]): string[] => rows.map(({ monitor_id: id }) => id);

function cursorAfter({ sort }: Sorted, row: PlaceRow): MonitorCursor {
  const { monitor_id: id, created_at: createdAt = 0, not_after: notAfter = null } = row;
  const { sort_name: name = '', port = 0, urgency = 0 } = row;
  switch (sort) {
    case 'newest':
      return { sort, createdAt, id };
    case 'soonest':
      return { sort, notAfter, id };
    case 'name':
      return { sort, host: name, port, id };
    default:
      return { sort, urgency, notAfter, id };
  }
}

/** Returns an SQL condition for rows of `monitor_listing` after the cursor. */
function isAfter(cursor: MonitorCursor, query: Sorted): RawBuilder<boolean> {
  const isDown = isDescending(query);
  const than = sql.raw(isDown ? '<' : '>');
  if (cursor.sort === 'newest')
    return sql<boolean>`(created_at, monitor_id) ${than} (${cursor.createdAt}, ${cursor.id})`;
  if (cursor.sort === 'name')
    return sql<boolean>`(sort_name, port, monitor_id) ${than} (${cursor.host}, ${cursor.port}, ${cursor.id})`;
  const rest = comesAfterInExpiryOrder(cursor, isDown);
  const level = levelsOf(query)?.at(cursor);
  return level === undefined
    ? rest
    : sql<boolean>`(urgency ${than} ${level} or (urgency = ${level} and ${rest}))`;
}
