import { type Kysely, sql } from 'kysely';
import { contains } from './dialect.ts';
import { DOMAIN_STATES, domainState, type DomainState } from './domain-state.ts';
import { type Monitor, selectMonitors, toMonitor } from './monitor-row.ts';
import type { Store } from './open-store.ts';
import type { Tables } from './tables.ts';

export interface ListQuery {
  accountId: string;
  /** From 1. */
  page: number;
  pageSize: number;
  /** Part of the host, as stored (A-label). */
  q?: string;
  status?: DomainState;
  sort: 'newest' | 'soonest';
  now: number;
}

/** One page of an account's monitors, and how many match in all. */
export async function listMonitors(
  store: Store,
  query: ListQuery,
): Promise<{ monitors: Monitor[]; total: number }> {
  const { q, status, now } = query;
  const matching = (db: Kysely<Tables>) =>
    selectMonitors(db)
      .where('monitors.account_id', '=', query.accountId)
      .$if(q !== undefined, (select) => select.where((eb) => contains(eb.ref('monitors.host'), q ?? '')))
      .$if(status !== undefined, (select) => select.where(domainState(now), '=', status ?? 'ok'));

  const { total } = await matching(store.db)
    .clearSelect()
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const ordered =
    query.sort === 'newest'
      ? matching(store.db).orderBy('monitors.created_at', 'desc').orderBy('monitors.id', 'desc')
      : matching(store.db)
          .orderBy('monitors.not_after', (order) => order.asc().nullsLast())
          .orderBy('monitors.id');
  const rows = await ordered
    .limit(query.pageSize)
    .offset((query.page - 1) * query.pageSize)
    .execute();
  return { monitors: rows.map(toMonitor), total };
}

export interface Expiry {
  id: string;
  host: string;
  port: number;
  notAfter: number;
  state: DomainState;
  /** How many monitors stand behind the entry: more than one where a day's were merged. */
  count: number;
}

export interface Problem {
  id: string;
  host: string;
  port: number;
  state: DomainState;
  kind: 'unreachable' | 'untrusted';
  message: string;
}

export interface Summary {
  total: number;
  counts: Record<DomainState, number>;
  /** Soonest first; beyond 500 one entry per day (UTC), the day's soonest, with the count. */
  expiries: Expiry[];
  /** What needs a person although no date says so, at most 500. */
  problems: Problem[];
}

const MOST_ENTRIES = 500;
const DAY_MS = 86_400_000;

/** An account's monitors at a glance. */
export async function summary(
  store: Store,
  { accountId, now }: { accountId: string; now: number },
): Promise<Summary> {
  const counted = await store.db
    .selectFrom('monitors')
    .select((eb) => [domainState(now).as('state'), eb.fn.countAll<number>().as('count')])
    .where('account_id', '=', accountId)
    .groupBy(domainState(now))
    .execute();
  const counts = Object.fromEntries(DOMAIN_STATES.map((state) => [state, 0])) as Record<DomainState, number>;
  for (const { state, count } of counted) counts[state] = count;
  const total = counted.reduce((sum, { count }) => sum + count, 0);
  const withCertificate = total - counts.pending - counts.unread;
  return {
    total,
    counts,
    expiries: await expiriesOf(store, accountId, now, withCertificate > MOST_ENTRIES),
    problems: await problemsOf(store, accountId, now),
  };
}

async function expiriesOf(store: Store, accountId: string, now: number, merged: boolean): Promise<Expiry[]> {
  const group = merged ? sql`monitors.not_after / ${sql.lit(DAY_MS)}` : sql`monitors.id`;
  const ranked = store.db
    .selectFrom('monitors')
    .select(['id', 'host', 'port', 'not_after', domainState(now).as('state')])
    .select([
      sql<number>`row_number() over (partition by ${group} order by monitors.not_after, monitors.id)`.as(
        'rank',
      ),
      sql<number>`count(*) over (partition by ${group})`.as('count'),
    ])
    .where('account_id', '=', accountId)
    .where('not_after', 'is not', null);
  const rows = await store.db
    .selectFrom(ranked.as('ranked'))
    .select(['id', 'host', 'port', 'state', 'count'])
    .select((eb) => eb.ref('not_after').$notNull().as('notAfter'))
    .where('rank', '=', 1)
    .orderBy('not_after')
    .orderBy('id')
    .execute();
  return rows;
}

async function problemsOf(store: Store, accountId: string, now: number): Promise<Problem[]> {
  const rows = await store.db
    .selectFrom('monitors')
    .select(['id', 'host', 'port', 'problem', 'problem_message', domainState(now).as('state')])
    .where('account_id', '=', accountId)
    .where('problem', 'is not', null)
    // Their date or badge says it already.
    .where((eb) =>
      eb.or([eb('problem', '=', 'unreachable'), eb(domainState(now), 'not in', ['expired', 'revoked'])]),
    )
    .orderBy('host')
    .limit(MOST_ENTRIES)
    .execute();
  return rows.map(({ id, host, port, state, problem, problem_message }) => ({
    id,
    host,
    port,
    state,
    kind: problem ?? 'untrusted',
    message: problem_message ?? '',
  }));
}
