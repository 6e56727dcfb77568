import type { Transaction } from 'kysely';
import { replacedCertificate } from '../../core/alerting/conditions.ts';
import { namesAllServing } from '../../core/alerting/route.ts';
import { DEFAULT_ALERT_SETTINGS } from '../../core/alerting/settings.ts';
import {
  type CheckState,
  concernedCertificates,
  conclude,
  type Conclusion,
  type UptimeRecord,
} from '../../core/check/conclude.ts';
import { certificateProblem } from '../../core/check/problems.ts';
import { onScheduleUntil } from '../../core/judge/renewal.ts';
import type { CertificateFacts } from '../../core/facts.ts';
import type { Observation } from '../../core/observation.ts';
import type { Verdict } from '../../core/verdict.ts';
import {
  effectiveAlertSettings,
  type EffectiveAlertSettings,
  readDestinations,
} from '../alerts/alert-settings.ts';
import { queueAlerts } from '../alerts/alerts.ts';
import { addServingDomains, sharedIncidents } from '../alerts/shared-incidents.ts';
import { followDeployment } from '../alerts/deployments.ts';
import { deleteFutureIncidents } from '../alerts/incidents.ts';
import {
  earlierDeliveries,
  incidentKey,
  knownIncidents,
  type StoredIncident,
  writeIncidents,
} from '../alerts/monitor-incidents.ts';
import { compileOnce, forecastOfMonitor, leaseClock, lockAlerts, locked } from '../db/dialect.ts';
import type { Store } from '../db/open-store.ts';
import { inTransaction } from '../db/transaction.ts';
import { registerForecasts } from '../forecasts/forecasts.ts';
import { otherRenewalsColumn, renewalOutlooks } from '../forecasts/renewal-outlooks.ts';
import { recordRenewal, recordRenewals } from '../forecasts/renewals.ts';
import { registerSite } from '../monitors/favicons.ts';
import type { MonitorKey, Tables } from '../schema/tables.ts';
import { joinVerdict, uptimeStanding } from '../monitors/monitor-row.ts';
import { recordState } from '../monitors/monitor-states.ts';
import { queueHeartbeat, SYSTEM_ACCOUNT_ID } from '../operations/heartbeat.ts';
import { evidenceOf } from './evidence.ts';
import { storeCheckEvidence, type StoredEvidence } from './check-evidence.ts';
import { publicLeaves, writeDeadlines, writePublicLeaves } from './deadlines.ts';
import { changeOfLeaves, otherLeavesColumn, renewedLeaves, writeLeaves } from './other-leaves.ts';
import { countStoredBytes } from './stored-bytes.ts';
import { currentVerdict, dropUnusedVerdict, momentOf, saveVerdict, verdictDigest } from './verdict-row.ts';

/** The lease under which a worker checked a monitor, as `claimDue` returns it. */
export interface CheckLease extends MonitorKey {
  leaseToken: string;
  /** Check interval in minutes that the plan allows. */
  everyMinutes: number;
}

export interface CheckRecord {
  /** End of the check, ms UTC. */
  now: number;
  observation: Observation;
  verdict: Verdict;
  /** Facts of every distinct certificate that could be parsed. The observation has the DER of all certificates. */
  certificates: readonly { facts: CertificateFacts }[];
  /** Random number in [0, 1) that spreads checks; see `nextCheckAt`. */
  jitter: number;
}

/**
 * Records a check and its consequences in one transaction: evidence, certificates, history, verdict, uptime, incidents, alerts,
 * deliveries and the next due time. Returns null and writes nothing if this worker has lost the lease.
 */
