import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { CertificateFacts } from '../../core/facts.ts';
import type { Targeted } from '../../core/target.ts';
import { certificateNames, type DialectName } from '../db/dialect.ts';
import type { Store } from '../db/open-store.ts';
import type { Tables } from '../schema/tables.ts';
import { parseFacts, storedFact } from './certificates.ts';

/**
 * A leaf certificate of a story. The certificates of a story have the same names and were seen by checks of one account's
 * monitors.
 */
export interface CertificateVersion {
  fingerprint: string;
  /** The issuer's name; empty if it is unknown. */
  issuer: string;
  /** Start and end of validity, ms UTC. */
  notBefore: number;
  notAfter: number;
  /** Time of the first check that saw it, ms UTC. */
  firstSeenAt: number;
  /** Number of monitors, including paused ones, that last served this certificate at one or more addresses. */
  monitorCount: number;
}

/** A monitor that last served one of the versions at one or more addresses. */
export interface VersionMonitor extends Targeted {
  id: string;
  isPaused: boolean;
  /** Fingerprint of the certificate seen last. If the addresses served several, the one that expires first. */
  serves: string;
  /** Whether at least one address last served the certificate that the story is about. */
  isServing: boolean;
  /**
   * True if all addresses serve the certificate that the story is about, or one issued later. An address that does may also serve
   * an earlier certificate with another type of key, like servers with an RSA and an ECDSA certificate.
   */
  isDone: boolean;
  /** Time of the first check that saw the certificate of the story on this monitor, ms UTC; null if none did. */
  firstSeenAt: number | null;
}

/** Position directly after a monitor in a story; see `VersionMonitor`. */
export type StoryCursor = Pick<VersionMonitor, 'id' | 'host' | 'isDone' | 'firstSeenAt'>;

export interface CertificateStory {
  facts: CertificateFacts;
  /** The certificate that the story is about and the 20 newest others, newest first. */
  versions: CertificateVersion[];
  versionCount: number;
  /** A page of the monitors. Sorted: unchanged monitors first, then by time of the change, newest first, then by name. */
  monitors: VersionMonitor[];
  monitorCount: number;
  /**
   * `done` is the number of monitors that have changed, `total` the number of all. Paused monitors count only if they have
   * changed.
   */
  done: number;
  total: number;
  next: StoryCursor | null;
}

interface StoryQuery {
  accountId: string;
  fingerprint: string;
  after: StoryCursor | null;
  limit: number;
}

const MAX_VERSIONS = 20;
/** Maximum number of sightings that are read. Some endpoints change their certificate at each check. */
const MAX_SIGHTINGS = 100_000;

/**
 * Returns which monitors of an account have changed to a certificate, and which still serve another one with the same names. Null
 * if no monitor saw the certificate as its leaf. Uses the search thread: there may be thousands of such certificates.
 */
export async function certificateStory(store: Store, query: StoryQuery): Promise<CertificateStory | null> {
  return store.search(query.accountId, async (db) => {
    const given = await db
      .selectFrom('certificates')
      .select(['facts', namesDigest.as('digest'), notBefore.as('since')])
      .select(hasEcKey(store.dialect).as('has_ec_key'))
      .where('fingerprint', '=', query.fingerprint)
      .where((eb) => eb.exists(sightings(db, query.accountId).where('fingerprint', '=', query.fingerprint)))
      .executeTakeFirst();
    const facts = parseFacts(given?.facts ?? null);
    if (given === undefined || facts === null) return null;
    const versions = withVersions(db, query, { digest: given.digest, dialect: store.dialect });
    const renewal = { since: given.since, hasEcKey: given.has_ec_key === 1, dialect: store.dialect };
    const serving = servingOf(db, servingVersions(versions, query, renewal));
    const [page, counted] = [await versionsOf(versions, query, store.dialect), await countsOf(serving)];
    const found = await monitorsOf(serving, query);
    const monitors = found.slice(0, query.limit);
    const last = found.length > monitors.length ? monitors.at(-1) : undefined;
    return { facts, ...page, ...counted, monitors, next: last ? placeOf(last) : null };
  });
}

const namesDigest = sql<string>`coalesce(names_digest, certificates.fingerprint)`;
const notBefore = sql<number>`coalesce(not_before, 0)`;

