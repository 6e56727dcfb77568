import { storedFact } from '../checks/certificates.ts';
import {
  type Expression,
  type ExpressionBuilder,
  type RawBuilder,
  type SelectQueryBuilder,
  sql,
  type SqlBool,
} from 'kysely';
import { contains, containsInLongText, type DialectName, withOptimisationFence } from '../db/dialect.ts';
import {
  attentionParts,
  endsSoon,
  expiryRangeOf,
  firstOkExpiry,
  hasCertificate,
  hasProblem,
  isExpiring,
  isInState,
  isUndated,
  isUnreached,
  levelNumber,
  levelsOf,
  type MonitorOrder,
} from './domain-state.ts';
import { failingRenewals, renewalFails } from '../forecasts/forecasts.ts';
import { certificateProblems, countMonitors } from './monitors.ts';
import type { Store } from '../db/open-store.ts';
import type { Tables } from '../schema/tables.ts';
import type { ListStatus } from '../../../contract/words.ts';

/** Position in the order by expiry: directly after a monitor with these values. */
export interface ExpiryPlace {
  /** End of validity, ms UTC; null if no certificate is known. Monitors with null come last. */
  notAfter: number | null;
  id: string;
}

/** A position in the order `worst`. `urgency` is the level of the monitor when the list was read. */
interface WorstCursor extends ExpiryPlace {
  sort: 'worst';
  urgency: number;
}

/**
 * A position in a list: after a monitor with these values (times in ms UTC). `host` has the value of `sort_name`, for older cursors.
 */
export type MonitorCursor =
  | { sort: 'newest'; createdAt: number; id: string }
  | ({ sort: 'soonest' } & ExpiryPlace)
  | { sort: 'name'; host: string; port: number; id: string }
  | WorstCursor;

export interface MonitorFilter {
  accountId: string;
  /** Text to find in the name, in a tag or in the notes. */
  q?: string | undefined;
  /** A status of the contract, or `unreached`: the subset of `problem` that is down or unreachable. */
  status?: ListStatus | 'unreached' | undefined;
  /** Tag in lower case. */
  tag?: string | undefined;
  /** Period in which the certificate expires, ms UTC, excluding `until`. Excludes paused monitors, as the timeline does. */
  expires?: { from: number; until: number } | undefined;
  /** Name of the authority that issued the certificate last seen. */
  issuer?: string | undefined;
  /** Return only monitors without any tag, or only those without a known issuer. */
  without?: 'tag' | 'issuer' | undefined;
  now: number;
}

/** A filter and an order of monitors. */
export type SortedFilter = MonitorFilter & MonitorOrder;

type Listed<O> = SelectQueryBuilder<Tables, 'monitor_listing', O>;

/** Returns the number of matches. For a search, pass the store that `withSearchStore` provides. */
export async function countMatching(store: Store, filter: MonitorFilter): Promise<number> {
  if (matchesEverything(filter)) return countMonitors(store.db, filter.accountId);
  if (filter.status === 'ok' && matchesEverything({ ...filter, status: undefined }))
    return countOk(store, filter);
  const parts = await splitByLength(store, filter, (part) =>
    part.select((eb) => eb.fn.countAll<number>().as('count')),
  ).execute();
  return parts.reduce((sum, { count }) => sum + count, 0);
}

/**
 * Returns the number of monitors in the most common state, `ok`: the total minus the number in all other states. Uses one
 * statement, so that both counts are of the same moment.
 */