export async function saveCheck(
  store: Store,
  lease: CheckLease,
  check: CheckRecord,
): Promise<Conclusion | null> {
  const key: MonitorKey = { accountId: lease.accountId, monitorId: lease.monitorId };
  const { observation, now } = check;
  const evidence = evidenceOf(observation);
  const verdict = { id: verdictDigest(check.verdict), text: JSON.stringify(check.verdict) };
  const outcome = await inTransaction(store, async (trx) => {
    // The row lock blocks other claims, deletion and check requests until the transaction ends.
    const [monitor] = await lockLeasedRow(trx, lease);
    if (!monitor) return null;
    const { state, conclusion } = await decide(store, trx, { lease, row: monitor, check });
    const { previous } = state;
    const isNew = monitor.verdict_id !== verdict.id;
    const stored = await storeCheckEvidence(trx, key, {
      evidence,
      certificates: check.certificates,
      currentFingerprint: check.verdict.leafFingerprint,
      verdict,
      before: monitor,
      limits: store.limits,
      now,
    });
    const newPublic = isNew ? publicLeaves(check.verdict) : [];
    await writePublicLeaves(trx, newPublic);
    await saveVerdict(trx, key, { verdict: check.verdict, written: verdict, isNew, previous });
    await writeDeadlines(trx, key, { ...check, previous });
    await recordState(trx, key, {
      stored,
      wasReached: previous?.reached ?? null,
      verdict: { id: verdict.id, moment: momentOf(check.verdict), reached: check.verdict.reached },
      evidence: { id: evidence.id, showsCertificates: evidence.ders.size > 0 },
      before: monitor,
      assessment: conclusion.assessment,
      now,
    });
    const deliveries =
      state.kind === 'own'
        ? await queueHeartbeat(trx, now)
        : await writeAlerting(store, trx, { key, conclusion, known: state.incidents, now });
    await writeMonitor(store, trx, { row: monitor, check, state, conclusion });
    // Register the site again when the verdict changes. `pruneFavicons` may have deleted its row while the monitor was added, and
    // without a row the site would never get an icon.
    const isFirstRead = check.verdict.reached && monitor.last_read_at === null;
    if (isFirstRead || (check.verdict.reached && isNew))
      await registerSite(trx, monitor, { isFirstRead, now });
    if (!stored.isKept) await dropUnusedVerdict(trx, key, monitor.verdict_id);
    await registerForecasts(trx, { accountId: key.accountId, fingerprints: newPublic, now });
    if (stored.bytes > 0) await countStoredBytes(trx, { accountId: key.accountId, bytes: stored.bytes, now });
    const isUptimeNew = conclusion.uptime !== null && conclusion.uptime.uptime !== monitor.uptime;
    return {
      conclusion,
      isFirstRead,
      reached: stored.reachedLimit,
      change: isNew || isUptimeNew ? ('changed' as const) : ('checked' as const),
      deliveries,
      again: state.isRequested,
    };
  });
  if (outcome !== null) announceCheck(store, key, outcome);
  return outcome?.conclusion ?? null;
}

/** Publishes what a recorded check changed. */
function announceCheck(
  store: Store,
  key: MonitorKey,
  outcome: {
    conclusion: Conclusion;
    isFirstRead: boolean;
    reached: StoredEvidence['reachedLimit'];
    change: 'changed' | 'checked';
    deliveries: number;
    again: boolean;
  },
): void {
  const { conclusion, reached, change } = outcome;
  if (reached !== null) store.onLimit(reached);
  store.signals.publish({ topic: 'domain', ...key, change });
  if (conclusion.alerts.length > 0 || conclusion.incidents.some(({ kind }) => kind !== 'update'))
    store.signals.publish({ topic: 'alerts', ...key });
  if (outcome.deliveries > 0) store.signals.publish({ topic: 'deliveries' });
  if (outcome.isFirstRead) store.signals.publish({ topic: 'icons' });
  if (outcome.again) store.signals.publish({ topic: 'due' });
}

/** Locks the monitor's row and returns the columns that a check needs; no row if this worker has lost the lease. */
const lockLeasedRow = compileOnce(
  (db, { monitorId, accountId, leaseToken }: Omit<CheckLease, 'everyMinutes'>, dialect) =>
    locked(
      dialect,
      db
        .selectFrom('monitors')
        .$call(joinVerdict)
        .select(['host', 'port', 'target', 'monitors.account_id', 'monitors.id', 'active'])
        .select(['last_read_at', 'certificate_fingerprint', 'not_after', 'on_schedule_until'])
        .select(['revoked', 'checked', 'certificate_problem'])
        .select(['problem', 'problem_message', 'unreachable_since', 'check_requested_at'])
        .select(['uptime', 'uptime_since', 'suspected_since', 'down_since', 'down_seen_at'])
        .select(['recent_checks', 'response_ms'])
        .select(['states.verdict_id', 'states.evidence_id', 'states.shown_id', 'states.shown_at'])
        .select(['run_number', 'run_last_at', 'run_checks', 'samples', 'hour_at', 'hour'])
        .leftJoin('forecasts', forecastOfMonitor)
        .select(['forecasts.causes', 'expected_at'])
        .select(otherLeavesColumn(dialect).as('other_leaves'))
        .select(otherRenewalsColumn(dialect).as('other_renewals'))
        .where('monitors.id', '=', monitorId)
        .where('monitors.account_id', '=', accountId)
        .where('lease_token', '=', leaseToken),
      'monitors',
    ).compile(),
);

