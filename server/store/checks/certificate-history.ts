import type { CertificateFacts, LimitName, Targeted } from '../../core/index.ts';
import { type Certificate, tryParseCertificate } from '../../pki/index.ts';
import { certificateDers, parseFacts } from './certificates.ts';
import type { MonitorKey } from '../monitors/monitor-change.ts';
import type { Store } from '../db/open-store.ts';
import { selectCertificateHistory } from './check-evidence.ts';
import { readObservation } from './evidence.ts';

/** A leaf certificate that the endpoint of a monitor has served. Times are ms UTC. */
export interface HistoryEntry {
  id: string;
  fingerprint: string;
  firstSeenAt: number;
  lastSeenAt: number;
  facts: CertificateFacts;
  /** False if a storage limit kept the DER from being stored, or deleted it. */
  derIsKept: boolean;
}

/** Maximum number of entries, for endpoints that serve another certificate at each check. */
const MAX_ENTRIES = 1_000;

/**
 * Returns up to 1,000 leaves, last seen first. With `part`: a page after a cursor, sorted by first appearance, newest first.
 * Returns null if there is no such monitor.
 */
export async function history(
  store: Store,
  key: MonitorKey,
  part: { after: { at: number; id: string } | null; limit: number } | null = null,
): Promise<HistoryEntry[] | null> {
  const monitor = await store.db
    .selectFrom('monitors')
    .select('id')
    .where('account_id', '=', key.accountId)
    .where('id', '=', key.monitorId)
    .executeTakeFirst();
  if (!monitor) return null;
  const leaves = selectCertificateHistory(store.db, key)
    .where('role', '=', 'leaf')
    .where('facts', 'is not', null);
  const rows = await (part === null ? leaves.limit(MAX_ENTRIES) : pageOf(leaves, part)).execute();
  return rows.flatMap((row) => {
    const facts = parseFacts(row.facts);
    if (facts === null) return [];
    const { id, fingerprint, first_seen_at: firstSeenAt, last_seen_at: lastSeenAt } = row;
    return [{ id, fingerprint, firstSeenAt, lastSeenAt, facts, derIsKept: row.der_is_kept === 1 }];
  });
}

/**
 * Returns which limit last prevented the storage of a monitor's evidence or certificates, or deleted certificates, and when (ms
 * UTC); null if none ever did.
 */
export async function lastDropped(
  store: Store,
  { accountId, monitorId }: MonitorKey,
): Promise<{ limit: LimitName; at: number } | null> {
  const state = await store.db
    .selectFrom('monitor_states')
    .select(['unkept_at as at', 'unkept_limit as limit'])
    .where('account_id', '=', accountId)
    .where('monitor_id', '=', monitorId)
    .executeTakeFirst();
  return state === undefined || state.at === null || state.limit === null
    ? null
    : { limit: state.limit, at: state.at };
}

function pageOf(
  leaves: ReturnType<typeof selectCertificateHistory>,
  { after, limit }: { after: { at: number; id: string } | null; limit: number },
) {
  const first = 'monitor_certificates.first_seen_at';
  const inOrder = leaves
    .clearOrderBy()
    .orderBy(first, 'desc')
    .orderBy('monitor_certificates.id')
    .limit(limit);
  if (after === null) return inOrder;
  return inOrder.where((eb) =>
    eb.or([
      eb(first, '<', after.at),
      eb.and([eb(first, '=', after.at), eb('monitor_certificates.id', '>', after.id)]),
    ]),
  );
}

/**
 * Returns two certificates of a monitor's history by fingerprint; `not_kept` if a DER is not stored; null if the monitor or an
 * entry does not exist, or a DER cannot be parsed.
 */
export async function historyPair(
  store: Store,
  { from, to, ...key }: MonitorKey & { from: string; to: string },
): Promise<{ before: Certificate; after: Certificate } | 'not_kept' | null> {
  const entries = await selectCertificateHistory(store.db, key)
    .where('role', '=', 'leaf')
    .where('facts', 'is not', null)
    .where('monitor_certificates.fingerprint', 'in', [from, to])
    .execute();
  if (entries.length < new Set([from, to]).size) return null;
  const ders = await certificateDers(store, [from, to]);
  if (ders === null) return 'not_kept';
  const [before, after] = ders.map(tryParseCertificate);
  return before && after ? { before, after } : null;
}

/**
 * Returns the DER of the chain with the monitor's leaf, leaf first, from the last stored check that reached the endpoint. Only the
 * leaf if that check has no such chain; empty if no leaf was read or a DER is not stored; null if there is no such monitor.
 */
