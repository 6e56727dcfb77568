import { type RawBuilder, sql } from 'kysely';
import { DAY_MS } from '../../../contract/durations.ts';
import type { CertificateFacts } from '../../core/facts.ts';
import { nameOf, type Targeted } from '../../core/target.ts';
import { parseFacts } from '../checks/certificates.ts';
import type { Store } from '../db/open-store.ts';
import { firstMonitors } from './certificate-list.ts';
import { foundRows, isFoundCertificate } from './monitor-filter.ts';

/** The number of certificates of an account that a rule affects. Times in ms UTC. */
export interface DeadlineCount {
  rule: string;
  fromAt: number;
  total: number;
  /** How many of them no domain serves any more. */
  done: number;
  /** When a certificate was last added or renewed. */
  changedAt: number;
}

/** Counts the certificates that each rule concerns from each time on, or concerned until they were renewed. */
export function countDeadlines({ db }: Store, accountId: string): Promise<DeadlineCount[]> {
  return db
    .selectFrom(
      db
        .selectFrom('deadlines')
        .select('rule')
        // Domains may disagree about the day: a CA may move its window between their checks.
        .select((eb) => eb.fn.max('from_at').as('from_at'))
        .select(sql<number>`case when count(renewed_at) = count(*) then 1 else 0 end`.as('done'))
        .select(sql<number>`max(coalesce(renewed_at, first_seen_at))`.as('changed_at'))
        .where('account_id', '=', accountId)
        .groupBy(['rule', 'fingerprint'])
        .as('each'),
    )
    .select(['rule', 'from_at as fromAt'])
    .select((eb) => [
      eb.fn.countAll<number>().as('total'),
      eb.fn.sum<number>('done').as('done'),
      eb.fn.max('changed_at').as('changedAt'),
    ])
    .groupBy(['rule', 'from_at'])
    .execute();
}

/** Returns the lifetimes in ms of the certificates with a public root that the account's domains serve, with their numbers. */
export function publicLifetimes(
  { db }: Store,
  accountId: string,
): Promise<{ lifetimeMs: number; certificates: number }[]> {
  return db
    .selectFrom('served_certificates')
    .innerJoin('certificates', 'certificates.fingerprint', 'served_certificates.fingerprint')
    .select((eb) => [lifetime.as('lifetimeMs'), eb.fn.countAll<number>().as('certificates')])
    .where('account_id', '=', accountId)
    .where('public_root', '=', 1)
    .where('not_before', 'is not', null)
    .groupBy(lifetime)
    .execute();
}

/** The end of validity is the last second of the lifetime (RFC 5280 §4.1.2.5). */
const lifetime = sql<number>`(not_after - not_before + 1000)`;

/** Position in a list of certificates with deadlines, for keyset pagination: directly after these values. */
export interface DeadlineCursor {
  fromAt: number;
  rule: string;
  isDone: number;
  notAfter: number;
  fingerprint: string;
}

/** A certificate that a rule concerns. Times in ms UTC. */
export interface ConcernedCertificate {
  rule: string;
  fromAt: number;
  fingerprint: string;
  notAfter: number;
  /** Since when no domain serves it any more; null while one does. */
  doneAt: number | null;
  /** Null if a storage limit kept the certificate from being stored. */
  facts: CertificateFacts | null;
  /** Number of domains that serve it, or that served it if none does any more. */
  domainCount: number;
  /** One of these domains; null if it was removed meanwhile. */
  domain: (Targeted & { id: string }) | null;
}

/** A rule about lifetimes: it concerns the certificates with a public root that live longer than `days`. */
interface LifetimeRule {
  rule: string;
  fromAt: number;
  days: number;
}

export interface DeadlineQuery {
  accountId: string;
  /** Text to find in the names of the certificates, and in the names, tags and notes of their domains. */
  q?: string | undefined;
  /** The rules about findings to list, or one rule about lifetimes. */
  of: readonly string[] | LifetimeRule;
  after: DeadlineCursor | null;
  /** Number of certificates to skip at the start; used when there is no cursor. */
  offset?: number;
  limit: number;
  now: number;
}

interface Row {
  rule: string;
  from_at: number;
  fingerprint: string;
  not_after: number;
  done_at: number | null;
  is_done: number;
  domains: number;
  monitor_id: string | null;
  total: number;
}

/** Returns a page of the certificates that dated rules concern, by date, those to renew first; their number; and the next cursor. */
export async function listDeadlines(
  store: Store,
  query: DeadlineQuery,
): Promise<{ certificates: ConcernedCertificate[]; total: number; next: DeadlineCursor | null }> {
  const { after, offset = 0, limit } = query;
  const { rows, total } = await store.search(query.accountId, async (db) => {
    const from = { ...store, db };
    const found = await pageOf(from, query);
    const isBeyond = found.length === 0 && (after !== null || offset > 0);
    // If the page is empty, no row has the total: read it with another query.
    const [first] = isBeyond ? await pageOf(from, { ...query, after: null, offset: 0, limit: 0 }) : found;
    return { rows: found, total: first?.total ?? 0 };
  });
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    certificates: await describe(store, query.accountId, page),
    total,
    next:
      last === undefined
        ? null
        : {
            fromAt: last.from_at,
            rule: last.rule,
            isDone: last.is_done,
            notAfter: last.not_after,
            fingerprint: last.fingerprint,
          },
  };
}

