import type { StoredProblem } from '../../core/check/problems.ts';
import type { Targeted } from '../../core/target.ts';
import { type RawBuilder, sql } from 'kysely';
import {
  attentionParts,
  domainState,
  endsSoon,
  hasProblem,
  isOnSchedule,
  isUndated,
  timelineGroups,
  urgency,
} from './domain-state.ts';
import { expiriesOf, type Expiry, type ExpiryDay, MAX_ENTRIES, type SummaryQuery } from './expiries.ts';
import { withTargets } from './monitor-row.ts';
import { countMatching } from './monitor-filter.ts';
import { listItems } from '../db/dialect.ts';
import type { Store } from '../db/open-store.ts';
import { DAY_MS } from '../../../contract/durations.ts';
import {
  ATTENTION_REASONS,
  type AttentionReason,
  DOMAIN_STATES,
  type DomainState,
} from '../../../contract/words.ts';

export interface SummaryProblem extends Targeted {
  id: string;
  state: DomainState;
  kind: StoredProblem | 'down';
  message: string;
  /** Fingerprint of the certificate last read; null if none was read. */
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
  first: (Targeted & { id: string; reason: AttentionReason; notAfter: number | null })[];
}

export interface Summary {
  total: number;
  counts: Record<DomainState, number>;
  /** Number of the monitors in `counts` that have a short-lived certificate whose renewal is not overdue. */
  onSchedule: Record<'critical' | 'soon', number>;
  attention: Attention;
  /** Number of monitors whose next renewal will fail. */
  renewalFails: number;
  /** The 500 tags with the most monitors, in alphabetical order. */
  tags: { tag: string; count: number }[];
  /**
   * Certificates that active monitors serve, soonest expiry first. If there are more than 500, there is one entry per day (UTC)
   * and state, with counts, and one for each monitor in `problems`.
   */
  expiries: Expiry[];
  /**
   * Problems that no expiry date shows, of at most 500 active monitors. If a monitor is down and its certificate has a problem,
   * it has two entries.
   */
  problems: SummaryProblem[];
}

const MOST_URGENT = 3;

/** Returns the dashboard's figures for an account: counts by state, tags, expiries and problems. */
export async function dashboardSummary(store: Store, query: SummaryQuery): Promise<Summary> {
  const { notOk, onSchedule, days } = await countAll(store, query);
  const counts = Object.fromEntries(DOMAIN_STATES.map((state) => [state, 0])) as Record<DomainState, number>;
  for (const { state, count } of notOk) counts[state] = count;
  const withCertificate = days.reduce((sum, { count }) => sum + count, 0);
  counts.ok = withCertificate - counts.revoked - counts.expired - counts.critical - counts.soon;
  const problems = await problemsOf(store, query);
  const expiries = await expiriesOf(store, query, { days, problems, hasPaused: counts.paused > 0 });
  return {
    total: withCertificate + counts.paused + counts.pending + counts.unread,
    counts,
    onSchedule: {
      critical: onSchedule.find(({ state }) => state === 'critical')?.count ?? 0,
      soon: onSchedule.find(({ state }) => state === 'soon')?.count ?? 0,
    },
    attention: await attentionOf(store, query),
    renewalFails: await countMatching(store, { ...query, status: 'renewal_fails' }),
    tags: await tagsOf(store, query.accountId),
    expiries,
    problems,
  };
}

interface StateCount {
  state: DomainState;
  count: number;
}
type CountRow =
  | (StateCount & { on_schedule: 0 | 1; id: null; first_at: null })
  | { count: number; state: null; on_schedule: 0; id: string; first_at: number };

/**
 * Counts monitors by state (except `ok`, which follows from the days), monitors on schedule, and each timeline group by day of
 * expiry. Uses one statement, so that all counts are of the same moment.
 */
async function countAll(
  { db }: Store,
  { accountId, now }: SummaryQuery,
): Promise<{ notOk: StateCount[]; onSchedule: StateCount[]; days: ExpiryDay[] }> {
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
  // Use separate subqueries: each reads one range of the index on phases.
  const counting = inStates(isUndated)
    .unionAll(inStates(endsSoon(now)))
    .unionAll(inStates(isOnSchedule(now), 1));
  const rows = await timelineGroups(now)
    .reduce((query, group) => query.unionAll(endsOnDays({ accountId, now }, group)), counting)
    .execute();
  const inState = rows.filter((row) => row.state !== null);
  return {
    notOk: inState.filter((row) => row.on_schedule === 0),
    onSchedule: inState.filter((row) => row.on_schedule === 1),
    days: rows.flatMap((row) => (row.state === null ? [{ id: row.id, count: row.count }] : [])),
  };
}

/**
 * Returns SQL that counts the monitors of a group by day of expiry (UTC). The id is that of the monitor without a problem that expires first,
 * else of the last one by name, because `problemsOf` reads those last. The SQL finds the first expiry of each day through an index, because
 * with GROUP BY SQLite would sort all rows.
 */
