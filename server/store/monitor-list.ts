import type { Expression } from 'kysely';
import { byCodePoint, contains, type DialectName } from './dialect.ts';
import { domainState, type DomainState } from './domain-state.ts';
import { isAfter, type MonitorPlace } from './list-place.ts';
import { type Monitor, selectMonitors, toMonitor } from './monitor-row.ts';
import { needsPerson } from './needs-person.ts';
import type { Store } from './open-store.ts';

export interface MonitorFilter {
  accountId: string;
  /** Part of the name, of a tag or of the notes. */
  q?: string | undefined;
  /** `problem`: those that need a person although no date says so. */
  status?: DomainState | 'problem' | undefined;
  /** In lower case. */
  tag?: string | undefined;
  now: number;
}

export type MonitorSort = 'newest' | 'soonest' | 'name';

export interface ListQuery extends MonitorFilter {
  /** From 1. */
  page: number;
  /** Read on from there, and no matter the page. Its order is `sort`. */
  after?: MonitorPlace | null;
  pageSize: number;
  sort: MonitorSort;
}

/** One page of an account's monitors, and how many match in all. */
export async function listMonitors(
  store: Store,
  query: ListQuery,
): Promise<{ monitors: Monitor[]; total: number }> {
  const matching = matchingMonitors(store, query);
  const total = await countOf(matching);
  const { after = null } = query;
  const offset = after === null ? (query.page - 1) * query.pageSize : 0;
  // A search that finds nothing has looked through everything: not twice.
  if (offset >= total) return { monitors: [], total };

  // Ids first: they come out of an index, and only the page's rows are read with all that hangs on them.
  const page = await inOrder(matching, query.sort, store.dialect)
    .$if(after !== null, (select) =>
      select.where((eb) => (after === null ? eb.val(true) : isAfter(after, store.dialect, eb.ref('id')))),
    )
    .select('id')
    .limit(query.pageSize)
    .offset(offset)
    .execute();
  const ids = page.map(({ id }) => id);
  return { monitors: await monitorsOf(store, { accountId: query.accountId, ids }), total };
}

/** The ids of what matches, in the list's order and at most `limit`, and how many match in all. */
export async function monitorIds(
  store: Store,
  query: MonitorFilter & { sort: MonitorSort; limit: number },
): Promise<{ ids: string[]; total: number }> {
  const matching = matchingMonitors(store, query);
  const rows = await inOrder(matching, query.sort, store.dialect).select('id').limit(query.limit).execute();
  const ids = rows.map(({ id }) => id);
  return { ids, total: ids.length < query.limit ? ids.length : await countOf(matching) };
}

const READ_AT_ONCE = 200;

/**
 * Everything that matches, in the list's order, read some at a time. Which ones is settled at the beginning: what is added
 * or removed meanwhile shifts nothing.
 */
export async function* eachMonitor(
  store: Store,
  query: MonitorFilter & { sort: MonitorSort },
): AsyncGenerator<Monitor> {
  const rows = await inOrder(matchingMonitors(store, query), query.sort, store.dialect)
    .select('id')
    .execute();
  const ids = rows.map(({ id }) => id);
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
    .where('monitors.id', 'in', ids)
    .where('account_id', '=', accountId)
    .execute();
  const monitors = new Map(rows.map((row) => [row.id, toMonitor(row)]));
  return ids.flatMap((id) => monitors.get(id) ?? []);
}

type Matching = ReturnType<typeof matchingMonitors>;

async function countOf(matching: Matching): Promise<number> {
  const { count } = await matching
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

function matchingMonitors(store: Store, { accountId, q, status, tag, now }: MonitorFilter) {
  return store.db
    .selectFrom('monitors')
    .where('account_id', '=', accountId)
    .$if(q !== undefined, (select) => select.where((eb) => contains(eb.ref('search_text'), q ?? '')))
    .$if(status !== undefined, (select) =>
      status === 'problem'
        ? select.where(needsPerson(now))
        : select.where(domainState(now), '=', status ?? 'ok'),
    )
    .$if(tag !== undefined, (select) => select.where((eb) => eb.or(hasTag(eb.ref('tags'), tag ?? ''))));
}

/** In the JSON of a list, a quote that no backslash precedes begins or ends an item: what follows `[` or `,` begins one. */
const hasTag = (tags: Expression<string>, tag: string) =>
  ['[', ','].map((before) => contains(tags, before + JSON.stringify(tag)));

function inOrder(matching: Matching, sort: MonitorSort, dialect: DialectName) {
  if (sort === 'name') return matching.orderBy((eb) => byCodePoint(dialect, eb.ref('host'))).orderBy('port');
  return sort === 'newest'
    ? matching.orderBy('created_at', 'desc').orderBy('id', 'desc')
    : matching.orderBy('not_after', (order) => order.asc().nullsLast()).orderBy('id');
}
