import type { AlertStep } from './alert.ts';
import type { Look } from './follow-incidents.ts';
import {
  type IncidentSteps,
  isAcknowledged,
  type KnownIncident,
  lookAgain,
  silentUntil,
} from './incident.ts';
import { isMuted } from './settings.ts';

const HOUR_MS = 3_600_000;
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
  const recent = downs.filter(({ startedAt }) => current.startedAt - startedAt <= FLAPPING_WITHIN_MS);
  const isFlapping = recent.length >= FLAPPING_TIMES;
  if (current.endedAt === null) tellDown(look, steps, current, isFlapping ? downs : null);
  // Downs that were each told of end one by one, whatever came later.
  for (const down of downs) {
    const wasTold = down.told.includes('opened') || down.told.includes('flapping');
    if (!wasTold || down.told.includes('resolved') || !look.isUp) continue;
    const end = down.told.includes('flapping') ? current : down;
    if (end.endedAt === null || !end.recovered) continue;
    const steadyAt = end.endedAt + (down.told.includes('flapping') ? STEADY_MS : 0);
    if (steadyAt > look.now) lookAgain(steps, steadyAt);
    else if (!look.settings.muted.includes('good_news')) plan(steps, down, 'resolved', end.endedAt);
  }
}

function tellDown(
  look: Look,
  steps: IncidentSteps,
  down: KnownIncident,
  flapping: readonly KnownIncident[] | null,
): void {
  const isTold = down.told.some((step) => step === 'opened' || step === 'flapping');
  if (isTold || isAcknowledged(down, 'opened')) return;
  if (flapping?.some(({ told }) => told.includes('flapping') && !told.includes('resolved'))) return;
  const until = silentUntil(down, look);
  if (until !== null) return lookAgain(steps, until);
  plan(steps, down, flapping === null ? 'opened' : 'flapping', null);
}

function plan(steps: IncidentSteps, down: KnownIncident, step: AlertStep, endedAt: number | null): void {
  const { id, fingerprint, facts } = down;
  const severity = step === 'resolved' ? 'info' : step === 'flapping' ? 'warning' : 'critical';
  steps.alerts.push({
    ...{ incidentId: id, problem: 'down', fingerprint, step, severity },
    facts: { ...facts, endedAt },
  });
}
