import {
  alertDay,
  type AlertFacts,
  type AlertSeverity,
  type AlertStep,
  type PlannedAlert,
  type Problem,
} from './alert.ts';
import { WEEK_MS } from '../../../contract/durations.ts';
import type { Verdict } from '../verdict.ts';
import type { RenewalOutlook } from './renewal-conditions.ts';
import { type AlertSettings, isMuted } from './settings.ts';
import { alertSteps, isLastWeek } from '../alert-steps.ts';

/**
 * A member of an incident: a period in which a monitor had the problem, open or ended recently. An incident is about a domain, a
 * certificate, a registration or a deployment; all but the first kind may have members of several monitors. Instants are ms UTC.
 */
export interface KnownIncident {
  /** Id of the member. */
  id: string;
  /** Id of the incident, which has the acknowledgement and the alerts of all members. */
  incidentId: string;
  problem: Problem;
  /** Fingerprint of the certificate; empty if the problem concerns the endpoint and not one certificate. */
  fingerprint: string;
  startedAt: number;
  /** When the incident was confirmed; null until then. No alert is sent before. */
  confirmedAt: number | null;
  /** Time of the first check that no longer saw the problem; null while checks see it. */
  clearingSince: number | null;
  endedAt: number | null;
  /**
   * True if a check saw that the problem is over. False for open incidents, and for outages that ended only because no
   * check was conclusive for hours.
   */
  recovered: boolean;
  /**
   * Whether the monitor's next check must report the end of the incident: this member has ended, and the monitors of all others were paused or
   * removed.
   */
  reportsEnd: boolean;
  acknowledgedAt: number | null;
  snoozedUntil: number | null;
  /** Steps that were sent or are queued, without those superseded before anybody was notified. */
  notifiedSteps: readonly AlertStep[];
  /** When the alert for the last of `notifiedSteps` was created, ms UTC, not counting recoveries; null if there is none. */
  lastStepAt: number | null;
  facts: AlertFacts;
}

/** What was sent for an incident. */
export type Notified = Pick<KnownIncident, 'notifiedSteps' | 'lastStepAt'>;
export const NOT_NOTIFIED: Notified = { notifiedSteps: [], lastStepAt: null };

/** Initial values of every new member of an incident. The member gets its ids when it is stored. */
export const NEW_INCIDENT = {
  id: '',
  incidentId: '',
  clearingSince: null,
  endedAt: null,
  recovered: false,
  reportsEnd: false,
  acknowledgedAt: null,
  snoozedUntil: null,
  ...NOT_NOTIFIED,
} satisfies Partial<KnownIncident>;

/** A change of a member. `id` is the id of a known member. */
export type IncidentChange =
  | {
      kind: 'open';
      /** Id of the incident that the monitor joins; null for a new one. */
      incidentId: string | null;
      problem: Problem;
      fingerprint: string;
      startedAt: number;
      confirmedAt: number | null;
      /** Stable code of the cause: the problem, or the reason why an endpoint is down. */
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
  | { kind: 'drop'; id: string };

export interface IncidentPlan {
  changes: IncidentChange[];
  alerts: PlannedAlert[];
  /**
   * When to check again regardless of the interval (ms UTC): to confirm a problem or its end, when a snooze or maintenance
   * ends, or when flapping may be over. null if the interval decides.
   */
  recheckAt: number | null;
}

/** How long an ended incident is taken into account when its problem returns. */
export const REMEMBER_INCIDENTS_MS = WEEK_MS;

/** Returns whether an acknowledgement suppresses a step. It never suppresses `expired`. */
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

/** Returns whether maintenance or settings silence a domain's alerts about a problem. `step` null: no alert was planned yet. */
export function isSilent(
  { isInMaintenance, settings }: { isInMaintenance: boolean; settings: AlertSettings },
  { problem, step }: { problem: Problem; step: AlertStep | null },
): boolean {
  return isInMaintenance || isMuted(settings, problem, step ?? 'opened');
}

export function requestRecheck(plan: IncidentPlan, at: number): void {
  plan.recheckAt = Math.min(at, plan.recheckAt ?? Infinity);
}

/**
 * Returns whether an expiry step needs no message, because it was sent, or another step was sent at its time or later.
 * Times are compared because users and CAs can move steps, but never the time of a message.
 */
export function isExpiryStepNotified(
  { notifiedSteps, lastStepAt }: Pick<KnownIncident, 'notifiedSteps' | 'lastStepAt'>,
  { step, at }: { step: AlertStep; at: number },
): boolean {
  return notifiedSteps.includes(step) || (lastStepAt !== null && lastStepAt >= at);
}

/** An incident about a certificate, a registration or a deployment, without the member of the checked monitor. */
export interface SharedIncident extends Pick<
  KnownIncident,
  'problem' | 'fingerprint' | 'acknowledgedAt' | 'snoozedUntil' | 'notifiedSteps' | 'lastStepAt'
> {
  /** Id of the incident that the monitor has joined or would join; null if there is none. */
  id: string | null;
  /** Whether another domain still has the problem. Paused domains do not count. */
  hasOthersOpen: boolean;
  /** Number of other domains that serve the certificate. */
  othersServing: number;
  /** Distinct channel choices of the other domains that are not silenced. The alert goes to the channels of all choices. */
  choices: readonly RouteChoice[];
}

/** What decides the channels of an alert on one domain. */
export interface RouteChoice {
  settings: AlertSettings;
  /** Keys of channels whose reader unsubscribed from everything or from this domain. */
  unsubscribed: readonly string[];
}

/** A recorded check of an endpoint, with everything that decides which incidents and alerts follow. */
export interface RecordedCheck {
  /** Display name of the host. */
  host: string;
  verdict: Verdict;
  previous: Verdict | null;
  /** Whether this check found the endpoint up; false if it found it down or could not decide. */
  isUp: boolean;
  /** What forecasts say about the certificates that were served before this check. */
  renewals: readonly RenewalOutlook[];
  /** The monitor's members: open, or ended within `REMEMBER_INCIDENTS_MS`. Those about `down` include the changes of this check. */
  known: readonly KnownIncident[];
  /** Incidents that other domains may share and that this check may open, join or end; empty if they were not read yet. */
  shared: readonly SharedIncident[];
  settings: Pick<AlertSettings, 'steps' | 'muted'>;
  /** End of the current maintenance, ms UTC; null if there is none. */
  maintenanceUntil: number | null;
  now: number;
}

const ALWAYS_WARNINGS: readonly Problem[] = [
  'changed',
  'replacement_wanted',
  'not_deployed',
  'renewal_fails',
];

/**
 * Returns the severity of an incident as of `now` (ms UTC): an expiry becomes critical at the step `critical`. `step`: the
 * step whose title describes the incident.
 */
export function incidentSeverity(
  {
    problem,
    step,
    facts,
  }: {
    problem: Problem;
    step: AlertStep;
    facts: Pick<AlertFacts, 'certificate' | 'registration' | 'refusal' | 'renewal'>;
  },
  now: number,
): Exclude<AlertSeverity, 'info'> {
  if (ALWAYS_WARNINGS.includes(problem)) return 'warning';
  const day = alertDay(facts);
  if (day !== null) return isLastWeek(day, now) ? 'critical' : 'warning';
  if (problem !== 'expiry') return step === 'flapping' || step === 'some_clients' ? 'warning' : 'critical';
  const critical = facts.certificate && alertSteps(facts.certificate).find((one) => one.step === 'critical');
  return critical && now < critical.at ? 'warning' : 'critical';
}