/** Returns one certificate more than fits on a page, so that the caller knows whether another page follows. */
async function pageOf(store: Store, query: DeadlineQuery): Promise<Row[]> {
  const { of, after, offset = 0, limit } = query;
  const concerned = 'days' in of ? withLongLifetime(store, query, of) : withFinding(store, query, of);
  const key = sql`from_at, rule, is_done, not_after, fingerprint`;
  const { rows } = await sql<Row>`with found as (${concerned}),
      concerned as (select *, case when done_at is null then 0 else 1 end as is_done from found)
    select *, (select count(*) from concerned) as total from concerned
    ${
      after === null
        ? sql``
        : sql`where (${key}) > (${after.fromAt}, ${after.rule}, ${after.isDone}, ${after.notAfter}, ${after.fingerprint})`
    }
    order by ${key} limit ${limit + 1} offset ${offset}`.execute(store.db);
  return rows;
}

function withFinding(store: Store, query: DeadlineQuery, rules: readonly string[]): RawBuilder<unknown> {
  return sql`select rule, fingerprint, max(from_at) as from_at, max(not_after) as not_after,
      case when count(renewed_at) = count(*) then max(renewed_at) end as done_at,
      case when count(renewed_at) = count(*) then count(*) else count(*) - count(renewed_at) end as domains,
      coalesce(min(case when renewed_at is null then monitor_id end), min(monitor_id)) as monitor_id
    from deadlines where account_id = ${query.accountId} and rule in (${sql.join(rules)}) ${matching(store, query)}
    group by rule, fingerprint`;
}

function withLongLifetime(
  store: Store,
  query: DeadlineQuery,
  { rule, fromAt, days }: LifetimeRule,
): RawBuilder<unknown> {
  return sql`select cast(${rule} as text) as rule, fingerprint, cast(${fromAt} as bigint) as from_at, not_after,
      cast(null as bigint) as done_at, domains, cast(null as text) as monitor_id
    from (select served_certificates.fingerprint, not_after, domains from served_certificates
      inner join certificates on certificates.fingerprint = served_certificates.fingerprint and public_root = 1
      where account_id = ${query.accountId} and ${lifetime} > ${days * DAY_MS}) as living
    where true ${matching(store, query)}`;
}

/** Returns an SQL condition that begins with `and` and selects the certificates that a search finds. Searches the domains that serve a certificate or served it before. */
function matching(store: Store, { accountId, q, now }: DeadlineQuery): RawBuilder<unknown> {
  if (q === undefined) return sql``;
  const filter = { accountId, q, now };
  return sql`and (fingerprint in (select fingerprint from served_certificates
      where account_id = ${accountId} and ${isFoundCertificate(store, filter)})
    or fingerprint in (select fingerprint from deadlines where account_id = ${accountId}
      and monitor_id in (select monitor_id from (${foundRows(store, filter)}) as matched)))`;
}

/** Reads what the list shows of the certificates. */
async function describe(
  store: Store,
  accountId: string,
  rows: readonly Row[],
): Promise<ConcernedCertificate[]> {
  if (rows.length === 0) return [];
  const { db } = store;
  const fingerprints = [...new Set(rows.map(({ fingerprint }) => fingerprint))];
  const stored = await db
    .selectFrom('certificates')
    .select(['fingerprint', 'facts'])
    .where('fingerprint', 'in', fingerprints)
    .execute();
  const facts = new Map(stored.map((one) => [one.fingerprint, parseFacts(one.facts)]));
  const serving = await firstMonitors(store, { accountId, fingerprints });
  const firstOf = ({ fingerprint }: Row) => serving.get(fingerprint)?.[0];
  // Former certificates, and those that only some clients get, are not among the served ones.
  const former = rows.flatMap((row) => (firstOf(row) === undefined ? (row.monitor_id ?? []) : []));
  const monitors =
    former.length === 0
      ? []
      : await db
          .selectFrom('monitors')
          .select(['id', 'host', 'port', 'target'])
          .where('account_id', '=', accountId)
          .where('id', 'in', former)
          .execute();
  const byId = new Map(monitors.map((one) => [one.id, { id: one.id, ...nameOf(one) }]));
  return rows.map((row) => ({
    rule: row.rule,
    fromAt: row.from_at,
    fingerprint: row.fingerprint,
    notAfter: row.not_after,
    doneAt: row.done_at,
    facts: facts.get(row.fingerprint) ?? null,
    domainCount: row.domains,
    domain: firstOf(row) ?? byId.get(row.monitor_id ?? '') ?? null,
  }));
}
