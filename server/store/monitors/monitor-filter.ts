import {
  type Expression,
  type ExpressionBuilder,
  type RawBuilder,
  type SelectQueryBuilder,
  sql,
  type SqlBool,
} from 'kysely';
import { withOptimisationFence, contains, type DialectName, containsInLongText } from '../db/dialect.ts';
import { endsSoon, isInState, isUndated, isUnreached, needsPerson } from './domain-state.ts';
import type { MonitorCursor } from './monitor-list.ts';
import { countMonitors } from './monitors.ts';
import type { Store } from '../db/open-store.ts';
import type { Tables } from '../schema/tables.ts';
import type { DomainState } from '../../../contract/words.ts';

export interface MonitorFilter {
  accountId: string;
  /** Substring of the name, of a tag or of the notes. */
  q?: string | undefined;
  /**
   * `problem`: needs attention although no expiry date says so; `unreached`: the subset that is down or was not
   * read.
   */
  status?: DomainState | 'problem' | 'unreached' | undefined;
  /** In lower case. */
  tag?: string | undefined;
  now: number;
}

type Listed<O> = SelectQueryBuilder<Tables, 'monitor_listing', O>;

/** Counts the matches. For a search, pass the store that `withSearchStore` provides. */
export async function countMatching(store: Store, filter: MonitorFilter): Promise<number> {
  if (isEverything(filter)) return countMonitors(store.db, filter.accountId);
  if (filter.status === 'ok' && !searchesText(filter)) return countOk(store, filter);
  const parts = await splitByLength(store, filter, (part) =>
    part.select((eb) => eb.fn.countAll<number>().as('count')),
  ).execute();
  return parts.reduce((sum, { count }) => sum + count, 0);
}

/**
 * Counts `ok`, the most common state, as the total minus the others; one statement, so that all
 * counts are of the same moment.
 */
async function countOk(store: Store, { accountId, now }: MonitorFilter): Promise<number> {
  const others = (among: RawBuilder<boolean>) =>
    matching(store, { accountId, now })
      .where(among)
      .select((eb) => eb.fn.countAll<number>().as('count'));
  const { rest } = (await store.db
    .selectFrom('monitor_totals')
    .where('account_id', '=', accountId)
    .select((eb) =>
      sql<number>`${eb.ref('total')} - (${others(isUndated)}) - (${others(endsSoon(now))})`.as('rest'),
    )
    .executeTakeFirst()) ?? { rest: 0 };
  return rest;
}

/** Above this number, matches are so dense that walking an index in the list's order soon fills a page. */
const DENSE_MATCHES = 5_000;
/** The index is walked up to this share of the matches, which is about the same share of the account's rows. */
const MAX_WALKED_SHARE = 1 / 10;

/** The part of the matches that a page needs. */
export interface PageRange {
  /** The result of `countMatching`. */
  total: number;
  /** Distance of the page's last row from the nearer end of the order, in matches. */
  reach: number;
  sort: MonitorCursor['sort'];
}

/**
 * Selects the matching rows of `monitor_listing`, for the caller to sort. With many matches, an index in the list's
 * order is walked until the page is full. For few matches, deep pages and text searches, all matches are found first
 * through one index. `wanted` null: all rows.
 */
export function matchingRows(store: Store, filter: MonitorFilter, wanted: PageRange | null): Listed<unknown> {
  if (!searchesText(filter) && wanted !== null && wanted.total > DENSE_MATCHES) {
    if (hasOrderedIndex(filter, wanted)) return matching(store, filter);
    if (wanted.reach <= wanted.total * MAX_WALKED_SHARE) return matching(store, filter, { isWalked: true });
  }
  if (isEverything(filter)) return matching(store, filter);
  const found = withOptimisationFence(store.dialect, foundRows(store, filter));
  // The subquery has every column that a sort order uses, so it can stand in for the table.
  return store.db.selectFrom(found.as('found')) as unknown as Listed<unknown>;
}

