import { alertSteps, isCriticalStep } from '../alert-steps.ts';
import type { Verdict } from '../verdict.ts';
import type { AlertFacts, AlertSeverity, AlertStep } from './alert.ts';
import { type Condition, conditionsOf } from './conditions.ts';
import { followDown } from './follow-down.ts';
import {
  type IncidentSteps,
  isAcknowledged,
  isExpiryStepTold,
  type KnownIncident,
  type Look,
  lookAgain,
  silentUntil,
} from './incident.ts';
import { isMuted } from './settings.ts';
import { HOUR_MS } from '../../../contract/durations.ts';

const SECOND_LOOK_MS = 30_000;
/** Looks that are closer together are one: both ends of a restart, or two workers. */
const APART_MS = 20_000;
/** Three looks without it: two in a row may have met another of several servers. */
const AWAY_MS = 90_000;
/** What came back within a week has to stay away for so long before it is over again: servers may answer in turn. */
const STEADY_MS = HOUR_MS;
/** What came back so often within a week comes and goes: it is not told anew each time. */
const MOST_RETURNS = 2;

/** Problems that a signature or a clock proves at once. The others may be a deployment under way: a second look decides. */
const PROVEN: readonly Condition['problem'][] = ['expiry', 'revoked', 'replacement_wanted'];

/**
 * What a look changes about the incidents of a monitor, and what people are to be told. Each thing is told once per incident:
 * of an expiry the tightest step crossed, of everything else that it began; and that it is over, where anything was told.
 * Decided from what is so and what was told, never from what changed: a look that was lost loses no alert.
 */
export function followIncidents(look: Look): IncidentSteps {
  const { verdict, previous, known } = look;
  const steps: IncidentSteps = { changes: [], alerts: [], lookAgainAt: null };
  const open = known.filter(({ endedAt, problem }) => endedAt === null && problem !== 'down');
  const conditions = withPendingChange(conditionsOf(verdict, previous), open, verdict);
  for (const condition of conditions) {
    const incident = open.find((one) => isSame(one, condition));
    if (incident) persist(look, steps, incident, condition);
    else begin(look, steps, condition);
  }
  for (const incident of open)
    if (!conditions.some((condition) => isSame(condition, incident)) && couldSee(look, incident))
      subside(look, steps, incident);
  followDown(look, steps);
  return steps;
}

type Key = Pick<KnownIncident, 'problem' | 'fingerprint'>;
const isSame = (one: Key, other: Key) =>
  one.problem === other.problem && one.fingerprint === other.fingerprint;
const keyOf = ({ problem, fingerprint }: Key): Key => ({ problem, fingerprint });

/** A change is news of one look; the second look agrees where the new certificate is still there. */
function withPendingChange(
  conditions: Condition[],
  open: readonly KnownIncident[],
  { reached, leafFingerprint }: Verdict,
): Condition[] {
  const pending = open.filter(
    ({ problem, fingerprint }) => problem === 'changed' && reached && fingerprint === leafFingerprint,
  );
  return [
    ...conditions.filter((condition) => !pending.some((one) => isSame(one, condition))),
    ...pending.map(({ fingerprint, facts }): Condition => ({
      problem: 'changed',
      fingerprint,
      expiring: null,
      severity: 'warning',
      facts,
    })),
  ];
}

function begin(look: Look, steps: IncidentSteps, condition: Condition): void {
  const { now } = look;
  if (condition.expiring !== null && !isNews(look, UNTOLD, condition)) return;
  const earlier = earlierOf(look, condition);
  const last = earlier.at(-1);
  if (last !== undefined && earlier.length >= MOST_RETURNS && !isNews(look, last, condition)) {
    steps.changes.push({ kind: 'reopen', id: last.id });
    return;
  }
  const isProven = PROVEN.includes(condition.problem);
  open(look, steps, condition, isProven ? now : null);
  if (!isProven) lookAgain(steps, now + SECOND_LOOK_MS);
}

