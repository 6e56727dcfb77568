import type { Transaction } from 'kysely';
import { createHash, randomUUID } from 'node:crypto';
import {
  type AlertSettings,
  assessUptime,
  type CertificateFacts,
  type Observation,
  type Verdict,
} from '../core/index.ts';
import { keepCertificates, type SeenCertificate } from './certificates.ts';
import { locked } from './dialect.ts';
import { type Evidence, evidenceOf } from './evidence.ts';
import { noteSite } from './favicons.ts';
import { recordHeartbeat, SYSTEM_ACCOUNT_ID } from './heartbeat.ts';
import { recordUptime } from './incidents.ts';
import { recordAlerting } from './alerting-record.ts';
import type { Store } from './open-store.ts';
import type { Tables } from './tables.ts';
import { inTransaction } from './transaction.ts';
import { parseVerdict } from './verdict-row.ts';

export interface CheckRecord {
  monitorId: string;
  leaseToken: string;
  startedAt: number;
  /** When the check ended. */
  now: number;
  observation: Observation;
  verdict: Verdict;
  /** Every distinct certificate seen that could be read; the observation has the DER of the others. */
  certificates: readonly { facts: CertificateFacts }[];
  /** The leaf to show from now on; null where none was read: then the last one stays. */
  currentFingerprint: string | null;
  /** When to look again (ms UTC), given when a second look or the end of a silence is due, and the steps that hold. */
  nextCheckAt(asked: { lookAgainAt: number | null; steps: AlertSettings['steps'] }): number;
}

/**
 * Writes everything that a check found and what follows from it, in one transaction: evidence, certificates, history,
 * verdict, uptime and incidents, next due time, alerts with their deliveries. False, and nothing written, when the lease is no longer ours.
 */
export async function record(store: Store, check: CheckRecord): Promise<boolean> {
  const evidence = evidenceOf(check.observation);
  const assessment = assessUptime(check.observation);
  const digest = verdictDigest(check.verdict);
  const outcome = await inTransaction(store, async (trx) => {
    // Holding the row keeps other claims, the monitor's removal and requests for a check out until the end.
    const monitor = await locked(
      store.dialect,
      trx
        .selectFrom('monitors')
        .select(['host', 'port', 'account_id', 'active', 'last_read_at'])
        .select(['verdict', 'verdict_id', 'unreachable_since', 'check_requested_at'])
        .select(['uptime', 'uptime_since', 'suspected_since', 'down_since', 'down_seen_at'])
        .select(['recent_checks', 'response_ms'])
        .where('id', '=', check.monitorId)
        .where('lease_token', '=', check.leaseToken),
    ).executeTakeFirst();
    if (!monitor) return null;

    await keepCertificates(trx, certificatesOf(evidence, check), check.now);
    await extendHistory(trx, evidence, check);
    const { id: verdictId, isNew } = await keepVerdict(trx, monitor.verdict_id, digest, check);
    await trx
      .insertInto('checks')
      .values({
        id: randomUUID(),
        monitor_id: check.monitorId,
        started_at: check.startedAt,
        finished_at: check.now,
        reached: Number(check.verdict.reached),
        observation: JSON.stringify(evidence.observation),
        verdict_id: verdictId,
        uptime: assessment.state,
        response_ms: assessment.responseMs,
        down_message: assessment.cause?.message ?? null,
      })
      .execute();
    // Paused while it was checked: whether it is up is not known until it is watched again.
    const { columns: uptime, changed: uptimeChanged } =
      monitor.active === 1
        ? await recordUptime(trx, { monitorId: check.monitorId, row: monitor, assessment, now: check.now })
        : { columns: {}, changed: false };
    // Paused while it was checked: what is known is kept, and nobody is told.
    const alerting =
      monitor.active !== 1
        ? { deliveries: 0, changed: false, lookAgainAt: null, steps: null }
        : monitor.account_id === SYSTEM_ACCOUNT_ID
          ? await recordHeartbeat(trx, check)
          : await recordAlerting(store, trx, {
              ...{ accountId: monitor.account_id, monitorId: check.monitorId },
              ...{ verdict: check.verdict, previous: parseVerdict(monitor.verdict) },
              ...{ isUp: assessment.state === 'up', now: check.now },
            });
    await trx
      .updateTable('monitors')
      .set({
        ...uptime,
        ...currentCertificate(check),
        ...problemOf(check.verdict),
        last_checked_at: check.now,
        // Asked for while this check was running: it may have looked before the wish, so another one follows.
        next_check_at: monitor.check_requested_at === null ? check.nextCheckAt(alerting) : check.now,
        lease_token: null,
        lease_expires_at: null,
        revoked: Number(check.verdict.revocation.state === 'revoked'),
        unreachable_since: check.verdict.reached
          ? null
          : (monitor.unreachable_since ?? check.verdict.observedAt),
        verdict: JSON.stringify(check.verdict),
        verdict_id: verdictId,
      })
      .where('id', '=', check.monitorId)
      .execute();
    // Known ones are not noted again at each check, but now and then: a row may have been pruned a moment too early.
    if (check.verdict.reached && (isNew || monitor.last_read_at === null))
      await noteSite(trx, monitor, check.now);
    return {
      accountId: monitor.account_id,
      isNew: isNew || uptimeChanged,
      ...{ deliveries: alerting.deliveries, alertsChanged: alerting.changed },
      again: monitor.check_requested_at !== null,
    };
  });
  if (outcome === null) return false;

  const { accountId, isNew } = outcome;
  const change = isNew ? 'changed' : 'checked';
  store.signals.publish({ topic: 'domain', accountId, monitorId: check.monitorId, change });
  if (outcome.alertsChanged)
    store.signals.publish({ topic: 'alerts', accountId, monitorId: check.monitorId });
  if (outcome.deliveries > 0) store.signals.publish({ topic: 'deliveries' });
  if (outcome.again) store.signals.publish({ topic: 'due' });
  return true;
}

