import { alertSteps, isCriticalStep, isLastWeek, type Step, stepsBefore } from '../alert-steps.ts';
import type { Verdict } from '../verdict.ts';
import { alertDay, type AlertSeverity, type AlertStep, type RefusalStart } from './alert.ts';
import { rotatingCertificates } from '../judge/rotation.ts';
import { clientsRefusingNow } from '../judge/clients/refusals.ts';
import { type Condition, conditionsOf, registrationEnd, waitingAddresses } from './conditions.ts';
import { isRenewalForgotten, isRenewalKnown, renewalConditions, successorOf } from './renewal-conditions.ts';
import { planDowntimeAlerts } from './plan-downtime-alerts.ts';
import {
  type IncidentPlan,
  isAcknowledged,
  isExpiryStepNotified,
  type KnownIncident,
  NEW_INCIDENT,
  type Notified,
  type RecordedCheck,
  requestRecheck,
  type SharedIncident,
  silentUntil,
} from './incident.ts';
import { isMuted } from './settings.ts';
import { HOUR_MS } from '../../../contract/durations.ts';

const CONFIRM_AFTER_MS = 30_000;
/** Shortest time between two checks that count as two: closer ones may come from a restart, or from two workers. */
const MIN_GAP_MS = 20_000;
/**
 * How long a problem must be absent before it is over, ms: long enough for three checks, because two in a row may have reached another of
 * several servers.
 */
const CLEAR_AFTER_MS = 90_000;
/** How long a problem that returned within a week must be absent before it is over: servers may answer in rotation. */
const CLEAR_RETURNED_AFTER_MS = HOUR_MS;
/**
 * A problem of which this many incidents ended within a week is intermittent: if it returns, it joins the last incident, and no alert
 * is sent.
 */
const MAX_RETURNS = 2;

/**
 * Problems that one check proves, by a date, a signature or the CA's renewal window. Others may be a deployment in
 * progress, so a second check decides.
 */
const NEEDS_NO_CONFIRMATION: readonly Condition['problem'][] = [
  'expiry',
  'revoked',
  'replacement_wanted',
  'refused_from',
  'renewal_fails',
  'registration',
];

/**
 * Returns how a check changes the incidents of a monitor (except outages, see `conclude`), and which alerts follow. An
 * incident reports each event once: the tightest expiry step reached, or the start of another problem, and its end if
 * anything was sent, whichever of its members is checked first. Decides from what exists and what was sent,
 * never from what changed, so that a lost check loses no alert.
 */
export function updateIncidents(check: RecordedCheck): IncidentPlan {
  const { verdict, previous, known, host } = check;
  const plan: IncidentPlan = { changes: [], alerts: [], recheckAt: null };
  const open = known.filter(({ endedAt, problem }) => endedAt === null && problem !== 'down');
  // A change to the certificate that should be deployed here is expected.
  const isExpected = ({ problem, fingerprint }: Condition) =>
    problem === 'changed' && open.some((one) => isSame(one, { problem: 'not_deployed', fingerprint }));
  const found = [
    ...conditionsOf(verdict, previous, host),
    ...renewalConditions(verdict, check.renewals),
  ].filter((condition) => !isExpected(condition));
  const conditions = withPendingConditions(found, open, verdict);
  for (const condition of conditions) {
    const incident = open.find((one) => isSame(one, condition));
    if (incident) continueIncident(check, plan, incident, condition);
    else beginIncident(check, plan, condition);
  }
  const reporting = known.filter(
    ({ reportsEnd, incidentId }) => reportsEnd && open.every((one) => one.incidentId !== incidentId),
  );
  for (const incident of [...open, ...reporting])
    if (!conditions.some((condition) => isSame(condition, incident)) && provesEnd(check, incident))
      clearIncident(check, plan, incident);
  planDowntimeAlerts(check, plan);
  return plan;
}

type Key = Pick<KnownIncident, 'problem' | 'fingerprint'>;
const isSame = (one: Key, other: Key) =>
  one.problem === other.problem && one.fingerprint === other.fingerprint;
const keyOf = ({ problem, fingerprint }: Key): Key => ({ problem, fingerprint });
const sharedOf = ({ shared }: RecordedCheck, key: Key): SharedIncident | undefined =>
  shared.find((one) => isSame(one, key));

/**
 * Adds two conditions that `conditionsOf` does not find in every check: an unconfirmed change (only the first check after the replacement finds
 * it) while its certificate is served, and a renewal that other domains or a user announced while it is not served here.
 */