async function countOk(store: Store, { accountId, now }: MonitorFilter): Promise<number> {
  const others = (among: RawBuilder<boolean>) =>
    selectMatching(store, { accountId, now })
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

/** If more monitors match than this, reading an index in the list's order soon fills a page. */
export const DENSE_MATCHES = 5_000;
/**
 * An index is only read in the list's order for pages within this share of the matches from either end of the order. It then
 * reads about the same share of the account's rows.
 */
const MAX_WALKED_SHARE = 1 / 10;

/** Which of the matches a page needs. */
export interface PageRange {
  /** Number of all matches, from `countMatching`. */
  total: number;
  /** Number of matches from the nearer end of the order up to and including the page. */
  reach: number;
}

/**
 * Selects the matching rows of `monitor_listing`, unsorted. If many match, reads an index in the list's order. For few matches,
 * pages far from both ends and text searches, finds all matches through one index first. `wanted` null: all rows.
 */
export function matchingRows(store: Store, filter: SortedFilter, wanted: PageRange | null): Listed<unknown> {
  const isIndexed = levelsOf(filter) === null;
  if (isIndexed && !searchesText(filter) && wanted !== null && wanted.total > DENSE_MATCHES) {
    if (hasOrderedIndex(filter)) return selectMatching(store, filter);
    if (wanted.reach <= wanted.total * MAX_WALKED_SHARE)
      return selectMatching(store, filter, { isWalked: true });
  }
  if (isIndexed && matchesEverything(filter)) return selectMatching(store, filter);
  const found = withOptimisationFence(store.dialect, foundRows(store, filter, filter));
  // The subquery has every column that callers sort by or select, so it can replace the table.
  return store.db.selectFrom(found.as('found')) as unknown as Listed<unknown>;
}

/**
 * Returns whether the index that finds this status also yields the requested order. The index on phases is sorted by `not_after`,
 * the index on `trouble` by name. No single index finds `attention`.
 */
function hasOrderedIndex({ status, sort }: Pick<SortedFilter, 'status' | 'sort'>): boolean {
  if (status === 'attention') return false;
  return status === 'problem' || status === 'unreached' ? sort === 'name' : sort === 'soonest';
}

/** Returns whether the filter searches text that users wrote. There, a match may start anywhere in the text. */
export const searchesText = ({ q, tag }: Pick<MonitorFilter, 'q' | 'tag'>): boolean =>
  q !== undefined || tag !== undefined;

/** Returns whether the filter has to read all texts or all certificates of the account. */
export const isSearch = (filter: Pick<MonitorFilter, 'q' | 'tag' | 'issuer' | 'without'>): boolean =>
  searchesText(filter) || filter.issuer !== undefined || filter.without === 'issuer';

/** Calls `read` with the store to query and returns its result. Searches run on a separate database connection. */
export function withSearchStore<T>(
  store: Store,
  filter: MonitorFilter,
  read: (store: Store) => Promise<T>,
): Promise<T> {
  if (!isSearch(filter)) return read(store);
  return store.search(filter.accountId, (db) => read({ ...store, db }));
}

/** Returns whether the filter matches all monitors of the account. */
export const matchesEverything = (filter: MonitorFilter): boolean =>
  !searchesText(filter) &&
  [filter.status, filter.expires, filter.issuer, filter.without].every((part) => part === undefined);

/** Selects all matches, unsorted, with the columns that lists sort by or select. */
export function foundRows(store: Store, filter: MonitorFilter, order: SortedFilter | null = null) {
  // Only compute a level for orders that consist of levels. Computing it for `worst` needs columns that the index on texts lacks.
  const levels = order && levelsOf(order);
  return splitByLength(store, filter, (part) =>
    part
      .select(['monitor_id', 'created_at', 'not_after', 'host', 'sort_name', 'port', 'tags'])
      .select((levels ? levelNumber(levels.tests) : sql<number>`0`).as('urgency')),
  );
}

/** Selects the fingerprints of the certificates that the matching monitors saw last; null for monitors that saw none. */
function foundCertificates(store: Store, filter: MonitorFilter) {
  if (!searchesText(filter)) return selectMatching(store, filter).select('certificate_fingerprint');
  // The subquery only reads the index on texts. The outer query then only reads the matching rows.
  return store.db
    .selectFrom('monitor_listing')
    .select('certificate_fingerprint')
    .where('account_id', '=', filter.accountId)
    .where('monitor_id', 'in', (eb) =>
      eb.selectFrom(foundRows(store, filter).as('found')).select('monitor_id'),
    );
}

/** Selects the fingerprints of the other certificates that addresses of the matching monitors serve. */
function foundOtherLeaves(store: Store, filter: MonitorFilter) {
  return store.db
    .selectFrom('other_leaves')
    .select('fingerprint')
    .where('account_id', '=', filter.accountId)
    .where('monitor_id', 'in', (eb) =>
      eb.selectFrom(foundRows(store, filter).as('found')).select('monitor_id'),
    );
}

/**
 * Returns an SQL condition for the certificates of the matching monitors. State, issuer and other facts that lists show of a
 * certificate are compared with the certificate, the rest with the monitors. Text is also searched in its names.
 */
export function isFoundCertificate(store: Store, filter: MonitorFilter): RawBuilder<boolean> {
  const { q, status, expires, issuer, without, ...rest } = filter;
  const own = status === undefined ? null : showsStatus(store, filter, status);
  const authority = (condition: RawBuilder<unknown>) =>
    sql<boolean>`exists (select 1 from certificates where certificates.fingerprint = served_certificates.fingerprint
      and ${authorityNameOf(store.dialect)} ${condition})`;
  const ofMonitors: MonitorFilter = {
    ...rest,
    status: own === null ? status : undefined,
    without: without === 'tag' ? without : undefined,
  };
  const isOf = (matches: MonitorFilter) =>
    sql<boolean>`(fingerprint in (${foundCertificates(store, matches)})
      or fingerprint in (${foundOtherLeaves(store, matches)}))`;
  const hasName = (text: string) => containsInLongText(store.dialect, sql.ref<string>('names'), text);
  const isOfMonitors = matchesEverything(ofMonitors) ? null : isOf(ofMonitors);
  const conditions = [
    own,
    expires && sql<boolean>`(not_after >= ${expires.from} and not_after < ${expires.until})`,
    issuer === undefined ? null : authority(sql`= ${issuer}`),
    without === 'issuer' ? authority(sql`is null`) : null,
    q === undefined
      ? isOfMonitors
      : sql<boolean>`(${isOf({ ...ofMonitors, q })} or ${isOfMonitors === null ? hasName(q) : sql`(${hasName(q)} and ${isOfMonitors})`})`,
  ];
  return sql<boolean>`(${sql.join(
    conditions.filter((one) => one !== null && one !== undefined),
    sql` and `,
  )})`;
}

/** Returns an SQL condition for the certificates that lists show with this status; null if only monitors can have the status. */
function showsStatus(
  { db }: Store,
  { accountId, now }: MonitorFilter,
  status: string,
): RawBuilder<boolean> | null {
  const problems = certificateProblems(db, accountId).select('fingerprint');
  const isAmong = (rows: typeof problems) => sql<boolean>`fingerprint in (${rows})`;
  const hasProblem = isAmong(problems);
  const isRevoked = isAmong(problems.where('problem', '=', 'revoked'));
  const onSchedule = sql`select certificate_fingerprint from monitor_listing
      where account_id = ${accountId} and certificate_fingerprint is not null and on_schedule_until > ${now}
    union all select fingerprint from other_leaves where account_id = ${accountId} and on_schedule_until > ${now}`;
  const isExpiring = sql`((not_after < ${now} or (not_after < ${firstOkExpiry(now)} and fingerprint not in (${onSchedule})))
    and not ${isRevoked})`;
  if (status === 'revoked') return isRevoked;
  if (status === 'renewal_fails') return sql`fingerprint in ${failingRenewals(accountId)}`;
  // Within two weeks of the expiry, a late renewal is no separate problem: the status is `expiring`.
  if (status === 'problem')
    return sql`(${hasProblem} and (not_after >= ${firstOkExpiry(now)} or ${isAmong(problems.where('problem', '<>', 'overdue'))}))`;
  if (status === 'expiring') return sql`${isExpiring}`;
  if (status === 'attention')
    return sql`((${hasProblem} or ${isExpiring}) and fingerprint in (${activeCertificates(db, accountId).select('fingerprint')}))`;
  const ends = expiryRangeOf(status, now) ?? null;
  return ends && sql`(not_after >= ${ends.from} and not_after < ${ends.until} and not ${isRevoked})`;
}

/** Selects the certificates that active monitors serve, one row per certificate and monitor. */
export function activeCertificates(db: Store['db'], accountId: string) {
  const active = db
    .selectFrom('monitor_listing')
    .where('monitor_listing.account_id', '=', accountId)
    .where(hasCertificate);
  return db.selectFrom(
    active
      .select((eb) => eb.ref('certificate_fingerprint').$notNull().as('fingerprint'))
      .unionAll(
        active
          .innerJoin('other_leaves', 'other_leaves.monitor_id', 'monitor_listing.monitor_id')
          .select('other_leaves.fingerprint')
          .where('other_leaves.account_id', '=', accountId),
      )
      .as('active'),
  );
}

interface MatchOptions {
  /**
   * True if the query reads an index in the requested order: prevents the planner from using another index for the conditions.
   */
  isWalked?: boolean;
  /** Length class of the texts to search; null: any length. */
  texts?: 'short' | 'long' | null;
}

/** Selects the matching rows of `monitor_listing`, unsorted. */
export function selectMatching(
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
 * Selects short texts through the one index that contains them all. Selects long texts separately, because they do not fit into a
 * PostgreSQL index.
 */
function splitByLength<O>(
  store: Store,
  filter: MonitorFilter,
  select: (part: Listed<unknown>) => Listed<O>,
): Listed<O> {
  if (!searchesText(filter)) return select(selectMatching(store, filter));
  const short = select(selectMatching(store, filter, { texts: 'short' }));
  return short.unionAll(select(selectMatching(store, filter, { texts: 'long' })));
}

/** SQL conditions of the partial indexes, word for word, because the databases use such an index only then. */
const LENGTHS = {
  short: sql<SqlBool>`length(search_text) <= 200`,
  long: sql<SqlBool>`length(search_text) > 200`,
};

function conditions(
  dialect: DialectName,
  eb: ExpressionBuilder<Tables, 'monitor_listing'>,
  { accountId, q, status, tag, expires, issuer, without, now }: MonitorFilter,
  texts: MatchOptions['texts'] = null,
): Expression<SqlBool>[] {
  const containsText = texts === 'short' ? contains : containsInLongText;
  const issued = (condition: RawBuilder<unknown>) =>
    sql`select monitors.id from monitors
      inner join certificates on certificates.fingerprint = monitors.certificate_fingerprint
      where monitors.account_id = ${accountId} and ${authorityNameOf(dialect)} ${condition}`;
  return [
    ...(texts === null ? [] : [LENGTHS[texts]]),
    ...(q === undefined ? [] : [containsText(dialect, eb.ref('search_text'), q)]),
    ...(status === undefined ? [] : [eb.or(hasStatus(status, accountId, now))]),
    ...(tag === undefined ? [] : [eb.or(hasTag(dialect, eb.ref('tags'), tag))]),
    ...(expires === undefined
      ? []
      : [sql<SqlBool>`${hasCertificate} and not_after >= ${expires.from} and not_after < ${expires.until}`]),
    ...(issuer === undefined ? [] : [sql<SqlBool>`monitor_id in (${issued(sql`= ${issuer}`)})`]),
    ...(without === 'issuer' ? [sql<SqlBool>`monitor_id not in (${issued(sql`is not null`)})`] : []),
    ...(without === 'tag' ? [sql<SqlBool>`tags = '[]'`] : []),
  ];
}

/** Returns SQL conditions. A monitor has the status if one of them holds. */
function hasStatus(
  status: NonNullable<MonitorFilter['status']>,
  accountId: string,
  now: number,
): Expression<SqlBool>[] {
  switch (status) {
    case 'attention':
      return attentionParts(now);
    case 'expiring':
      return [isExpiring(now)];
    case 'problem':
      return [hasProblem(now)];
    case 'unreached':
      return [isUnreached];
    case 'renewal_fails':
      return renewalFails(accountId);
    default:
      return [isInState(status, now)];
  }
}

/** Returns an SQL expression for the name of the authority that issued a row of `certificates`; null if it is unknown. */
export function authorityNameOf(dialect: DialectName): RawBuilder<string | null> {
  return sql`nullif(${storedFact(dialect, 'authorityName')}, '')`;
}

/**
 * Returns SQL conditions of which one holds if a JSON list contains the tag. An unescaped quote after `[` or `,` begins an item.
 */
const hasTag = (dialect: DialectName, tags: Expression<string>, tag: string) =>
  ['[', ','].map((before) => contains(dialect, tags, before + JSON.stringify(tag)));
