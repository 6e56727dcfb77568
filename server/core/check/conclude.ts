import { MINUTE_MS } from '../../../contract/durations.ts';
import type { AlertFacts } from '../alerting/alert.ts';
import { updateIncidents } from '../alerting/update-incidents.ts';
import {
  type IncidentChange,
  type IncidentPlan,
  type KnownIncident,
  NEW_INCIDENT,
} from '../alerting/incident.ts';
import type { RenewalOutlook } from '../alerting/renewal-conditions.ts';
import { type AlertContext, type RoutedAlert, routeInContext } from '../alerting/route.ts';
import type { AlertSettings } from '../alerting/settings.ts';
import { displayName } from '../endpoint.ts';
import type { Observation } from '../observation.ts';
import type { Verdict } from '../verdict.ts';
import { duePostureParts, POSTURE_APART_MS } from './posture-due.ts';
import { problemOf, type StoredProblem } from './problems.ts';
import { validFrom } from '../judge/path-findings.ts';
import { isAwaiting } from '../judge/previous-verdict.ts';
import { HEARTBEAT_EVERY_MINUTES, nextCheckAt } from './schedule.ts';
import {
  assessUptime,
  followUptime,
  recentChecks,
  type UptimeAssessment,
  type UptimeStanding,
  type UptimeStep,
} from './uptime.ts';

/** The stored uptime of a monitor. Times are ms UTC. */
export interface UptimeRecord extends UptimeStanding {
  /** Time of the first conclusive check; null before it. */
  since: number | null;
  /** Results of the last checks, in the form that `recentChecks` returns. */
  recentChecks: string;
  /** Response time in ms of the last check that got an answer; null before it. */
  responseMs: number | null;
}

/** The state of a monitor when a check is recorded. */
export interface CheckState {
  /** `paused`: the monitor was paused during the check. `own`: the monitor of the self-check, which pings HEARTBEAT_URL. */
  kind: 'watched' | 'paused' | 'own';
  uptime: UptimeRecord;
  /** Start of the time since which no check read a certificate, ms UTC; null if the last check read one. */
  unreachableSince: number | null;
  /** Verdict of the previous check; null for a first check. */
  previous: Verdict | null;
  /** Open incidents, and those that ended within `REMEMBER_INCIDENTS_MS`. */
  incidents: readonly KnownIncident[];
  /** What forecasts say about the certificates that were served before the check. */
  renewals: readonly RenewalOutlook[];
  settings: AlertSettings;
  /** The check interval in minutes that applies, see `effectiveFrequency`. */
  everyMinutes: number;
  /** Whether a user requested another check while this one was running. */
  isRequested: boolean;
  /** Random number in [0, 1); see `nextCheckAt`. */
  jitter: number;
}

/** Everything that follows from one check. */
export interface Conclusion {
  assessment: UptimeAssessment;
  /** The uptime to store; null leaves the stored one as it is. */
  uptime: UptimeRecord | null;
  /** The problem that needs attention now, with a sentence for the summary; null if there is none. */
  problem: { code: StoredProblem; message: string } | null;
  /** The new value of `CheckState.unreachableSince`. */
  unreachableSince: number | null;
  incidents: IncidentChange[];
  alerts: RoutedAlert[];
  /** When the next check is due, ms UTC. */
  nextCheckAt: number;
}

/** A certificate whose incident begins, ends or is reported. `isEnding`: it only ends. */
export interface ConcernedCertificate extends Pick<KnownIncident, 'problem' | 'fingerprint'> {
  isEnding: boolean;
}

/**
 * Returns null if the conclusion does not depend on the alert context, so that the caller can skip the queries for it: most checks
 * notify nobody. Otherwise returns the certificates whose incidents begin, end or are reported.
 */
export function concernedCertificates(
  state: CheckState,
  observation: Observation,
  verdict: Verdict,
  now: number,
): readonly ConcernedCertificate[] | null {
  if (state.kind !== 'watched') return null;
  const updated = updateUptimeAndOutage(state, observation, now);
  const plan = planIncidents(state, observation, verdict, updated, null);
  const certificates = certificatesIn(plan, state.incidents);
  const isNeeded =
    plan.alerts.length > 0 ||
    certificates.length > 0 ||
    // A maintenance keeps the incident of a change open, and may silence alerts longer than a snooze. Only the context tells when it ends.
    plan.changes.some((change) => change.kind === 'end') ||
    updated.outage.incidents.some(({ snoozedUntil }) => (snoozedUntil ?? 0) > now);
  return isNeeded ? certificates : null;
}