type LeasedRow = Awaited<ReturnType<typeof lockLeasedRow>>[number];
type LockedState = CheckState & { incidents: StoredIncident[] };

/** Draws the conclusion of a check from the stored state. Reads the alert context only if the conclusion depends on it. */
async function decide(
  store: Store,
  trx: Transaction<Tables>,
  { lease, row, check }: { lease: CheckLease; row: LeasedRow; check: CheckRecord },
): Promise<{ state: LockedState; conclusion: Conclusion }> {
  const { observation, verdict, now } = check;
  const key = { accountId: lease.accountId, monitorId: lease.monitorId };
  const isWatched = row.active === 1 && key.accountId !== SYSTEM_ACCOUNT_ID;
  const alertSettings = isWatched ? await effectiveAlertSettings(trx, { ...key, now }, store) : null;
  const read = () => readState(trx, { lease, row, check, alertSettings });
  let state = await read();
  let certificates = concernedCertificates(state, observation, verdict, now);
  if (alertSettings === null || certificates === null)
    return { state, conclusion: conclude(state, observation, verdict, null, now) };
  if (await lockAlerts(trx, store.dialect, key.accountId)) {
    state = await read();
    certificates = concernedCertificates(state, observation, verdict, now) ?? [];
  }
  const context = {
    ...alertSettings,
    ...(await readDestinations(trx, { ...key, now }, alertSettings.timeZone)),
    deliveries: await earlierDeliveries(trx, key.accountId, state.incidents),
    shared: await sharedIncidents(store, trx, { key, certificates, now }),
  };
  return { state, conclusion: conclude(state, observation, verdict, context, now) };
}

/** Reads the state before the check. `alertSettings` is null for a paused monitor and for the monitor of the self-check. */
async function readState(
  trx: Transaction<Tables>,
  read: {
    lease: CheckLease;
    row: LeasedRow;
    check: CheckRecord;
    alertSettings: EffectiveAlertSettings | null;
  },
): Promise<LockedState> {
  const { lease, row, check, alertSettings } = read;
  const { accountId, monitorId } = lease;
  const key = { accountId, monitorId, now: check.now };
  const kind = alertSettings !== null ? 'watched' : row.active === 1 ? 'own' : 'paused';
  if (kind === 'watched') await deleteFutureIncidents(trx, key);
  return {
    kind,
    uptime: {
      ...uptimeStanding(row),
      since: notAfter(check.now, row.uptime_since),
      recentChecks: row.recent_checks,
      responseMs: row.response_ms,
    },
    unreachableSince: notAfter(check.now, row.unreachable_since),
    previous: currentVerdict(row),
    renewals: renewalOutlooks(row),
    incidents: kind === 'paused' ? [] : await knownIncidents(trx, key),
    settings: alertSettings?.settings ?? DEFAULT_ALERT_SETTINGS,
    everyMinutes: lease.everyMinutes,
    isRequested: row.check_requested_at !== null,
    jitter: check.jitter,
  };
}

