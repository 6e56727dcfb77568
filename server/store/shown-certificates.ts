import { type Kysely, sql, type Transaction } from 'kysely';
import { randomUUID } from 'node:crypto';
import type { CertificateFacts } from '../core/index.ts';
import { keepCertificates, type SeenCertificate } from './certificates.ts';
import { type Evidence, keepEvidence } from './evidence.ts';
import type { MonitorKey } from './monitor-change.ts';
import type { Tables } from './tables.ts';

/** What the checks before saw, as `monitor_states` has it. */
interface SeenBefore {
  evidence_id: string | null;
  shown_id: string | null;
  shown_at: number | null;
}

/**
 * Keeps what a check saw: evidence, certificates and which of them the monitor shows. Where the check before saw the same, nothing is
 * written: it is all there. Part of the transaction that records the check.
 */
export async function keepSeen(
  trx: Transaction<Tables>,
  key: MonitorKey,
  seen: {
    evidence: Evidence;
    /** Every distinct certificate seen that could be read. */
    certificates: readonly { facts: CertificateFacts }[];
    before: SeenBefore;
    now: number;
  },
): Promise<void> {
  const { evidence, before, now } = seen;
  if (evidence.id !== before.evidence_id || evidence.hasPosture)
    await keepEvidence(trx, key, { evidence, now });
  const isShown = evidence.id === before.shown_id;
  if (evidence.ders.size === 0 || (isShown && !evidence.hasPosture)) return;
  await keepCertificates(trx, certificatesOf(evidence, seen.certificates), now);
  if (!isShown && before.shown_at !== null) await leaveShown(trx, key, before.shown_at);
  await extendHistory(trx, key, { evidence, now });
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

/** Writes down when what was shown until now was last seen. */
async function leaveShown(
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
  { evidence: { ders, roles, usual }, now }: { evidence: Evidence; now: number },
): Promise<void> {
  await trx
    .insertInto('monitor_certificates')
    .values(
      [...ders.keys()].map((fingerprint) => ({
        id: randomUUID(),
        account_id: accountId,
        monitor_id: monitorId,
        fingerprint,
        role: roles.get(fingerprint) ?? ('chain' as const),
        first_seen_at: now,
        last_seen_at: now,
        shown: Number(usual.has(fingerprint)),
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'monitor_id', 'fingerprint']).doUpdateSet((eb) => ({
        last_seen_at: eb.ref('excluded.last_seen_at'),
        shown: eb.ref('excluded.shown'),
        // A certificate that was once served as the leaf stays part of the history.
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

/** The certificates that a monitor has shown, with what is known of each; `last_seen_at` as it is. */
export function shownCertificates(db: Kysely<Tables>, { accountId, monitorId }: MonitorKey) {
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
    .select('monitor_certificates.first_seen_at')
    .select(sql<number>`coalesce(shown_at, last_seen_at)`.as('last_seen_at'))
    .where('monitor_certificates.account_id', '=', accountId)
    .where('monitor_certificates.monitor_id', '=', monitorId)
    .orderBy(sql`coalesce(shown_at, last_seen_at)`, 'desc')
    .orderBy('monitor_certificates.first_seen_at', 'desc');
}
