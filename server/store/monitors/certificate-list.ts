import { type RawBuilder, sql } from 'kysely';
import type { CertificateFacts } from '../../core/index.ts';
import type { CertificateSort } from '../../../contract/words.ts';
import { storedStrings } from '../db/stored-json.ts';
import type { Store } from '../db/open-store.ts';
import { foundRows, isEverything, type MonitorFilter } from './monitor-filter.ts';
import { findMonitors } from './monitor-list.ts';
import type { Monitor } from './monitor-row.ts';

/** A leaf certificate that monitors of one account saw last. */
export interface ServedCertificate {
  facts: CertificateFacts;
  /** The first of these monitors by name, with the verdict on the certificate. */
  monitor: Monitor;
  /** Number of monitors; paused ones count. */
  monitorCount: number;
  /** The first three of them by name. */
  monitors: { id: string; host: string; port: number }[];
  /** Tags of all of them, in alphabetical order. */
  tags: string[];
}

/** Position in a list of certificates, for keyset pagination: directly after a certificate with these values. */
export type CertificateCursor = { fingerprint: string } & (
  | { sort: 'soonest'; notAfter: number }
  | { sort: 'name'; name: string }
  | { sort: 'domains'; domains: number }
);

interface CertificateQuery extends MonitorFilter {
  sort: CertificateSort;
  after: CertificateCursor | null;
  limit: number;
}

const SHOWN_MONITORS = 3;

interface Group {
  fingerprint: string;
  not_after: number;
  domains: number;
  /** The first host by name, by which certificates sort. */
  name: string;
}

/** Returns the certificate as lists show it; null if no monitor of the account saw it last. */
export async function servedCertificate(
  store: Store,
  { accountId, fingerprint }: { accountId: string; fingerprint: string },
): Promise<ServedCertificate | null> {
  const { domains } = await store.db
    .selectFrom('monitor_listing')
    .select((eb) => eb.fn.countAll<number>().as('domains'))
    .where('account_id', '=', accountId)
    .where('certificate_fingerprint', '=', fingerprint)
    .executeTakeFirstOrThrow();
  const [served] = await describe(store, accountId, [{ fingerprint, domains }]);
  return served ?? null;
}

/**
 * Returns a page of the certificates that the matching monitors of an account saw last, the number of all of them, and the cursor of
 * the next page; null on the last page.
 */
export async function listServedCertificates(
  store: Store,
  query: CertificateQuery,
): Promise<{ certificates: ServedCertificate[]; total: number; next: CertificateCursor | null }> {
  // Reads all monitors of the account.
  const groups = await store.search(query.accountId, (db) => pageOfGroups({ ...store, db }, query));
  const page = groups.slice(0, query.limit);
  const last = groups.length > query.limit ? page.at(-1) : undefined;
  return {
    certificates: await describe(store, query.accountId, page),
    total: groups[0]?.total ?? 0,
    next: last === undefined ? null : cursorOf(last, query.sort),
  };
}

/** Returns one more than a page, which tells whether there is another page. */
async function pageOfGroups(
  store: Store,
  { sort, after, limit, ...filter }: CertificateQuery,
): Promise<(Group & { total: number })[]> {
  const groups = store.db
    .selectFrom('monitor_listing')
    .where('account_id', '=', filter.accountId)
    .where('certificate_fingerprint', 'is not', null)
    .$if(!isEverything(filter), (listed) =>
      listed.where('monitor_id', 'in', (eb) =>
        eb.selectFrom(foundRows(store, filter).as('found')).select('monitor_id'),
      ),
    )
    .groupBy('certificate_fingerprint')
    .select((eb) => [
      sql<string>`certificate_fingerprint`.as('fingerprint'),
      eb.fn.min<number>('not_after').as('not_after'),
      eb.fn.countAll<number>().as('domains'),
      eb.fn.min<string>('host').as('name'),
    ]);
  return store.db
    .with(
      (cte) => cte('groups').materialized(),
      () => groups,
    )
    .selectFrom('groups')
    .selectAll()
    .select((eb) =>
      eb
        .selectFrom('groups')
        .select((all) => all.fn.countAll<number>().as('count'))
        .as('total'),
    )
    .$if(after !== null, (rows) => rows.where(isAfter(after!)))
    .orderBy(ORDERS[sort])
    .orderBy('fingerprint')
    .limit(limit + 1)
    .$castTo<Group & { total: number }>()
    .execute();
}

