import type { AlertStep } from './alert.ts';
import {
  type IncidentSteps,
  isAcknowledged,
  type KnownIncident,
  type Look,
  lookAgain,
  silentUntil,
} from './incident.ts';
import { isMuted } from './settings.ts';
import { HOUR_MS } from '../../../contract/durations.ts';

/** So many times down in so long a time is one trouble, and one message. */
const FLAPPING_TIMES = 3;
const FLAPPING_WITHIN_MS = 6 * HOUR_MS;
/** How long it has to be up before it counts as steady again. */
const STEADY_MS = HOUR_MS;

/**
 * Alerts about times of being down, which the uptime of the monitor opens and ends: that it is down, that it is up again; the third
 * time within six hours that it comes and goes, and then nothing until it was up for an hour.
 */
export function followDown(look: Look, steps: IncidentSteps): void {
  const downs = look.known
    .filter(({ problem }) => problem === 'down')
    .toSorted((left, right) => left.startedAt - right.startedAt);
  const current = downs.at(-1);
  if (current === undefined || isMuted(look.settings, 'down', 'opened')) return;
  if (current.endedAt === null) tellDown(look, steps, current, downs);
  // The look that saw the end of a time of being down tells of it; only of one that flaps a later one does.
  for (const down of downs)
    if (down === current || isFlapping(down)) tellUp(look, steps, down, lastOfTrouble(downs, down));
}

const isFlapping = ({ told }: KnownIncident): boolean => told.includes('flapping');

/** The last of the times of being down that are one trouble with `down`: it flaps, and was never up for an hour in between. */
function lastOfTrouble(downs: readonly KnownIncident[], down: KnownIncident): KnownIncident {
  if (!isFlapping(down)) return down;
  const later = downs.slice(downs.indexOf(down));
  // Nobody knows how it fared after an end that nobody saw: what comes then is a trouble of its own.
  const isLast = ({ endedAt, recovered }: KnownIncident, next: KnownIncident | undefined) =>
    next === undefined || endedAt === null || !recovered || next.startedAt - endedAt >= STEADY_MS;
  return later.find((one, index) => isLast(one, later[index + 1])) ?? down;
}

function tellDown(
  look: Look,
  steps: IncidentSteps,
  down: KnownIncident,
  downs: readonly KnownIncident[],
): void {
  if (down.told.length > 0 || isAcknowledged(down, 'opened')) return;
  if (downs.some((one) => isFlapping(one) && lastOfTrouble(downs, one) === down)) return;
  const until = silentUntil(down, look);
  if (until !== null) return lookAgain(steps, until);
  const recent = downs.filter(({ startedAt }) => down.startedAt - startedAt <= FLAPPING_WITHIN_MS);
  plan(steps, down, recent.length >= FLAPPING_TIMES ? 'flapping' : 'opened', null);
}

/** That `down` is over, where people were told of it: since `last` ended, with which it is one trouble where it flaps. */
function tellUp(look: Look, steps: IncidentSteps, down: KnownIncident, last: KnownIncident): void {
  const { told } = down;
  if (last.endedAt === null || !last.recovered || !look.isUp) return;
  if (told.length === 0 || told.includes('resolved') || look.settings.muted.includes('good_news')) return;
  const steadyAt = last.endedAt + (isFlapping(down) ? STEADY_MS : 0);
  if (steadyAt > look.now) lookAgain(steps, steadyAt);
  else plan(steps, down, 'resolved', last.endedAt);
}

function plan(steps: IncidentSteps, down: KnownIncident, step: AlertStep, endedAt: number | null): void {
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
