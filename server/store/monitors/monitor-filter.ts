import {
  type Expression,
  type ExpressionBuilder,
  type RawBuilder,
  type SelectQueryBuilder,
  sql,
  type SqlBool,
} from 'kysely';
import { byItself, contains, type DialectName, longContains } from '../db/dialect.ts';
import {
  type DomainState,
  endsSoon,
  isInState,
  isUndated,
  isUnreached,
  needsPerson,
} from './domain-state.ts';
import type { MonitorPlace } from './list-place.ts';
import { countMonitors } from './monitor-total.ts';
import type { Store } from '../db/open-store.ts';
import type { Tables } from '../schema/tables.ts';

export interface MonitorFilter {
  accountId: string;
  /** Part of the name, of a tag or of the notes. */
  q?: string | undefined;
  /** `problem`: those that need a person although no date says so; `unreached`: of those the ones that are down or not reached. */
  status?: DomainState | 'problem' | 'unreached' | undefined;
  /** In lower case. */
  tag?: string | undefined;
  now: number;
}

type Listed<O> = SelectQueryBuilder<Tables, 'monitor_listing', O>;

/** Counts the matches, on the database that `reading` chose for a search. */
export async function countMatching(store: Store, filter: MonitorFilter): Promise<number> {
  if (isEverything(filter)) return countMonitors(store.db, filter.accountId);
  if (filter.status === 'ok' && !looksForText(filter)) return countOk(store, filter);
  const parts = await inParts(store, filter, (part) =>
    part.select((eb) => eb.fn.countAll<number>().as('count')),
  ).execute();
  return parts.reduce((sum, { count }) => sum + count, 0);
}

/** What most are in, by the others, which are few; in one statement, so that they are of one moment. */
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

/** Above it one of so many rows matches that an index in the list's order has soon filled a page. */
const DENSE = 5_000;
/** Of what matches, the share up to which it is walked: of the account it is the same share. */
const WALKED = 1 / 10;

/** What is wanted of what matches. */
export interface Wanted {
  /** Of `countMatching`. */
  total: number;
  /** How far from the nearer end of the order the last of it lies. */
  reach: number;
  sort: MonitorPlace['sort'];
}

/**
 * The rows of `monitor_listing` that match, to be sorted. Where many do, an index in that order is walked until there are enough;
 * of few, of what lies deep in them, or of what people wrote, which may be anywhere, all are found first, out of one index.
 * `wanted`: null for all of them.
 */
export function matchingRows(store: Store, filter: MonitorFilter, wanted: Wanted | null): Listed<unknown> {
  if (!looksForText(filter) && wanted !== null && wanted.total > DENSE) {
    if (hasOrderedIndex(filter, wanted)) return matching(store, filter);
    if (wanted.reach <= wanted.total * WALKED) return matching(store, filter, { isWalked: true });
  }
  if (isEverything(filter)) return matching(store, filter);
  const found = byItself(store.dialect, foundRows(store, filter));
  // It has the columns that an order is made of, as the table does.
  return store.db.selectFrom(found.as('found')) as unknown as Listed<unknown>;
}

/** Whether what leads to the rows of a state has them in that order: the phases by the ends of certificates, troubles by name. */
const hasOrderedIndex = ({ status }: MonitorFilter, { sort }: Wanted): boolean =>
  status === 'problem' || status === 'unreached' ? sort === 'name' : sort === 'soonest';

/** Whether it looks for something that people wrote, which may be anywhere. */
export const looksForText = ({ q, tag }: Pick<MonitorFilter, 'q' | 'tag'>): boolean =>
  q !== undefined || tag !== undefined;

/** Gives `read` the database that answers what the filter asks for: searches have one of their own. */
export function reading<T>(
  store: Store,
  filter: MonitorFilter,
  read: (store: Store) => Promise<T>,
): Promise<T> {
  if (!looksForText(filter)) return read(store);
  return store.search(filter.accountId, (db) => read({ ...store, db }));
}

const isEverything = (filter: MonitorFilter): boolean => !looksForText(filter) && filter.status === undefined;

/** What matches, in no order, with what orders are made of. */
export function foundRows(store: Store, filter: MonitorFilter) {
  return inParts(store, filter, (part) =>
    part.select(['monitor_id', 'created_at', 'not_after', 'host', 'port']),
  );
}

interface Way {
  /** Along an index in the order that is asked for, which conditions must not lead away from. */
  isWalked?: boolean;
  /** Null: whatever the length of the text. */
  texts?: 'short' | 'long' | null;
}

function matching(
  { db, dialect }: Store,
  filter: MonitorFilter,
  { isWalked = false, texts = null }: Way = {},
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
 * Searches look through short texts in the one index that has them all, and separately through long ones, for which PostgreSQL has no
 * room in an index.
 */
function inParts<O>(
  store: Store,
  filter: MonitorFilter,
  select: (part: Listed<unknown>) => Listed<O>,
): Listed<O> {
  if (!looksForText(filter)) return select(matching(store, filter));
  const short = select(matching(store, filter, { texts: 'short' }));
  return short.unionAll(select(matching(store, filter, { texts: 'long' })));
}

/** As the partial indexes have it: the databases recognise it by its words. */
const LENGTHS = {
  short: sql<SqlBool>`length(search_text) <= 200`,
  long: sql<SqlBool>`length(search_text) > 200`,
};

function conditions(
  dialect: DialectName,
  eb: ExpressionBuilder<Tables, 'monitor_listing'>,
  { q, status, tag, now }: MonitorFilter,
  texts: Way['texts'] = null,
): Expression<SqlBool>[] {
  const containsText = texts === 'short' ? contains : longContains;
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

/** In the JSON of a list, a quote that no backslash precedes begins or ends an item: what follows `[` or `,` begins one. */
const hasTag = (dialect: DialectName, tags: Expression<string>, tag: string) =>
  ['[', ','].map((before) => contains(dialect, tags, before + JSON.stringify(tag)));