/**
 * Whether the index that finds this status also yields the requested order: the index on phases is ordered by
 * `not_after`, the one on `trouble` by name.
 */
const hasOrderedIndex = ({ status }: MonitorFilter, { sort }: PageRange): boolean =>
  status === 'problem' || status === 'unreached' ? sort === 'name' : sort === 'soonest';

/** Whether the filter searches text that people wrote, which may match anywhere. */
export const searchesText = ({ q, tag }: Pick<MonitorFilter, 'q' | 'tag'>): boolean =>
  q !== undefined || tag !== undefined;

/** Calls `read` with the store to query: searches run on a database connection of their own. */
export function withSearchStore<T>(
  store: Store,
  filter: MonitorFilter,
  read: (store: Store) => Promise<T>,
): Promise<T> {
  if (!searchesText(filter)) return read(store);
  return store.search(filter.accountId, (db) => read({ ...store, db }));
}

const isEverything = (filter: MonitorFilter): boolean => !searchesText(filter) && filter.status === undefined;

/** Selects all matches, unsorted, with the columns that sort orders use. */
export function foundRows(store: Store, filter: MonitorFilter) {
  return splitByLength(store, filter, (part) =>
    part.select(['monitor_id', 'created_at', 'not_after', 'host', 'port']),
  );
}

interface MatchOptions {
  /** Walk an index in the requested order, and keep the conditions from leading the planner to another index. */
  isWalked?: boolean;
  /** Only texts of this length class; null: of any length. */
  texts?: 'short' | 'long' | null;
}

function matching(
  { db, dialect }: Store,
  filter: MonitorFilter,
  { isWalked = false, texts = null }: MatchOptions = {},
) {
  return db
    .selectFrom('monitor_listing')
    .where('account_id', '=', filter.accountId)
    .where((eb) => {
      const all = eb.and(conditions(dialect, eb, filter, texts));
      return isWalked ? sql<SqlBool>`(${all}) is true` : all;
    });
}

/**
 * Searches short texts through the one index that has them all, and long ones separately, because PostgreSQL has no
 * room for them in an index.
 */
function splitByLength<O>(
  store: Store,
  filter: MonitorFilter,
  select: (part: Listed<unknown>) => Listed<O>,
): Listed<O> {
  if (!searchesText(filter)) return select(matching(store, filter));
  const short = select(matching(store, filter, { texts: 'short' }));
  return short.unionAll(select(matching(store, filter, { texts: 'long' })));
}

/** Worded exactly as in the partial indexes: the databases recognise the condition by its text. */
const LENGTHS = {
  short: sql<SqlBool>`length(search_text) <= 200`,
  long: sql<SqlBool>`length(search_text) > 200`,
};

function conditions(
  dialect: DialectName,
  eb: ExpressionBuilder<Tables, 'monitor_listing'>,
  { q, status, tag, now }: MonitorFilter,
  texts: MatchOptions['texts'] = null,
): Expression<SqlBool>[] {
  const containsText = texts === 'short' ? contains : containsInLongText;
  return [
    ...(texts === null ? [] : [LENGTHS[texts]]),
    ...(q === undefined ? [] : [containsText(dialect, eb.ref('search_text'), q)]),
    ...(status === undefined ? [] : [hasStatus(status, now)]),
    ...(tag === undefined ? [] : [eb.or(hasTag(dialect, eb.ref('tags'), tag))]),
  ];
}

function hasStatus(status: NonNullable<MonitorFilter['status']>, now: number): Expression<SqlBool> {
  if (status === 'unreached') return isUnreached;
  return status === 'problem' ? needsPerson(now) : isInState(status, now);
}

/** In a JSON list, an unescaped quote begins or ends an item. After `[` or `,` it begins one. */
const hasTag = (dialect: DialectName, tags: Expression<string>, tag: string) =>
  ['[', ','].map((before) => contains(dialect, tags, before + JSON.stringify(tag)));
