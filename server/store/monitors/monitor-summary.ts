import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely';
import { parseFacts } from '../checks/certificates.ts';
import {
  attentionParts,
  DATED,
  domainState,
  endsSoon,
  hasCertificate,
  hasProblem,
  isExpiring,
  isOnSchedule,
  isUndated,
  REVOKED,
} from './domain-state.ts';
import { listItems } from '../db/dialect.ts';
import type { Store } from '../db/open-store.ts';
import type { Tables } from '../schema/tables.ts';
import { DAY_MS } from '../../../contract/durations.ts';
import {
  ATTENTION_REASONS,
  type AttentionReason,
  DOMAIN_STATES,
  type DomainState,
} from '../../../contract/words.ts';

export interface Expiry {
  id: string;
  host: string;
  port: number;
  notAfter: number;
  /** Start of validity, ms UTC; null for states other than `critical` and `soon`, and if the certificate could not be parsed. */
  notBefore: number | null;
  state: DomainState;
  /** True if the certificate is short-lived and `critical` or `soon`, but its renewal is not overdue. */
  onSchedule: boolean;
  /** Number of monitors that the entry represents. */
  count: number;
  /** Number of certificates that they serve: more than one if the certificates of a day were merged. */
  certificateCount: number;
  /** Fingerprint of the certificate, or of the one that the monitor with this id serves. */
  fingerprint: string;
}

export interface Problem {
  id: string;
  host: string;
  port: number;
  state: DomainState;
  kind: 'untrusted' | 'down' | 'unreachable';
  message: string;
  /** Fingerprint of the certificate last read; null if none was. */
  fingerprint: string | null;
}

/** The monitors that need attention. */
export interface Attention {
  total: number;
  /** Number of monitors by their most urgent reason. */
  counts: Record<AttentionReason, number>;
  /** Number of monitors that need attention for a reason other than a date. */
  problems: number;
  /** The three most urgent monitors, most urgent first. `notAfter` is null if no certificate was ever read. */
  first: { id: string; host: string; port: number; reason: AttentionReason; notAfter: number | null }[];
}

export interface Summary {
  total: number;
  counts: Record<DomainState, number>;
  /** Number of monitors in `counts` with a short-lived certificate whose renewal is not overdue. */
  onSchedule: Record<'critical' | 'soon', number>;
  attention: Attention;
  /** The 500 tags with the most monitors, in alphabetical order. */
  tags: { tag: string; count: number }[];
  /**
   * Certificates, soonest first, without those of paused monitors alone. Above 500 there is one entry per day (UTC): the soonest
   * monitor, with counts.
   */
  expiries: Expiry[];
  /**
   * Problems that no expiry date shows, of at most 500 monitors, without paused ones. A monitor that is both untrusted and down
   * has two entries.
   */
  problems: Problem[];
}

const MAX_ENTRIES = 500;
const MOST_URGENT = 3;

interface SummaryQuery {
  accountId: string;
  now: number;
}

/** Returns the dashboard's figures for an account: counts by state, tags, expiries and problems. */
export async function summary(store: Store, query: SummaryQuery): Promise<Summary> {
  const { notOk, onSchedule, days } = await countAll(store, query);
  const counts = Object.fromEntries(DOMAIN_STATES.map((state) => [state, 0])) as Record<DomainState, number>;
  for (const { state, count } of notOk) counts[state] = count;
  const withCertificate = days.reduce((sum, { count }) => sum + count, 0);
  counts.ok = withCertificate - counts.revoked - counts.expired - counts.critical - counts.soon;
  const certificates = await certificatesOfDays(store, query, counts.paused > 0);
  const certificateCount = [...certificates.values()].reduce((sum, count) => sum + count, 0);
  const expiryRows =
    certificateCount > MAX_ENTRIES
      ? firstOfEachDay(store, query, { days, certificates })
      : expiriesOf(store, query);
  return {
    total: withCertificate + counts.paused + counts.pending + counts.unread,
    counts,
    onSchedule: {
      critical: onSchedule.find(({ state }) => state === 'critical')?.count ?? 0,
      soon: onSchedule.find(({ state }) => state === 'soon')?.count ?? 0,
    },
    attention: await attentionOf(store, query),
    tags: await tagsOf(store, query.accountId),
    expiries: await withNotBefore(store, query, await expiryRows),
    problems: await problemsOf(store, query),
  };
}

/** A day (UTC) on which certificates expire. */
interface Day {
  /** Id of the monitor whose certificate expires first on that day. */
  id: string;
  firstAt: number;
  count: number;
}

