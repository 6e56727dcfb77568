import { alertSteps, type ChosenStep, type Renewable, renewalOverdueAt } from '../alert-steps.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';

/** Longest interval for a host that is down or unreachable, on every plan. */
const UNREACHABLE_MINUTES = 60;
/** Share of the interval over which checks are spread, so that domains added together drift apart. */
const SPREAD = 0.1;
/** Shortest interval that follows from a certificate's lifetime, because a host may claim any lifetime. */
const LIFETIME_FLOOR_MS = 10 * MINUTE_MS;
const FLOOR_MS = MINUTE_MS;

/**
 * Returns when to check next (ms UTC): after the shortest of the interval, an hour if unreachable, and a 24th of a
 * certificate's lifetime, or earlier at the next alert step or once a renewal is overdue. Waits at least a minute, except for
 * `recheckAt`. `jitter` in [0, 1) shortens intervals by up to 10 % and delays a step by up to a minute.
 */
export function nextCheckAt(input: {
  now: number;
  everyMinutes: number;
  reached: boolean;
  certificates: readonly Renewable[];
  /** Alert steps of the domain; the default steps if null or absent. */
  steps?: readonly ChosenStep[] | null;
  /** Check no later than this (ms UTC), for example to confirm a failure; null or absent: no such limit. */
  recheckAt?: number | null;
  jitter: number;
}): number {
  const { now, jitter } = input;
  const everyMinutes = input.reached ? input.everyMinutes : Math.min(input.everyMinutes, UNREACHABLE_MINUTES);
  const intervals = [everyMinutes * MINUTE_MS];
  const steps: number[] = [];
  for (const certificate of input.certificates) {
    const lifetime = certificate.notAfter - certificate.notBefore;
    if (lifetime > 0) intervals.push(Math.max(LIFETIME_FLOOR_MS, lifetime / 24));
    const changes = [
      ...alertSteps(certificate, input.steps).map(({ at }) => at),
      renewalOverdueAt(certificate),
    ];
    steps.push(...changes.filter((at) => at > now));
  }
  const byInterval = now + Math.min(...intervals) * (1 - SPREAD * jitter);
  const byStep = Math.min(...steps) + MINUTE_MS * jitter;
  const due = Math.max(now + FLOOR_MS, Math.min(byInterval, byStep));
  return Math.floor(Math.min(due, Math.max(now, input.recheckAt ?? Infinity)));
}

/** Interval of the self-check, which pings HEARTBEAT_URL. */
export const HEARTBEAT_EVERY_MINUTES = 5;

/** Returns when to check next (ms UTC) after the interval changed: earlier than planned if the new one requires it, never later. */
export function dueWithInterval(
  everyMinutes: number,
  { dueAt, lastCheckedAt, now }: { dueAt: number; lastCheckedAt: number | null; now: number },
): number {
  return Math.min(dueAt, Math.max(now, (lastCheckedAt ?? now) + everyMinutes * MINUTE_MS));
}

/**
 * Number of priority lanes for due checks and for messages, the first one being the most urgent. The more monitors or waiting messages an
 * account has, the less urgent is the lane of the newest. Every lane gets a share of the claims of checks.
 */
export const LANES = 7;

/**
 * Returns the lane of a monitor or a message whose account had `before` others when it was added: 0 for the first three, then one more with every
 * power of four. So the first monitor of one account never waits behind the thousandth of another.
 */
export function laneOf(before: number): number {
  return Math.min(LANES - 1, Math.floor(Math.log2(before + 1) / 2));
}

/**
 * Returns how many of the next `limit` claims each lane gets: half for lane 0, a quarter for lane 1 and so on. The caller gives unused claims to
 * other lanes. `taken`: number of earlier claims, so that many small batches get the same shares as one large batch.
 */
export function lanePortions(limit: number, taken: number): number[] {
  const portions = Array.from({ length: LANES }, () => 0);
  for (let nth = taken + 1; nth <= taken + limit; nth++) {
    const lane = laneOfNth(nth);
    portions[lane] = (portions[lane] ?? 0) + 1;
  }
  return portions;
}

/** Returns the lane of the nth claim: every second one is for lane 0, every fourth for lane 1, and so on. */
function laneOfNth(nth: number): number {
  let lane = 0;
  while (lane < LANES - 1 && nth % 2 ** (lane + 1) === 0) lane += 1;
  return lane;
}
