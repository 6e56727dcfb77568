import { MINUTE_MS } from '../../../contract/durations.ts';
import { isShortLived, type Renewable } from '../alert-steps.ts';
import type { AlertFacts, AlertStep, PlannedAlert } from '../alerting/alert.ts';
import { updateIncidents } from '../alerting/update-incidents.ts';
import type {
  CertificateGroup,
  IncidentChange,
  IncidentPlan,
  KnownIncident,
  RouteChoice,
} from '../alerting/incident.ts';
import { type AlertRoute, type ChannelState, routeAlert } from '../alerting/route.ts';
import type { AlertSettings } from '../alerting/settings.ts';
import { displayName } from '../endpoint.ts';
import { isAwaiting } from '../judge/incomplete-finding.ts';
import { validFrom } from '../judge/not-yet-valid.ts';
import type { Observation } from '../observation.ts';
import type { Plan } from '../plan.ts';
import { findingMessage } from '../report/describe-finding.ts';
import { failureSentence } from '../report/reach-finding.ts';
import type { Verdict } from '../verdict.ts';
import { duePostureParts, POSTURE_APART_MS } from './posture-due.ts';
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
  settings: AlertSettings;
  /** The check interval in minutes that applies, see `frequencyOn`. */
  everyMinutes: number;
  /** Whether a user requested another check during this one. */
  isRequested: boolean;
  /** Random number in [0, 1); see `nextCheckAt`. */
  jitter: number;
}

/** The stored data that alerts and their routes depend on. */
export interface AlertContext {
  plan: Plan;
  /** Time zone as an IANA name; null means UTC. */
  timeZone: string | null;
  /** Every channel of the account, its own address first. */
  channels: readonly ChannelState[];
  /** End of the current maintenance, ms UTC; null if there is none. */
  maintenanceUntil: number | null;
  /** Deliveries of the known incidents. */
  deliveries: readonly EarlierDelivery[];
  /** Groups of the certificates in `PendingConclusion.certificates`. */
  groups: readonly CertificateGroup[];
}

export interface EarlierDelivery {
  incidentId: string;
  step: AlertStep;
  channelKey: string;
  state: 'waiting' | 'delivered' | 'failed' | 'superseded';
  /** Whether an attempt has started and its result is not recorded yet. */
  isBeingSent: boolean;
}

/** An alert with its channels. Without any channel, nobody can be notified now. */
export type RoutedAlert = PlannedAlert & { routes: AlertRoute[] };

/** Everything that follows from one check. */
export interface Conclusion {
  assessment: UptimeAssessment;
  /** The uptime to store; null leaves the stored one as it is. */
  uptime: UptimeRecord | null;
  /** The problem that needs attention now, with a sentence for the summary; null if there is none. */
  problem: { code: 'unreachable' | 'untrusted'; message: string } | null;
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

/** A conclusion whose incidents, alerts and next due time may still depend on the alert context. */
export interface PendingConclusion {
  /** Whether the context is needed. Most checks notify nobody, so the queries for the context can be skipped. */
  needsContext: boolean;
  /** The certificates whose incidents begin, end or are reported. */
  certificates: readonly ConcernedCertificate[];
  /** Returns the conclusion. `context` may be null if `needsContext` is false. */
  withContext(context: AlertContext | null): Conclusion;
}

/**
 * Decides everything that follows from one check: uptime, incidents, alerts with their routes, and when to check next.
 * `verdict` must have been judged with `state.previous`.
 */
export function conclude(
  state: CheckState,
  observation: Observation,
  verdict: Verdict,
  now: number,
): PendingConclusion {
  const { kind, settings, previous } = state;
  const assessment = assessUptime(observation, previous);
  const isRefused = assessment.downAt !== undefined;
  const step = followUptime(state.uptime, { state: assessment.state, isRefused, now });
  const outage = followOutage(state.incidents, step, assessment, now);
  const planned = ({ maintenanceUntil, groups }: Pick<AlertContext, 'maintenanceUntil' | 'groups'>) =>
    updateIncidents({
      host: displayName(observation.endpoint),
      verdict,
      previous,
      isUp: assessment.state === 'up',
      known: outage.incidents,
      groups,
      settings,
      maintenanceUntil,
      now,
    });
  const plan = kind === 'watched' ? planned({ maintenanceUntil: null, groups: [] }) : NO_PLAN;
  const certificates = certificatesIn(plan, state.incidents);
  return {
    certificates,
    // Maintenance silences alerts, keeps the incident of a change open, and may last longer than a snooze.
    needsContext:
      plan.alerts.length > 0 ||
      certificates.length > 0 ||
      plan.changes.some((change) => change.kind === 'end') ||
      (kind === 'watched' && outage.incidents.some(({ snoozedUntil }) => (snoozedUntil ?? 0) > now)),
    withContext(context) {
      const { alerts, changes, recheckAt } = context === null || kind !== 'watched' ? plan : planned(context);
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
          postponedPostureAt(observation, verdict, { now, jitter: state.jitter }),
        ]),
        jitter: state.jitter,
      });
      return {
        assessment,
        // The monitor was paused during the check, so its uptime is unknown until it is resumed.
        uptime: kind === 'paused' ? null : uptimeRecord(state.uptime, step, assessment, now),
        problem: problemOf(verdict, displayName(observation.endpoint)),
        unreachableSince: verdict.reached ? null : (state.unreachableSince ?? verdict.observedAt),
        incidents: kind === 'paused' ? [] : [...outage.changes, ...changes],
        alerts: context === null ? [] : alerts.map(routed(settings, context, now)),
        // A user requested a check during this one. Its probe may be older than the request, so another check follows.
        nextCheckAt: state.isRequested ? now : next,
      };
    },
  };
}