interface StateCount {
  state: DomainState;
  count: number;
}
type CountRow =
  | (StateCount & { on_schedule: 0 | 1; id: null; first_at: null })
  | { count: number; state: null; on_schedule: 0; id: string; first_at: number };

/**
 * Counts monitors by state (except `ok`, which follows from the days), those on schedule, and certificates by day of expiry. Uses
 * one statement, so that all counts are of the same moment.
 */
async function countAll(
  { db }: Store,
  { accountId, now }: SummaryQuery,
): Promise<{ notOk: StateCount[]; onSchedule: StateCount[]; days: Day[] }> {
  const inStates = (among: RawBuilder<boolean>, onSchedule: 0 | 1 = 0) =>
    db
      .selectFrom('monitor_listing')
      .select((eb) => [
        domainState(now).as('state'),
        sql.lit(onSchedule).as('on_schedule'),
        sql<null>`cast(null as text)`.as('id'),
        sql<null>`cast(null as bigint)`.as('first_at'),
        eb.fn.countAll<number>().as('count'),
      ])
      .where('account_id', '=', accountId)
      .where(among)
      .groupBy(domainState(now))
      .$castTo<CountRow>();
  // Use separate subqueries, because each reads one range of the index on phases.
  const rows = await inStates(isUndated)
    .unionAll(inStates(endsSoon(now)))
    .unionAll(inStates(isOnSchedule(now), 1))
    .unionAll(endsOnDays(accountId, REVOKED))
    .unionAll(endsOnDays(accountId, DATED))
    .execute();
  const days = new Map<number, Day>();
  for (const { state, id, first_at: firstAt, count } of rows) {
    if (state !== null) continue;
    const known = days.get(Math.floor(firstAt / DAY_MS));
    const isFirst = known === undefined || firstAt < known.firstAt;
    days.set(Math.floor(firstAt / DAY_MS), {
      ...(isFirst ? { id, firstAt } : known),
      count: count + (known?.count ?? 0),
    });
  }
  const inState = rows.filter((row) => row.state !== null);
  return {
    notOk: inState.filter((row) => row.on_schedule === 0),
    onSchedule: inState.filter((row) => row.on_schedule === 1),
    days: [...days.values()],
  };
}

/**
 * Returns SQL for the days (UTC) on which certificates of a phase expire. The SQL jumps from the first certificate of a day to
 * the first of the next day and counts between them, because with GROUP BY SQLite would sort all rows.
 */
function endsOnDays(accountId: string, phase: number): RawBuilder<CountRow> {
  const ofPhase = sql`monitor_listing where account_id = ${accountId} and phase = ${sql.lit(phase)}`;
  const nextDay = sql`(first_at / ${sql.lit(DAY_MS)} + 1) * ${sql.lit(DAY_MS)}`;
  return sql<CountRow>`select null, 0,
      (select monitor_id from ${ofPhase} and not_after = first_at order by monitor_id limit 1),
      first_at,
      (select count(*) from ${ofPhase} and not_after >= first_at and not_after < ${nextDay})
    from (
      with recursive firsts (first_at) as (
        select min(not_after) from ${ofPhase}
        union all
        select (select min(not_after) from ${ofPhase} and not_after >= ${nextDay})
          from firsts where first_at is not null)
      select first_at from firsts where first_at is not null) as days`;
}

/**
 * Returns the 500 most frequent tags in alphabetical order. Runs on the search database, because ten thousand monitors may have
 * two hundred thousand different tags.
 */
async function tagsOf({ dialect, search }: Store, accountId: string): Promise<Summary['tags']> {
  const rows = await search(accountId, (db) => {
    const tagged = db
      .selectFrom('monitor_listing')
      .select((eb) => ['tags', eb.fn.countAll<number>().as('count')])
      .where('account_id', '=', accountId)
      .groupBy('tags');
    // The index for counting tags excludes lists above 200 characters. Few monitors have such long lists.
    const lists = tagged
      .where(sql<boolean>`tags <> '[]' and length(tags) <= 200`)
      .unionAll(tagged.where(sql<boolean>`length(tags) > 200`));
    return db
      .selectFrom(lists.as('lists'))
      .innerJoin(listItems(dialect, 'lists.tags').as('item'), (join) => join.onTrue())
      .select(['item.value as tag', sql<number>`cast(sum(count) as bigint)`.as('count')])
      .groupBy('item.value')
      .orderBy('count', 'desc')
      .orderBy('tag')
      .limit(MAX_ENTRIES)
      .execute();
  });
  return rows.toSorted((one, other) => (one.tag < other.tag ? -1 : 1));
}