/** Removes checks that ended before `before` (ms UTC); returns how many. */
export async function pruneChecks(store: Store, before: number): Promise<number> {
  let removed = 0n;
  // In portions: the embedded database has one writer, which nobody should wait for long.
  for (;;) {
    const { numDeletedRows } = await store.db
      .deleteFrom('checks')
      .where('id', 'in', (eb) =>
        eb.selectFrom('checks').select('id').where('finished_at', '<', before).limit(PRUNED_AT_ONCE),
      )
      .executeTakeFirst();
    removed += numDeletedRows;
    if (numDeletedRows < BigInt(PRUNED_AT_ONCE)) return Number(removed);
  }
}

const PRUNED_AT_ONCE = 5_000;

function certificatesOf({ ders }: Evidence, { certificates }: CheckRecord): SeenCertificate[] {
  const facts = new Map(
    certificates.map((certificate) => [certificate.facts.fingerprint, certificate.facts]),
  );
  return [...ders].map(([fingerprint, der]) => ({ fingerprint, der, facts: facts.get(fingerprint) ?? null }));
}

async function extendHistory(
  trx: Transaction<Tables>,
  { ders, roles }: Evidence,
  { monitorId, now }: CheckRecord,
): Promise<void> {
  if (ders.size === 0) return;
  await trx
    .insertInto('monitor_certificates')
    .values(
      [...ders.keys()].map((fingerprint) => ({
        id: randomUUID(),
        monitor_id: monitorId,
        fingerprint,
        role: roles.get(fingerprint) ?? ('chain' as const),
        first_seen_at: now,
        last_seen_at: now,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['monitor_id', 'fingerprint']).doUpdateSet((eb) => ({
        last_seen_at: eb.ref('excluded.last_seen_at'),
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

/** The verdict's row in the history: the last one where it says the same, else a new one. */
async function keepVerdict(
  trx: Transaction<Tables>,
  lastId: string | null,
  digest: string,
  { monitorId, verdict }: CheckRecord,
): Promise<{ id: string; isNew: boolean }> {
  const last =
    lastId === null
      ? undefined
      : await trx.selectFrom('verdicts').select('digest').where('id', '=', lastId).executeTakeFirst();
  if (lastId !== null && last?.digest === digest) return { id: lastId, isNew: false };
  const id = randomUUID();
  await trx
    .insertInto('verdicts')
    .values({
      id,
      monitor_id: monitorId,
      judged_at: verdict.judgedAt,
      leaf_fingerprint: verdict.leafFingerprint,
      digest,
      verdict: JSON.stringify(verdict),
    })
    .execute();
  return { id, isNew: true };
}

/** Equal for verdicts that say the same: times and wordings ("3 days ago") do not count, the order of addresses neither. */
function verdictDigest({
  reached,
  failure,
  leafFingerprint,
  trusted,
  findings,
  revocation,
}: Verdict): string {
  const said = [
    reached,
    failure && [failure.stage, failure.reason],
    leafFingerprint,
    trusted,
    revocation.state,
    findings
      .map(({ code, severity, fingerprint, addresses }) =>
        JSON.stringify([code, severity, fingerprint, addresses.toSorted()]),
      )
      .toSorted(),
  ];
  return createHash('sha256').update(JSON.stringify(said)).digest('hex');
}

function currentCertificate({ certificates, currentFingerprint, now }: CheckRecord) {
  const current = certificates.find(({ facts }) => facts.fingerprint === currentFingerprint);
  if (!current) return {};
  const { fingerprint, notAfter } = current.facts;
  return { certificate_fingerprint: fingerprint, not_after: notAfter, last_read_at: now };
}

function problemOf({ reached, trusted, failure, findings }: Verdict) {
  if (!reached) return { problem: 'unreachable' as const, problem_message: failure?.message ?? '' };
  if (!trusted) return { problem: 'untrusted' as const, problem_message: findings[0]?.message ?? '' };
  return { problem: null, problem_message: null };
}