/**
 * Returns an SQL expression: 1 if the DER in a row of `certificates` contains the object identifier id-ecPublicKey (RFC 5480), so
 * that the key is ECDSA; else 0. It is also 0 if the DER is not stored.
 */
function hasEcKey(dialect: DialectName): RawBuilder<number> {
  const place =
    dialect === 'postgres'
      ? sql`position('\\x06072a8648ce3d0201'::bytea in certificates.der)`
      : sql`instr(certificates.der, x'06072a8648ce3d0201')`;
  return sql<number>`case when ${place} > 0 then 1 else 0 end`;
}

const sightings = (db: Kysely<Tables>, accountId: string) =>
  db
    .selectFrom('monitor_certificates')
    .select(['monitor_id', 'monitor_certificates.fingerprint', 'first_seen_at'])
    .where('account_id', '=', accountId)
    .where('role', '=', 'leaf');

/** Adds the table `versions`: the leaves with the same names as the certificate of the story, seen on monitors that saw that one. */
function withVersions(
  db: Kysely<Tables>,
  { accountId, fingerprint }: StoryQuery,
  { digest, dialect }: { digest: string; dialect: DialectName },
) {
  const concerned = sightings(db, accountId).clearSelect().select('monitor_id');
  const seen = sightings(db, accountId)
    .where('monitor_id', 'in', concerned.where('fingerprint', '=', fingerprint))
    .limit(MAX_SIGHTINGS);
  return db.with('versions', (cte) =>
    cte
      .selectFrom(seen.as('seen'))
      .innerJoin(certificateNames(dialect), 'certificates.fingerprint', 'seen.fingerprint')
      .select(['seen.fingerprint', notBefore.as('since')])
      .select((eb) => eb.fn.min('seen.first_seen_at').as('first_seen_at'))
      .where(namesDigest, '=', digest)
      .groupBy(['seen.fingerprint', 'not_before']),
  );
}
type Versions = ReturnType<typeof withVersions>;

async function versionsOf(
  versions: Versions,
  { accountId, fingerprint }: StoryQuery,
  dialect: DialectName,
): Promise<Pick<CertificateStory, 'versions' | 'versionCount'>> {
  const rows = await versions
    .selectFrom('versions')
    .innerJoin('certificates', 'certificates.fingerprint', 'versions.fingerprint')
    .leftJoin('served_certificates', (join) =>
      join
        .on('served_certificates.account_id', '=', accountId)
        .onRef('served_certificates.fingerprint', '=', 'versions.fingerprint'),
    )
    .select(['versions.fingerprint', 'since as notBefore', 'versions.first_seen_at as firstSeenAt'])
    .select(storedFact(dialect, 'issuer').as('issuer'))
    .select(storedFact(dialect, 'notAfter').as('notAfter'))
    .select((eb) => eb.fn.coalesce('domains', sql.lit(0)).as('monitorCount'))
    .select((eb) =>
      eb
        .selectFrom('versions')
        .select((all) => all.fn.countAll<number>().as('count'))
        .$asScalar()
        .as('count'),
    )
    .orderBy(sql`case when versions.fingerprint = ${fingerprint} then 0 else 1 end`)
    .orderBy('since', 'desc')
    .orderBy('versions.fingerprint')
    .limit(MAX_VERSIONS + 1)
    .execute();
  const found = rows.map((row) => ({
    fingerprint: row.fingerprint,
    issuer: row.issuer ?? '',
    notBefore: row.notBefore,
    notAfter: Number(row.notAfter),
    firstSeenAt: row.firstSeenAt,
    monitorCount: row.monitorCount,
  }));
  return {
    versions: found.toSorted((one, other) => other.notBefore - one.notBefore),
    versionCount: rows[0]?.count ?? 0,
  };
}