type ExpiryRow = Omit<Expiry, 'notBefore' | 'onSchedule'> & { onSchedule: unknown };

async function withNotBefore(
  { db }: Store,
  { accountId }: SummaryQuery,
  expiryRows: readonly ExpiryRow[],
): Promise<Expiry[]> {
  const near = expiryRows.filter(({ state }) => state === 'critical' || state === 'soon').map(({ id }) => id);
  const rows =
    near.length === 0
      ? []
      : await db
          .selectFrom('monitors')
          .innerJoin('certificates', 'certificates.fingerprint', 'monitors.certificate_fingerprint')
          .select(['monitors.id', 'certificates.facts'])
          .where('account_id', '=', accountId)
          .where('monitors.id', 'in', near)
          .execute();
  const notBefores = new Map(rows.map(({ id, facts }) => [id, parseFacts(facts)?.notBefore ?? null]));
  return expiryRows.map((row) => ({
    ...row,
    // SQLite returns 0 or 1; both databases return null if there is no schedule.
    onSchedule: Boolean(row.onSchedule),
    notBefore: notBefores.get(row.id) ?? null,
  }));
}

function selectExpiries({ db }: Store, { accountId, now }: SummaryQuery) {
  return db
    .selectFrom('monitor_listing')
    .select(['monitor_listing.monitor_id as id', 'host', 'port', domainState(now).as('state')])
    .select(isOnSchedule(now).as('onSchedule'))
    .select((eb) => [
      eb.ref('monitor_listing.not_after').$notNull().as('notAfter'),
      eb.ref('certificate_fingerprint').$notNull().as('fingerprint'),
    ])
    .where('monitor_listing.account_id', '=', accountId);
}

/** Selects the active monitors that serve the certificate of the outer query. */
function activeOf(served: ExpressionBuilder<Tables, 'served_certificates'>, accountId: string) {
  return served
    .selectFrom('monitor_listing')
    .where('monitor_listing.account_id', '=', accountId)
    .whereRef('certificate_fingerprint', '=', 'served_certificates.fingerprint')
    .where(hasCertificate);
}

/** Returns how many certificates of active monitors expire on each day (UTC, in days since 1970). */
async function certificatesOfDays(
  store: Store,
  { accountId }: SummaryQuery,
  hasPaused: boolean,
): Promise<Map<number, number>> {
  const day = sql<number>`not_after / ${sql.lit(DAY_MS)}`;
  const rows = await store.db
    .selectFrom('served_certificates')
    .select((eb) => [day.as('day'), eb.fn.countAll<number>().as('count')])
    .where('account_id', '=', accountId)
    .$if(hasPaused, (served) => served.where((eb) => eb.exists(activeOf(eb, accountId).select('monitor_id'))))
    .groupBy(day)
    .execute();
  return new Map(rows.map((row) => [row.day, row.count]));
}

/** Returns each certificate with its first active monitor by name. */
async function expiriesOf(store: Store, query: SummaryQuery): Promise<ExpiryRow[]> {
  const { accountId } = query;
  const firsts = store.db
    .selectFrom('served_certificates')
    .select((eb) => [
      activeOf(eb, accountId).select('monitor_id').orderBy('host').orderBy('port').limit(1).as('monitor_id'),
      activeOf(eb, accountId)
        .select((active) => active.fn.countAll<number>().as('count'))
        .as('count'),
    ])
    .where('account_id', '=', accountId);
  return selectExpiries(store, query)
    .innerJoin(firsts.as('firsts'), 'firsts.monitor_id', 'monitor_listing.monitor_id')
    .select((eb) => [eb.ref('firsts.count').$notNull().as('count'), sql.lit(1).as('certificateCount')])
    .orderBy('notAfter')
    .orderBy('host')
    .execute();
}

/** Returns the certificate that expires first on each day (UTC), soonest day first. */
async function firstOfEachDay(
  store: Store,
  query: SummaryQuery,
  { days, certificates }: { days: readonly Day[]; certificates: ReadonlyMap<number, number> },
): Promise<ExpiryRow[]> {
  const counts = new Map(days.map(({ id, count }) => [id, count]));
  // Sorted below, because with ORDER BY SQLite would scan the whole account in that order.
  const expiryRows = await selectExpiries(store, query)
    .where('monitor_id', 'in', [...counts.keys()])
    .execute();
  return expiryRows
    .map((row) => ({
      ...row,
      count: counts.get(row.id) ?? 1,
      certificateCount: certificates.get(Math.floor(row.notAfter / DAY_MS)) ?? 1,
    }))
    .toSorted((one, other) => one.notAfter - other.notAfter);
}

