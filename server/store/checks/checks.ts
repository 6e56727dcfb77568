import type { Transaction } from 'kysely';
import {
  type AlertSettings,
  assessUptime,
  type CertificateFacts,
  type Finding,
  isShortLived,
  type Observation,
  type Verdict,
} from '../../core/index.ts';
import { locked } from '../db/dialect.ts';
import { evidenceOf, shortDigest } from './evidence.ts';
import { noteSite } from '../monitors/favicons.ts';
import { recordHeartbeat, SYSTEM_ACCOUNT_ID } from '../operations/heartbeat.ts';
import { recordUptime } from '../alerts/incidents.ts';
import { recordAlerting } from '../alerts/alerting-record.ts';
import type { MonitorKey } from '../monitors/monitor-change.ts';
import type { Store } from '../db/open-store.ts';
import type { Tables } from '../schema/tables.ts';
import { inTransaction } from '../db/transaction.ts';
import { countStored } from './stored-bytes.ts';
import { keepSeen } from './shown-certificates.ts';
import { keepState } from '../monitors/monitor-states.ts';
import { joinVerdict } from '../monitors/monitor-row.ts';
import { atMoment, currentVerdict, momentOf } from './verdict-row.ts';

export interface CheckRecord extends MonitorKey {
  leaseToken: string;
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
  const verdict = { id: verdictDigest(check.verdict), text: JSON.stringify(check.verdict) };
  const outcome = await inTransaction(store, async (trx) => {
    // Holding the row keeps other claims, the monitor's removal and requests for a check out until the end.
    const monitor = await locked(
      store.dialect,
      trx
        .selectFrom('monitors')
        .$call(joinVerdict)
        .select(['host', 'port', 'monitors.account_id', 'monitors.id', 'active', 'next_check_at'])
        .select(['last_read_at', 'certificate_fingerprint', 'not_after', 'on_schedule_until'])
        .select(['revoked', 'checked'])
        .select(['problem', 'problem_message', 'unreachable_since', 'check_requested_at'])
        .select(['uptime', 'uptime_since', 'suspected_since', 'down_since', 'down_seen_at'])
        .select(['recent_checks', 'response_ms'])
        .select(['states.verdict_id', 'states.evidence_id', 'states.shown_id', 'states.shown_at'])
        .select(['run_number', 'run_last_at', 'run_checks', 'samples', 'hour_at', 'hour'])
        .where('monitors.id', '=', check.monitorId)
        .where('monitors.account_id', '=', check.accountId)
        .where('lease_token', '=', check.leaseToken),
      'monitors',
    ).executeTakeFirst();
    if (!monitor) return null;

    const previous = currentVerdict(monitor);
    const isNew = monitor.verdict_id !== verdict.id;
    const { certificates, now } = check;
    const stored = await keepSeen(trx, check, {
      evidence,
      certificates,
      verdict,
      before: monitor,
      limits: store.limits,
      now,
      currentFingerprint: check.currentFingerprint,
    });
    await keepVerdict(trx, { check, written: verdict, isNew, previous });
    await keepState(trx, check, {
      stored,
      wasReached: previous?.reached ?? null,
      verdict: { id: verdict.id, moment: momentOf(check.verdict), reached: check.verdict.reached },
      evidence: { id: evidence.id, showsCertificates: evidence.ders.size > 0 },
      before: monitor,
      assessment,
      now,
    });
    // Paused while it was checked: whether it is up is not known until it is watched again.
    const { columns: uptime, changed: uptimeChanged } =
      monitor.active === 1
        ? await recordUptime(trx, { key: check, row: monitor, assessment, now: check.now })
        : { columns: {}, changed: false };
    // Paused while it was checked: what is known is kept, and nobody is told.
    const alerting =
      monitor.active !== 1
        ? { deliveries: 0, changed: false, lookAgainAt: null, steps: null }
        : monitor.account_id === SYSTEM_ACCOUNT_ID
          ? await recordHeartbeat(trx, check)
          : await recordAlerting(store, trx, {
              accountId: check.accountId,
              monitorId: check.monitorId,
              verdict: check.verdict,
              previous,
              isUp: assessment.state === 'up',
              now: check.now,
            });
    const next = {
      ...uptime,
      ...currentCertificate(check),
      ...problemOf(check.verdict),
      checked: 1,
      revoked: Number(check.verdict.revocation.state === 'revoked'),
      unreachable_since: check.verdict.reached
        ? null
        : (monitor.unreachable_since ?? check.verdict.observedAt),
    };
    await trx
      .updateTable('monitors')
      .set({
        ...changesOf(monitor, next),
        last_checked_at: check.now,
        // Asked for while this check was running: it may have looked before the wish, so another one follows.
        next_check_at: monitor.check_requested_at === null ? check.nextCheckAt(alerting) : check.now,
        lease_token: null,
        lease_expires_at: null,
      })
      .where('id', '=', check.monitorId)
      .where('account_id', '=', check.accountId)
      .execute();
    // Known ones are not noted again at each check, but now and then: a row may have been pruned a moment too early.
    if (check.verdict.reached && (isNew || monitor.last_read_at === null))
      await noteSite(trx, monitor, check.now);
    if (!stored.isKept) await dropUnusedVerdict(trx, check, monitor.verdict_id);
    if (stored.bytes > 0) await countStored(trx, { accountId: check.accountId, bytes: stored.bytes, now });
    return {
      reached: stored.reached,
      isNew: isNew || uptimeChanged,
      deliveries: alerting.deliveries,
      alertsChanged: alerting.changed,
      again: monitor.check_requested_at !== null,
    };
  });
  if (outcome === null) return false;

