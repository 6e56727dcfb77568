import { type RawBuilder, type Selectable, sql } from 'kysely';
import { CERTIFICATE_PROBLEMS, type CertificateProblem } from '../../core/check/problems.ts';
import type { CertificateFacts } from '../../core/facts.ts';
import type { Targeted } from '../../core/target.ts';
import {
  type CertificateSort,
  naturalDirection,
  type SortDirection,
} from '../../../contract/calls/list-order.ts';
import { parseFacts } from '../checks/certificates.ts';
import { storedStrings } from '../db/stored-json.ts';
import type { Store } from '../db/open-store.ts';
import { type NextRenewal, nextRenewals } from '../forecasts/renewal-outlooks.ts';
import type { ServedCertificatesTable } from '../schema/check-tables.ts';
import {
  activeCertificates,
  isFoundCertificate,
  matchesEverything,
  type MonitorFilter,
} from './monitor-filter.ts';
import { findMonitors } from './monitor-list.ts';
import { certificateProblems } from './monitors.ts';
import type { Monitor } from './monitor-row.ts';

/** A leaf certificate that at least one monitor of the account saw last. */
export interface ServedCertificate {
  facts: CertificateFacts;
  /** The first monitor by name that saw the certificate, with its verdict on the certificate. */
  monitor: Monitor;
  /** The worst problem, besides expiry, that any monitor found with the certificate; null if there is none. */
  problem: CertificateProblem | null;
  /** Whether its next renewal will work; null if there is no forecast. */
  nextRenewal: NextRenewal | null;
  /** Whether all monitors are paused. */
  isPaused: boolean;
  /** Number of monitors; paused ones count. */
  monitorCount: number;
  /** The first three of these monitors by name. */
  monitors: (Targeted & { id: string })[];
  /** Tags of all these monitors, in alphabetical order. */
  tags: string[];
}

/** Position in a list of certificates, for keyset pagination: directly after a certificate with these values. */
export type CertificateCursor = { fingerprint: string } & (
  | { sort: 'soonest'; notAfter: number }
  | { sort: 'name'; name: string }
  | { sort: 'issuer'; issuer: string }
  | { sort: 'domains'; domains: number }
);

interface CertificateQuery extends MonitorFilter {
  sort: CertificateSort;
  /** If absent, the direction is `naturalDirection(sort)`. */
  direction?: SortDirection | undefined;
  after: CertificateCursor | null;
  /** Number of certificates to skip at the start; used when there is no cursor. */
  offset?: number;
  limit: number;
}

/** The monitors that a list shows per certificate, by their position in the order of names. */
const FIRST_PLACES = [0, 1, 2] as const;

type Served = Pick<
  Selectable<ServedCertificatesTable>,
  'fingerprint' | 'not_after' | 'name' | 'issuer' | 'domains'
>;

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
 * Returns a page of the certificates that the matching monitors of an account saw last, the number of all these certificates, and
 * the cursor of the next page; null on the last page.
 */
export async function listServedCertificates(
  store: Store,
  query: CertificateQuery,
): Promise<{ certificates: ServedCertificate[]; total: number; next: CertificateCursor | null }> {
  // Use the search database, because this query reads all certificates of the account.
  const { rows, total } = await store.search(query.accountId, async (db) => {
    const [from, { after, offset = 0 }] = [{ ...store, db }, query];
    const found = await pageOfCertificates(from, query);
    const isBeyond = found.length === 0 && (after !== null || offset > 0);
    // If the page is empty, no row has the total: read it with another query.
    const [first] = isBeyond
      ? await pageOfCertificates(from, { ...query, after: null, offset: 0, limit: 0 })
      : found;
    return { rows: found, total: first?.total ?? 0 };
  });
  const page = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? page.at(-1) : undefined;
  return {
    certificates: await describe(store, query.accountId, page),
    total,
    next: last === undefined ? null : cursorOf(last, query.sort),
  };
}