/**
 * Decides everything that follows from one check: uptime, incidents, alerts with their routes, and when to check next. `verdict` must
 * have been judged with `state.previous`. `context` may be null if `concernedCertificates` returns null.
 */
export function conclude(
  state: CheckState,
  observation: Observation,
  verdict: Verdict,
  context: AlertContext | null,
  now: number,
): Conclusion {
  const { kind, settings, previous, jitter } = state;
  const updated = updateUptimeAndOutage(state, observation, now);
  const { assessment, step, outage } = updated;
  const { alerts, changes, recheckAt } =
    kind === 'watched' ? planIncidents(state, observation, verdict, updated, context) : NO_PLAN;
  const next = nextCheckAt({
    now,
    everyMinutes: state.everyMinutes,
    reached: verdict.reached && step.standing.uptime !== 'down',
    // Use the last certificate seen even if this check read none: it expires whether or not we reach the host.
    certificates: verdict.lastSeen?.expiring ?? [],
    steps: kind === 'watched' ? settings.steps : null,
    recheckAt: earliest([
      step.recheckAt,
      assessment.downAt ?? null,
      recheckAt,
      kind === 'own' ? now + HEARTBEAT_EVERY_MINUTES * MINUTE_MS : null,
      earlyCheckAt(previous, verdict, now),
      validFrom(verdict.findings),
      postponedPostureAt(observation, verdict, { now, jitter }),
    ]),
    jitter,
  });
  return {
    assessment,
    // The monitor was paused during the check, so its uptime is unknown until it is resumed.
    uptime: kind === 'paused' ? null : uptimeRecord(state.uptime, step, assessment, now),
    problem: problemOf(verdict, observation.endpoint, now),
    unreachableSince: verdict.reached ? null : (state.unreachableSince ?? verdict.observedAt),
    incidents: kind === 'paused' ? [] : [...outage.changes, ...changes],
    alerts: context === null ? [] : alerts.map((alert) => routeInContext(alert, { settings, context, now })),
    // A user requested a check during this one. Its probe may be older than the request, so another check follows.
    nextCheckAt: state.isRequested ? now : next,
  };
}

/** What an observation means for the uptime and the incident of an outage. */
interface UptimeAndOutage {
  assessment: UptimeAssessment;
  step: UptimeStep;
  outage: { changes: IncidentChange[]; incidents: readonly KnownIncident[] };
  now: number;
}

function updateUptimeAndOutage(
  { previous, uptime, incidents }: CheckState,
  observation: Observation,
  now: number,
): UptimeAndOutage {
  const assessment = assessUptime(observation, previous);
  const isRefused = assessment.downAt !== undefined;
  const step = followUptime(uptime, { state: assessment.state, isRefused, now });
  return { assessment, step, outage: followOutage(incidents, step, assessment, now), now };
}

function planIncidents(
  { previous, settings, renewals }: CheckState,
  { endpoint }: Observation,
  verdict: Verdict,
  { assessment, outage, now }: UptimeAndOutage,
  context: AlertContext | null,
): IncidentPlan {
  return updateIncidents({
    host: displayName(endpoint),
    verdict,
    previous,
    isUp: assessment.state === 'up',
    renewals,
    known: outage.incidents,
    shared: context?.shared ?? [],
    settings,
    maintenanceUntil: context?.maintenanceUntil ?? null,
    now,
  });
}

/** Returns the certificates of the incidents that a plan begins, ends or reports. */
function certificatesIn(
  { alerts, changes }: IncidentPlan,
  known: readonly KnownIncident[],
): ConcernedCertificate[] {
  const concerned = [
    ...alerts.map(({ step, ...alert }) => ({ ...alert, isEnding: step === 'resolved' })),
    ...changes.flatMap((change): ConcernedCertificate[] => {
      if (change.kind === 'open') return [{ ...change, isEnding: false }];
      if (change.kind === 'update') return [];
      const incident = known.find(({ id }) => id === change.id);
      return incident === undefined ? [] : [{ ...incident, isEnding: true }];
    }),
  ].filter(({ fingerprint }) => fingerprint !== '');
  const byCertificate = Map.groupBy(concerned, ({ problem, fingerprint }) => `${problem} ${fingerprint}`);
  return [...byCertificate.values()].flatMap(([first, ...more]) =>
    first === undefined
      ? []
      : [
          {
            problem: first.problem,
            fingerprint: first.fingerprint,
            isEnding: [first, ...more].every(({ isEnding }) => isEnding),
          },
        ],
  );
}