function withPendingConditions(
  conditions: Condition[],
  open: readonly KnownIncident[],
  verdict: Verdict,
): Condition[] {
  const { reached, leafFingerprint } = verdict;
  const pending = open.filter(({ problem, fingerprint, facts }) => {
    if (!reached) return false;
    if (problem === 'changed') return fingerprint === leafFingerprint;
    // Each address has to serve the new certificate, or a later one.
    return problem === 'not_deployed' && waitingAddresses(facts, verdict).length > 0;
  });
  return [
    ...conditions.filter((condition) => !pending.some((one) => isSame(one, condition))),
    ...pending.map(({ problem, fingerprint, facts }): Condition => ({
      problem: problem === 'changed' ? problem : 'not_deployed',
      fingerprint,
      expiring: null,
      severity: 'warning',
      facts,
    })),
  ];
}

function beginIncident(check: RecordedCheck, plan: IncidentPlan, condition: Condition): void {
  const { now } = check;
  if (stepsOf(check, condition) !== null && !hasUnsentStep(check, NEW_INCIDENT, condition)) return;
  const earlier = earlierOf(check, condition);
  const last = earlier.at(-1);
  if (last !== undefined && earlier.length >= MAX_RETURNS && !hasUnsentStep(check, last, condition)) {
    pushOpen(plan, condition, { incidentId: last.incidentId, confirmedAt: now, now });
    return;
  }
  const isProven = NEEDS_NO_CONFIRMATION.includes(condition.problem);
  open(check, plan, condition, isProven ? now : null);
  if (!isProven) requestRecheck(plan, now + CONFIRM_AFTER_MS);
}

/** Returns the last member of each reported incident about the same problem and certificate that ended within a week, oldest end first. */
function earlierOf({ known }: RecordedCheck, key: Key): KnownIncident[] {
  const ended = known
    .filter((one) => isSame(one, key) && one.endedAt !== null && one.notifiedSteps.length > 0)
    .toSorted((left, right) => (left.endedAt ?? 0) - (right.endedAt ?? 0));
  return ended.filter(
    (one, index) => !ended.some((later, at) => at > index && later.incidentId === one.incidentId),
  );
}

function open(
  check: RecordedCheck,
  plan: IncidentPlan,
  condition: Condition,
  confirmedAt: number | null,
): void {
  const { now } = check;
  const joined = sharedOf(check, condition) ?? { ...NEW_INCIDENT, id: null };
  pushOpen(plan, condition, { incidentId: joined.id, confirmedAt, now });
  if (confirmedAt !== null)
    planAlert(check, plan, { ...joined, incidentId: joined.id, startedAt: now }, condition);
}

function pushOpen(
  plan: IncidentPlan,
  condition: Condition,
  { now, ...opened }: { incidentId: string | null; confirmedAt: number | null; now: number },
): void {
  plan.changes.push({
    kind: 'open',
    ...keyOf(condition),
    ...opened,
    startedAt: now,
    cause: condition.problem,
    facts: { ...condition.facts, startedAt: now, endedAt: null },
  });
}

function continueIncident(
  check: RecordedCheck,
  plan: IncidentPlan,
  incident: KnownIncident,
  condition: Condition,
): void {
  const { now } = check;
  // The end of the incident was reported, and now there is a new step: leave this incident and open another one, so that its recovery can
  // be reported.
  if (incident.notifiedSteps.includes('resolved') && hasUnsentStep(check, incident, condition)) {
    plan.changes.push({ kind: 'end', id: incident.id, endedAt: now, recovered: true });
    return open(check, plan, condition, now);
  }
  const { dueAt = incident.startedAt + MIN_GAP_MS } = incident.facts;
  const confirmedAt = incident.confirmedAt ?? (now >= dueAt ? now : null);
  const hasBegun = incident.problem === 'not_deployed' && incident.facts.certificate !== null;
  if (hasBegun && sharedOf(check, incident)?.othersServing === 0) {
    // No other domain serves the new certificate any more, so this domain serves the right one.
    plan.changes.push({
      kind: incident.confirmedAt === null ? 'drop' : 'end',
      id: incident.id,
      endedAt: now,
      recovered: true,
    });
    return;
  }
  const facts = { ...condition.facts, startedAt: incident.startedAt, endedAt: null };
  const next = { ...incident, confirmedAt, clearingSince: null, facts };
  plan.changes.push({ kind: 'update', id: incident.id, confirmedAt, clearingSince: null, facts });
  if (confirmedAt === null) return requestRecheck(plan, incident.facts.dueAt ?? now + CONFIRM_AFTER_MS);
  planAlert(check, plan, next, condition);
  // A change is an event and not a state: its incident ends at once, unless a snooze or maintenance still delays the alert.
  if (incident.problem === 'changed' && silentUntil(next, check) === null)
    plan.changes.push({ kind: 'end', id: incident.id, endedAt: now, recovered: true });
}

