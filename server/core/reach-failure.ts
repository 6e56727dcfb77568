import type { FailedObservation, Observation, ReachFailure, ReachStage } from './observation.ts';

/** The end of a sentence whose subject is a host or some of its addresses. */
const HAPPENED: Record<ReachFailure, string> = {
  name_not_found: 'does not exist in DNS',
  no_addresses: 'has no address in DNS',
  dns_failed: 'could not be looked up: its name servers answered with an error',
  dns_timeout: 'could not be looked up: its name servers did not answer in time',
  dns_refused: 'could not be looked up: the name server refused to answer',
  resolver_silent: 'could not be looked up: the name server that is used here does not answer',
  address_refused: 'leads to an address that cannot be tracked here',
  refused: 'refused the connection',
  reset: 'broke off the connection',
  timeout: 'did not answer in time',
  unroutable: 'cannot be reached from here: no route leads to it',
  no_route_here: 'has IPv6 addresses only, and there is no IPv6 here',
  not_tls: 'answered, but not with TLS',
  tls_alert: 'ended the TLS handshake with an error',
  protocol_version: 'speaks no TLS version that can be used',
  no_certificate: 'showed no certificate',
  too_large: 'sent more certificates than can be accepted',
  closed: 'closed the connection before showing a certificate',
  wrong_protocol: 'answered in another protocol',
  starttls_refused: 'offers no change to TLS (STARTTLS)',
  starttls_injection: 'sent plain text after it had agreed to change to TLS',
  not_examined: 'could not be checked: examining it took too long and was ended',
  other: 'could not be reached',
};
/** The stages of a probe in order; the furthest one reached says most about the host. */
const STAGES: readonly ReachStage[] = ['policy', 'dns', 'connect', 'starttls', 'handshake', 'examination'];

/** Returns the end of a sentence, for example "did not answer in time". */
export function whatHappened(reason: ReachFailure): string {
  return HAPPENED[reason];
}

/**
 * Returns the most telling failure: the one at the furthest stage; faults of the host come before limits of this
 * machine. Null if any address completed a handshake.
 */
export function mostTellingFailure(
  observation: Observation,
  host: string,
): { stage: ReachStage; reason: ReachFailure; message: string } | null {
  const { resolution, addresses } = observation;
  const failureAt = (stage: ReachStage, reason: ReachFailure, suffix = '') => ({
    stage,
    reason,
    message: `${host} ${HAPPENED[reason]}${suffix}.`,
  });
  if (!resolution.ok) return failureAt(resolution.stage, resolution.reason);
  if (addresses.some(({ outcome }) => outcome === 'handshake')) return null;
  const failed = addresses.filter((address): address is FailedObservation => address.outcome === 'failed');
  const rank = ({ stage, reason }: FailedObservation): number =>
    reason === 'no_route_here' ? -1 : STAGES.indexOf(stage);
  const [worst] = failed.toSorted((left, right) => rank(right) - rank(left));
  if (worst === undefined) return failureAt('dns', 'no_addresses');
  const alert = worst.tlsAlert === null ? '' : ` (TLS alert ${worst.tlsAlert})`;
  return failureAt(worst.stage, worst.reason, alert);
}