const NO_PLAN: IncidentPlan = { changes: [], alerts: [], recheckAt: null };

/** Opens or ends the incident of an outage. Returns the changes and all incidents after them; a new one has an empty id. */
function followOutage(
  known: readonly KnownIncident[],
  { incident, standing, endedAt: end }: UptimeStep,
  { state, cause }: UptimeAssessment,
  now: number,
): UptimeAndOutage['outage'] {
  if (incident === 'begin') {
    const startedAt = standing.downSince ?? now;
    const facts: AlertFacts = {
      certificate: null,
      asOf: now,
      message: cause?.message ?? '',
      fix: null,
      successor: null,
      startedAt,
      endedAt: null,
    };
    const opened = { problem: 'down' as const, fingerprint: '', startedAt, confirmedAt: now, facts };
    return {
      changes: [{ kind: 'open', incidentId: null, ...opened, cause: cause?.code ?? 'other' }],
      incidents: [...known, { ...NEW_INCIDENT, ...opened }],
    };
  }
  if (incident !== 'end') return { changes: [], incidents: known };
  const isOpen = ({ problem, endedAt }: KnownIncident) => problem === 'down' && endedAt === null;
  const ended = { endedAt: end ?? now, recovered: state === 'up' };
  return {
    changes: known.filter(isOpen).map(({ id }) => ({ kind: 'end', id, ...ended })),
    incidents: known.map((one) =>
      isOpen(one) ? { ...one, ...ended, facts: { ...one.facts, endedAt: ended.endedAt } } : one,
    ),
  };
}

function uptimeRecord(
  before: UptimeRecord,
  { standing }: UptimeStep,
  { state, responseMs }: UptimeAssessment,
  now: number,
): UptimeRecord {
  return {
    ...standing,
    since: before.since ?? (state === 'unknown' ? null : now),
    recentChecks: recentChecks(before.recentChecks, state),
    responseMs: responseMs ?? before.responseMs,
  };
}

const FIRST_POSTURE_MS = MINUTE_MS;
const PENDING_ANSWER_MS = 2 * MINUTE_MS;

/** Returns when to check early (ms UTC): for the posture after a first check, or for an answer that is pending; else null. */
function earlyCheckAt(previous: Verdict | null, verdict: Verdict, now: number): number | null {
  if (previous === null) return verdict.reached ? now + FIRST_POSTURE_MS : null;
  // Check early only once: otherwise we would query a source that is always too slow every two minutes.
  return isAwaiting(verdict) && !isAwaiting(previous) ? now + PENDING_ANSWER_MS : null;
}

/**
 * Time over which checks for postponed postures are spread, ms, so that the endpoints of one address do not always compete for its limit.
 */
const POSTURE_SPREAD_MS = 5 * MINUTE_MS;

/**
 * Returns when to check early (ms UTC), because the last posture check ended at the limit of failed handshakes; else null.
 */
function postponedPostureAt(
  { endpoint: { protocol } }: Observation,
  verdict: Verdict,
  { now, jitter }: { now: number; jitter: number },
): number | null {
  const { posture } = verdict;
  if (posture?.resumesAt === undefined) return null;
  const at = Math.max(posture.resumesAt, posture.at + POSTURE_APART_MS);
  const isDue = duePostureParts([{ verdict, isRequested: false }], { protocol, now: at }) !== null;
  // If the time has passed, the endpoint was down then, so do not check again for the posture alone.
  return isDue && at > now ? Math.ceil(at + POSTURE_SPREAD_MS * jitter) : null;
}

function earliest(instants: readonly (number | null)[]): number | null {
  const known = instants.filter((at) => at !== null);
  return known.length === 0 ? null : Math.min(...known);
}