/** Returns whether a check that does not show the problem proves its end, and did not just reach another server. */
function provesEnd(check: RecordedCheck, { problem, fingerprint, facts }: KnownIncident): boolean {
  const { reached, lastSeen, path, posture, addresses, judgedAt } = check.verdict;
  if (problem === 'registration') {
    const [before, after] = [facts.registration, registrationEnd(check.verdict)];
    return after !== null && after.expiresAt > (before?.expiresAt ?? 0);
  }
  if (problem === 'renewal_fails' && isRenewalKnown(facts, check.verdict, check.renewals)) return true;
  if (!reached || lastSeen === null) return false;
  if (fingerprint === '' || problem === 'changed' || problem === 'not_deployed') return true;
  if (problem === 'expiry')
    return facts.certificate?.role === 'intermediate'
      ? // While the intermediate is in the path, it is still in use: another certificate merely expires before it.
        path.length > 0 && path.every((one) => one.fingerprint !== fingerprint)
      : isSucceeded(check, { fingerprint, notAfter: facts.certificate?.notAfter ?? 0 });
  if (problem === 'renewal_fails')
    return (
      facts.certificate !== null &&
      facts.certificate.fingerprint !== lastSeen.leafFingerprint &&
      !isRotating(lastSeen, facts.certificate) &&
      isSucceeded(check, facts.certificate)
    );
  const isThere = lastSeen.expiring.some((one) => one.fingerprint === fingerprint);
  if (!isThere) return true;
  // On that day the refusal begins: it is no longer to come, but it is not over while one of its clients refuses.
  if (facts.refusal !== undefined && facts.refusal.from <= judgedAt && isRefused(check, facts.refusal))
    return false;
  const servedFingerprints = [
    ...addresses.map((address) => address.fingerprint),
    ...(posture?.alternates ?? []).map(({ certificate }) => certificate.fingerprint),
  ];
  // A check proves nothing if another server of the rotation answered, or if the CA no longer wants a replacement because the
  // certificate has expired.
  return servedFingerprints.includes(fingerprint) && (facts.certificate?.notAfter ?? Infinity) > judgedAt;
}

/** Returns whether a check found no path, or a client that refuses, among those that a refusal names. */
function isRefused({ verdict: { path, findings } }: RecordedCheck, { clients }: RefusalStart): boolean {
  const refusing = new Set(findings.flatMap(clientsRefusingNow));
  return path.length === 0 || clients.some((client) => refusing.has(client));
}

/** Returns whether a server of the host still shows a certificate, in rotation with the current one. */
const isRotating = (
  { turns }: NonNullable<Verdict['lastSeen']>,
  { fingerprint }: { fingerprint: string },
): boolean => rotatingCertificates(turns).some((one) => one.fingerprint === fingerprint);

/**
 * Returns whether another certificate replaced the old one for good. In a rotation, ignores a certificate that expires no
 * later or is due for an alert itself, because it may be that of another server.
 */
function isSucceeded(
  { verdict: { lastSeen, leafFingerprint }, settings, now }: RecordedCheck,
  old: { fingerprint: string; notAfter: number },
): boolean {
  if (!lastSeen?.turns?.some(({ certificate }) => certificate.fingerprint === old.fingerprint)) return true;
  const leaf = lastSeen.expiring.find(({ fingerprint }) => fingerprint === leafFingerprint);
  if (leaf === undefined || leaf.notAfter <= old.notAfter) return false;
  return alertSteps(leaf, settings.steps).every(({ at }) => at > now);
}

/**
 * Ends a confirmed incident and plans its recovery alert, or drops an unconfirmed one, once its problem has been absent for
 * long enough. Drops an unconfirmed change at once.
 */
function clearIncident(check: RecordedCheck, plan: IncidentPlan, incident: KnownIncident): void {
  const { now } = check;
  const { confirmedAt, facts } = incident;
  if (confirmedAt === null && (incident.problem === 'changed' || incident.problem === 'not_deployed')) {
    plan.changes.push({ kind: 'drop', id: incident.id });
    return;
  }
  if (incident.endedAt !== null) return end(check, plan, incident, incident.endedAt);
  const clearingSince = incident.clearingSince ?? now;
  const isReturn = incident.notifiedSteps.includes('resolved') || earlierOf(check, incident).length > 0;
  const clearAfterMs =
    confirmedAt === null ? MIN_GAP_MS : isReturn ? CLEAR_RETURNED_AFTER_MS : CLEAR_AFTER_MS;
  if (now - clearingSince < clearAfterMs) {
    plan.changes.push({ kind: 'update', id: incident.id, confirmedAt, clearingSince, facts });
    const isFirst = clearingSince === now && !isReturn;
    return requestRecheck(plan, isFirst ? now + CONFIRM_AFTER_MS : clearingSince + clearAfterMs);
  }
  if (confirmedAt === null) {
    plan.changes.push({ kind: 'drop', id: incident.id });
    return;
  }
  end(check, plan, incident, clearingSince);
}

