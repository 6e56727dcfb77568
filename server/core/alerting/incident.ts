import type { AlertFacts, AlertSeverity, AlertStep, PlannedAlert, Problem } from './alert.ts';
import { WEEK_MS } from '../../../contract/durations.ts';
import type { Verdict } from '../verdict.ts';
import type { AlertSettings } from './settings.ts';
import { alertSteps } from '../alert-steps.ts';

/** An open incident of a monitor, or one that ended recently. Instants are ms UTC. */
export interface KnownIncident {
  id: string;
  problem: Problem;
  /** Empty where it is about the endpoint, whatever certificate that presents. */
  fingerprint: string;
  startedAt: number;
  /** When a second check confirmed it; null until then, and nothing is sent before. */
  confirmedAt: number | null;
  /** The first check that no longer saw it; null while it is seen. */
  clearingSince: number | null;
  endedAt: number | null;
  /** True if a check saw it end; false if it ended because nobody checks any more. */
  recovered: boolean;
  acknowledgedAt: number | null;
  snoozedUntil: number | null;
  /** Steps that were sent or are queued, without those superseded before anybody was notified. */
  notifiedSteps: readonly AlertStep[];
  /** When the last of those was planned, recoveries left out; null if there is none. */
  lastStepAt: number | null;
  facts: AlertFacts;
}

/** A change of an incident; every id is that of a known one. */
export type IncidentChange =
  | {
      kind: 'open';
      problem: Problem;
      fingerprint: string;
      startedAt: number;
      confirmedAt: number | null;
      /** Stable code: the problem, or why an endpoint is down. */
      cause: string;
      facts: AlertFacts;
    }
  | {
      kind: 'update';
      id: string;
      confirmedAt: number | null;
      clearingSince: number | null;
      facts: AlertFacts;
    }
  | { kind: 'end'; id: string; endedAt: number; recovered: boolean }
  | { kind: 'drop'; id: string }
  | { kind: 'reopen'; id: string };

export interface IncidentPlan {
  changes: IncidentChange[];
  alerts: PlannedAlert[];
  /**
   * When to check again regardless of the interval (ms UTC): to confirm a problem or its end, when a snooze or maintenance ends, or
   * when flapping may be over. null: at the interval.
   */
  recheckAt: number | null;
}

/** How long an ended incident counts towards later ones of the same problem. */
export const REMEMBER_INCIDENTS_MS = WEEK_MS;

/** Returns whether an acknowledgement suppresses a step. `expired` is sent all the same. */
export function isAcknowledged(
  { acknowledgedAt }: Pick<KnownIncident, 'acknowledgedAt'>,
  step: AlertStep,
): boolean {
  return acknowledgedAt !== null && step !== 'expired';
}

/** Returns until when a snooze or maintenance silences an incident (ms UTC); null if none does. */
export function silentUntil(
  { snoozedUntil }: Pick<KnownIncident, 'snoozedUntil'>,
  { maintenanceUntil, now }: { maintenanceUntil: number | null; now: number },
): number | null {
  const until = Math.max(maintenanceUntil ?? 0, snoozedUntil ?? 0);
  return until > now ? until : null;
}

export function requestRecheck(steps: IncidentPlan, at: number): void {
  steps.recheckAt = Math.min(at, steps.recheckAt ?? Infinity);
}

/**
 * Returns whether an expiry step needs no message: it was sent itself, or another was sent after its time. Times
 * count because people and CAs move steps; the time of a message stays.
 */
export function isExpiryStepNotified(
  { notifiedSteps, lastStepAt }: Pick<KnownIncident, 'notifiedSteps' | 'lastStepAt'>,
  { step, at }: { step: AlertStep; at: number },
): boolean {
  return notifiedSteps.includes(step) || (lastStepAt !== null && lastStepAt >= at);
}

/** A recorded check of an endpoint, with everything that decides which alerts are sent. */
export interface RecordedCheck {
  /** As people know it. */
  host: string;
  verdict: Verdict;
  previous: Verdict | null;
  /** Whether this check found the endpoint up; false where it could not tell. */
  isUp: boolean;
  /** Of the monitor: open, or ended within `REMEMBER_INCIDENTS_MS`. Those of the problem `down` include this check. */
  known: readonly KnownIncident[];
  settings: Pick<AlertSettings, 'steps' | 'muted'>;
  /** End of the maintenance under way, ms UTC; null: there is none. */
  maintenanceUntil: number | null;
  now: number;
}

/**
 * Returns the severity of an incident at `now` (ms UTC), as its next message would have it: an expiry becomes
 * critical as it comes near. `step`: the one that describes the problem.
 */
export function incidentSeverity(
  { problem, step, facts }: { problem: Problem; step: AlertStep; facts: Pick<AlertFacts, 'certificate'> },
  now: number,
): Exclude<AlertSeverity, 'info'> {
  if (problem === 'changed' || problem === 'replacement_wanted') return 'warning';
  if (problem !== 'expiry') return step === 'flapping' || step === 'some_clients' ? 'warning' : 'critical';
  const critical = facts.certificate && alertSteps(facts.certificate).find((one) => one.step === 'critical');
  return critical && now < critical.at ? 'warning' : 'critical';
}