/** Returns one certificate more than fits on a page, so that the caller knows whether another page follows. */
async function pageOfCertificates(
  store: Store,
  { sort, direction = naturalDirection(sort), after, offset = 0, limit, ...filter }: CertificateQuery,
): Promise<(Served & { total: number })[]> {
  const served = store.db
    .selectFrom('served_certificates')
    .select(['fingerprint', 'not_after', 'name', 'issuer', 'domains'])
    .where('account_id', '=', filter.accountId)
    .$if(!matchesEverything(filter), (rows) => rows.where(isFoundCertificate(store, filter)));
  return store.db
    .with(
      // Without a filter, an index alone answers the count, and also the page if the order is `soonest`.
      (cte) => (matchesEverything(filter) ? cte('served').notMaterialized() : cte('served').materialized()),
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
    .$if(after !== null, (rows) => rows.where(isAfter(after!, direction)))
    .orderBy(COLUMNS[sort], direction)
    .orderBy('fingerprint', direction)
    .limit(limit + 1)
    .offset(offset)
    .$castTo<Served & { total: number }>()
    .execute();
}

/** Column that each order sorts by. Rows with equal values are sorted by fingerprint, in the same direction. */
const COLUMNS = {
  soonest: 'not_after',
  name: 'name',
  issuer: 'issuer',
  domains: 'domains',
} as const satisfies Record<CertificateSort, keyof Served>;

function isAfter(cursor: CertificateCursor, direction: SortDirection): RawBuilder<boolean> {
  const { sort, fingerprint, ...values } = cursor;
  const [value] = Object.values(values);
  const [column, than] = [sql.ref(COLUMNS[sort]), sql.raw(direction === 'asc' ? '>' : '<')];
  return sql<boolean>`(${column}, fingerprint) ${than} (${value}, ${fingerprint})`;
}

function cursorOf(
  { fingerprint, not_after: notAfter, domains, issuer, name }: Served,
  sort: CertificateSort,
): CertificateCursor {
  switch (sort) {
    case 'soonest':
      return { sort, notAfter, fingerprint };
    case 'name':
      return { sort, name, fingerprint };
    case 'issuer':
      return { sort, issuer, fingerprint };
    default:
      return { sort, domains, fingerprint };
  }
}

/** Reads what lists show of certificates, in the given order. Omits certificates that no monitor serves any more. */
async function describe(
  store: Store,
  accountId: string,
  groups: readonly Pick<Served, 'fingerprint' | 'domains'>[],
): Promise<ServedCertificate[]> {
  if (groups.length === 0) return [];
  const key = { accountId, fingerprints: groups.map(({ fingerprint }) => fingerprint) };
  const firsts = await firstMonitors(store, key);
  const problemBy = await problemsOf(store, key);
  const shown = new Map(
    [...firsts].flatMap(([fingerprint, [first]]) => {
      return first === undefined ? [] : [[fingerprint, first.id]];
    }),
  );
  if (shown.size === 0) return [];
  const monitors = await findMonitors(store, { accountId, ids: [...new Set(shown.values())] });
  const byId = new Map(monitors.map((monitor) => [monitor.id, monitor]));
  const facts = await factsOf(store, key, monitors);
  const tags = await tagsOf(store, key);
  const active = await activeAmong(store, key);
  const renewals = await nextRenewals(store, key);
  return groups.flatMap(({ fingerprint, domains }) => {
    const monitor = byId.get(shown.get(fingerprint) ?? '');
    const its = facts.get(fingerprint);
    if (!monitor || !its) return [];
    return [
      {
        facts: its,
        monitor,
        problem: problemBy.get(fingerprint) ?? null,
        nextRenewal: renewals.get(fingerprint) ?? null,
        isPaused: !active.has(fingerprint),
        monitorCount: domains,
        monitors: firsts.get(fingerprint) ?? [],
        tags: [...new Set(tags.get(fingerprint))].toSorted(),
      },
    ];
  });
}

interface OfPage {
  accountId: string;
  fingerprints: readonly string[];
}

/** Returns the facts of the certificates. Takes them from `monitors` if possible and reads only the others. */
async function factsOf(
  { db }: Store,
  { fingerprints }: OfPage,
  monitors: readonly Monitor[],
): Promise<Map<string, CertificateFacts>> {
  const facts = new Map(
    monitors.flatMap(({ certificate }) => (certificate ? [[certificate.fingerprint, certificate]] : [])),
  );
  const missing = fingerprints.filter((fingerprint) => !facts.has(fingerprint));
  if (missing.length === 0) return facts;
  const rows = await db
    .selectFrom('certificates')
    .select(['fingerprint', 'facts'])
    .where('fingerprint', 'in', missing)
    .execute();
  for (const row of rows) {
    const parsed = parseFacts(row.facts);
    if (parsed) facts.set(row.fingerprint, parsed);
  }
  return facts;
}

/** Returns those of the certificates that at least one active monitor serves. */
async function activeAmong({ db }: Store, { accountId, fingerprints }: OfPage): Promise<Set<string>> {
  const rows = await activeCertificates(db, accountId)
    .select('fingerprint')
    .distinct()
    .where('fingerprint', 'in', fingerprints)
    .execute();
  return new Set(rows.map(({ fingerprint }) => fingerprint));
}

async function tagsOf({ db }: Store, { accountId, fingerprints }: OfPage): Promise<Map<string, string[]>> {
  const tagged = db
    .selectFrom('monitor_listing')
    .select('tags')
    .distinct()
    .where('monitor_listing.account_id', '=', accountId)
    .where('tags', '!=', '[]');
  const rows = await tagged
    .select('certificate_fingerprint as fingerprint')
    .where('certificate_fingerprint', 'in', fingerprints)
    .unionAll(
      tagged
        .innerJoin('other_leaves', 'other_leaves.monitor_id', 'monitor_listing.monitor_id')
        .select('other_leaves.fingerprint')
        .where('other_leaves.account_id', '=', accountId)
        .where('other_leaves.fingerprint', 'in', fingerprints),
    )
    .execute();
  const tags = new Map<string, string[]>();
  for (const row of rows)
    if (row.fingerprint !== null)
      tags.set(row.fingerprint, [...(tags.get(row.fingerprint) ?? []), ...storedStrings(row.tags)]);
  return tags;
}

/** Returns the worst problem of each certificate that has one on any monitor. */
async function problemsOf(
  { db }: Store,
  { accountId, fingerprints }: OfPage,
): Promise<Map<string, CertificateProblem>> {
  const rows = await certificateProblems(db, accountId)
    .select(['fingerprint', 'problem'])
    .distinct()
    .where('fingerprint', 'in', fingerprints)
    .execute();
  const rankOf = ({ problem }: { problem: CertificateProblem }) => CERTIFICATE_PROBLEMS.indexOf(problem);
  const worstLast = rows.toSorted((one, other) => rankOf(other) - rankOf(one));
  return new Map(worstLast.map(({ fingerprint, problem }) => [fingerprint, problem]));
}

/**
 * Returns the first three monitors by name of each certificate. Reads them one by one from an index, because some certificates
 * have thousands.
 */
export async function firstMonitors(
  { db }: Store,
  { accountId, fingerprints }: OfPage,
): Promise<Map<string, (Targeted & { id: string })[]>> {
  const rows = await db
    .selectFrom('served_certificates')
    .select('fingerprint')
    .select((eb) =>
      FIRST_PLACES.flatMap((place) => {
        const ofListing = eb
          .selectFrom('monitor_listing')
          .select('monitor_id')
          .whereRef('monitor_listing.account_id', '=', 'served_certificates.account_id')
          .whereRef('monitor_listing.certificate_fingerprint', '=', 'served_certificates.fingerprint')
          .orderBy('host')
          .orderBy('port');
        const ofOthers = eb
          .selectFrom('other_leaves')
          .select('monitor_id')
          .whereRef('other_leaves.account_id', '=', 'served_certificates.account_id')
          .whereRef('other_leaves.fingerprint', '=', 'served_certificates.fingerprint')
          .orderBy('host')
          .orderBy('port');
        return [
          ofListing.limit(1).offset(place).as(`at${place}`),
          ofOthers.limit(1).offset(place).as(`other${place}`),
        ];
      }),
    )
    .where('account_id', '=', accountId)
    .where('fingerprint', 'in', fingerprints)
    .execute();
  if (rows.length === 0) return new Map();
  const ids = new Map(
    rows.map(({ fingerprint, ...places }) => [
      fingerprint,
      FIRST_PLACES.flatMap((place) => [places[`at${place}`] ?? [], places[`other${place}`] ?? []].flat()),
    ]),
  );
  const monitors = await db
    // Use `monitors`: in `monitor_listing`, SQLite would read the names of all monitors of the account.
    .selectFrom('monitors')
    .select(['id', 'host', 'port', 'target'])
    .where('account_id', '=', accountId)
    .where('id', 'in', [...ids.values()].flat())
    .execute();
  const byId = new Map(monitors.map((monitor) => [monitor.id, monitor]));
  return new Map(
    [...ids].map(([fingerprint, its]) => [
      fingerprint,
      its
        .flatMap((id) => byId.get(id) ?? [])
        .toSorted((one, other) => compare(one.host, other.host) || one.port - other.port)
        .slice(0, FIRST_PLACES.length),
    ]),
  );
}

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
