import { type Kysely, sql, type Transaction } from 'kysely';
import { randomUUID } from 'node:crypto';
import type { CertificateFacts } from '../../core/facts.ts';
import type { LimitName, Limits } from '../../core/limits.ts';
import {
  addCertificates,
  derIsKept,
  dropUnkeptDers,
  keptFingerprints,
  type SeenCertificate,
} from './certificates.ts';
import { batches } from '../db/long-lists.ts';
import { type Evidence, saveEvidence } from './evidence.ts';
import type { MonitorKey, Tables } from '../schema/tables.ts';
import { remainingBytes, shortenedCertificate, shortenToFit } from './stored-bytes.ts';

/** Columns of `monitor_states` that identify what earlier checks saw; all are null before the first check. */
interface SeenBefore {
  evidence_id: string | null;
  shown_id: string | null;
  shown_at: number | null;
}

/** The result of storing the evidence and certificates of a check. */
export interface StoredEvidence {
  /** Limit that kept something from being stored or caused a deletion; null if none was reached. */
  reachedLimit: LimitName | null;
  /**
   * False if the check exceeded the daily or per-check limit. Then its evidence is not stored, but its verdict still replaces the
   * previous one.
   */
  isKept: boolean;
  bytes: number;
}

const UNCHANGED: StoredEvidence = { reachedLimit: null, isKept: true, bytes: 0 };

/**
 * Stores the evidence, certificates and certificate history of a check within the limits. Writes nothing if evidence and verdict
 * are those of the previous check and there is no posture. The caller must count `bytes` at the end of the transaction.
 */
export async function storeCheckEvidence(
  trx: Transaction<Tables>,
  key: MonitorKey,
  seen: {
    evidence: Evidence;
    /** Facts of every distinct certificate that could be parsed. */
    certificates: readonly { facts: CertificateFacts }[];
    /** Fingerprint of the leaf to show as current; null if no certificate was read. */
    currentFingerprint: string | null;
    /** The verdict as JSON, with its id. */
    verdict: { id: string; text: string };
    before: SeenBefore & { verdict_id: string | null };
    limits: Limits;
    now: number;
  },
): Promise<StoredEvidence> {
  const { evidence, before, limits, now } = seen;
  const isNewEvidence = evidence.id !== before.evidence_id || evidence.hasPosture;
  if (!isNewEvidence && seen.verdict.id === before.verdict_id) return UNCHANGED;

  const observation = JSON.stringify(evidence.observation);
  const isCurrent = evidence.id === before.shown_id;
  const hasCertificatesToStore = evidence.ders.size > 0 && !(isCurrent && !evidence.hasPosture);
  const kept = hasCertificatesToStore
    ? await keptFingerprints(trx, [...evidence.ders.keys()])
    : new Set<string>();
  const missing = hasCertificatesToStore
    ? certificatesOf(evidence, seen.certificates).filter(({ fingerprint }) => !kept.has(fingerprint))
    : [];
  const written = await newBytes(trx, key, { ...seen, observation });
  const spareOfCheck = limits.storedKbPerCheck * 1_000 - written;
  const { certificates, bytes, areAll } = shortenToFit(missing, evidence, spareOfCheck);
  const added = written + bytes;
  const isOver =
    spareOfCheck < 0 || (added > 0 && added > (await remainingBytes(trx, { ...key, limits, now })));
  if (isOver) {
    const current = missing.find(({ fingerprint }) => fingerprint === seen.currentFingerprint);
    if (current) await addCertificates(trx, [shortenedCertificate(current)], now);
    return {
      reachedLimit: spareOfCheck < 0 ? 'storedKbPerCheck' : 'storedKbPerDay',
      isKept: false,
      bytes: 0,
    };
  }

  if (isNewEvidence) await saveEvidence(trx, key, { evidence, observation, now });
  let isFull = false;
  if (hasCertificatesToStore) {
    await addCertificates(trx, certificates, now);
    if (!isCurrent && before.shown_at !== null) await recordLastServed(trx, key, before.shown_at);
    await extendHistory(trx, key, { evidence, now });
    isFull = await dropOldest(trx, key, limits.certificatesPerDomain);
  }
  const reachedLimit = areAll ? (isFull ? 'certificatesPerDomain' : null) : 'storedKbPerCheck';
  return { reachedLimit, isKept: true, bytes: added };
}

/**
 * Returns the size in bytes of the evidence and the verdict, each 0 if it is stored already. An endpoint that alternates between
 * two results therefore adds nothing from the third check on.
 */
async function newBytes(
  trx: Transaction<Tables>,
  { accountId, monitorId }: MonitorKey,
  {
    evidence,
    verdict,
    observation,
  }: { evidence: Evidence; verdict: { id: string; text: string }; observation: string },
): Promise<number> {
  const known = (table: 'evidence' | 'verdicts', id: string) =>
    trx
      .selectFrom(table)
      .select('id')
      .where('account_id', '=', accountId)
      .where('monitor_id', '=', monitorId)
      .where('id', '=', id)
      .executeTakeFirst();
  return (
    ((await known('evidence', evidence.id)) ? 0 : Buffer.byteLength(observation)) +
    ((await known('verdicts', verdict.id)) ? 0 : Buffer.byteLength(verdict.text))
  );
}

