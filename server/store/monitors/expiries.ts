import type { Targeted } from '../../core/target.ts';
import { type ExpressionBuilder, sql } from 'kysely';
import { DAY_MS } from '../../../contract/durations.ts';
import type { DomainState } from '../../../contract/words.ts';
import { parseFacts } from '../checks/certificates.ts';
import type { Store } from '../db/open-store.ts';
import type { Tables } from '../schema/tables.ts';
import { withTargets } from './monitor-row.ts';
import { domainState, hasCertificate, isOnSchedule, isPaused } from './domain-state.ts';

export interface SummaryQuery {
  accountId: string;
  now: number;
}

export interface Expiry extends Targeted {
  id: string;
  notAfter: number;
  /** Start of validity, ms UTC; null for states other than `critical` and `soon`, and if the certificate could not be parsed. */
  notBefore: number | null;
  state: DomainState;
  /**
   * Time in ms UTC after which the renewal is overdue, if the certificate is short-lived and `critical` or `soon`, and the time
   * is in the future; else null.
   */
  renewalDueAt: number | null;
  /** Number of monitors that the entry represents. */
  count: number;
  /** Number of certificates that these monitors serve: more than one if the certificates of a day were merged into the entry. */
  certificateCount: number;
  /** Fingerprint of the certificate; of a merged entry, that of the certificate that the monitor `id` serves. */
  fingerprint: string;
}

/** A day (UTC) on which certificates of one timeline group (see `timelineGroups`) expire. */
export interface ExpiryDay {
  /** Id of the monitor of the group whose certificate expires first on that day, of those without a problem if there are any. */
  id: string;
  /** Number of monitors of the group whose certificates expire on that day. */
  count: number;
}

/** Maximum number of entries in the lists of a summary before entries are merged. */
export const MAX_ENTRIES = 500;

/**
 * Returns the certificates that active monitors serve, soonest expiry first. Above 500, returns one entry per day (UTC) and
 * timeline group, and one for each monitor with a problem. `days` are the days on which these certificates expire.
 */
export async function expiriesOf(
  store: Store,
  query: SummaryQuery,
  {
    days,
    problems,
    hasPaused,
  }: { days: readonly ExpiryDay[]; problems: readonly { id: string }[]; hasPaused: boolean },
): Promise<Expiry[]> {
  const certificates = await certificatesOfDays(store, query, hasPaused);
  const total = [...certificates.values()].reduce((sum, count) => sum + count, 0);
  const rows =
    total > MAX_ENTRIES
      ? await mergedByDay(store, query, { days, certificates, faulty: new Set(problems.map(({ id }) => id)) })
      : await eachCertificate(store, query);
  return withTargets(store.db, query.accountId, await withNotBefore(store, query, rows));
}

type ExpiryRow = Omit<Expiry, 'notBefore'>;

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
    notBefore: notBefores.get(row.id) ?? null,
  }));
}

function selectExpiries({ db }: Store, { accountId, now }: SummaryQuery) {
  return db
    .selectFrom('monitor_listing')
    .select(['monitor_listing.monitor_id as id', 'host', 'port', domainState(now).as('state')])
    .select(sql<number | null>`case when ${isOnSchedule(now)} then on_schedule_until end`.as('renewalDueAt'))
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
  const ofPaused = store.db
    .selectFrom('monitor_listing')
    .select(sql<string>`coalesce(certificate_fingerprint, '')`.as('fingerprint'))
    .where('account_id', '=', accountId)
    .where(isPaused);
  const ofOtherAddresses = store.db
    .selectFrom('other_leaves')
    .select('fingerprint')
    .where('account_id', '=', accountId);
  const day = sql<number>`not_after / ${sql.lit(DAY_MS)}`;
  const rows = await store.db
    .selectFrom('served_certificates')
    .select((eb) => [day.as('day'), eb.fn.countAll<number>().as('count')])
    .where('account_id', '=', accountId)
    // Only look up the certificates of paused monitors and of other addresses. All others are in the row of an active monitor.
    .where((eb) =>
      eb.or([
        eb('fingerprint', 'not in', hasPaused ? ofPaused.unionAll(ofOtherAddresses) : ofOtherAddresses),
        eb.exists(activeOf(eb, accountId).select('monitor_id')),
      ]),
    )
    .groupBy(day)
    .execute();
  return new Map(rows.map((row) => [row.day, row.count]));
}

/** Returns each certificate with its first active monitor by name. */
async function eachCertificate(store: Store, query: SummaryQuery): Promise<ExpiryRow[]> {
  const { accountId } = query;
  const firsts = store.db
    .selectFrom('served_certificates')
    .select((eb) => [
      // Prefer a monitor whose check found the certificate revoked. Otherwise take the first by name.
      activeOf(eb, accountId)
        .select('monitor_id')
        .orderBy('phase')
        .orderBy('host')
        .orderBy('port')
        .limit(1)
        .as('monitor_id'),
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

const dayOf = ({ notAfter }: Pick<Expiry, 'notAfter'>): number => Math.floor(notAfter / DAY_MS);
/** Returns a key that is equal for monitors of one timeline group whose certificates expire on the same day. */
const groupOf = (row: Pick<Expiry, 'notAfter' | 'state' | 'renewalDueAt'>): string =>
  `${dayOf(row)} ${row.renewalDueAt === null ? row.state : 'on schedule'}`;

/** Returns one entry per faulty monitor, and for the others one per day (UTC) and timeline group; soonest first. */
async function mergedByDay(
  store: Store,
  query: SummaryQuery,
  {
    days,
    certificates,
    faulty,
  }: { days: readonly ExpiryDay[]; certificates: ReadonlyMap<number, number>; faulty: ReadonlySet<string> },
): Promise<ExpiryRow[]> {
  const counts = new Map(days.map(({ id, count }) => [id, count]));
  // Sort later in JavaScript: with ORDER BY, SQLite would scan the whole account in that order.
  const rows = await selectExpiries(store, query)
    .where('monitor_id', 'in', [...counts.keys(), ...faulty])
    .where(hasCertificate)
    .execute();
  const single = Map.groupBy(
    rows.filter(({ id }) => faulty.has(id)),
    groupOf,
  );
  const entries = rows.flatMap((row) => {
    const others = (counts.get(row.id) ?? 0) - (single.get(groupOf(row))?.length ?? 0);
    // A monitor can be both: if its problem was found after the days were counted, or is one of more than 500.
    const count = Math.max(0, others) + Number(faulty.has(row.id));
    return count === 0 ? [] : { ...row, count, certificateCount: count };
  });
  // Entries count one certificate per monitor, but monitors may share certificates. Correct the count of the day's largest entry.
  for (const [day, ofDay] of Map.groupBy(entries, dayOf)) {
    const total = ofDay.reduce((sum, { count }) => sum + count, 0);
    const [largest] = ofDay.toSorted((one, other) => other.count - one.count);
    if (largest)
      largest.certificateCount = Math.max(1, largest.count - total + (certificates.get(day) ?? total));
  }
  return entries.toSorted((one, other) => one.notAfter - other.notAfter);
}
