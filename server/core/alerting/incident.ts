import type { AlertFacts, AlertSeverity, AlertStep, PlannedAlert, Problem } from './alert.ts';
import { WEEK_MS } from '../../../contract/durations.ts';
import type { Verdict } from '../verdict.ts';
import type { AlertSettings } from './settings.ts';
import { alertSteps } from '../alert-steps.ts';

/** An open incident of a monitor, or one that ended lately. Instants are ms UTC. */
export interface KnownIncident {
  id: string;
  problem: Problem;
  /** Empty where it is about the endpoint, whatever it shows. */
  fingerprint: string;
  startedAt: number;
  /** When the second look agreed; null until then, and nobody is told before. */
  confirmedAt: number | null;
  /** The first look that did not see it any more; null while it is seen. */
  clearingSince: number | null;
  endedAt: number | null;
  /** Ended because it was seen to be over, and not because nobody looked any more. */
  recovered: boolean;
  acknowledgedAt: number | null;
  snoozedUntil: number | null;
  /** What people were told or will be; not what was superseded before anybody was told. */
  told: readonly AlertStep[];
  /** When the last of those was decided on, good news left out; null where there is none. */
  toldAt: number | null;
  facts: AlertFacts;
}

/** What becomes of incidents; every id is of a known one. */
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

export interface IncidentSteps {
  changes: IncidentChange[];
  alerts: PlannedAlert[];
  /** When to look again, whatever the interval (ms UTC): a change waits for a second look, or a silence ends. */
  lookAgainAt: number | null;
}

/** How long an incident that ended is part of what comes after it. */
export const REMEMBER_INCIDENTS_MS = WEEK_MS;

/** Who says "I know" hears no more of it, but that it came to the worst, and that it is over. */
export function isAcknowledged(
  { acknowledgedAt }: Pick<KnownIncident, 'acknowledgedAt'>,
  step: AlertStep,
): boolean {
  return acknowledgedAt !== null && step !== 'expired';
}

/** Until when nobody is told of an incident (ms UTC): it was put off, or work is going on. Null: now is fine. */
export function silentUntil(
  { snoozedUntil }: Pick<KnownIncident, 'snoozedUntil'>,
  { maintenanceUntil, now }: { maintenanceUntil: number | null; now: number },
): number | null {
  const until = Math.max(maintenanceUntil ?? 0, snoozedUntil ?? 0);
  return until > now ? until : null;
}

export function lookAgain(steps: IncidentSteps, at: number): void {
  steps.lookAgainAt = Math.min(at, steps.lookAgainAt ?? Infinity);
}

/**
 * Whether people know already what a step before the end of a certificate would tell them: it was told itself, or something
 * was told after its time. Steps move with the wishes of people and of CAs; what was said at a time does not.
 */
export function isExpiryStepTold(
  { told, toldAt }: Pick<KnownIncident, 'told' | 'toldAt'>,
  { step, at }: { step: AlertStep; at: number },
): boolean {
  return told.includes(step) || (toldAt !== null && toldAt >= at);
}

/** One recorded look at an endpoint, with all that decides on what people are told. */
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

/**
 * How bad an incident is at `now` (ms UTC), as its next message would be: the end of a certificate becomes critical as it
 * comes near. `step`: the one whose words say what is wrong.
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