/**
 * If a monitor keeps more than `max` certificates, marks its oldest former ones as not kept, and deletes DER that no monitor keeps.
 * Returns whether it marked any.
 */
async function dropOldest(
  trx: Transaction<Tables>,
  { accountId, monitorId }: MonitorKey,
  max: number,
): Promise<boolean> {
  const ofMonitor = trx
    .selectFrom('monitor_certificates')
    .where('account_id', '=', accountId)
    .where('monitor_id', '=', monitorId)
    .where('kept', '=', 1);
  const { count } = await ofMonitor
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  if (count <= max) return false;
  const unused = await ofMonitor
    .select('fingerprint')
    .where('shown', '=', 0)
    .orderBy('last_seen_at')
    .orderBy('first_seen_at')
    .limit(count - max)
    .execute();
  const fingerprints = unused.map(({ fingerprint }) => fingerprint);
  if (fingerprints.length === 0) return false;
  await trx
    .updateTable('monitor_certificates')
    .set({ kept: 0 })
    .where('account_id', '=', accountId)
    .where('monitor_id', '=', monitorId)
    .where('fingerprint', 'in', fingerprints)
    .execute();
  await dropUnkeptDers(trx, fingerprints);
  return true;
}

function certificatesOf(
  { ders }: Evidence,
  certificates: readonly { facts: CertificateFacts }[],
): SeenCertificate[] {
  const facts = new Map(
    certificates.map((certificate) => [certificate.facts.fingerprint, certificate.facts]),
  );
  return [...ders].map(([fingerprint, der]) => ({ fingerprint, der, facts: facts.get(fingerprint) ?? null }));
}

/** Marks the certificates served until now as no longer served, last seen at `shownAt` (ms UTC). */
async function recordLastServed(
  trx: Transaction<Tables>,
  { accountId, monitorId }: MonitorKey,
  shownAt: number,
): Promise<void> {
  await trx
    .updateTable('monitor_certificates')
    .set({ shown: 0, last_seen_at: shownAt })
    .where('account_id', '=', accountId)
    .where('monitor_id', '=', monitorId)
    .where('shown', '=', 1)
    .execute();
}

async function extendHistory(
  trx: Transaction<Tables>,
  { accountId, monitorId }: MonitorKey,
  { evidence: { ders, roles, inEveryCheck }, now }: { evidence: Evidence; now: number },
): Promise<void> {
  const rows = [...ders.keys()].map((fingerprint) => ({
    id: randomUUID(),
    account_id: accountId,
    monitor_id: monitorId,
    fingerprint,
    role: roles.get(fingerprint) ?? ('chain' as const),
    first_seen_at: now,
    last_seen_at: now,
    shown: Number(inEveryCheck.has(fingerprint)),
  }));
  for (const batch of batches(rows))
    await trx
      .insertInto('monitor_certificates')
      .values(batch)
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'monitor_id', 'fingerprint']).doUpdateSet((eb) => ({
          last_seen_at: eb.ref('excluded.last_seen_at'),
          shown: eb.ref('excluded.shown'),
          kept: 1,
          // Keep the highest role (leaf, then chain, then beside), because a certificate once served as the leaf stays in the
          // history.
          role: eb
            .case()
            .when(
              eb.or([
                eb('monitor_certificates.role', '=', 'leaf'),
                eb.and([eb('monitor_certificates.role', '=', 'chain'), eb('excluded.role', '=', 'beside')]),
              ]),
            )
            .then(eb.ref('monitor_certificates.role'))
            .else(eb.ref('excluded.role'))
            .end(),
        })),
      )
      .execute();
}

/**
 * Selects the certificates of a monitor's history with their facts, most recently seen first. For certificates served now,
 * `last_seen_at` is `monitor_states.shown_at`.
 */
export function selectCertificateHistory(db: Kysely<Tables>, { accountId, monitorId }: MonitorKey) {
  return db
    .selectFrom('monitor_certificates')
    .innerJoin('certificates', 'certificates.fingerprint', 'monitor_certificates.fingerprint')
    .leftJoin('monitor_states', (join) =>
      join
        .onRef('monitor_states.account_id', '=', 'monitor_certificates.account_id')
        .onRef('monitor_states.monitor_id', '=', 'monitor_certificates.monitor_id')
        .on('monitor_certificates.shown', '=', 1),
    )
    .select(['monitor_certificates.id', 'monitor_certificates.fingerprint', 'role', 'facts'])
    .select(derIsKept.as('der_is_kept'))
    .select('monitor_certificates.first_seen_at')
    .select(sql<number>`coalesce(shown_at, last_seen_at)`.as('last_seen_at'))
    .where('monitor_certificates.account_id', '=', accountId)
    .where('monitor_certificates.monitor_id', '=', monitorId)
    .orderBy(sql`coalesce(shown_at, last_seen_at)`, 'desc')
    .orderBy('monitor_certificates.first_seen_at', 'desc');
}