/** SQL for why a row of `listed`, joined with its row of `monitors`, needs attention. The rule is `attentionReason` of the contract. */
const REASON = sql<AttentionReason>`case
  when listed.state in ('expired', 'revoked') then listed.state
  when monitors.problem = 'untrusted' then 'untrusted'
  when listed.state = 'critical' and listed.expiring then 'critical'
  when monitors.uptime = 'down' then 'down'
  when listed.state = 'soon' and listed.expiring then 'soon'
  else 'unreachable' end`;
const URGENCY = sql`case ${REASON} ${sql.join(
  ATTENTION_REASONS.map((reason, place) => sql`when ${sql.lit(reason)} then ${sql.lit(place)}`),
  sql` `,
)} end`;

async function attentionOf({ db }: Store, { accountId, now }: SummaryQuery): Promise<Attention> {
  const partOf = (part: RawBuilder<boolean>) =>
    db
      .selectFrom('monitor_listing')
      .select(['monitor_id', 'host', 'port', 'not_after', domainState(now).as('state')])
      .select(isExpiring(now).as('expiring'))
      .where('account_id', '=', accountId)
      .where(part);
  const [byDate, unusable, others] = attentionParts(now);
  const found = db
    .selectFrom(partOf(byDate).unionAll(partOf(unusable)).unionAll(partOf(others)).as('listed'))
    .innerJoin('monitors', (join) =>
      join.onRef('monitors.id', '=', 'listed.monitor_id').on('monitors.account_id', '=', accountId),
    );
  const counted = await found
    .select((eb) => [REASON.as('reason'), eb.fn.countAll<number>().as('count')])
    .groupBy('reason')
    .execute();
  const first = await found
    .select(['monitors.id', 'listed.host', 'listed.port', 'listed.not_after as notAfter'])
    .select(REASON.as('reason'))
    .orderBy(URGENCY)
    .orderBy('listed.not_after', (order) => order.asc().nullsLast())
    .orderBy('listed.host')
    .orderBy('listed.port')
    .limit(MOST_URGENT)
    .execute();
  const { problems } = await db
    .selectFrom('monitor_listing')
    .select((eb) => eb.fn.countAll<number>().as('problems'))
    .where('account_id', '=', accountId)
    .where(hasProblem(now))
    .executeTakeFirstOrThrow();
  const counts = Object.fromEntries(ATTENTION_REASONS.map((reason) => [reason, 0])) as Attention['counts'];
  for (const { reason, count } of counted) counts[reason] = count;
  return { total: counted.reduce((sum, { count }) => sum + count, 0), counts, problems, first };
}

async function problemsOf({ db }: Store, { accountId, now }: SummaryQuery): Promise<Problem[]> {
  const rows = await db
    .with('listed', (cte) =>
      cte
        .selectFrom('monitor_listing')
        .select(['monitor_id', 'host', 'port', domainState(now).as('state')])
        .where('account_id', '=', accountId)
        .where(hasProblem(now))
        .orderBy('host')
        .orderBy('port')
        .limit(MAX_ENTRIES),
    )
    .selectFrom('listed')
    .innerJoin('monitors', (join) =>
      join.onRef('monitors.id', '=', 'listed.monitor_id').on('monitors.account_id', '=', accountId),
    )
    .leftJoin('incidents', (join) =>
      join
        .on('incidents.account_id', '=', accountId)
        .onRef('incidents.monitor_id', '=', 'listed.monitor_id')
        .on('incidents.problem', '=', 'down')
        .on('incidents.ended_at', 'is', null),
    )
    .select(['listed.monitor_id as id', 'listed.host', 'listed.port', 'listed.state'])
    .select(['monitors.problem', 'problem_message', 'uptime', 'incidents.message as down_message'])
    .select('monitors.certificate_fingerprint as fingerprint')
    .orderBy('listed.host')
    .orderBy('listed.port')
    .execute();
  return rows.flatMap(({ problem, problem_message, uptime, down_message, ...monitor }) => {
    const { state } = monitor;
    const message = problem_message ?? '';
    const found: Problem[] = [];
    if (problem === 'untrusted' && state !== 'expired' && state !== 'revoked')
      found.push({ ...monitor, kind: 'untrusted', message });
    if (uptime === 'down') found.push({ ...monitor, kind: 'down', message: down_message ?? message });
    else if (problem === 'unreachable') found.push({ ...monitor, kind: 'unreachable', message });
    return found;
  });
}
