import type { AlertStep } from './alert.ts';
import {
  type IncidentPlan,
  isAcknowledged,
  type KnownIncident,
  type RecordedCheck,
  requestRecheck,
  silentUntil,
} from './incident.ts';
import { isMuted } from './settings.ts';
import { HOUR_MS } from '../../../contract/durations.ts';

/** Number of downtimes within `FLAPPING_WITHIN_MS` that are reported as flapping, in one message. */
const FLAPPING_TIMES = 3;
const FLAPPING_WITHIN_MS = 6 * HOUR_MS;
/** How long the endpoint must be up before it counts as stable again. */
const STABLE_MS = HOUR_MS;

/**
 * Plans the alerts about downtimes, whose incidents the monitor's uptime opens and ends. The third downtime within six hours
 * is reported as flapping; after that nothing is sent until the endpoint has been up for an hour.
 */
export function planDowntimeAlerts(check: RecordedCheck, plan: IncidentPlan): void {
  const downs = check.known
    .filter(({ problem }) => problem === 'down')
    .toSorted((left, right) => left.startedAt - right.startedAt);
  const current = downs.at(-1);
  if (current === undefined || isMuted(check.settings, 'down', 'opened')) return;
  if (current.endedAt === null) planDown(check, plan, current, downs);
  // Earlier downtimes need no recovery alert any more, except flapping ones, whose end is reported an hour later.
  for (const down of downs)
    if (down === current || isFlapping(down)) planUp(check, plan, down, lastOfSeries(downs, down));
}

const isFlapping = ({ notifiedSteps }: KnownIncident): boolean => notifiedSteps.includes('flapping');

/**
 * Returns the last downtime in the same period of flapping as `down`, in which the endpoint was never up for an hour; returns
 * `down` itself if it is not flapping.
 */
function lastOfSeries(downs: readonly KnownIncident[], down: KnownIncident): KnownIncident {
  if (!isFlapping(down)) return down;
  const later = downs.slice(downs.indexOf(down));
  // If no check saw the end, the state after it is unknown: the next downtime is a new problem.
  const isLast = ({ endedAt, recovered }: KnownIncident, next: KnownIncident | undefined) =>
    next === undefined || endedAt === null || !recovered || next.startedAt - endedAt >= STABLE_MS;
  return later.find((one, index) => isLast(one, later[index + 1])) ?? down;
}

function planDown(
  check: RecordedCheck,
  plan: IncidentPlan,
  down: KnownIncident,
  downs: readonly KnownIncident[],
): void {
  if (down.notifiedSteps.length > 0 || isAcknowledged(down, 'opened')) return;
  if (downs.some((one) => isFlapping(one) && lastOfSeries(downs, one) === down)) return;
  const until = silentUntil(down, check);
  if (until !== null) return requestRecheck(plan, until);
  const recent = downs.filter(({ startedAt }) => down.startedAt - startedAt <= FLAPPING_WITHIN_MS);
  planAlert(plan, down, recent.length >= FLAPPING_TIMES ? 'flapping' : 'opened', null);
}

/**
 * Plans the recovery alert of `down` if its start was reported, its end was not, and the endpoint is up (after flapping,
 * for an hour). `last`: the last downtime in the same period of flapping, with which the outage ended.
 */
function planUp(check: RecordedCheck, plan: IncidentPlan, down: KnownIncident, last: KnownIncident): void {
  const { notifiedSteps } = down;
  if (last.endedAt === null || !last.recovered || !check.isUp) return;
  if (
    notifiedSteps.length === 0 ||
    notifiedSteps.includes('resolved') ||
    check.settings.muted.includes('good_news')
  )
    return;
  const stableAt = last.endedAt + (isFlapping(down) ? STABLE_MS : 0);
  if (stableAt > check.now) requestRecheck(plan, stableAt);
  else planAlert(plan, down, 'resolved', last.endedAt);
}

function planAlert(plan: IncidentPlan, down: KnownIncident, step: AlertStep, endedAt: number | null): void {
  const { incidentId, fingerprint, facts } = down;
  const severity = step === 'resolved' ? 'info' : step === 'flapping' ? 'warning' : 'critical';
  plan.alerts.push({
    // An outage that opens with this check has no id yet.
    incidentId: incidentId === '' ? null : incidentId,
    problem: 'down',
    fingerprint,
    step,
    severity,
    facts: { ...facts, endedAt },
  });
}
