import { sql } from 'kysely';
import { parseFacts } from './certificates.ts';
import { DOMAIN_STATES, domainState, type DomainState } from './domain-state.ts';
import { needsPerson } from './needs-person.ts';
import type { Store } from './open-store.ts';

export interface Expiry {
  id: string;
  host: string;
  port: number;
  notAfter: number;
  /** Of what is critical or soon; null of the rest, and where the certificate could not be read. */
  notBefore: number | null;
  state: DomainState;
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
  /** In alphabetical order. */
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
  const withCertificate = total - counts.paused - counts.pending - counts.unread;
  return {
    total,
    counts,
    tags: await tagsOf(store, accountId),
    expiries: await withBeginnings(
      store,
      await (withCertificate > MOST_ENTRIES ? expiriesByDay : expiriesOf)(store, accountId, now),
    ),
    problems: await problemsOf(store, accountId, now),
  };
}

async function tagsOf(store: Store, accountId: string): Promise<Summary['tags']> {
  const rows = await store.db
    .selectFrom('monitors')
    .select((eb) => ['tags', eb.fn.countAll<number>().as('count')])
    .where('account_id', '=', accountId)
    .where('tags', '!=', '[]')
    .groupBy('tags')
    .execute();
  const counts = new Map<string, number>();
  for (const { tags, count } of rows)
    for (const tag of JSON.parse(tags) as string[]) counts.set(tag, (counts.get(tag) ?? 0) + count);
  return [...counts]
    .map(([tag, count]) => ({ tag, count }))
    .toSorted((one, other) => (one.tag < other.tag ? -1 : 1));
}

type Ending = Omit<Expiry, 'notBefore'>;

async function withBeginnings(store: Store, endings: readonly Ending[]): Promise<Expiry[]> {
  const near = endings.filter(({ state }) => state === 'critical' || state === 'soon').map(({ id }) => id);
  const rows =
    near.length === 0
      ? []
      : await store.db
          .selectFrom('monitors')
          .innerJoin('certificates', 'certificates.fingerprint', 'monitors.certificate_fingerprint')
          .select(['monitors.id', 'certificates.facts'])
          .where('monitors.id', 'in', near)
          .execute();
  const beginnings = new Map(rows.map(({ id, facts }) => [id, parseFacts(facts)?.notBefore ?? null]));
  return endings.map((ending) => ({ ...ending, notBefore: beginnings.get(ending.id) ?? null }));
}

async function expiriesOf(store: Store, accountId: string, now: number): Promise<Ending[]> {
  return store.db
    .selectFrom('monitors')
    .select(['id', 'host', 'port', domainState(now).as('state'), sql.lit(1).as('count')])
    .select((eb) => eb.ref('not_after').$notNull().as('notAfter'))
    .where('account_id', '=', accountId)
    .where('not_after', 'is not', null)
    .where('paused_by', 'is', null)
    .orderBy('not_after')
    .orderBy('id')
    .execute();
}

/** The same with one entry for the domains that end on one day (UTC): the first of them. */
async function expiriesByDay(store: Store, accountId: string, now: number): Promise<Ending[]> {
  return store.db
    .with('days', (db) =>
      db
        .selectFrom('monitors')
        .select((eb) => [
          eb.fn.min(eb.ref('not_after').$notNull()).as('first_at'),
          eb.fn.countAll<number>().as('count'),
        ])
        .where('account_id', '=', accountId)
        .where('not_after', 'is not', null)
        .where('paused_by', 'is', null)
        .groupBy(sql`not_after / ${sql.lit(DAY_MS)}`),
    )
    .selectFrom('days')
    .innerJoin('monitors', (join) =>
      join.on('monitors.id', '=', (eb) =>
        eb
          .selectFrom('monitors as first')
          .select('first.id')
          .where('first.account_id', '=', accountId)
          .whereRef('first.not_after', '=', 'days.first_at')
          .where('first.paused_by', 'is', null)
          .orderBy('first.id')
          .limit(1),
      ),
    )
    .select(['id', 'host', 'port', 'days.first_at as notAfter', domainState(now).as('state'), 'days.count'])
    .orderBy('days.first_at')
    .execute();
}

async function problemsOf(store: Store, accountId: string, now: number): Promise<Problem[]> {
  const rows = await store.db
    .selectFrom('monitors')
    .leftJoin('incidents', (join) =>
      join
        .onRef('incidents.monitor_id', '=', 'monitors.id')
        .on('incidents.problem', '=', 'down')
        .on('incidents.ended_at', 'is', null),
    )
    .select(['monitors.id', 'host', 'port', 'monitors.problem', 'problem_message', 'uptime'])
    .select(['incidents.message as down_message', domainState(now).as('state')])
    .where('account_id', '=', accountId)
    .where(needsPerson(now))
    .orderBy('host')
    .limit(MOST_ENTRIES)
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
