import type { CertificateFacts } from '../../core/index.ts';
import type { Store } from '../db/open-store.ts';
import { parseFacts } from './certificates.ts';

/** A leaf certificate among those with the same names that an account's monitors have seen. Times are ms UTC. */
export interface CertificateVersion {
  facts: CertificateFacts;
  /** Time of the first check of any of the monitors that saw it. */
  firstSeenAt: number;
}

/** A monitor that saw at least one of the versions, and whose last certificate is one of them. */
export interface VersionMonitor {
  id: string;
  host: string;
  port: number;
  isPaused: boolean;
  /** Fingerprint of the version seen last. */
  serves: string;
  /** When it saw each version first, ms UTC, by fingerprint. */
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
  for (const { id, host, port, paused_by, certificate_fingerprint: serves, ...sighting } of sightings) {
    if (serves === null || !isVersion.has(serves)) continue;
    const monitor = monitors.get(id) ?? {
      id,
      host,
      port,
      isPaused: paused_by !== null,
      serves,
      firstSeenAt: new Map<string, number>(),
    };
    monitor.firstSeenAt.set(sighting.fingerprint, sighting.first_seen_at);
    monitors.set(id, monitor);
  }
  const versions = facts.map((each) => ({
    facts: each,
    firstSeenAt: Math.min(
      ...sightings.flatMap((row) => (row.fingerprint === each.fingerprint ? [row.first_seen_at] : [])),
    ),
  }));
  return { versions, monitors: [...monitors.values()] };
}

/** Returns the names of a certificate in a form that is equal for equal sets of names; its subject if it has none. */
function namesOf({ sans, subject }: CertificateFacts): string {
  return JSON.stringify(sans.length === 0 ? [subject] : [...new Set(sans)].toSorted());
}