/** Incidents of the same thing that people were told of and that ended lately, in the order of their ends. */
function earlierOf({ known }: Look, key: Key): KnownIncident[] {
  return known
    .filter((one) => isSame(one, key) && one.endedAt !== null && one.told.length > 0)
    .toSorted((left, right) => (left.endedAt ?? 0) - (right.endedAt ?? 0));
}

const UNTOLD = { told: [], toldAt: null };

function open(look: Look, steps: IncidentSteps, condition: Condition, confirmedAt: number | null): void {
  const { now } = look;
  const facts = { ...condition.facts, startedAt: now, endedAt: null };
  steps.changes.push({
    kind: 'open',
    ...keyOf(condition),
    startedAt: now,
    confirmedAt,
    cause: condition.problem,
    facts,
  });
  if (confirmedAt === null) return;
  tell(
    look,
    steps,
    { ...UNTOLD, id: null, startedAt: now, acknowledgedAt: null, snoozedUntil: null },
    condition,
  );
}

function persist(look: Look, steps: IncidentSteps, incident: KnownIncident, condition: Condition): void {
  const { now } = look;
  // It came back, was not told anew, and now there is something to tell: good news has to be able to follow.
  if (incident.told.includes('resolved') && isNews(look, incident, condition)) {
    steps.changes.push({ kind: 'end', id: incident.id, endedAt: now, recovered: true });
    return open(look, steps, condition, now);
  }
  const isSecondLook = incident.confirmedAt === null && now - incident.startedAt >= APART_MS;
  const confirmedAt = isSecondLook ? now : incident.confirmedAt;
  const facts = { ...condition.facts, startedAt: incident.startedAt, endedAt: null };
  const next = { ...incident, confirmedAt, clearingSince: null, facts };
  steps.changes.push({ kind: 'update', id: incident.id, confirmedAt, clearingSince: null, facts });
  if (confirmedAt === null) return lookAgain(steps, now + SECOND_LOOK_MS);
  tell(look, steps, next, condition);
  // News, and no state that could end: told, or left untold by whoever asked for that, it is over.
  if (incident.problem === 'changed' && silentUntil(next, look) === null)
    steps.changes.push({ kind: 'end', id: incident.id, endedAt: now, recovered: true });
}

/** Whether a look that does not show the trouble says that it is gone, and not only that it looked elsewhere. */
function couldSee(look: Look, { problem, fingerprint, facts }: KnownIncident): boolean {
  const { reached, lastSeen, path, posture, addresses, judgedAt } = look.verdict;
  if (!reached || lastSeen === null) return false;
  if (fingerprint === '' || problem === 'changed') return true;
  if (problem === 'expiry')
    return facts.certificate?.role === 'intermediate'
      ? // Still needed, only that something else ends before it.
        path.length > 0 && path.every((one) => one.fingerprint !== fingerprint)
      : isSucceeded(look, { fingerprint, notAfter: facts.certificate?.notAfter ?? 0 });
  const isThere = lastSeen.expiring.some((one) => one.fingerprint === fingerprint);
  if (!isThere) return true;
  const shown = [
    ...addresses.map((address) => address.fingerprint),
    ...(posture?.alternates ?? []).map(({ certificate }) => certificate.fingerprint),
  ];
  // One of those that servers show in turn, and not its turn; or its authority asks no more because it has ended.
  return shown.includes(fingerprint) && (facts.certificate?.notAfter ?? Infinity) > judgedAt;
}

/** What took the place of a certificate is no renewal where it ends soon too: it may be that of a server beside. Time tells. */
function isSucceeded(
  { verdict: { lastSeen, leafFingerprint }, settings, now }: Look,
  old: { fingerprint: string; notAfter: number },
): boolean {
  if (!lastSeen?.turns?.some(({ certificate }) => certificate.fingerprint === old.fingerprint)) return true;
  const leaf = lastSeen.expiring.find(({ fingerprint }) => fingerprint === leafFingerprint);
  if (leaf === undefined || leaf.notAfter <= old.notAfter) return false;
  return alertSteps(leaf, settings.steps).every(({ at }) => at > now);
}