function problemOf(
  { reached, trusted, failure, findings: [worst] }: Verdict,
  host: string,
): Conclusion['problem'] {
  if (!reached) return { code: 'unreachable', message: failure ? failureSentence(failure, host) : '' };
  if (!trusted) return { code: 'untrusted', message: worst ? findingMessage(worst, host) : '' };
  return null;
}

/**
 * Returns until when the renewal of the current certificate is on schedule (ms UTC). Null if that is unknown, and for certificates
 * that are long-lived or not trusted: their badges do not depend on it.
 */
export function onScheduleUntil(
  { trusted, renewal }: Pick<Verdict, 'trusted' | 'renewal'>,
  certificate: Renewable,
): number | null {
  return trusted && isShortLived(certificate) ? (renewal?.overdueAt ?? null) : null;
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
      return incident === undefined ? [] : [{ ...incident, isEnding: change.kind !== 'reopen' }];
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
): { changes: IncidentChange[]; incidents: readonly KnownIncident[] } {
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
      changes: [{ kind: 'open', ...opened, cause: cause?.code ?? 'other' }],
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

const NEW_INCIDENT = {
  id: '',
  clearingSince: null,
  endedAt: null,
  recovered: false,
  acknowledgedAt: null,
  snoozedUntil: null,
  notifiedSteps: [],
  lastStepAt: null,
};

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

/**
 * Returns a function that adds routes to an alert. Omits channels on which the same step failed for good. A recovery goes
 * only to channels on which the problem was delivered or is being sent.
 */
function routed(settings: AlertSettings, context: AlertContext, now: number) {
  return (alert: PlannedAlert): RoutedAlert => {
    const { problem, step } = alert;
    const earlier = context.deliveries.filter(({ incidentId }) => incidentId === alert.incidentId);
    const failedOn = earlier.filter((one) => one.step === step && one.state === 'failed');
    const channels = context.channels.filter(({ key }) =>
      failedOn.every(({ channelKey }) => channelKey !== key),
    );
    const group = context.groups.find(
      (one) => one.problem === problem && one.fingerprint === alert.fingerprint,
    );
    const routes = combined([
      routeAlert(alert, { ...context, channels, settings, now }),
      ...(group?.choices ?? []).map((choice) =>
        routeAlert(alert, {
          ...context,
          channels: channelsFor(channels, choice),
          settings: choice.settings,
          now,
        }),
      ),
    ]);
    if (step !== 'resolved') return { ...alert, routes };
    // The recovery from an outage also goes to channels on which the outage alert is still queued or has failed.
    const notified = earlier.filter(({ state, isBeingSent }) =>
      problem === 'down'
        ? state !== 'superseded'
        : state === 'delivered' || (state === 'waiting' && isBeingSent),
    );
    return {
      ...alert,
      routes: routes.filter(({ key }) => notified.some(({ channelKey }) => channelKey === key)),
    };
  };
}

function channelsFor(channels: readonly ChannelState[], { unsubscribed }: RouteChoice): ChannelState[] {
  return channels.map((channel) => ({ ...channel, isUnsubscribed: unsubscribed.includes(channel.key) }));
}

/** Combines the routes of several domains: each channel once, at the earliest of its times. */
function combined(routes: readonly AlertRoute[][]): AlertRoute[] {
  const byKey = new Map<string, AlertRoute>();
  for (const route of routes.flat()) {
    const leavesAt = Math.min(route.leavesAt, byKey.get(route.key)?.leavesAt ?? Infinity);
    byKey.set(route.key, { ...route, leavesAt });
  }
  return [...byKey.values()];
}

const FIRST_POSTURE_MS = MINUTE_MS;
const PENDING_ANSWER_MS = 2 * MINUTE_MS;

/** Returns when to check early (ms UTC): for the posture after a first check, or for an answer that is pending; else null. */
function earlyCheckAt(previous: Verdict | null, verdict: Verdict, now: number): number | null {
  if (previous === null) return verdict.reached ? now + FIRST_POSTURE_MS : null;
  // Check early only once: otherwise we would query a source that is always too slow every two minutes.
  return isAwaiting(verdict) && !isAwaiting(previous) ? now + PENDING_ANSWER_MS : null;
}

/** Checks for postponed postures are spread over this time, so that the endpoints of one address do not always compete. */
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
  const isDue = duePostureParts([{ verdict, asked: false }], { protocol, now: at }) !== null;
  // A time in the past means that the endpoint was down when the check was due.
  return isDue && at > now ? Math.ceil(at + POSTURE_SPREAD_MS * jitter) : null;
}

function earliest(instants: readonly (number | null)[]): number | null {
  const known = instants.filter((at) => at !== null);
  return known.length === 0 ? null : Math.min(...known);
}
