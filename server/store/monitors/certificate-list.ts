import { type RawBuilder, sql } from 'kysely';
import type { CertificateFacts, Targeted } from '../../core/index.ts';
import type { CertificateSort } from '../../../contract/calls/list-order.ts';
import { containsInLongText } from '../db/dialect.ts';
import { storedStrings } from '../db/stored-json.ts';
import type { Store } from '../db/open-store.ts';
import type { ServedCertificatesTable } from '../schema/check-tables.ts';
import { foundCertificates, isEverything, type MonitorFilter } from './monitor-filter.ts';
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
  monitors: (Targeted & { id: string })[];
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

/** Positions, in order of name, of the monitors that a list shows per certificate. */
const FIRST_PLACES = [0, 1, 2] as const;

type Served = Pick<ServedCertificatesTable, 'fingerprint' | 'not_after' | 'name' | 'domains'>;

/** Returns the certificate as lists show it; null if no monitor of the account saw it last. */
export async function servedCertificate(
  store: Store,
  { accountId, fingerprint }: { accountId: string; fingerprint: string },
): Promise<ServedCertificate | null> {
  const row = await store.db
    .selectFrom('served_certificates')
    .select(['fingerprint', 'domains'])
    .where('account_id', '=', accountId)
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst();
  const [served] = await describe(store, accountId, row ? [row] : []);
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
  // Reads all certificates of the account.
  const rows = await store.search(query.accountId, (db) => pageOfCertificates({ ...store, db }, query));
  const page = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? page.at(-1) : undefined;
  return {
    certificates: await describe(store, query.accountId, page),
    total: rows[0]?.total ?? 0,
    next: last === undefined ? null : cursorOf(last, query.sort),
  };
}

/** Returns one more than a page, which tells whether there is another page. */
async function pageOfCertificates(
  store: Store,
  { sort, after, limit, ...filter }: CertificateQuery,
): Promise<(Served & { total: number })[]> {
  const served = store.db
    .selectFrom('served_certificates')
    .select(['fingerprint', 'not_after', 'name', 'domains'])
    .where('account_id', '=', filter.accountId)
    .$if(!isEverything(filter), (rows) => rows.where(isFound(store, filter)));
  return store.db
    .with(
      // Without a filter, an index alone answers the count, and the page in the order `soonest`.
      (cte) => (isEverything(filter) ? cte('served').notMaterialized() : cte('served').materialized()),
      () => served,
    )
    .selectFrom('served')
    .selectAll()
    .select((eb) =>
      eb
        .selectFrom('served')
        .select((all) => all.fn.countAll<number>().as('count'))
        .as('total'),
    )
    .$if(after !== null, (rows) => rows.where(isAfter(after!)))
    .orderBy(COLUMNS[sort], sort === 'domains' ? 'desc' : 'asc')
    .orderBy('fingerprint', sort === 'domains' ? 'desc' : 'asc')
    .limit(limit + 1)
    .$castTo<Served & { total: number }>()
    .execute();
}

/** Returns an SQL condition for the certificates of the matching monitors. Text is also searched in the certificates' names. */
function isFound(store: Store, { q, ...filter }: MonitorFilter): RawBuilder<boolean> {
  const isOf = (matches: MonitorFilter) =>
    sql<boolean>`fingerprint in (${foundCertificates(store, matches)})`;
  if (q === undefined) return isOf(filter);
  const hasName = containsInLongText(store.dialect, sql.ref<string>('names'), q);
  const byName = isEverything(filter) ? hasName : sql<boolean>`(${hasName} and ${isOf(filter)})`;
  return sql<boolean>`(${isOf({ ...filter, q })} or ${byName})`;
}

/** Column that each order sorts by; `domains` sorts from the largest, each with the fingerprint in the same direction. */
const COLUMNS = {
  soonest: 'not_after',
  name: 'name',
  domains: 'domains',
} as const satisfies Record<CertificateSort, keyof Served>;

function isAfter(cursor: CertificateCursor): RawBuilder<boolean> {
  const { fingerprint } = cursor;
  switch (cursor.sort) {
    case 'soonest':
      return sql<boolean>`(not_after, fingerprint) > (${cursor.notAfter}, ${fingerprint})`;
    case 'name':
      return sql<boolean>`(name, fingerprint) > (${cursor.name}, ${fingerprint})`;
    default:
      return sql<boolean>`(domains, fingerprint) < (${cursor.domains}, ${fingerprint})`;
  }
}

function cursorOf(
  { fingerprint, not_after, domains, name }: Served,
  sort: CertificateSort,
): CertificateCursor {
  if (sort === 'soonest') return { sort, notAfter: not_after, fingerprint };
  return sort === 'name' ? { sort, name, fingerprint } : { sort, domains, fingerprint };
}

/** Reads what lists show of certificates, in the given order. Leaves out those that were replaced meanwhile. */
async function describe(
  store: Store,
  accountId: string,
  groups: readonly Pick<Served, 'fingerprint' | 'domains'>[],
): Promise<ServedCertificate[]> {
  if (groups.length === 0) return [];
  const fingerprints = groups.map(({ fingerprint }) => fingerprint);
  const firstIds = await firstMonitors(store, accountId, fingerprints);
  const ids = [...firstIds.values()].flatMap(([first]) => first ?? []);
  if (ids.length === 0) return [];
  const listed = await store.db
    // In `monitor_listing`, SQLite would read the names of all monitors of the account.
    .selectFrom('monitors')
    .select(['id', 'host', 'port', 'target'])
    .where('account_id', '=', accountId)
    .where('id', 'in', [...firstIds.values()].flat())
    .execute();
  const byId = new Map(listed.map((monitor) => [monitor.id, monitor]));
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
        monitors: (firstIds.get(fingerprint) ?? []).flatMap((id) => byId.get(id) ?? []),
        tags: [...new Set(its)].toSorted(),
      },
    ];
  });
}

/** Returns the ids of the first monitors by name of each certificate, one by one from an index, because some have thousands. */
async function firstMonitors({ db }: Store, accountId: string, fingerprints: readonly string[]) {
  const rows = await db
    .selectFrom('served_certificates')
    .select('fingerprint')
    .select((eb) =>
      FIRST_PLACES.map((place) =>
        eb
          .selectFrom('monitor_listing')
          .select('monitor_id')
          .whereRef('monitor_listing.account_id', '=', 'served_certificates.account_id')
          .whereRef('monitor_listing.certificate_fingerprint', '=', 'served_certificates.fingerprint')
          .orderBy('host')
          .orderBy('port')
          .limit(1)
          .offset(place)
          .as(`at${place}`),
      ),
    )
    .where('account_id', '=', accountId)
    .where('fingerprint', 'in', fingerprints)
    .execute();
  return new Map(
    rows.map(({ fingerprint, ...ids }) => [
      fingerprint,
      FIRST_PLACES.flatMap((place) => ids[`at${place}`] ?? []),
    ]),
  );
}
