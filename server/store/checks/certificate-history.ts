import type { CertificateFacts } from '../../core/facts.ts';
import type { LimitName } from '../../core/limits.ts';
import { type Certificate, tryParseCertificate } from '../../pki/certificate.ts';
import { certificateDers, parseFacts } from './certificates.ts';
import type { MonitorKey } from '../schema/tables.ts';
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
  /** False if a storage limit prevented storing the DER or caused its deletion. */
  derIsKept: boolean;
}

/** Maximum number of entries returned. Some endpoints serve another certificate at each check. */
const MAX_ENTRIES = 1_000;

/**
 * Returns up to 1,000 leaves, most recently seen first. With `part`, returns a page after a cursor, sorted by first appearance, newest
 * first. Returns null if there is no such monitor.
 */
export async function certificateHistory(
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
 * Returns the storage limit that was reached last for a monitor, and when (ms UTC): evidence or certificates were not stored, or
 * certificates deleted. Returns null if no limit was ever reached.
 */
export async function lastStorageLimit(
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
 * Returns two certificates of a monitor's history by fingerprint. Returns `not_kept` if the DER of one is not stored. Returns
 * null if the monitor or one of the entries does not exist, or a DER cannot be parsed.
 */
export async function certificatePair(
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
 * Returns the DER of the chain with the monitor's leaf, leaf first, from the last stored check that reached the endpoint. Only
 * the leaf if that check has no such chain; empty if no leaf was read or a DER is not stored; null if there is no such monitor.
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