/** Ends a member of an incident, and plans the recovery alert if no other domain has the problem. */
function end(check: RecordedCheck, plan: IncidentPlan, incident: KnownIncident, endedAt: number): void {
  const { now, verdict } = check;
  plan.changes.push({ kind: 'end', id: incident.id, endedAt, recovered: true });
  if (incident.notifiedSteps.length === 0 || incident.notifiedSteps.includes('resolved')) return;
  if (isMuted(check.settings, incident.problem, 'resolved')) return;
  if (sharedOf(check, incident)?.hasOthersOpen) return;
  const registration = incident.problem === 'registration' ? registrationEnd(verdict) : null;
  const { renewal, ...facts } = incident.facts;
  const isForgotten = isRenewalForgotten(facts, check.renewals);
  plan.alerts.push({
    incidentId: incident.incidentId,
    ...keyOf(incident),
    step: 'resolved',
    severity: 'info',
    facts: {
      ...facts,
      ...(renewal !== undefined && !isForgotten && { renewal }),
      asOf: verdict.lastSeen?.at ?? now,
      successor: registration === null ? successorOf(verdict, incident) : null,
      ...(registration !== null && { registration }),
      endedAt,
    },
  });
}

/** The fields of an incident that decide whether it is reported. `incidentId` is null if this check opens the incident. */
type ReportedIncident = Notified &
  Pick<KnownIncident, 'startedAt' | 'acknowledgedAt' | 'snoozedUntil'> & { incidentId: string | null };

/** Plans the due alert of a confirmed incident, unless it is turned off, acknowledged or silenced. */
function planAlert(
  check: RecordedCheck,
  plan: IncidentPlan,
  incident: ReportedIncident,
  condition: Condition,
): void {
  const reminder = stepsOf(check, condition)?.find(({ at }) => at > check.now);
  if (condition.problem === 'renewal_fails' && reminder) requestRecheck(plan, reminder.at);
  const due = dueStep(check, incident, condition);
  if (due === null) return;
  const { problem, fingerprint } = condition;
  if (isMuted(check.settings, problem, due.step) || isAcknowledged(incident, due.step)) return;
  const until = silentUntil(incident, check);
  if (until !== null) return requestRecheck(plan, until);
  const facts = { ...condition.facts, startedAt: incident.startedAt, endedAt: null };
  plan.alerts.push({ incidentId: incident.incidentId, problem, fingerprint, ...due, facts });
}

/** Returns whether a condition has a step that was not sent yet. */
function hasUnsentStep(check: RecordedCheck, known: Notified, condition: Condition): boolean {
  return dueStep(check, known, condition) !== null;
}

/** Returns the alert steps before a certificate expires, or before the day that a condition counts down to; null for problems without such a day. */
function stepsOf(
  { settings }: RecordedCheck,
  { expiring, facts }: Condition,
): { step: Step | 'opened'; at: number }[] | null {
  if (expiring !== null) return alertSteps(expiring, settings.steps);
  const day = alertDay(facts);
  return day && stepsBefore(day);
}

function dueStep(
  check: RecordedCheck,
  known: Notified,
  condition: Condition,
): { step: AlertStep; severity: AlertSeverity } | null {
  const { problem, expiring, severity, facts } = condition;
  const steps = stepsOf(check, condition);
  if (steps !== null) {
    const crossed = steps.findLast(({ at }) => at <= check.now);
    if (crossed === undefined || isExpiryStepNotified(known, crossed)) return null;
    const { step, at } = crossed;
    if (problem === 'renewal_fails') return { step, severity };
    const day = alertDay(facts);
    const isCritical =
      day === null
        ? expiring !== null && step !== 'opened' && isCriticalStep(step, expiring)
        : isLastWeek(day, at);
    return { step, severity: isCritical ? 'critical' : 'warning' };
  }
  const isPartial = problem === 'chain_broken' && severity === 'warning';
  const step = problem === 'revoked' ? 'revoked' : isPartial ? 'some_clients' : 'opened';
  return known.notifiedSteps.includes(step) || known.notifiedSteps.includes('opened')
    ? null
    : { step, severity };
}
