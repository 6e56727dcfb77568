import { type RawBuilder, sql } from 'kysely';
import { parseFacts } from '../checks/certificates.ts';
import {
  DATED,
  DOMAIN_STATES,
  domainState,
  type DomainState,
  endsSoon,
  hasCertificate,
  isOnSchedule,
  isUndated,
  needsPerson,
  REVOKED,
} from './domain-state.ts';
import { listItems } from '../db/dialect.ts';
import type { Store } from '../db/open-store.ts';
import { DAY_MS } from '../../../contract/durations.ts';

export interface Expiry {
  id: string;
  host: string;
  port: number;
  notAfter: number;
  /** Of what is critical or soon; null of the rest, and where the certificate could not be read. */
  notBefore: number | null;
  state: DomainState;
  /** It is critical or soon, but short-lived, and its renewal is not overdue. */
  onSchedule: boolean;
  /** How many monitors stand behind the entry: more than one where a day's were merged. */
  count: number;
}

export interface Problem {
  id: string;
  host: string;
  port: number;
  state: DomainState;
  kind: 'untrusted' | 'down' | 'unreachable';
  message: string;
}

export interface Summary {
  total: number;
  counts: Record<DomainState, number>;
  /** How many of these are short-lived certificates whose renewal is not overdue. */
  onSchedule: Record<'critical' | 'soon', number>;
  /** At most 500, those that most monitors have; in alphabetical order. */
  tags: { tag: string; count: number }[];
  /** Soonest first, without paused ones; beyond 500 one entry per day (UTC), the day's soonest, with the count. */
  expiries: Expiry[];
  /**
   * What needs a person although no date says so, of at most 500 monitors; what is paused is not known well enough. One
   * that is untrusted and down stands here twice.
   */
  problems: Problem[];
}

const MOST_ENTRIES = 500;

interface Asked {
  accountId: string;
  now: number;
}

/** An account's monitors at a glance. */
export async function summary(store: Store, asked: Asked): Promise<Summary> {
  const { unwell, onSchedule, days } = await countAll(store, asked);
  const counts = Object.fromEntries(DOMAIN_STATES.map((state) => [state, 0])) as Record<DomainState, number>;
  for (const { state, count } of unwell) counts[state] = count;
  const withCertificate = days.reduce((sum, { count }) => sum + count, 0);
  counts.ok = withCertificate - counts.revoked - counts.expired - counts.critical - counts.soon;
  const endings = withCertificate > MOST_ENTRIES ? firstOfDays(store, asked, days) : expiriesOf(store, asked);
  return {
    total: withCertificate + counts.paused + counts.pending + counts.unread,
    counts,
    onSchedule: {
      critical: onSchedule.find(({ state }) => state === 'critical')?.count ?? 0,
      soon: onSchedule.find(({ state }) => state === 'soon')?.count ?? 0,
    },
    tags: await tagsOf(store, asked.accountId),
    expiries: await withBeginnings(store, asked, await endings),
    problems: await problemsOf(store, asked),
  };
}

/** A day (UTC) on which certificates end. */
interface Day {
  /** Whose ends first, and when. */
  id: string;
  firstAt: number;
  count: number;
}

interface InState {
  state: DomainState;
  count: number;
}
type Counted =
  | (InState & { on_schedule: 0 | 1; id: null; first_at: null })
  | { count: number; state: null; on_schedule: 0; id: string; first_at: number };

/**
 * Counts the monitors in each state but `ok`, those of them that are on schedule, and the certificates that end on each day.
 * Most monitors are well and counted with the days alone. One statement, so that all counts are of the same moment.
 */
async function countAll(
  { db }: Store,
  { accountId, now }: Asked,
): Promise<{ unwell: InState[]; onSchedule: InState[]; days: Day[] }> {
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
      .$castTo<Counted>();
  // Apart: each is a range of the index of phases.
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
    unwell: inState.filter((row) => row.on_schedule === 0),
    onSchedule: inState.filter((row) => row.on_schedule === 1),
    days: [...days.values()],
  };
}

/**
 * The days on which certificates of that phase end. From the first of a day it leaps to the first of the next, and counts what lies
 * between: grouped by day, SQLite would sort them all.
 */
