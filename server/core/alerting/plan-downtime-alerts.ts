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

/** This many downtimes within this period are flapping: one problem, and one message. */
const FLAPPING_TIMES = 3;
const FLAPPING_WITHIN_MS = 6 * HOUR_MS;
/** How long the endpoint must be up before it counts as stable again. */
const STABLE_MS = HOUR_MS;

/**
 * Plans alerts about downtimes, which the monitor's uptime opens and ends: down, and up again. The third downtime
 * within six hours is reported as flapping; after that nothing is sent until the endpoint has been up for an hour.
 */
export function planDowntimeAlerts(check: RecordedCheck, steps: IncidentPlan): void {
  const downs = check.known
    .filter(({ problem }) => problem === 'down')
    .toSorted((left, right) => left.startedAt - right.startedAt);
  const current = downs.at(-1);
  if (current === undefined || isMuted(check.settings, 'down', 'opened')) return;
  if (current.endedAt === null) planDown(check, steps, current, downs);
  // The check that saw a downtime end reports it. Only the end of flapping is reported later.
  for (const down of downs)
    if (down === current || isFlapping(down)) planUp(check, steps, down, lastOfFlapping(downs, down));
}

const isFlapping = ({ notifiedSteps }: KnownIncident): boolean => notifiedSteps.includes('flapping');

/**
 * Returns the last downtime of the same flapping as `down`, never up for an hour in between; `down`
 * itself if it does not flap.
 */
function lastOfFlapping(downs: readonly KnownIncident[], down: KnownIncident): KnownIncident {
  if (!isFlapping(down)) return down;
  const later = downs.slice(downs.indexOf(down));
  // After an end that no check saw, the state in between is unknown: the next downtime is a new problem.
  const isLast = ({ endedAt, recovered }: KnownIncident, next: KnownIncident | undefined) =>
    next === undefined || endedAt === null || !recovered || next.startedAt - endedAt >= STABLE_MS;
  return later.find((one, index) => isLast(one, later[index + 1])) ?? down;
}

function planDown(
  check: RecordedCheck,
  steps: IncidentPlan,
  down: KnownIncident,
  downs: readonly KnownIncident[],
): void {
  if (down.notifiedSteps.length > 0 || isAcknowledged(down, 'opened')) return;
  if (downs.some((one) => isFlapping(one) && lastOfFlapping(downs, one) === down)) return;
  const until = silentUntil(down, check);
  if (until !== null) return requestRecheck(steps, until);
  const recent = downs.filter(({ startedAt }) => down.startedAt - startedAt <= FLAPPING_WITHIN_MS);
  plan(steps, down, recent.length >= FLAPPING_TIMES ? 'flapping' : 'opened', null);
}

/**
 * Plans the recovery of `down` if the problem was reported, counted from the end of `last`, the last
 * downtime of the same flapping.
 */
function planUp(check: RecordedCheck, steps: IncidentPlan, down: KnownIncident, last: KnownIncident): void {
  const { notifiedSteps } = down;
  if (last.endedAt === null || !last.recovered || !check.isUp) return;
  if (
    notifiedSteps.length === 0 ||
    notifiedSteps.includes('resolved') ||
    check.settings.muted.includes('good_news')
  )
    return;
  const stableAt = last.endedAt + (isFlapping(down) ? STABLE_MS : 0);
  if (stableAt > check.now) requestRecheck(steps, stableAt);
  else plan(steps, down, 'resolved', last.endedAt);
}

function plan(steps: IncidentPlan, down: KnownIncident, step: AlertStep, endedAt: number | null): void {
  const { id, fingerprint, facts } = down;
  const severity = step === 'resolved' ? 'info' : step === 'flapping' ? 'warning' : 'critical';
  steps.alerts.push({
    // An outage that opens with this check has no id yet.
    incidentId: id === '' ? null : id,
    problem: 'down',
    fingerprint,
    step,
    severity,
    facts: { ...facts, endedAt },
  });
}
