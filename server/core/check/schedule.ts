import { alertSteps, type ChosenStep, type Renewable } from '../alert-steps.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';

/** A host that is down is looked at again within the hour, whatever its plan. */
const UNREACHABLE_MINUTES = 60;
/** Share of an interval over which checks are spread, so that domains added together do not stay together. */
const SPREAD = 0.1;
/** No host can make us look more often than this, whatever lifetime it invents for its certificates. */
const LIFETIME_FLOOR_MS = 10 * MINUTE_MS;
const FLOOR_MS = MINUTE_MS;

/**
 * When to check next (ms UTC): within the interval, an hour when unreachable, and a 24th of each certificate's lifetime,
 * but at the next alert step if that comes first. `jitter` in [0, 1) pulls intervals forward by up to a tenth, and puts
 * off a step by up to a minute: before its step a check would find nothing to tell, and the step would pass unnoticed
 * until the one after it.
 */
export function nextCheckAt(input: {
  now: number;
  everyMinutes: number;
  reached: boolean;
  certificates: readonly Renewable[];
  /** Which steps hold for them; null or absent: the product's own. */
  steps?: readonly ChosenStep[] | null;
  /** When something is to be looked at again however long the interval: a failure without a second look yet, an answer on its
   * way. ms UTC. */
  lookAgainAt?: number | null;
  jitter: number;
}): number {
  const { now, jitter } = input;
  const everyMinutes = input.reached ? input.everyMinutes : Math.min(input.everyMinutes, UNREACHABLE_MINUTES);
  const intervals = [everyMinutes * MINUTE_MS];
  const steps: number[] = [];
  for (const certificate of input.certificates) {
    const lifetime = certificate.notAfter - certificate.notBefore;
    if (lifetime > 0) intervals.push(Math.max(LIFETIME_FLOOR_MS, lifetime / 24));
    const next = alertSteps(certificate, input.steps).find(({ at }) => at > now);
    if (next !== undefined) steps.push(next.at);
  }
  const byInterval = now + Math.min(...intervals) * (1 - SPREAD * jitter);
  const byStep = Math.min(...steps) + MINUTE_MS * jitter;
  const due = Math.max(now + FLOOR_MS, Math.min(byInterval, byStep));
  return Math.floor(Math.min(due, Math.max(now, input.lookAgainAt ?? Infinity)));
}