  const { isNew, reached } = outcome;
  if (reached !== null) store.onLimit(reached);
  const { accountId } = check;
  const change = isNew ? 'changed' : 'checked';
  store.signals.publish({ topic: 'domain', accountId, monitorId: check.monitorId, change });
  if (outcome.alertsChanged)
    store.signals.publish({ topic: 'alerts', accountId, monitorId: check.monitorId });
  if (outcome.deliveries > 0) store.signals.publish({ topic: 'deliveries' });
  if (outcome.again) store.signals.publish({ topic: 'due' });
  return true;
}

/** Only what differs: an index is written anew for every column of it that is set, whatever it is set to. */
function changesOf<Row extends object>(before: Row, next: Partial<Row>): Partial<Row> {
  const changed = Object.entries(next).filter(([column, value]) => Reflect.get(before, column) !== value);
  return Object.fromEntries(changed) as Partial<Row>;
}

/** The verdict's row: a new one where nothing said the same before, else in today's words where those differ. */
async function keepVerdict(
  trx: Transaction<Tables>,
  {
    check: { accountId, monitorId, verdict },
    written: { id, text },
    isNew,
    previous,
  }: {
    check: CheckRecord;
    written: { id: string; text: string };
    isNew: boolean;
    previous: Verdict | null;
  },
): Promise<void> {
  if (!isNew && previous && JSON.stringify(atMoment(previous, momentOf(verdict))) === text) return;
  await trx
    .insertInto('verdicts')
    .values({
      account_id: accountId,
      monitor_id: monitorId,
      id,
      judged_at: verdict.judgedAt,
      leaf_fingerprint: verdict.leafFingerprint,
      verdict: text,
    })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'monitor_id', 'id']).doUpdateSet({ verdict: text }),
    )
    .execute();
}

/** Deletes the verdict of the check before where no run of checks has it, as those over the limit for a day leave it. */
async function dropUnusedVerdict(
  trx: Transaction<Tables>,
  { accountId, monitorId }: MonitorKey,
  id: string | null,
): Promise<void> {
  if (id === null) return;
  await trx
    .deleteFrom('verdicts')
    .where('account_id', '=', accountId)
    .where('monitor_id', '=', monitorId)
    .where('id', '=', id)
    .where((eb) => {
      const inUse = (table: 'check_runs' | 'monitor_states') =>
        eb
          .selectFrom(table)
          .select('account_id')
          .where('account_id', '=', accountId)
          .where('monitor_id', '=', monitorId)
          .where('verdict_id', '=', id);
      return eb.not(eb.or([eb.exists(inUse('check_runs')), eb.exists(inUse('monitor_states'))]));
    })
    .execute();
}

/** Equal for verdicts that say the same: times and wordings ("3 days ago") do not count, the order of addresses neither. */
function verdictDigest({
  reached,
  failure,
  leafFingerprint,
  trusted,
  findings,
  revocation,
  addresses,
}: Verdict): string {
  const said = [
    reached,
    failure && [failure.stage, failure.reason],
    leafFingerprint,
    trusted,
    revocation.state,
    findings
      .map((finding) =>
        JSON.stringify([finding.code, finding.severity, finding.fingerprint, whereOf(finding, addresses)]),
      )
      .toSorted(),
  ];
  return shortDigest(said);
}

/** What all addresses show is the same finding also where a name leads to others each time. */
const whereOf = (finding: Finding, all: readonly unknown[]) =>
  finding.addresses.length === all.length ? 'everywhere' : finding.addresses.toSorted();

function currentCertificate({ certificates, currentFingerprint, verdict, now }: CheckRecord) {
  const current = certificates.find(({ facts }) => facts.fingerprint === currentFingerprint);
  if (!current) return {};
  const { fingerprint, notAfter } = current.facts;
  const hasSchedule = verdict.trusted && isShortLived(current.facts);
  return {
    certificate_fingerprint: fingerprint,
    not_after: notAfter,
    on_schedule_until: hasSchedule ? (verdict.renewal?.overdueAt ?? null) : null,
    last_read_at: now,
  };
}

function problemOf({ reached, trusted, failure, findings }: Verdict) {
  if (!reached) return { problem: 'unreachable' as const, problem_message: failure?.message ?? '' };
  if (!trusted) return { problem: 'untrusted' as const, problem_message: findings[0]?.message ?? '' };
  return { problem: null, problem_message: null };
}