/** Writes the monitor's row, which ends the lease, and its other leaves. If its certificate was renewed, follows the deployment. */
async function writeMonitor(
  store: Store,
  trx: Transaction<Tables>,
  {
    row,
    check,
    state,
    conclusion,
  }: { row: LeasedRow; check: CheckRecord; state: LockedState; conclusion: Conclusion },
): Promise<void> {
  const { account_id: accountId, id: monitorId } = row;
  const { uptime, problem } = conclusion;
  const current = currentCertificate(check);
  const leaf = current.certificate_fingerprint ?? row.certificate_fingerprint;
  const next = {
    ...(uptime && uptimeColumns(uptime)),
    ...current,
    ...(check.verdict.reached && {
      certificate_problem:
        leaf === null ? null : certificateProblem(check.verdict, leaf, check.observation.endpoint.protocol),
    }),
    problem: problem?.code ?? null,
    problem_message: problem?.message ?? null,
    checked: 1,
    revoked: Number(check.verdict.revocation.state === 'revoked'),
    unreachable_since: conclusion.unreachableSince,
  };
  const replaced = state.kind === 'watched' ? replacedCertificate(state.previous, check.verdict) : null;
  const after = check.certificates.find(({ facts }) => facts.fingerprint === replaced?.to)?.facts;
  const leaves = changeOfLeaves(check, { current: leaf, stored: row.other_leaves });
  // Lock alerts before the update, whose trigger locks rows of `served_certificates`: other transactions lock in this order too.
  if (replaced !== null || leaves !== null) await lockAlerts(trx, store.dialect, accountId);
  await trx
    .updateTable('monitors')
    .set({
      ...changesOf(row, next),
      last_checked_at: check.now,
      next_check_at: conclusion.nextCheckAt,
      lease_token: null,
      lease_expires_at: null,
    })
    .where('id', '=', monitorId)
    .where('account_id', '=', accountId)
    .execute();
  if (leaves !== null) await writeLeaves(trx, { accountId, monitorId }, row, leaves);
  if (leaves !== null && state.kind === 'watched')
    await recordRenewals(trx, { accountId, ...renewedLeaves(check, row) });
  if (replaced === null || after === undefined) return;
  await followDeployment(trx, { accountId, before: replaced.from, after, now: check.now });
  await recordRenewal(trx, { accountId, from: replaced.from, after });
}

/** Writes incidents and queues alerts; returns the number of queued deliveries. Throws if an alert has no incident. */
async function writeAlerting(
  store: Store,
  trx: Transaction<Tables>,
  {
    key,
    conclusion,
    known,
    now,
  }: { key: MonitorKey; conclusion: Conclusion; known: readonly StoredIncident[]; now: number },
): Promise<number> {
  const opened = await writeIncidents(trx, { ...key, changes: conclusion.incidents, known });
  if (conclusion.alerts.length === 0) return 0;
  const { accountId, monitorId } = key;
  const alerts = conclusion.alerts.map((alert) => {
    const incidentId = alert.incidentId ?? opened.get(incidentKey(alert));
    if (incidentId === undefined) throw new Error(`An alert of ${incidentKey(alert)} has no incident.`);
    return { ...alert, incidentId };
  });
  for (const { problem, fingerprint, facts, incidentId } of alerts.filter(namesAllServing))
    await addServingDomains(trx, {
      accountId,
      problem,
      fingerprint,
      incidentId,
      confirmedAt: now,
      facts,
      now,
    });
  return queueAlerts(trx, { accountId, monitorId, now, alerts, leaseClock: leaseClock(store, now) });
}

/** Returns a stored time, or `now` if it is in the future because the clock ran ahead. */
const notAfter = (now: number, at: number | null): number | null => (at === null ? null : Math.min(at, now));

function uptimeColumns({ uptime, since, ...record }: UptimeRecord) {
  return {
    uptime,
    uptime_since: since,
    suspected_since: record.suspectedSince,
    down_since: record.downSince,
    down_seen_at: record.downSeenAt,
    recent_checks: record.recentChecks,
    response_ms: record.responseMs,
  };
}

/**
 * Returns only the columns that differ, because setting an indexed column rewrites its index entry even if the value is the same.
 */
function changesOf<Row extends object>(before: Row, next: Partial<Row>): Partial<Row> {
  const changed = Object.entries(next).filter(([column, value]) => Reflect.get(before, column) !== value);
  return Object.fromEntries(changed) as Partial<Row>;
}

function currentCertificate({ certificates, verdict, now }: CheckRecord) {
  const current = certificates.find(({ facts }) => facts.fingerprint === verdict.leafFingerprint);
  if (!current) return {};
  const { fingerprint, notAfter } = current.facts;
  return {
    certificate_fingerprint: fingerprint,
    not_after: notAfter,
    on_schedule_until: onScheduleUntil(verdict, current.facts),
    last_read_at: now,
  };
}