function endsOnDays({ accountId, now }: SummaryQuery, group: RawBuilder<boolean>): RawBuilder<CountRow> {
  // Put the condition on the days first: SQLite starts at the first of two lower bounds.
  const among = (days: RawBuilder<unknown>) =>
    sql`monitor_listing where account_id = ${accountId} and ${days} and ${group}`;
  const nextDay = sql`(first_at / ${sql.lit(DAY_MS)} + 1) * ${sql.lit(DAY_MS)}`;
  const ofDay = among(sql`not_after >= first_at and not_after < ${nextDay}`);
  return sql<CountRow>`select null, 0,
      coalesce(
        (select monitor_id from ${ofDay} and not (${hasProblem(now)}) order by not_after, monitor_id limit 1),
        (select monitor_id from ${ofDay} order by sort_name desc, port desc limit 1)),
      first_at,
      (select count(*) from ${ofDay})
    from (
      with recursive firsts (first_at) as (
        select min(not_after) from ${among(sql`not_after is not null`)}
        union all
        select (select min(not_after) from ${among(sql`not_after >= ${nextDay}`)})
          from firsts where first_at is not null)
      select first_at from firsts where first_at is not null) as days`;
}

/**
 * Returns the 500 most frequent tags in alphabetical order. Uses the search database, because ten thousand monitors may have two
 * hundred thousand different tags.
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

async function attentionOf({ db }: Store, { accountId, now }: SummaryQuery): Promise<Attention> {
  const partOf = (part: RawBuilder<boolean>) =>
    db
      .selectFrom('monitor_listing')
      .select(['monitor_id', 'host', 'port', 'not_after', urgency(now).as('urgency')])
      .where('account_id', '=', accountId)
      .where(part);
  const [byDate, byFault] = attentionParts(now);
  const found = db.selectFrom(partOf(byDate).unionAll(partOf(byFault)).as('listed'));
  const counted = await found
    .select((eb) => ['urgency', eb.fn.countAll<number>().as('count')])
    .groupBy('urgency')
    .execute();
  const first = await found
    .select(['monitor_id as id', 'host', 'port', 'not_after as notAfter', 'urgency'])
    .orderBy('urgency')
    // Sort as the list's order `worst` does.
    .orderBy('not_after', (order) => order.asc().nullsLast())
    .orderBy('monitor_id')
    .limit(MOST_URGENT)
    .execute();
  const { problems } = await db
    .selectFrom('monitor_listing')
    .select((eb) => eb.fn.countAll<number>().as('problems'))
    .where('account_id', '=', accountId)
    .where(hasProblem(now))
    .executeTakeFirstOrThrow();
  const counts = Object.fromEntries(ATTENTION_REASONS.map((reason) => [reason, 0])) as Attention['counts'];
  for (const { urgency: level, count } of counted) counts[reasonOf(level)] = count;
  return {
    total: counted.reduce((sum, { count }) => sum + count, 0),
    counts,
    problems,
    first: await withTargets(
      db,
      accountId,
      first.map(({ urgency: level, ...monitor }) => ({ ...monitor, reason: reasonOf(level) })),
    ),
  };
}

/** Returns the reason for attention of a level of urgency. */
function reasonOf(level: number): AttentionReason {
  return ATTENTION_REASONS[level] ?? 'unreachable';
}

async function problemsOf({ db }: Store, { accountId, now }: SummaryQuery): Promise<SummaryProblem[]> {
  const rows = await db
    .with('listed', (cte) =>
      cte
        .selectFrom('monitor_listing')
        .select(['monitor_id', 'host', 'sort_name', 'port', domainState(now).as('state')])
        .where('account_id', '=', accountId)
        .where(hasProblem(now))
        .orderBy('sort_name')
        .orderBy('port')
        .limit(MAX_ENTRIES),
    )
    .selectFrom('listed')
    .innerJoin('monitors', (join) =>
      join.onRef('monitors.id', '=', 'listed.monitor_id').on('monitors.account_id', '=', accountId),
    )
    .leftJoin('incident_members', (join) =>
      join
        .on('incident_members.account_id', '=', accountId)
        .onRef('incident_members.monitor_id', '=', 'listed.monitor_id')
        .on('incident_members.problem', '=', 'down')
        .on('incident_members.ended_at', 'is', null),
    )
    .select(['listed.monitor_id as id', 'listed.host', 'listed.port', 'target', 'listed.state'])
    .select(['monitors.problem', 'problem_message', 'uptime', 'incident_members.message as down_message'])
    .select('monitors.certificate_fingerprint as fingerprint')
    .orderBy('listed.sort_name')
    .orderBy('listed.port')
    .execute();
  return rows.flatMap(({ problem, problem_message, uptime, down_message, ...monitor }) => {
    const { state } = monitor;
    const message = problem_message ?? '';
    const found: SummaryProblem[] = [];
    const isShown = problem === 'overdue' ? state === 'ok' : state !== 'expired' && state !== 'revoked';
    if (problem !== null && problem !== 'unreachable' && isShown)
      found.push({ ...monitor, kind: problem, message });
    if (uptime === 'down') found.push({ ...monitor, kind: 'down', message: down_message ?? message });
    else if (problem === 'unreachable') found.push({ ...monitor, kind: 'unreachable', message });
    return found;
  });
}