const ORDERS = {
  soonest: sql`not_after`,
  name: sql`name`,
  domains: sql`domains desc`,
} satisfies Record<CertificateSort, RawBuilder<unknown>>;

function isAfter(cursor: CertificateCursor): RawBuilder<boolean> {
  const { fingerprint } = cursor;
  switch (cursor.sort) {
    case 'soonest':
      return sql<boolean>`(not_after, fingerprint) > (${cursor.notAfter}, ${fingerprint})`;
    case 'name':
      return sql<boolean>`(name, fingerprint) > (${cursor.name}, ${fingerprint})`;
    default:
      return sql<boolean>`(domains < ${cursor.domains} or (domains = ${cursor.domains} and fingerprint > ${fingerprint}))`;
  }
}

function cursorOf(
  { fingerprint, not_after, domains, name }: Group,
  sort: CertificateSort,
): CertificateCursor {
  if (sort === 'soonest') return { sort, notAfter: not_after, fingerprint };
  return sort === 'name' ? { sort, name, fingerprint } : { sort, domains, fingerprint };
}

/** Reads what lists show of certificates, in the given order. Leaves out those that were replaced meanwhile. */
async function describe(
  store: Store,
  accountId: string,
  groups: readonly Pick<Group, 'fingerprint' | 'domains'>[],
): Promise<ServedCertificate[]> {
  if (groups.length === 0) return [];
  const fingerprints = groups.map(({ fingerprint }) => fingerprint);
  const listed = await firstMonitors(store, accountId, fingerprints);
  const byFingerprint = Map.groupBy(listed, ({ fingerprint }) => fingerprint);
  const ids = [...byFingerprint.values()].flatMap(([first]) => first?.id ?? []);
  const monitors = await findMonitors(store, { accountId, ids });
  const seen = new Map(monitors.map((monitor) => [monitor.certificate?.fingerprint, monitor]));
  const tagLists = await store.db
    .selectFrom('monitor_listing')
    .select(['certificate_fingerprint as fingerprint', 'tags'])
    .distinct()
    .where('account_id', '=', accountId)
    .where('certificate_fingerprint', 'in', fingerprints)
    .where('tags', '!=', '[]')
    .execute();
  const tags = Map.groupBy(tagLists, ({ fingerprint }) => fingerprint);
  return groups.flatMap(({ fingerprint, domains }) => {
    const monitor = seen.get(fingerprint);
    if (!monitor?.certificate) return [];
    const its = (tags.get(fingerprint) ?? []).flatMap((row) => storedStrings(row.tags));
    return [
      {
        facts: monitor.certificate,
        monitor,
        monitorCount: domains,
        monitors: byFingerprint.get(fingerprint) ?? [],
        tags: [...new Set(its)].toSorted(),
      },
    ];
  });
}

/** Returns the first monitors by name of each certificate. One query per certificate, because some have thousands of monitors. */
async function firstMonitors({ db }: Store, accountId: string, fingerprints: readonly string[]) {
  const firsts = fingerprints.map((fingerprint) => {
    const its = db
      .selectFrom('monitor_listing')
      .select(['certificate_fingerprint as fingerprint', 'monitor_id as id', 'host', 'port'])
      .where('account_id', '=', accountId)
      .where('certificate_fingerprint', '=', fingerprint)
      .orderBy('host')
      .orderBy('port')
      .limit(SHOWN_MONITORS);
    return sql`select * from (${its}) as its`;
  });
  const { rows } = await sql<{
    fingerprint: string;
    id: string;
    host: string;
    port: number;
  }>`${sql.join(firsts, sql` union all `)}`.execute(db);
  return rows;
}