/** Not seen any more, by a look that could have seen it. */
function subside(look: Look, steps: IncidentSteps, incident: KnownIncident): void {
  const { now, verdict } = look;
  const { confirmedAt, facts } = incident;
  if (confirmedAt === null && incident.problem === 'changed') {
    steps.changes.push({ kind: 'drop', id: incident.id });
    return;
  }
  const clearingSince = incident.clearingSince ?? now;
  const isReturn = incident.told.includes('resolved') || earlierOf(look, incident).length > 0;
  const awayMs = confirmedAt === null ? APART_MS : isReturn ? STEADY_MS : AWAY_MS;
  if (now - clearingSince < awayMs) {
    steps.changes.push({ kind: 'update', id: incident.id, confirmedAt, clearingSince, facts });
    const isFirst = clearingSince === now && !isReturn;
    return lookAgain(steps, isFirst ? now + SECOND_LOOK_MS : clearingSince + awayMs);
  }
  if (confirmedAt === null) {
    steps.changes.push({ kind: 'drop', id: incident.id });
    return;
  }
  steps.changes.push({ kind: 'end', id: incident.id, endedAt: clearingSince, recovered: true });
  if (incident.told.length === 0 || incident.told.includes('resolved')) return;
  if (isMuted(look.settings, incident.problem, 'resolved')) return;
  const successor = successorOf(look);
  steps.alerts.push({
    incidentId: incident.id,
    ...keyOf(incident),
    step: 'resolved',
    severity: 'info',
    facts: { ...facts, asOf: verdict.lastSeen?.at ?? now, successor, endedAt: clearingSince },
  });
}

function successorOf({ verdict }: Look): AlertFacts['successor'] {
  const leaf = verdict.lastSeen?.expiring.find(({ fingerprint }) => fingerprint === verdict.leafFingerprint);
  if (!leaf) return null;
  const { fingerprint, notBefore, notAfter, role, name } = leaf;
  return { fingerprint, notBefore, notAfter, role, name };
}

type Told = Pick<KnownIncident, 'told' | 'toldAt'>;

/** What decides on telling of an incident; one that opens right now has no id yet. */
type Tellable = Told &
  Pick<KnownIncident, 'startedAt' | 'acknowledgedAt' | 'snoozedUntil'> & { id: string | null };

/** Plans what is due to be told of an incident that is so and confirmed, unless somebody asked for silence. */
function tell(look: Look, steps: IncidentSteps, incident: Tellable, condition: Condition): void {
  const due = dueStep(look, incident, condition);
  if (due === null) return;
  const { problem, fingerprint } = condition;
  if (isMuted(look.settings, problem, due.step) || isAcknowledged(incident, due.step)) return;
  const until = silentUntil(incident, look);
  if (until !== null) return lookAgain(steps, until);
  const facts = { ...condition.facts, startedAt: incident.startedAt, endedAt: null };
  steps.alerts.push({ incidentId: incident.id, problem, fingerprint, ...due, facts });
}

/** Whether there is anything to tell of a condition that was not told yet. */
function isNews(look: Look, told: Told, condition: Condition): boolean {
  return dueStep(look, told, condition) !== null;
}

function dueStep(
  { settings, now }: Look,
  known: Told,
  { problem, expiring, severity }: Condition,
): { step: AlertStep; severity: AlertSeverity } | null {
  if (expiring !== null) {
    const crossed = alertSteps(expiring, settings.steps).findLast(({ at }) => at <= now);
    if (crossed === undefined || isExpiryStepTold(known, crossed)) return null;
    const { step } = crossed;
    return { step, severity: isCriticalStep(step, expiring) ? 'critical' : 'warning' };
  }
  const isPartial = problem === 'chain_broken' && severity === 'warning';
  const step = problem === 'revoked' ? 'revoked' : isPartial ? 'some_clients' : 'opened';
  return known.told.includes(step) || known.told.includes('opened') ? null : { step, severity };
}