export async function presentedChain(store: Store, key: MonitorKey): Promise<Uint8Array[] | null> {
  const monitor = await store.db
    .selectFrom('monitors')
    .select('certificate_fingerprint')
    .where('id', '=', key.monitorId)
    .where('account_id', '=', key.accountId)
    .executeTakeFirst();
  if (!monitor) return null;
  const leaf = monitor.certificate_fingerprint;
  if (leaf === null) return [];

  const seen = await store.db
    .selectFrom('check_runs')
    .innerJoin('evidence', (join) =>
      join
        .onRef('evidence.account_id', '=', 'check_runs.account_id')
        .onRef('evidence.monitor_id', '=', 'check_runs.monitor_id')
        .onRef('evidence.id', '=', 'check_runs.evidence_id'),
    )
    .select('observation')
    .where('check_runs.account_id', '=', key.accountId)
    .where('check_runs.monitor_id', '=', key.monitorId)
    .where('reached', '=', 1)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  const { addresses = [] } = seen === undefined ? { addresses: [] } : readObservation(seen.observation);
  const chains = addresses.map((address) => address.presentedChain ?? []);
  const fingerprints = chains.find(([first]) => first === leaf) ?? [leaf];
  return (await certificateDers(store, fingerprints)) ?? [];
}

/** A leaf certificate among those with the same names that an account's monitors have seen. Times are ms UTC. */
export interface CertificateVersion {
  facts: CertificateFacts;
  /** Time of the first check of any of the monitors that saw it. */
  firstSeenAt: number;
}

/** A monitor that saw at least one of the versions, and whose last certificate is one of them. */
export interface VersionMonitor extends Targeted {
  id: string;
  isPaused: boolean;
  /** Fingerprint of the version seen last. */
  serves: string;
  /** Time of the first check that saw each version, ms UTC, by fingerprint. */
  firstSeenAt: Map<string, number>;
}

/** Maximum number of sightings that are read, for endpoints that change their certificate at each check. */
const MAX_SIGHTINGS = 20_000;

/**
 * Returns the leaf certificates with the same names as the given one that the account's monitors have seen, and the monitors whose
 * last certificate is one of them. Null if no monitor of the account saw the given one.
 */
export async function certificateVersions(
  { db }: Store,
  { accountId, fingerprint }: { accountId: string; fingerprint: string },
): Promise<{ versions: CertificateVersion[]; monitors: VersionMonitor[] } | null> {
  const leaves = db
    .selectFrom('monitor_certificates')
    .where('monitor_certificates.account_id', '=', accountId)
    .where('role', '=', 'leaf');
  const candidates = await leaves
    .innerJoin('certificates', 'certificates.fingerprint', 'monitor_certificates.fingerprint')
    .where('monitor_id', 'in', leaves.select('monitor_id').where('fingerprint', '=', fingerprint))
    .select(['certificates.fingerprint', 'certificates.facts'])
    .distinct()
    .limit(MAX_SIGHTINGS)
    .execute();
  const known = new Map(candidates.map((row) => [row.fingerprint, parseFacts(row.facts)]));
  const given = known.get(fingerprint);
  if (!given) return null;
  const names = namesOf(given);
  const facts = [...known.values()].filter(
    (each) => each !== null && namesOf(each) === names,
  ) as CertificateFacts[];

  const sightings = await leaves
    .innerJoin('monitors', (join) =>
      join
        .onRef('monitors.account_id', '=', 'monitor_certificates.account_id')
        .onRef('monitors.id', '=', 'monitor_certificates.monitor_id'),
    )
    .select([
      'monitors.id',
      'host',
      'port',
      'target',
      'paused_by',
      'certificate_fingerprint',
      'monitor_certificates.fingerprint',
      'first_seen_at',
    ])
    .where(
      'monitor_certificates.fingerprint',
      'in',
      facts.map((each) => each.fingerprint),
    )
    .orderBy('host')
    .orderBy('port')
    .limit(MAX_SIGHTINGS)
    .execute();
  const isVersion = new Set(facts.map((each) => each.fingerprint));
  const monitors = new Map<string, VersionMonitor>();
  const firstSeen = new Map<string, number>();
  for (const {
    id,
    host,
    port,
    target,
    paused_by,
    certificate_fingerprint: serves,
    ...sighting
  } of sightings) {
    const { fingerprint: version, first_seen_at: seenAt } = sighting;
    firstSeen.set(version, Math.min(firstSeen.get(version) ?? seenAt, seenAt));
    if (serves === null || !isVersion.has(serves)) continue;
    const monitor = monitors.get(id) ?? {
      id,
      host,
      port,
      target,
      isPaused: paused_by !== null,
      serves,
      firstSeenAt: new Map<string, number>(),
    };
    monitor.firstSeenAt.set(version, seenAt);
    monitors.set(id, monitor);
  }
  const versions = facts.flatMap((each) => {
    const firstSeenAt = firstSeen.get(each.fingerprint);
    return firstSeenAt === undefined ? [] : [{ facts: each, firstSeenAt }];
  });
  return { versions, monitors: [...monitors.values()] };
}

/** Returns the names of a certificate in a form that is equal for equal sets of names; its subject if it has none. */
function namesOf({ sans, subject }: CertificateFacts): string {
  return JSON.stringify(sans.length === 0 ? [subject] : [...new Set(sans)].toSorted());
}
