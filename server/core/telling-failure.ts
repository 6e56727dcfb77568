import { DAY_MS, HOUR_MS } from '../../contract/durations.ts';
import type { FailedObservation, Observation, ReachStage } from './observation.ts';
import type { Failure, Verdict } from './verdict.ts';

/** The stages of a probe, in order. A failure at a later stage says more about the host. */
const STAGES: readonly ReachStage[] = ['policy', 'dns', 'connect', 'starttls', 'handshake', 'examination'];

/**
 * Returns the failure that says most about the host: the one at the latest stage, preferably not a temporary refusal, and one due to missing IPv6
 * or IPv4 of this machine only if there is no other. Returns null if any address completed a handshake. `previous`: the previous verdict.
 */
export function mostTellingFailure(
  { resolution, addresses, observedAt }: Observation,
  previous: PreviousResult | null = null,
): Failure | null {
  if (!resolution.ok) return { stage: resolution.stage, reason: resolution.reason, detail: null };
  if (addresses.some(({ outcome }) => outcome === 'handshake')) return null;
  const failed = addresses.filter((address): address is FailedObservation => address.outcome === 'failed');
  const rank = ({ stage, reason, refusal }: FailedObservation): number =>
    reason === 'no_route_here' ? -1 : STAGES.indexOf(stage) - (refusal?.isTemporary === true ? 0.5 : 0);
  const [worst] = failed.toSorted((left, right) => rank(right) - rank(left));
  if (worst === undefined) return { stage: 'dns', reason: 'no_addresses', detail: null };
  const { stage, reason, tlsAlert, refusal, scheme } = worst;
  if (refusal !== undefined) {
    const { code, isTemporary } = refusal;
    const isLater = previous !== null && observedAt - previous.observedAt <= REFUSALS_APART_MS;
    const firstAt = (isLater ? temporarilyRefusedSince(previous.failure) : null) ?? observedAt;
    const refusedSince = isTemporary ? firstAt : null;
    return { stage, reason, detail: { kind: 'refusal', code, refusedSince } };
  }
  if (scheme !== undefined) return { stage, reason, detail: { kind: 'other_scheme', scheme } };
  return { stage, reason, detail: tlsAlert === null ? null : { kind: 'tls_alert', alert: tlsAlert } };
}

export type PreviousResult = Pick<Verdict, 'failure' | 'observedAt'>;

/** Longest time between two checks that count as consecutive: a little more than a day, the longest interval. */
const REFUSALS_APART_MS = DAY_MS + HOUR_MS;

/** Returns when the first of consecutive checks met a temporary refusal, ms UTC; null if the failure is another one. */
export function temporarilyRefusedSince(failure: Failure | null): number | null {
  return failure?.detail?.kind === 'refusal' ? failure.detail.refusedSince : null;
}

/** How long consecutive temporary refusals are `unknown` before they count as `down`. */
const REFUSED_FOR_MS = HOUR_MS;

/** Returns when temporary refusals begin to count as `down`, ms UTC; null if the failure is another one. */
export function countsAsDownAt(failure: Failure): number | null {
  const since = temporarilyRefusedSince(failure);
  return since === null ? null : since + REFUSED_FOR_MS;
}
