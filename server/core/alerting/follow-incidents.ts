import { alertSteps, isAtLeastAsTight, isCriticalStep, type Step } from '../alert-steps.ts';
import type { Verdict } from '../verdict.ts';
import type { AlertFacts, AlertSeverity, AlertStep, Problem } from './alert.ts';
import { type Condition, conditionsOf } from './conditions.ts';
import { followDown } from './follow-down.ts';
import {
  type IncidentSteps,
  isAcknowledged,
  type KnownIncident,
  lookAgain,
  silentUntil,
} from './incident.ts';
import { type AlertSettings, isMuted } from './settings.ts';

export interface Look {
  verdict: Verdict;
  previous: Verdict | null;
  /** Whether this look found the endpoint to be up; false where it could not tell. */
  isUp: boolean;
  /** Of the monitor: open, or ended within `REMEMBER_INCIDENTS_MS`. Incidents of the problem `down` as this look left them. */
  known: readonly KnownIncident[];
  settings: Pick<AlertSettings, 'steps' | 'muted'>;
  /** Until when expected work goes on; null: none does. */
  maintenanceUntil: number | null;
  now: number;
}

const SECOND_LOOK_MS = 30_000;
/** Looks that are closer together are one: both ends of a restart, or two workers. */
const APART_MS = 20_000;
/** What came back so often within a week comes and goes: it is not told anew each time. */
const MOST_RETURNS = 2;

/** Problems that a signature or a clock proves at once. The others may be a deployment under way: a second look decides. */
const PROVEN: readonly Problem[] = ['expiry', 'revoked', 'replacement_wanted'];

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
    if (!conditions.some((condition) => isSame(condition, incident))) subside(look, steps, incident);
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
      ...{ problem: 'changed', fingerprint, expiring: null },
      facts,
    })),
  ];
}

function begin(look: Look, steps: IncidentSteps, condition: Condition): void {
  const { now, known } = look;
  if (condition.expiring !== null && crossedStep(condition.expiring, look) === null) return;
  const facts = { ...condition.facts, startedAt: now, endedAt: null };
  const earlier = known
    .filter((one) => isSame(one, condition) && one.endedAt !== null)
    .toSorted((left, right) => (left.endedAt ?? 0) - (right.endedAt ?? 0));
  const last = earlier.at(-1);
  if (last !== undefined && earlier.length >= MOST_RETURNS) {
    steps.changes.push({ kind: 'reopen', id: last.id });
    tell(look, steps, last, condition);
    return;
  }
  const isProven = PROVEN.includes(condition.problem);
  const confirmedAt = isProven ? now : null;
  steps.changes.push({ kind: 'open', ...keyOf(condition), startedAt: now, confirmedAt, facts });
  if (!isProven) return lookAgain(steps, now + SECOND_LOOK_MS);
  tell(look, steps, { ...NEW, startedAt: now }, condition);
}

/** What decides on telling of an incident; one that opens right now has no id yet. */
type Tellable = Pick<KnownIncident, 'startedAt' | 'acknowledgedAt' | 'snoozedUntil' | 'told'> & {
  id: string | null;
};
const NEW = { id: null, acknowledgedAt: null, snoozedUntil: null, told: [] };

function persist(look: Look, steps: IncidentSteps, incident: KnownIncident, condition: Condition): void {
  const { now } = look;
  const isSecondLook = incident.confirmedAt === null && now - incident.startedAt >= APART_MS;
  const confirmedAt = isSecondLook ? now : incident.confirmedAt;
  const facts = { ...condition.facts, startedAt: incident.startedAt, endedAt: null };
  const next = { ...incident, confirmedAt, clearingSince: null, facts };
  steps.changes.push({ kind: 'update', id: incident.id, confirmedAt, clearingSince: null, facts });
  if (confirmedAt === null) return lookAgain(steps, now + SECOND_LOOK_MS);
  tell(look, steps, next, condition);
  // News, and no state that could end: told, or left untold by whoever asked for that, it is over.
  if (incident.problem === 'changed' && silentUntil(next, look) === null)
    steps.changes.push({ kind: 'end', id: incident.id, endedAt: now });
}

/** Not seen any more, by a look that could have seen it. */
function subside(look: Look, steps: IncidentSteps, incident: KnownIncident): void {
  const { now, verdict } = look;
  if (!verdict.reached) return;
  if (incident.confirmedAt === null) {
    steps.changes.push({ kind: 'drop', id: incident.id });
    return;
  }
  const { confirmedAt, facts } = incident;
  const clearingSince = incident.clearingSince ?? now;
  if (now - clearingSince < APART_MS) {
    steps.changes.push({ kind: 'update', id: incident.id, confirmedAt, clearingSince, facts });
    return lookAgain(steps, now + SECOND_LOOK_MS);
  }
  steps.changes.push({ kind: 'end', id: incident.id, endedAt: clearingSince });
  if (incident.told.length === 0 || incident.told.includes('resolved')) return;
  if (isMuted(look.settings, incident.problem, 'resolved')) return;
  const successor = successorOf(look);
  steps.alerts.push({
    ...{ incidentId: incident.id, ...keyOf(incident) },
    ...{ step: 'resolved', severity: 'info' },
    facts: { ...facts, asOf: verdict.lastSeen?.at ?? now, successor, endedAt: clearingSince },
  });
}

function successorOf({ verdict }: Look): AlertFacts['successor'] {
  const leaf = verdict.lastSeen?.expiring.find(({ fingerprint }) => fingerprint === verdict.leafFingerprint);
  if (!leaf) return null;
  const { fingerprint, notBefore, notAfter, role, name } = leaf;
  return { fingerprint, notBefore, notAfter, role, name };
}

function crossedStep(
  expiring: NonNullable<Condition['expiring']>,
  { settings, now }: Look,
): { step: Step; at: number } | null {
  return alertSteps(expiring, settings.steps).findLast(({ at }) => at <= now) ?? null;
}

/** Plans what is due to be told of an incident that is so and confirmed, unless somebody asked for silence. */
function tell(look: Look, steps: IncidentSteps, incident: Tellable, condition: Condition): void {
  const due = dueStep(look, incident.told, condition);
  if (due === null) return;
  const { step, severity } = due;
  if (isMuted(look.settings, condition.problem, step) || isAcknowledged(incident, step)) return;
  const until = silentUntil(incident, look);
  if (until !== null) return lookAgain(steps, until);
  const facts = { ...condition.facts, startedAt: incident.startedAt, endedAt: null };
  steps.alerts.push({ incidentId: incident.id, ...keyOf(condition), step, severity, facts });
}

function dueStep(
  look: Look,
  told: readonly AlertStep[],
  { problem, expiring }: Condition,
): { step: AlertStep; severity: AlertSeverity } | null {
  if (expiring !== null) {
    const crossed = crossedStep(expiring, look);
    if (crossed === null) return null;
    const { step } = crossed;
    const wasTold = told.some((one) => isStep(one) && isAtLeastAsTight(one, step, expiring));
    return wasTold ? null : { step, severity: isCriticalStep(step, expiring) ? 'critical' : 'warning' };
  }
  const step = problem === 'revoked' ? 'revoked' : 'opened';
  if (told.includes(step)) return null;
  return {
    step,
    severity: problem === 'changed' || problem === 'replacement_wanted' ? 'warning' : 'critical',
  };
}

const NO_STEPS: readonly AlertStep[] = ['opened', 'revoked', 'flapping', 'resolved'];
const isStep = (step: AlertStep): step is Step => !NO_STEPS.includes(step);