/** Selects the monitors that last served one of the versions at one or more addresses. */
function servingVersions(
  versions: Versions,
  { accountId, fingerprint }: StoryQuery,
  { since, hasEcKey: isEc, dialect }: { since: number; hasEcKey: boolean; dialect: DialectName },
) {
  const concerned = sql<{ monitor_id: string }>`(select monitor_id from monitor_listing
    where account_id = ${accountId} and certificate_fingerprint in (select fingerprint from versions)
    union select monitor_id from other_leaves
    where account_id = ${accountId} and fingerprint in (select fingerprint from versions))`;
  const others = sql`(select other_leaves.fingerprint from other_leaves
    where other_leaves.account_id = ${accountId} and other_leaves.monitor_id = monitors.id)`;
  const served = sql`(select monitors.certificate_fingerprint as fingerprint union all select fingerprint from ${others} as beside) as served
    inner join certificates on certificates.fingerprint = served.fingerprint`;
  const hasSameKeyType = sql`${hasEcKey(dialect)} = ${sql.lit(Number(isEc))}`;
  const isKnown = sql`exists (select 1 from certificates
    where certificates.fingerprint = monitors.certificate_fingerprint)`;
  const servesNew = sql`exists (select 1 from ${served} where ${notBefore} >= ${since} and ${hasSameKeyType})`;
  const isBehind = sql`exists (select 1 from ${served}
    where ${notBefore} < ${since} and (${hasSameKeyType} or not ${servesNew}))`;
  const servesIt = sql`monitors.certificate_fingerprint = ${fingerprint} or ${fingerprint} in ${others}`;
  return versions
    .selectFrom(concerned.as('concerned'))
    .innerJoin('monitors', (join) =>
      join.on('monitors.account_id', '=', accountId).onRef('monitors.id', '=', 'concerned.monitor_id'),
    )
    .leftJoin('monitor_certificates as own', (join) =>
      join
        .onRef('own.account_id', '=', 'monitors.account_id')
        .onRef('own.monitor_id', '=', 'monitors.id')
        .on('own.fingerprint', '=', fingerprint)
        .on('own.role', '=', 'leaf'),
    )
    .select(['monitors.id', 'monitors.host', 'monitors.port', 'monitors.target', 'paused_by'])
    .select((eb) => eb.ref('monitors.certificate_fingerprint').$notNull().as('serves'))
    .select('own.first_seen_at as first_seen_at')
    .select(sql<number>`case when ${servesIt} then 1 else 0 end`.as('is_serving'))
    .select(sql<number>`case when ${isKnown} and not ${isBehind} then 1 else 0 end`.as('is_done'));
}

const servingOf = (db: Kysely<Tables>, serving: ReturnType<typeof servingVersions>) =>
  db.selectFrom(serving.as('serving'));
type Serving = ReturnType<typeof servingOf>;

async function countsOf(
  serving: Serving,
): Promise<Pick<CertificateStory, 'monitorCount' | 'done' | 'total'>> {
  const counts = await serving
    .select((eb) => [
      eb.fn.countAll<number>().as('all'),
      eb.fn.coalesce(eb.fn.sum<number>('is_done'), sql.lit(0)).as('done'),
      eb.fn
        .coalesce(
          eb.fn.sum<number>(sql`case when is_done = 0 and paused_by is not null then 1 else 0 end`),
          sql.lit(0),
        )
        .as('paused'),
    ])
    .executeTakeFirstOrThrow();
  return { monitorCount: counts.all, done: counts.done, total: counts.all - counts.paused };
}

const placeOf = ({ id, host, isDone, firstSeenAt }: VersionMonitor): StoryCursor => ({
  id,
  host,
  isDone,
  firstSeenAt,
});

/** Returns one row more than fits on a page, so that the caller knows whether another page follows. */
async function monitorsOf(serving: Serving, { after, limit }: StoryQuery): Promise<VersionMonitor[]> {
  // All sort keys ascend: the time is negated.
  const place = sql`(is_done, -coalesce(first_seen_at, 0), host, id)`;
  const rows = await serving
    .selectAll()
    .$if(after !== null, (monitors) =>
      monitors.where(
        sql<boolean>`${place} > (${Number(after?.isDone)}, ${-(after?.firstSeenAt ?? 0)}, ${after?.host}, ${after?.id})`,
      ),
    )
    .orderBy('is_done')
    .orderBy(sql`-coalesce(first_seen_at, 0)`)
    .orderBy('host')
    .orderBy('id')
    .limit(limit + 1)
    .execute();
  return rows.map(({ id, host, port, target, serves, ...row }) => ({
    id,
    host,
    port,
    target,
    serves,
    isPaused: row.paused_by !== null,
    isServing: row.is_serving === 1,
    isDone: row.is_done === 1,
    firstSeenAt: row.first_seen_at,
  }));
}