function endsOnDays(accountId: string, phase: number): RawBuilder<Counted> {
  const ofPhase = sql`monitor_listing where account_id = ${accountId} and phase = ${sql.lit(phase)}`;
  const nextDay = sql`(first_at / ${sql.lit(DAY_MS)} + 1) * ${sql.lit(DAY_MS)}`;
  return sql<Counted>`select null, 0,
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

/** Counted by the database for searches: ten thousand monitors may have two hundred thousand different tags. */
async function tagsOf({ dialect, search }: Store, accountId: string): Promise<Summary['tags']> {
  const rows = await search(accountId, (db) => {
    const tagged = db
      .selectFrom('monitor_listing')
      .select((eb) => ['tags', eb.fn.countAll<number>().as('count')])
      .where('account_id', '=', accountId)
      .groupBy('tags');
    // Longer lists of tags do not fit into the index that counts tags. Few people write that many.
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
      .limit(MOST_ENTRIES)
      .execute();
  });
  return rows.toSorted((one, other) => (one.tag < other.tag ? -1 : 1));
}

type Ending = Omit<Expiry, 'notBefore' | 'onSchedule'> & { onSchedule: unknown };

async function withBeginnings(
  { db }: Store,
  { accountId }: Asked,
  endings: readonly Ending[],
): Promise<Expiry[]> {
  const near = endings.filter(({ state }) => state === 'critical' || state === 'soon').map(({ id }) => id);
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
  const beginnings = new Map(rows.map(({ id, facts }) => [id, parseFacts(facts)?.notBefore ?? null]));
  return endings.map((ending) => ({
    ...ending,
    // SQLite has 0 and 1, and both have null where there is no schedule.
    onSchedule: Boolean(ending.onSchedule),
    notBefore: beginnings.get(ending.id) ?? null,
  }));
}

function endingsOf({ db }: Store, { accountId, now }: Asked) {
  return db
    .selectFrom('monitor_listing')
    .select(['monitor_id as id', 'host', 'port', domainState(now).as('state'), sql.lit(1).as('count')])
    .select(isOnSchedule(now).as('onSchedule'))
    .select((eb) => eb.ref('not_after').$notNull().as('notAfter'))
    .where('account_id', '=', accountId);
}

async function expiriesOf(store: Store, asked: Asked): Promise<Ending[]> {
  return endingsOf(store, asked).where(hasCertificate).orderBy('not_after').orderBy('monitor_id').execute();
}

/** The same with one entry for the domains that end on one day (UTC): the first of them. */
async function firstOfDays(store: Store, asked: Asked, days: readonly Day[]): Promise<Ending[]> {
  const counts = new Map(days.map(({ id, count }) => [id, count]));
  // In no order: asked for one, SQLite walks all of the account in it.
  const endings = await endingsOf(store, asked)
    .where('monitor_id', 'in', [...counts.keys()])
    .execute();
  return endings
    .map((ending) => ({ ...ending, count: counts.get(ending.id) ?? ending.count }))
    .toSorted((one, other) => one.notAfter - other.notAfter);
}

async function problemsOf({ db }: Store, { accountId, now }: Asked): Promise<Problem[]> {
  const rows = await db
    .with('listed', (cte) =>
      cte
        .selectFrom('monitor_listing')
        .select(['monitor_id', 'host', 'port', domainState(now).as('state')])
        .where('account_id', '=', accountId)
        .where(needsPerson(now))
        .orderBy('host')
        .orderBy('port')
        .limit(MOST_ENTRIES),
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
    .orderBy('listed.host')
    .orderBy('listed.port')
    .execute();
  return rows.flatMap(({ id, host, port, state, problem, problem_message, uptime, down_message }) => {
    const monitor = { id, host, port, state };
    const message = problem_message ?? '';
    const found: Problem[] = [];
    if (problem === 'untrusted' && state !== 'expired' && state !== 'revoked')
      found.push({ ...monitor, kind: 'untrusted', message });
    if (uptime === 'down') found.push({ ...monitor, kind: 'down', message: down_message ?? message });
    else if (problem === 'unreachable') found.push({ ...monitor, kind: 'unreachable', message });
    return found;
  });
}
